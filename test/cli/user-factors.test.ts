/** `user reset-factors`, and what `user explain` says of second factors. (Interface 9 and 20) */
import type { Config } from '../../src/config/config.js';
import { messagesOf, type Ran, runHere } from '../support/gateway/cli.js';
import { addPasskey, finishLogin, halfLogin, withTotp } from '../support/gateway/factors.js';
import { logIn, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { login, refresh } from '../support/gateway/routes.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ passwords: 'argon2' });
});
afterAll(() => gateway.close());

/** A shell whose variables differ from those of the gateway. */
const cliWith = (own: Partial<Config>, ...args: string[]): Promise<Ran> =>
  runHere(args, () => ({ ...gateway.config, databaseUrl: gateway.database.url, ...own }));
const cli = (...args: string[]): Promise<Ran> => cliWith({}, ...args);

// biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape it needs
async function json(...args: string[]): Promise<any> {
  const ran = await cli(...args, '--json');
  expect([ran.code, messagesOf(ran)]).toEqual([0, '']);
  return JSON.parse(ran.stdout);
}

const NEED_ONE: Partial<Config> = { secondFactorRoles: ['viewer'] };

test('Interface 9: user reset-factors lets a user who has lost them log in by password, and ends the sessions', async () => {
  const { user, refreshToken } = await withTotp(gateway);
  const { id, email, role } = user;
  expect((await login(gateway, email)).json.reason).toBe('second_factor_required');
  expect(await json('user', 'reset-factors', email)).toEqual({ id, email, role, factors: 1, sessions_ended: 1 });
  await logIn(gateway, email);
  expect((await refresh(gateway, refreshToken)).status).toBe(401);
  const events = await gateway.rows(
    `select metadata, ip_address from audit_events where user_id = $1 and event_type = 'factors_reset'`,
    [id],
  );
  const metadata = { actor: { caller_type: 'cli' }, factors: 1, sessions_ended: 1 };
  expect(events).toEqual([{ metadata, ip_address: 'cli' }]);

  expect(await json('user', 'reset-factors', id)).toEqual({ id, email, role, factors: 0, sessions_ended: 0 });
  const unknown = await cli('user', 'reset-factors', 'nobody@example.com');
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('There is no such user')]);
});

test('Interface 9: user explain says which second factor a login needs, and how to reset them', async () => {
  const user = await withTotp(gateway);
  await addPasskey(gateway, user);
  const { email } = user.user;
  const second_factor = { kinds: ['totp', 'passkey'], recovery_codes: 10, required_by_role: false };
  expect(await json('user', 'explain', email)).toMatchObject({ reasons: [], second_factor });
  const { stdout } = await cli('user', 'explain', email);
  expect(stdout).toContain(
    'After the password, a login needs a code of the authenticator app or the passkey "Laptop"; 10 recovery codes are left. ' +
      `If all are lost: auth-gateway user reset-factors ${email}\n`,
  );
  expect(stdout).toContain('except a wrong password or second factor, judged by');
  expect(stdout).not.toContain('SECOND_FACTOR_ROLES');
});

test('Interface 9: user explain says that the role needs a second factor, and whether there is one', async () => {
  const without = await gateway.user();
  const byRole = "By this shell's SECOND_FACTOR_ROLES, the role viewer has scopes only after a second factor.";
  const none = `${byRole} There is none yet: the user logs in by password, and adds one.\n`;
  expect((await cliWith(NEED_ONE, 'user', 'explain', without.email)).stdout).toContain(none);
  const { stdout: free } = await cli('user', 'explain', without.email);
  expect(free).toContain('Second factors: none.\n');
  expect(free).not.toContain('SECOND_FACTOR_ROLES');
  const { user } = await withTotp(gateway);
  const { stdout } = await cliWith(NEED_ONE, 'user', 'explain', user.email);
  expect(stdout).toContain(`${byRole}\n`);
  expect(stdout).not.toContain('none yet');
});

test('Interface 9: user explain distinguishes wrong codes from wrong passwords', async () => {
  const { user } = await withTotp(gateway);
  const challenge = await halfLogin(gateway, user.email);
  await finishLogin(gateway, challenge, { code: '000000' });
  await finishLogin(gateway, challenge, { recovery_code: 'AAAA' });
  const { stdout } = await cli('user', 'explain', user.email);
  for (const what of ['wrong code of the authenticator app', 'wrong recovery code']) expect(stdout).toContain(what);
});
