/** A logout at a service ends the session, for every service. Nothing but a POST of its own pages does. (Interface 22) */
import { FAMILIES, ORIGIN } from '../support/gateway/authz.js';
import { ask, enter, GATE, GATE_COOKIE, leadOf, type Step, verdictOf, visit } from '../support/gateway/gate.js';
import { claimsOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newcomer } from '../support/gateway/graphql.js';
import { refresh } from '../support/gateway/routes.js';
import { auditDuring, recordsOf } from '../support/gateway/rows.js';

const OTHER_ORIGIN = 'https://other.example.com';
const LOGOUT = '/.auth-gateway/logout';

let gateway: TestGateway;
beforeAll(async () => {
  const origins = { FORWARD_AUTH_ORIGINS: `${GATE.FORWARD_AUTH_ORIGINS},${OTHER_ORIGIN}` };
  gateway = await startGateway({ instances: 2, env: { ...GATE, ...origins } });
});
afterAll(() => gateway.close());

const leave = (cookies: Record<string, string>, step: Step = {}) =>
  visit(gateway, { method: 'POST', target: LOGOUT, cookies, ...step, headers: { Origin: ORIGIN, ...step.headers } });

test.each(FAMILIES)(
  'Interface 22: %s: it ends the session, writes one event, and leads to the start',
  async (family) => {
    const who = await newcomer(gateway);
    const { cookies } = await enter(gateway, who, { family });
    const elsewhere = await enter(gateway, who, { family, origin: OTHER_ORIGIN });
    const [left, events] = await auditDuring(gateway, () => leave(cookies, { family }));
    expect([verdictOf(left), leadOf(left).href]).toEqual(['back', `${ORIGIN}/`]);
    expect(left.cookies).toEqual([`${GATE_COOKIE}=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax`]);
    const [record] = await recordsOf(gateway, who.user.id);
    expect(record).toMatchObject({ revoked: true, revoked_reason: 'logout' });
    expect(events).toMatchObject([
      { event_type: 'logout', entity_type: 'user', user_id: who.user.id, metadata: { jti: record?.jti } },
    ]);
    expect(claimsOf(who.refreshToken)['jti']).toBe(record?.jti);
    for (const on of gateway.instances) {
      expect(verdictOf(await ask(on, { family, cookies }))).toBe('401 missing_credentials');
      expect(verdictOf(await visit(on, { family, origin: OTHER_ORIGIN, cookies: elsewhere.cookies }))).toBe('gate');
    }
    expect((await refresh(gateway, who.refreshToken)).json.reason).toBe('record_revoked');
    const [again, more] = await auditDuring(gateway, () => leave(cookies, { family }));
    expect([verdictOf(again), more]).toEqual(['back', []]);
  },
);

test('Interface 22: any other method, origin or path is 4xx and ends nothing', async () => {
  const { cookies } = await enter(gateway, await newcomer(gateway));
  const rows: Array<[Step, string]> = [
    ...['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'post'].map((method): [Step, string] => [
      { method },
      '405 method_not_allowed',
    ]),
    ...[
      'https://evil.example',
      'null',
      '',
      OTHER_ORIGIN,
      'http://app.example.com',
      `${ORIGIN}/`,
      `${ORIGIN}, ${ORIGIN}`,
    ].map((Origin): [Step, string] => [{ headers: { Origin } }, '403 cross_site']),
    [{ headers: { Origin: [] } }, '403 cross_site'],
    [{ headers: { Origin: [], 'Sec-Fetch-Site': 'same-origin' } }, '403 cross_site'],
    [{ headers: { Origin: [ORIGIN, ORIGIN] } }, '403 cross_site'],
    [{ headers: { Origin: OTHER_ORIGIN }, origin: OTHER_ORIGIN }, '401 missing_credentials'], // the cookie of another
    [{ cookies: {} }, '401 missing_credentials'],
    [{ cookies: { [GATE_COOKIE]: 'x' } }, '401 missing_credentials'],
    [{ headers: { Authorization: 'Bearer x' } }, '401 missing_credentials'],
    [{ headers: { 'X-Auth-Role': 'admin' } }, '403 identity_field'],
    ...[`${LOGOUT}/`, `${LOGOUT};x`, `${LOGOUT}%20`, '/.auth-gateway/Logout', '/.auth-gateway/'].map(
      (target): [Step, string] => [{ target }, '404 not_found'],
    ),
  ];
  for (const [step, verdict] of rows) {
    const [answer, events] = await auditDuring(gateway, () => leave(cookies, step));
    expect([step, verdictOf(answer), answer.cookies, events]).toEqual([step, verdict, [], []]);
    if (answer.status === 405) expect(answer.headers.allow).toBe('POST');
    if (answer.status === 401)
      expect(answer.headers['www-authenticate']).toMatch(/^Cookie realm="auth-gateway", form-action=/);
  }
  expect((await leave(cookies, { method: 'HEAD' })).status).toBe(405);
  expect(verdictOf(await ask(gateway, { cookies }))).toBe('in');
  expect(verdictOf(await leave(cookies, { target: `${LOGOUT}?x=1` }))).toBe('back');
});
