/** What `user explain` says about a change of the e-mail that is under way. (Interface 9 and 21) */
import { messagesOf, runHere } from '../support/gateway/cli.js';
import { askForEmail, changeEmail, startWithAccount } from '../support/gateway/email-changes.js';
import type { TestGateway } from '../support/gateway/gateway.js';
import { newcomer } from '../support/gateway/graphql.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startWithAccount();
});
afterAll(() => gateway.close());

async function explained(name: string, ...flags: string[]): Promise<string> {
  const ran = await runHere(['user', 'explain', name, ...flags], () => ({
    ...gateway.config,
    databaseUrl: gateway.database.url,
  }));
  expect([ran.code, messagesOf(ran)]).toEqual([0, '']);
  return ran.stdout;
}

const explain = async (name: string) => JSON.parse(await explained(name, '--json'));
const inSeconds = (seconds: number) => new Date(gateway.clock.now().getTime() + seconds * 1000).toISOString();

test('Interface 9 and 21: user explain names the e-mail that was asked for, and the former ones that can take a change back', async () => {
  const user = await newcomer(gateway);
  const { id, email: former } = user.user;
  expect(await explain(id)).toMatchObject({ pending_email: null, former_emails: [] });
  await changeEmail(gateway, user, 'new@example.com');
  await askForEmail(gateway, user, 'newer@example.com');
  const [expires_at, reserved_until] = [inSeconds(1_800), inSeconds(72 * 3_600)];
  expect(await explain('new@example.com')).toMatchObject({
    pending_email: { email: 'newer@example.com', expires_at },
    former_emails: [{ email: former, reserved_until }],
  });
  const text = await explained('new@example.com');
  expect(text).toContain(
    `\nThe user has asked for the e-mail newer@example.com, and can open the link that was sent there until ${expires_at}.\n`,
  );
  expect(text).toContain(
    `\nThe former e-mail ${former} is reserved for the user, and can take the change back, until ${reserved_until}.\n`,
  );
  expect(text).not.toMatch(/e[lu]_/);
});

test('Interface 9 and 21: user explain of a reserved e-mail says until when, and who had it', async () => {
  const user = await newcomer(gateway);
  await changeEmail(gateway, user, 'moved@example.com');
  const until = inSeconds(72 * 3_600).replace(/\.\d+Z$/, 'Z');
  const [reason] = (await explain(user.user.email)).reasons;
  expect(reason).toEqual({
    reason: 'unknown',
    message: `There is no user with this e-mail. Until ${until} it is reserved for a user who had it.`,
    cure: `user explain ${user.user.id}`,
  });
});
