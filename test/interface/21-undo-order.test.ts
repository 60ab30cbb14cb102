/** A way back ends those of later changes, by whichever instance and clock they were made. (Interface 21) */
import { openSealedSecret } from '../../src/credentials/sealed-secret.js';
import { handClock } from '../support/gateway/clock.js';
import { type Instance, PASSWORD, startGateway, startInstance, type TestGateway } from '../support/gateway/gateway.js';

/** Nobody takes a mail, so that tokens stay sealed in the tables. */
const env = { ACCOUNT: 'on', MAIL: 'smtp', SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'auth@example.org' };

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startGateway({ env });
});
afterEach(() => gateway.close());

async function tokenOf(table: 'email_changes' | 'email_undos', email: string): Promise<string> {
  const id = table === 'email_changes' ? 'user_id' : 'id';
  const [row] = await gateway.rows<{ id: string; sealed_token: string }>(
    `select ${id} as id, sealed_token from ${table} where email = $1`,
    [email],
  );
  return (await openSealedSecret(gateway.app.keyring, row?.id ?? '', row?.sealed_token ?? '')) ?? 'no token';
}

async function change({ send }: Instance, accessToken: string, email: string): Promise<void> {
  const headers = { authorization: `Bearer ${accessToken}` };
  expect(await send('POST', '/auth/email', { headers, body: { email } })).toMatchObject({ status: 202 });
  const body = { token: await tokenOf('email_changes', email) };
  expect(await send('POST', '/auth/email/redeem', { headers, body })).toMatchObject({ status: 200, json: { email } });
}

test('Interface 21: the way back from a change ends that from a later one, whose instance has a clock a minute behind', async () => {
  const { email } = await gateway.user({ email: 'ada@example.com' });
  const behind = handClock(new Date(gateway.clock.now().getTime() - 60_000));
  const late = await startInstance(gateway.database, { env, clock: behind });
  try {
    const login = await gateway.send('POST', '/auth/login', { body: { email, password: PASSWORD } });
    await change(gateway, login.json.access_token, 'thief@example.com');
    await change(late, login.json.access_token, 'hidden@example.com');
    const [first, second] = [await tokenOf('email_undos', email), await tokenOf('email_undos', 'thief@example.com')];
    const undo = (token: string) => gateway.send('POST', '/auth/email/undo', { body: { token } });
    expect(await undo(first)).toMatchObject({ status: 204 });
    expect(await undo(second)).toMatchObject({ status: 401, json: { reason: 'link_invalid' } });
    expect(await gateway.rows('select email from users')).toEqual([{ email }]);
  } finally {
    await late.close();
  }
});
