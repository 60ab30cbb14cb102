/** What the cookie of a service may do, and for how long: as long as its session lives. (Interface 22) */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { resetFactors } from '../../src/admin/factors.js';
import { revokeSession } from '../../src/admin/sessions.js';
import { deleteUser, setUserActive, setUserPassword, setUserRole } from '../../src/admin/user-changes.js';
import { changeEmail, startUnmailed, undoEmail } from '../support/gateway/account.js';
import { FAMILIES, identityOf, ORIGIN, signedOriginal } from '../support/gateway/authz.js';
import { type WithTotp, withTotp } from '../support/gateway/factors.js';
import {
  ask,
  askWayBack,
  enter,
  GATE,
  GATE_COOKIE,
  leadOf,
  type Step,
  verdictOf,
  visit,
} from '../support/gateway/gate.js';
import { claimsOf, refreshTokenOf, type TestGateway } from '../support/gateway/gateway.js';
import { newApiKey, newCronKey, newcomer, signIn } from '../support/gateway/graphql.js';
import { CHOSEN, changePassword, issueLink, redeem } from '../support/gateway/passwords.js';
import { logout, refresh } from '../support/gateway/routes.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startUnmailed({ instances: 2, env: GATE });
});
afterAll(() => gateway.close());

const SITES = ['same-origin', 'none', 'same-site', 'cross-site', undefined];
const ORIGINS = [
  ORIGIN,
  undefined,
  'https://evil.example',
  'https://sub.app.example.com',
  'http://app.example.com',
  'null',
];
const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'get', 'CONNECT'];

const present = (headers: Record<string, string | undefined>) =>
  Object.fromEntries(Object.entries(headers).filter((field): field is [string, string] => field[1] !== undefined));

test('Interface 22: what changes something needs the origin of the service, or a word of the browser', async () => {
  const { cookies } = await enter(gateway, await newcomer(gateway));
  let rows = 0;
  for (const method of METHODS) {
    for (const Origin of ORIGINS) {
      for (const site of SITES) {
        const headers = present({ Origin, 'Sec-Fetch-Site': site });
        const answer = await ask(gateway, { method, cookies, headers: { 'Sec-Fetch-Site': [], ...headers } });
        const isSafe = ['GET', 'HEAD', 'OPTIONS'].includes(method);
        const isOwn = Origin === undefined ? ['same-origin', 'none'].includes(site ?? '') : Origin === ORIGIN;
        const row = { method, Origin, site };
        expect([row, verdictOf(answer)]).toEqual([row, isSafe || isOwn ? 'in' : '403 cross_site']);
        rows += 1;
      }
    }
  }
  expect(rows).toBe(330);
});

test.each(FAMILIES)('Interface 22: %s: two origins, or two words of the browser, are as none', async (family) => {
  const { cookies } = await enter(gateway, await newcomer(gateway), { family });
  for (const headers of [
    { Origin: [ORIGIN, ORIGIN] },
    { Origin: [ORIGIN, 'https://evil.example'] },
    { Origin: `${ORIGIN}, ${ORIGIN}` },
    { Origin: `${ORIGIN}/` },
    { Origin: 'https://APP.example.com' },
    { Origin: '' },
    { 'Sec-Fetch-Site': ['same-origin', 'none'] },
    { 'Sec-Fetch-Site': 'Same-Origin' },
    { 'Sec-Fetch-Site': '' },
    { 'Sec-Fetch-Site': [], Referer: `${ORIGIN}/` },
  ]) {
    // Envoy asks with the method itself.
    const answer = await ask(gateway, { family, method: 'POST', cookies, headers });
    expect([headers, verdictOf(answer), answer.cookies]).toEqual([headers, '403 cross_site', []]);
  }
  const own = await ask(gateway, { family, method: 'POST', cookies, headers: { Origin: ORIGIN } });
  expect([verdictOf(own), identityOf(own)['x-auth-caller-type']]).toEqual(['in', 'user']);
});

test('Interface 22: a websocket passes by the cookie if its origin is that of the service', async () => {
  const { cookies } = await enter(gateway, await newcomer(gateway));
  const socket = {
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-Fetch-Mode': 'websocket',
    'Sec-Fetch-Dest': 'websocket',
  };
  for (const Origin of ORIGINS) {
    const headers = present({ ...socket, Origin });
    const verdict = verdictOf(await ask(gateway, { cookies, headers }));
    expect([Origin, verdict]).toEqual([Origin, Origin === ORIGIN ? 'in' : '403 cross_site']);
  }
  // Whatever else it says, and also if a page was opened with the field. Over HTTP/2 there is no key.
  for (const headers of [{ 'Sec-WebSocket-Key': '' }, { 'Sec-WebSocket-Version': '13' }])
    expect(verdictOf(await visit(gateway, { cookies, headers }))).toBe('403 cross_site');
  expect(verdictOf(await ask(gateway, { headers: { ...socket, Origin: ORIGIN } }))).toBe('401 missing_credentials');
});

test('Interface 22: a preflight passes if the rule lets it, and what follows is judged by itself', async () => {
  const { cookies } = await enter(gateway, await newcomer(gateway));
  const headers = { Origin: 'https://page.example.com', 'Access-Control-Request-Method': 'POST' };
  const step = { method: 'OPTIONS', headers };
  expect(verdictOf(await ask(gateway, step))).toBe('401 missing_credentials');
  const allowing = await ask(gateway, { ...step, rule: 'caller=user;pages=on;preflight=allow' });
  expect([verdictOf(allowing), Object.values(identityOf(allowing))]).toEqual(['in', ['-', '-', '-', '-', '-']]);
  const after = await ask(gateway, { method: 'POST', cookies, headers });
  expect(verdictOf(after)).toBe('403 cross_site');
  for (const target of ['/.auth-gateway/logout', '/.auth-gateway/callback']) {
    const own = await ask(gateway, { ...step, target, cookies, rule: 'caller=user;pages=on;preflight=allow' });
    expect([target, verdictOf(own)]).toEqual([target, '405 method_not_allowed']);
  }
});

test('Interface 22: with another credential, good or bad, the cookie is not read', async () => {
  const { cookies } = await enter(gateway, await newcomer(gateway));
  const other = await newcomer(gateway, 'analyst');
  const asOther = await visit(gateway, { cookies, headers: { Authorization: `Bearer ${other.accessToken}` } });
  expect([asOther.status, identityOf(asOther)['x-auth-caller-id']]).toEqual([200, other.user.id]);
  const { secret } = await newCronKey(gateway);
  const asCron = await visit(gateway, { cookies, headers: { 'X-Internal-Key': secret } });
  expect([asCron.status, identityOf(asCron)['x-auth-caller-type']]).toEqual([200, 'cron']);
  const key = await newApiKey(gateway);
  const { headers } = signedOriginal(gateway, key, { target: '/' });
  const asKey = await visit(gateway, { cookies, headers });
  expect([asKey.status, identityOf(asKey)['x-auth-caller-type']]).toEqual([200, 'api_key']);
  const bad: Array<Record<string, string>> = [
    ...['', 'Basic dXNlcjpwYXNz', 'Bearer', 'Bearer x', `Bearer ${cookies[GATE_COOKIE]}`].map((Authorization) => ({
      Authorization,
    })),
    ...['', 'x'].map((value) => ({ 'X-Internal-Key': value })),
    { Signature: 'x', 'Signature-Input': 'x' },
    { Authorization: `Bearer ${other.accessToken}`, 'X-Internal-Key': secret },
  ];
  for (const headers of bad) {
    for (const answer of [await visit(gateway, { cookies, headers }), await ask(gateway, { cookies, headers })]) {
      expect([headers, answer.status, answer.cookies]).toEqual([headers, 401, []]);
    }
  }
});

test('Interface 22: the rule holds for the user of the cookie', async () => {
  const { cookies } = await enter(gateway, await newcomer(gateway, 'analyst'));
  for (const [rule, verdict] of [
    ['caller=user;role=analyst,admin;pages=on', 'in'],
    ['caller=user;role=admin;pages=on', '403 role_missing'],
    ['caller=user;scope=audit:read;pages=on', 'in'],
    ['caller=user;scope=users:write;pages=on', '403 scope_missing'],
    ['caller=user;acr=aal2;pages=on', '401 confirmation_required'],
    ['caller=user;max_age=60;pages=on', 'in'],
    ['caller=user;live=on;pages=on', 'in'],
    ['caller=user', '401 missing_credentials'],
    ['caller=user;live=on', '401 missing_credentials'],
  ] as const) {
    expect([rule, verdictOf(await ask(gateway, { cookies, rule }))]).toEqual([rule, verdict]);
  }
  gateway.clock.advance(61);
  const rule = 'caller=user;max_age=60;pages=on';
  expect(verdictOf(await ask(gateway, { cookies, rule }))).toBe('401 confirmation_required');
  const led = leadOf(await visit(gateway, { cookies, rule, target: '/vault?x=1' }));
  expect(Object.fromEntries(led.searchParams)).toMatchObject({ target: '/vault?x=1', max_age: '60' });
});

type Ending = (who: WithTotp) => Promise<unknown>;

const ENDINGS: Array<[what: string, end: Ending]> = [
  ['a logout', ({ refreshToken }) => logout(gateway, refreshToken)],
  [
    'a theft',
    async ({ refreshToken }) => {
      await refresh(gateway, refreshToken);
      await refresh(gateway, refreshToken);
    },
  ],
  ['a deactivation', ({ user }) => setUserActive(gateway.app, COMMAND_LINE, user.id, false)],
  [
    'a deactivation and an activation',
    async ({ user }) => {
      await setUserActive(gateway.app, COMMAND_LINE, user.id, false);
      await setUserActive(gateway.app, COMMAND_LINE, user.id, true);
    },
  ],
  ["an operator's password", ({ user }) => setUserPassword(gateway.app, COMMAND_LINE, user.id, CHOSEN)],
  ['a reset', async ({ user }) => redeem(gateway, await issueLink(gateway, user.id))],
  [
    'a revoked session',
    ({ accessToken }) => revokeSession(gateway.app, COMMAND_LINE, undefined, String(claimsOf(accessToken)['sid'])),
  ],
  ['a deletion', ({ user }) => deleteUser(gateway.app, COMMAND_LINE, user.id)],
  ['a reset of the factors', ({ user }) => resetFactors(gateway.app, COMMAND_LINE, user.id)],
  ['an undone e-mail', async (who) => undoEmail(gateway, (await changeEmail(gateway, who)).wayBack)],
];

test.each(ENDINGS)('Interface 22: after %s the next question is refused, at every instance', async (_what, end) => {
  const who = await withTotp(gateway);
  const [one, two] = gateway.two();
  const { cookies } = await enter(one, who);
  for (const on of [one, two]) expect(verdictOf(await visit(on, { cookies }))).toBe('in');
  await end(who);
  for (const on of [two, one]) {
    expect([verdictOf(await visit(on, { cookies })), verdictOf(await ask(on, { cookies }))]).toEqual([
      'gate',
      '401 missing_credentials',
    ]);
    const headers = { Origin: ORIGIN };
    expect(verdictOf(await ask(on, { method: 'POST', cookies, headers }))).toBe('401 missing_credentials');
  }
});

test("Interface 22: a user's own new password ends the pages of the other browsers", async () => {
  const here = await newcomer(gateway);
  const there = await signIn(gateway, here.user);
  const [inside, outside] = [await enter(gateway, here), await enter(gateway, there)];
  expect((await changePassword(gateway, here.accessToken)).status).toBe(200);
  expect(verdictOf(await visit(gateway, inside))).toBe('in');
  expect(verdictOf(await visit(gateway, outside))).toBe('gate');
});

test('Interface 22: another session of the user, and a refresh, end nothing', async () => {
  const here = await newcomer(gateway);
  const there = await signIn(gateway, here.user);
  const { cookies } = await enter(gateway, here);
  await logout(gateway, there.refreshToken);
  await refresh(gateway, here.refreshToken);
  for (const on of gateway.instances) expect(verdictOf(await visit(on, { cookies }))).toBe('in');
});

test('Interface 22: another role shows at the next question, without a new cookie', async () => {
  const who = await newcomer(gateway);
  const { cookies } = await enter(gateway, who);
  for (const role of ['analyst', 'viewer'] as const) {
    await setUserRole(gateway.app, COMMAND_LINE, who.user.id, role);
    for (const on of gateway.instances) {
      const answer = await ask(on, { cookies });
      expect(identityOf(answer)['x-auth-role']).toBe(role);
      expect(claimsOf(String(identityOf(answer)['x-auth-assertion']))).toMatchObject({ role, sub: who.user.id });
    }
  }
});

test('Interface 22: the cookie is good for twelve hours, to the second', async () => {
  const { cookies } = await enter(gateway, await newcomer(gateway));
  gateway.clock.advance(43_199);
  expect(verdictOf(await ask(gateway, { cookies }))).toBe('in');
  gateway.clock.advance(1);
  expect([verdictOf(await ask(gateway, { cookies })), verdictOf(await visit(gateway, { cookies }))]).toEqual([
    '401 missing_credentials',
    'gate',
  ]);
});

test('Interface 22: in a session of two weeks nobody sees a form again', async () => {
  let { refreshToken } = await newcomer(gateway);
  let cookies: Record<string, string> = (await enter(gateway, { refreshToken })).cookies;
  for (let halfDay = 0; halfDay < 28; halfDay += 1) {
    gateway.clock.advance(43_200);
    const led = await visit(gateway, { cookies });
    expect(verdictOf(led)).toBe('gate');
    refreshToken = refreshTokenOf(await refresh(gateway, refreshToken)) ?? '';
    const { json } = await askWayBack(gateway, leadOf(led), refreshToken);
    const entered = await enter(gateway, { refreshToken }, { cookies });
    expect(json.location).toMatch(/\/\.auth-gateway\/callback\?code=/);
    cookies = entered.cookies;
    expect(verdictOf(await ask(gateway, { cookies }))).toBe('in');
  }
});

test('Interface 22: the page ends with the session also if nobody comes for two weeks', async () => {
  const who = await newcomer(gateway);
  const led = leadOf(await visit(gateway));
  gateway.clock.advance(1_209_601);
  expect((await askWayBack(gateway, led, who.refreshToken)).json.reason).toBe('session_ended');
});

test('Interface 22: the service sees the assertion of the question, which no other origin takes', async () => {
  const step: Step = { method: 'POST', target: '/pay?x=1', headers: { Origin: ORIGIN } };
  const who = await newcomer(gateway);
  const { cookies } = await enter(gateway, who, { target: '/a' });
  const assertion = identityOf(await ask(gateway, { ...step, cookies }))['x-auth-assertion'];
  expect(claimsOf(String(assertion))).toMatchObject({
    aud: ORIGIN,
    sub: who.user.id,
    method: 'POST',
    uri: '/pay?x=1',
    body: '-',
  });
  expect(String(assertion)).not.toContain(cookies[GATE_COOKIE]);
});
