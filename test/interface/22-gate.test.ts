/** Pages behind the gate: the way of a browser to the login and back. (Interface 22) */
import { FAMILIES, identityOf, ORIGIN } from '../support/gateway/authz.js';
import { ask, cookiesOf, enter, GATE, GATE_COOKIE, leadOf, STATE_COOKIE, visit } from '../support/gateway/gate.js';
import { logIn, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newcomer } from '../support/gateway/graphql.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: GATE });
});
afterAll(() => gateway.close());

const newLogin = async () => logIn(gateway, (await gateway.user()).email);

describe.each(FAMILIES)('Interface 22: %s', (family) => {
  test('a browser is sent to the gate, returns by a code, and the service learns who it is', async () => {
    const target = '/reports?year=2026&x=%20';
    const { asked, wayBack, entered, cookies } = await enter(gateway, await newLogin(), { family, target });
    const isNginx = family === 'auth-request';
    expect([asked.status, entered.status]).toEqual(isNginx ? [401, 401] : [302, 302]);
    const gate = leadOf(asked);
    expect([gate.origin, gate.pathname, Object.fromEntries(gate.searchParams)]).toEqual([
      gateway.config.publicUrl,
      '/gate',
      { origin: ORIGIN, target, state: expect.stringMatching(/^[\w-]{43}$/) },
    ]);
    expect(asked.cookies).toEqual([
      expect.stringMatching(/^__Host-auth-gate-state=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
    ]);
    expect(wayBack.status).toBe(200);
    expect(leadOf(entered).href).toBe(ORIGIN + target);
    expect(entered.cookies).toEqual([
      expect.stringMatching(/^__Host-auth-gate=[\w.-]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
    ]);
    const passed = await visit(gateway, { family, target, cookies });
    expect(passed.status).toBe(200);
    expect(identityOf(passed)).toMatchObject({ 'x-auth-caller-type': 'user', 'x-auth-role': 'viewer' });
    const script = await ask(gateway, { family, target: '/api', cookies });
    expect(script.status).toBe(200);
  });
});

test('Interface 22: a script without a session gets 401, and where to lead the person', async () => {
  const { status, headers, cookies } = await ask(gateway);
  expect([status, cookies]).toEqual([401, []]);
  expect(headers['www-authenticate']).toContain(`form-action="${gateway.config.publicUrl}/gate?origin=`);
});

test('Interface 22: the session ends, and so does the cookie at the next question', async () => {
  const login = await newLogin();
  const { cookies } = await enter(gateway, login);
  expect((await visit(gateway, { cookies })).status).toBe(200);
  await gateway.send('POST', '/auth/logout', { headers: { Cookie: `refresh_token=${login.refreshToken}` } });
  expect((await visit(gateway, { cookies })).status).toBe(302);
  expect((await ask(gateway, { cookies })).status).toBe(401);
});

test('Interface 22: a logout at the service ends the session', async () => {
  const { cookies } = await enter(gateway, await newLogin());
  const target = '/.auth-gateway/logout';
  const left = await visit(gateway, { method: 'POST', target, cookies, headers: { Origin: ORIGIN } });
  expect([left.status, leadOf(left).href]).toEqual([302, `${ORIGIN}/`]);
  expect(cookiesOf(left)).toEqual({ [GATE_COOKIE]: '' });
  expect((await ask(gateway, { cookies })).status).toBe(401);
  expect(cookies).toHaveProperty(STATE_COOKIE);
});

test('Interface 22: the answer has the cookies that the service may get, and a refusal has none', async () => {
  const { cookies } = await enter(gateway, await newLogin());
  const sent = { a: '1', ...cookies, b: '2' };
  expect((await visit(gateway, { cookies: sent })).headers['cookie']).toBe('a=1; b=2');
  expect((await visit(gateway, { cookies })).headers['cookie']).toBe('');
  const { accessToken } = await newcomer(gateway);
  const headers = { Authorization: `Bearer ${accessToken}` };
  expect((await visit(gateway, { cookies: sent, headers })).headers['cookie']).toBe('a=1; b=2');
  for (const answer of [
    await visit(gateway, { headers }),
    await visit(gateway, { cookies: sent, headers, rule: 'caller=user' }),
    await visit(gateway, { cookies: { a: '1' } }),
    await ask(gateway, { cookies: { a: '1' } }),
  ]) {
    expect(answer.headers).not.toHaveProperty('cookie');
  }
});
