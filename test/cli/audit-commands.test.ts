/** The commands `session …` and `audit tail`, on the database of a gateway. (Interface 9 and 11) */
import { messagesOf, type Ran, runHere } from '../support/gateway/cli.js';
import { claimsOf, refreshTokenOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type SignedIn, signIn } from '../support/gateway/graphql.js';
import { login, logout, refresh } from '../support/gateway/routes.js';

let gateway: TestGateway;
let caller: SignedIn;
let second: string;
beforeAll(async () => {
  gateway = await startGateway({ env: { TRUST_PROXY: '127.0.0.1' } });
  const user = await gateway.user();
  gateway.clock.advance(60);
  caller = await signIn(gateway, user);
  gateway.clock.advance(60);
  second = refreshTokenOf(await refresh(gateway, caller.refreshToken, { 'user-agent': 'Phone/1' })) ?? '';
  gateway.clock.advance(60);
  await logout(gateway, second);
  gateway.clock.advance(60);
  await login(gateway, 'stranger@example.com', 'wrong', { 'x-forwarded-for': '203.0.113.9' });
});
afterAll(() => gateway.close());

/** The command in this process, which takes a tenth of the time. */
function cli(...args: string[]): Promise<Ran> {
  return runHere(args, () => ({ ...gateway.config, databaseUrl: gateway.database.url }));
}

async function json(...args: string[]): Promise<Array<Record<string, unknown>>> {
  const ran = await cli(...args, '--json');
  expect([ran.code, messagesOf(ran)]).toEqual([0, '']);
  return JSON.parse(ran.stdout);
}

test('Interface 9: session explain prints the same by a jti, by the family, and by the e-mail and the ID of the user', async () => {
  const family = String(claimsOf(caller.accessToken)['sid']);
  const [first, last] = [claimsOf(caller.refreshToken)['jti'], claimsOf(second)['jti']];
  const [byJti, byFamily, byEmail, byUser] = await Promise.all([
    json('session', 'explain', String(first)),
    json('session', 'explain', family),
    json('session', 'explain', ` ${caller.user.email.toUpperCase()} `),
    json('session', 'explain', caller.user.id),
  ]);
  expect(byJti).toMatchObject([
    { session_id: family, kind: 'started', jti: first, ip_address: '127.0.0.1' },
    { session_id: family, kind: 'rotated', jti: last, user_agent: 'Phone/1' },
    { session_id: family, kind: 'logout', jti: last, detail: expect.stringMatching(/^Logged out/) },
  ]);
  expect(byFamily).toEqual(byJti);
  expect(byEmail).toEqual(byJti);
  expect(byUser).toEqual(byJti);
});

test('Interface 9: session explain without --json is a table for a person', async () => {
  const { code, stdout } = await cli('session', 'explain', caller.user.email);
  expect(code).toBe(0);
  const lines = stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(4);
  expect(lines[0]).toMatch(/^session_id +created_at +kind +jti +ip_address +user_agent +detail$/);
});

test('Interface 9: session explain of nothing that is known exits with 1, without a name with 2', async () => {
  const [unknown, email, none] = await Promise.all([
    cli('session', 'explain', '00000000-0000-7000-8000-000000000000'),
    cli('session', 'explain', 'nobody@example.com'),
    cli('session', 'explain'),
  ]);
  expect([unknown.code, email.code, none.code]).toEqual([1, 1, 2]);
  expect(messagesOf(unknown)).toBe('There is no session, refresh token or user with this ID\n');
  expect(messagesOf(email)).toBe('There is no such user\n');
  expect([unknown.stdout, email.stdout, none.stdout]).toEqual(['', '', '']);
});

test('Interface 9: audit tail prints the latest events, the last one last, with the filters of the audit log', async () => {
  const [all, two, types, email, ip, user] = await Promise.all([
    json('audit', 'tail'),
    json('audit', 'tail', '--lines', '2'),
    json('audit', 'tail', '--type', 'login_success', '--type', 'logout'),
    json('audit', 'tail', '--email', 'Stranger@example.com'),
    json('audit', 'tail', '--ip', '203.0.113.9'),
    json('audit', 'tail', '--user-id', caller.user.id),
  ]);
  const kinds = (events: Array<Record<string, unknown>> = []) => events.map(({ event_type }) => event_type);
  expect(kinds(all)).toEqual(['user_created', 'login_success', 'logout', 'login_failure']);
  expect(kinds(two)).toEqual(['logout', 'login_failure']);
  expect(kinds(types)).toEqual(['login_success', 'logout']);
  expect(kinds(user)).toEqual(['user_created', 'login_success', 'logout']);
  expect(email).toEqual(ip);
  expect(email).toEqual([
    {
      created_at: gateway.clock.now().toISOString(),
      event_type: 'login_failure',
      user_id: null,
      ip_address: '203.0.113.9',
      user_agent: '',
      metadata: { reason: 'invalid_credentials', email: 'stranger@example.com' },
    },
  ]);
});

test.each(['--lines 0', '--lines 1000001', '--lines x', '--type nonsense', '--since yesterday', '--nonsense'])(
  'Interface 9: audit tail %s exits with 2',
  async (words) => {
    const { code, stdout, stderr } = await cli('audit', 'tail', ...words.split(' '));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('usage: ');
  },
);
