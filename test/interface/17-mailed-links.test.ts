/**
 * A link that an operator has mailed is seen by nobody else. `test/mail/links.test.ts` has its sending.
 * (Interface 15 and 17)
 */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { deleteUser, setUserActive, setUserPassword } from '../../src/admin/user-changes.js';
import { openSealedSecret } from '../../src/credentials/sealed-secret.js';
import { messagesOf, type Ran, runHere } from '../support/gateway/cli.js';
import { startGateway, startInstance, type TestGateway } from '../support/gateway/gateway.js';
import { ask, dataOf, newApiKey, newcomer, type SignedIn } from '../support/gateway/graphql.js';
import { captureLog } from '../support/gateway/log.js';
import { CHOSEN, issueLink, redeem } from '../support/gateway/passwords.js';
import { auditDuring, wholeState } from '../support/gateway/rows.js';

/** Links stay as they are issued. */
const NEVER_MS = 3_600_000;
const captured = captureLog();
let gateway: TestGateway;
let admin: SignedIn;
beforeAll(async () => {
  gateway = await startGateway({ env: { MAIL: 'log' }, outboxPollMs: NEVER_MS, log: captured.log });
  admin = await newcomer(gateway, 'admin');
});
afterAll(() => gateway.close());

const ISSUE = 'mutation ($input: IssuePasswordLinkInput!) { issuePasswordLink(input: $input) { link expiresAt } }';
const PURPOSES = [
  ['invitation', 259_200],
  ['reset', 1_800],
] as const;

async function sealedOf(userId: string): Promise<string | null | undefined> {
  const [link] = await gateway.rows<{ sealed_token: string | null }>(
    'select sealed_token from password_links where user_id = $1',
    [userId],
  );
  return link?.sealed_token;
}

/** What the mail will have. */
async function waitingToken(userId: string): Promise<string> {
  return (await openSealedSecret(gateway.app.keyring, userId, (await sealedOf(userId)) ?? '')) ?? '';
}

/** Everything that is stored, but for what is sealed; and the log. */
async function readable(): Promise<string> {
  const tables = ['password_links', 'audit_events', 'users', 'outbox_events', 'rate_limits'];
  const rows = await gateway.rows(tables.map((table) => `select t::text from ${table} as t`).join(' union all '));
  return JSON.stringify(rows) + captured.text();
}

function cli(words: string[], env: Partial<TestGateway['config']> = {}): Promise<Ran> {
  return runHere(words, () => ({ ...gateway.config, databaseUrl: gateway.database.url, ...env }));
}

test.each(PURPOSES)(
  'Interface 17: deliver: true of an %s returns no link, and its token waits sealed',
  async (purpose, seconds) => {
    const { id } = await gateway.user({ password: null });
    const [answer, events] = await auditDuring(gateway, () =>
      ask(gateway, admin.as, ISSUE, { input: { userId: id, purpose, deliver: true } }),
    );
    const expiresAt = new Date(gateway.clock.now().getTime() + seconds * 1000).toISOString();
    expect(answer.json).toEqual({ data: { issuePasswordLink: { link: null, expiresAt } } });
    const actor = { caller_type: 'user', sub: admin.user.id };
    expect(events).toMatchObject([{ event_type: 'password_link_issued', user_id: id }]);
    expect(events[0]?.metadata).toEqual({ actor, purpose, expires_at: expiresAt, mailed: true });

    const token = await waitingToken(id);
    expect(token).toMatch(/^pl_[0-9A-Za-z]{49}$/);
    const secret = token.slice(3, 40);
    expect(answer.text).not.toContain(secret);
    expect(await readable()).not.toContain(secret);
    expect((await redeem(gateway, token)).status).toBe(204);
    expect(await sealedOf(id)).toBeUndefined();
  },
);

test.each([[false], [null]])(
  'Interface 15: with deliver: %j the link is returned, and nothing waits',
  async (deliver) => {
    const { id } = await gateway.user();
    const [{ issuePasswordLink }, events] = await auditDuring(gateway, () =>
      dataOf(gateway, admin.as, ISSUE, { input: { userId: id, purpose: 'reset', deliver } }),
    );
    expect(issuePasswordLink.link).toMatch(/#token=pl_/);
    expect(await sealedOf(id)).toBeNull();
    expect(events[0]?.metadata).not.toHaveProperty('mailed');
  },
);

test('Interface 17: a token that waits for one user does not open as that of another', async () => {
  const [one, two] = [await gateway.user(), await gateway.user()];
  await dataOf(gateway, admin.as, ISSUE, { input: { userId: one.id, purpose: 'reset', deliver: true } });
  expect(await openSealedSecret(gateway.app.keyring, two.id, (await sealedOf(one.id)) ?? '')).toBeUndefined();
});

/** The row of a link that a new password has ended stays until it expires; mail passes it over. */
const WAITS = expect.any(String);

const ENDINGS: Array<[string, (userId: string) => Promise<unknown>, unknown]> = [
  ['a link that is returned', (id) => issueLink(gateway, id), null],
  ['a new password', (id) => setUserPassword(gateway.app, COMMAND_LINE, id, CHOSEN), WAITS],
  ['deactivation', (id) => setUserActive(gateway.app, COMMAND_LINE, id, false), undefined],
  ['deletion', (id) => deleteUser(gateway.app, COMMAND_LINE, id), undefined],
];
test.each(ENDINGS)('Interface 17: %s ends the link whose token waits', async (_, end, left) => {
  const { id } = await gateway.user();
  await dataOf(gateway, admin.as, ISSUE, { input: { userId: id, purpose: 'reset', deliver: true } });
  const token = await waitingToken(id);
  await end(id);
  expect(await sealedOf(id)).toEqual(left);
  expect((await redeem(gateway, token, 'seven grey herons listen')).status).toBe(401);
});

test('Interface 17: a newer link that is mailed replaces the token that waits', async () => {
  const { id } = await gateway.user();
  const issue = () => dataOf(gateway, admin.as, ISSUE, { input: { userId: id, purpose: 'reset', deliver: true } });
  await issue();
  const older = await waitingToken(id);
  await issue();
  const newer = await waitingToken(id);
  expect(newer).not.toBe(older);
  expect((await redeem(gateway, older)).status).toBe(401);
  expect((await redeem(gateway, newer)).status).toBe(204);
});

test('Interface 15: a link for an administrator is mailed for callers that hold every scope', async () => {
  const { as } = await newApiKey(gateway, ['users:write']);
  const { id } = await gateway.user({ role: 'admin' });
  const answer = await ask(gateway, as, ISSUE, { input: { userId: id, purpose: 'reset', deliver: true } });
  expect(answer.reason).toBe('every_scope_needed');
  expect(await sealedOf(id)).toBeUndefined();
});

test('Interface 17: while mail is off nothing is issued; who may not issue links is refused for that', async () => {
  const { id } = await gateway.user();
  const stranger = await newcomer(gateway);
  const off = await startInstance(gateway.database, { clock: gateway.clock });
  try {
    const before = await wholeState(gateway);
    const input = { userId: id, purpose: 'reset', deliver: true };
    expect((await ask(off, admin.as, ISSUE, { input })).reason).toBe('mail_off');
    expect((await ask(off, stranger.as, ISSUE, { input })).reason).toBe('scope_missing');
    expect(await sealedOf(id)).toBeUndefined();
    expect(await wholeState(gateway)).toEqual(before);
  } finally {
    await off.close();
  }
});

describe('the command line', () => {
  test('Interface 9: user invite --mail creates the user and prints no link', async () => {
    const words = ['user', 'invite', 'invited@example.com', '--role', 'viewer', '--mail'];
    const [ran, events] = await auditDuring(gateway, () => cli([...words, '--json']));
    expect([ran.code, messagesOf(ran)]).toEqual([0, '']);
    const printed = JSON.parse(ran.stdout);
    expect(printed).toEqual({
      ...{ id: expect.any(String), email: 'invited@example.com', role: 'viewer', purpose: 'invitation', mailed: true },
      expires_at: expect.any(String),
    });
    expect(events.map(({ event_type }) => event_type)).toEqual(['user_created', 'password_link_issued']);
    expect(events[1]?.metadata).toMatchObject({ actor: { caller_type: 'cli' }, purpose: 'invitation', mailed: true });
    const token = await waitingToken(printed.id);
    expect((await redeem(gateway, token)).status).toBe(204);
  });

  test.each([
    ['reset', undefined],
    ['invitation', null],
  ])('Interface 9: user reset-link --mail of a user who needs a link for a %s', async (purpose, password) => {
    const { id, email } = await gateway.user(password === undefined ? {} : { password });
    for (const name of [email, id]) {
      const ran = await cli(['user', 'reset-link', name, '--mail', '--json']);
      expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([0, { id, email, purpose, mailed: true }]);
      expect(ran.stdout + ran.stderr).not.toContain((await waitingToken(id)).slice(3, 40));
      expect(ran.stdout).not.toContain('#token');
    }
  });

  test('Interface 9: for a person it says that the link is mailed', async () => {
    const { email } = await gateway.user();
    const { stdout } = await cli(['user', 'reset-link', email, '--mail']);
    expect(stdout).toMatch(/^mailed: true$/m);
    expect(stdout).not.toContain('pl_');
  });

  test('Interface 9: with MAIL=off it ends with 1 and says what to do, and no user is created', async () => {
    const { email } = await gateway.user();
    const mail = { ...gateway.config.mail, kind: 'off' as const };
    const before = await wholeState(gateway);
    for (const words of [
      ['invite', 'not-invited@example.com', '--role', 'viewer'],
      ['reset-link', email],
    ]) {
      const ran = await cli(['user', ...words, '--mail'], { mail });
      expect([ran.code, ran.stdout]).toEqual([1, '']);
      expect(messagesOf(ran)).toMatch(/MAIL is off.*set MAIL, or leave --mail out/s);
    }
    expect(await wholeState(gateway)).toEqual(before);
  });
});
