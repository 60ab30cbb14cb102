/** The steps of POST /auth/login, in their order. (Spec 4.1) */

import { claimsOf, logIn, PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { login, WRONG } from '../support/gateway/routes.js';
import { auditDuring, recordsOf, userRow, wholeState } from '../support/gateway/rows.js';
import { countWork } from '../support/gateway/work.js';
import { cookieAction } from '../support/independent/cookies.js';
import { refusesRows, withFault } from '../support/postgres/faults.js';

const work = countWork();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { LOGIN_MAX_FAILURES: '5' }, passwords: await work.passwords });
  await work.watch(gateway.app.db);
});
afterAll(() => gateway.close());

const lock = (id: string, seconds: number): Promise<unknown> =>
  gateway.rows('update users set locked_until = $2 where id = $1', [
    id,
    new Date(gateway.clock.now().getTime() + seconds * 1000),
  ]);

test('Spec 4.1: answers 200 to a POST with a JSON body, without any cookie', async () => {
  const user = await gateway.user({ role: 'analyst' });
  const { answer, refreshToken } = await logIn(gateway, user.email);
  expect(answer.status).toBe(200);
  expect(answer.json).toEqual({ access_token: expect.any(String), token_type: 'bearer', expires_in: 900 });
  expect(claimsOf(answer.json.access_token)).toMatchObject({ sub: user.id, role: 'analyst' });
  expect(claimsOf(refreshToken)).toMatchObject({ type: 'refresh', sub: user.id });
});

test('Spec 4.1: a cookie that is presented plays no part: its token stays as it is', async () => {
  const user = await gateway.user();
  const first = await logIn(gateway, user.email);
  await login(gateway, user.email, PASSWORD, { cookie: `refresh_token=${first.refreshToken}` });
  const bad = await login(gateway, user.email, PASSWORD, { cookie: 'refresh_token=junk' });
  expect(bad.status).toBe(200);
  expect((await recordsOf(gateway, user.id)).map(({ revoked }) => revoked)).toEqual([false, false, false]);
});

test('Spec 4.1: takes no query parameters: they change nothing', async () => {
  const { email } = await gateway.user();
  const body = { email, password: PASSWORD };
  expect((await gateway.send('POST', '/auth/login?email=other@x.io&password=x', { body })).status).toBe(200);
});

test('Spec 4.1.1: finds the active user by the normalised e-mail', async () => {
  const user = await gateway.user({ email: 'four.one@example.com' });
  const [answer, events] = await auditDuring(gateway, () => login(gateway, ' FOUR.one@Example.com '));
  expect(answer.status).toBe(200);
  expect(events).toMatchObject([{ event_type: 'login_success', user_id: user.id }]);
});

test('Spec 4.1.2: a locked user is refused with 429 before any password check', async () => {
  const { id, email } = await gateway.user();
  await lock(id, 60);
  for (const password of [PASSWORD, WRONG]) {
    const [[answer, events], { verifications }] = await work.during(() =>
      auditDuring(gateway, () => login(gateway, email, password)),
    );
    expect(answer.status).toBe(429);
    expect(answer.json).toEqual({
      detail: 'Account temporarily locked due to too many failed attempts',
      reason: 'account_locked',
    });
    expect(cookieAction(answer)).toBe('unchanged');
    expect(events.map(({ event_type }) => event_type)).toEqual(['account_locked']);
    expect(verifications).toEqual([]);
  }
});

test('Spec 4.1.1: comes before Spec 4.1.2: an inactive user that is locked is not found, so 401', async () => {
  const { id, email } = await gateway.user();
  await lock(id, 60);
  await gateway.rows('update users set is_active = false where id = $1', [id]);
  const [answer, events] = await auditDuring(gateway, () => login(gateway, email));
  expect(answer.status).toBe(401);
  expect(events).toMatchObject([{ event_type: 'login_failure', user_id: null }]);
});

test('Spec 4.1.3: unknown, inactive and wrong cost the same: one verification, the same statements', async () => {
  const known = await gateway.user();
  const inactive = await gateway.user();
  await gateway.rows('update users set is_active = false where id = $1', [inactive.id]);
  const costs = [];
  for (const email of [known.email, inactive.email, 'nobody@example.com']) {
    const [answer, cost] = await work.during(() => login(gateway, email, WRONG));
    expect(answer.status).toBe(401);
    expect(cost.verifications).toHaveLength(1);
    costs.push(cost);
  }
  expect(costs[0]?.statements.length).toBeGreaterThanOrEqual(2);
  expect(costs[1]?.statements).toEqual(costs[0]?.statements);
  expect(costs[2]?.statements).toEqual(costs[0]?.statements);
});

test('Spec 4.1.3: a known user is checked against the stored hash, anyone else against a placeholder', async () => {
  const { id, email } = await gateway.user();
  const { password_hash } = await userRow(gateway, id);
  const [, known] = await work.during(() => login(gateway, email, WRONG));
  const [, unknown] = await work.during(() => login(gateway, 'nobody@example.com', WRONG));
  expect(known.verifications).toEqual([password_hash]);
  expect(unknown.verifications).toHaveLength(1);
  expect(unknown.verifications).not.toContain(password_hash);
});

test('Spec 4.1.4: a wrong password counts, writes login_failure and answers the generic 401', async () => {
  const { id, email } = await gateway.user();
  const [answer, events] = await auditDuring(gateway, () => login(gateway, email, WRONG));
  expect(answer.status).toBe(401);
  expect(answer.json).toEqual({ detail: 'Invalid credentials', reason: 'invalid_credentials' });
  expect(cookieAction(answer)).toBe('unchanged');
  expect((await userRow(gateway, id)).failed_login_attempts).toBe(1);
  expect(events).toMatchObject([{ event_type: 'login_failure', user_id: id }]);
  expect(await recordsOf(gateway, id)).toEqual([]);
});

test('Spec 4.1.4: the answer is the same whether or not the e-mail exists', async () => {
  const known = await login(gateway, (await gateway.user()).email, WRONG);
  const unknown = await login(gateway, 'nobody@example.com', WRONG);
  expect(unknown.text).toBe(known.text);
  const names = ({ headers }: typeof known): string[] => Object.keys(headers).sort();
  expect(names(unknown)).toEqual(names(known));
});

test('Spec 4.1.5: a success resets the failure state and sets last_login_at', async () => {
  const { id, email } = await gateway.user();
  for (let i = 0; i < 4; i += 1) await login(gateway, email, WRONG);
  await logIn(gateway, email);
  expect(await userRow(gateway, id)).toMatchObject({
    failed_login_attempts: 0,
    locked_until: null,
    last_login_at: gateway.clock.now(),
  });
});

test('Spec 4.1.6: a success stores one record with a new jti and family, writes login_success and sets the cookie', async () => {
  const { id, email } = await gateway.user();
  const [{ answer, refreshToken }, events] = await auditDuring(gateway, () => logIn(gateway, email));
  const records = await recordsOf(gateway, id);
  expect(records).toMatchObject([{ jti: claimsOf(refreshToken)['jti'], user_id: id, revoked: false }]);
  expect(events.map(({ event_type }) => event_type)).toEqual(['login_success']);
  expect(cookieAction(answer)).toBe('set');
});

test('Spec 4.1: writes all of its rows or none: if the audit row fails, no session and no count is written', async () => {
  const { email } = await gateway.user();
  const before = await wholeState(gateway);
  await withFault(gateway, refusesRows('audit_events'), async () => {
    for (const password of [PASSWORD, WRONG]) {
      const answer = await login(gateway, email, password);
      expect(answer.status).toBe(500);
      expect(answer.json).toEqual({ detail: 'Internal server error', reason: 'internal_error' });
      expect(cookieAction(answer)).toBe('unchanged');
    }
    expect(await wholeState(gateway)).toEqual(before);
  });
});
