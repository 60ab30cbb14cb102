/** A code leads back once: one browser, to one origin, within 30 seconds, if the session lives. (Interface 22) */
import { createHash } from 'node:crypto';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { revokeSession } from '../../src/admin/sessions.js';
import { deleteUser, setUserActive, setUserPassword } from '../../src/admin/user-changes.js';
import { FAMILIES, ORIGIN } from '../support/gateway/authz.js';
import {
  ask,
  askWayBack,
  enter,
  GATE,
  GATE_COOKIE,
  leadOf,
  NAVIGATION,
  STATE_COOKIE,
  type Step,
  takeWay,
  verdictOf,
  visit,
} from '../support/gateway/gate.js';
import { type Answer, claimsOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newcomer, type SignedIn } from '../support/gateway/graphql.js';
import { captureLog } from '../support/gateway/log.js';
import { CHOSEN, issueLink, redeem } from '../support/gateway/passwords.js';
import { logout, refresh } from '../support/gateway/routes.js';
import { recordsOf } from '../support/gateway/rows.js';
import { until } from '../support/until.js';

const OTHER_ORIGIN = 'https://other.example.com';

const captured = captureLog();
let gateway: TestGateway;
beforeAll(async () => {
  const origins = { FORWARD_AUTH_ORIGINS: `${GATE.FORWARD_AUTH_ORIGINS},${OTHER_ORIGIN}` };
  gateway = await startGateway({ instances: 3, log: captured.log, env: { ...GATE, ...origins } });
});
afterAll(() => gateway.close());

type Way = Awaited<ReturnType<typeof takeWay>>;

/** Comes back with the code, unless the step says otherwise. */
const comeBack = ({ path, state }: Pick<Way, 'path' | 'state'>, step: Step = {}) =>
  visit(gateway, { target: path, cookies: state, ...step });

function expectRefused(answer: Answer): void {
  expect([verdictOf(answer), answer.cookies]).toEqual(['gate, with a problem', []]);
}

/** The outcome of an answer, as the log has it. */
async function outcomeOf({ headers }: Answer): Promise<unknown> {
  const lineOf = () =>
    captured.lines().find(({ msg, request_id }) => msg === 'request' && request_id === headers['x-request-id']);
  await until('the line', () => lineOf() !== undefined);
  return lineOf()?.['outcome'];
}

async function expectGood(way: Way): Promise<void> {
  expect(verdictOf(await comeBack(way))).toBe('back');
}

const newWay = async (step?: Step): Promise<Way> => takeWay(gateway, await newcomer(gateway), step);

test.each(FAMILIES)(
  'Interface 22: %s: a code is good once, and nothing of it is stored but its hash',
  async (family) => {
    const way = await newWay({ family });
    const code = new URL(way.callback).searchParams.get('code') ?? '';
    const [row] = await gateway.rows<{ code_sha256: Buffer }>(
      'select * from gate_codes order by expires_at desc limit 1',
    );
    expect(row?.code_sha256).toEqual(createHash('sha256').update(code).digest());
    expect(JSON.stringify(row)).not.toContain(code);
    const first = await comeBack(way, { family });
    expect([verdictOf(first), Object.keys(first.headers).includes('set-cookie')]).toEqual(['back', true]);
    expectRefused(await comeBack(way, { family }));
    expect(await gateway.rows('select from gate_codes where code_sha256 = $1', [row?.code_sha256])).toEqual([]);
  },
);

test('Interface 22: of many uses at once over three instances one wins', async () => {
  for (let round = 0; round < 5; round += 1) {
    const way = await newWay();
    const uses = Array.from({ length: 12 }, (_, i) =>
      visit(gateway.instances[i % 3] ?? gateway, { target: way.path, cookies: way.state }),
    );
    const verdicts = (await Promise.all(uses)).map(verdictOf);
    expect(verdicts.filter((verdict) => verdict === 'back')).toHaveLength(1);
    expect(verdicts.filter((verdict) => verdict === 'gate, with a problem')).toHaveLength(11);
  }
});

test('Interface 22: a code is good for its origin alone, and a try elsewhere does not use it up', async () => {
  const way = await newWay();
  expectRefused(await comeBack(way, { origin: OTHER_ORIGIN }));
  const plain = { 'auth-gate-state': way.state[STATE_COOKIE] ?? '' };
  expectRefused(await comeBack(way, { origin: 'http://b.test:8080', cookies: { ...way.state, ...plain } }));
  await expectGood(way);
});

test('Interface 22: a code is good in the browser that was sent away alone', async () => {
  const way = await newWay();
  const own = way.state[STATE_COOKIE] ?? '';
  const without: Array<Record<string, string>> = [
    {},
    { [STATE_COOKIE]: '' },
    { [STATE_COOKIE]: own.slice(1) },
    { [STATE_COOKIE]: `${own}A` },
    { [STATE_COOKIE]: `"${own}"` },
    { 'auth-gate-state': own },
    { [STATE_COOKIE.toLowerCase()]: own },
  ];
  const others: Array<Record<string, string>> = [
    { [STATE_COOKIE]: (await newWay()).state[STATE_COOKIE] ?? '' },
    { [STATE_COOKIE]: leadOf(way.asked).searchParams.get('state') ?? '' }, // the hash, which the address has
  ];
  const twice = `${STATE_COOKIE}=${own}; ${STATE_COOKIE}=${'A'.repeat(43)}`;
  const steps: Array<[Step, string]> = [
    ...without.map((cookies): [Step, string] => [{ cookies }, 'gate_state_missing']),
    ...others.map((cookies): [Step, string] => [{ cookies }, 'gate_code_invalid']),
    [{ cookies: {}, headers: { Cookie: twice } }, 'gate_state_missing'],
  ];
  for (const [step, outcome] of steps) {
    const answer = await comeBack(way, step);
    expectRefused(answer);
    expect([step, await outcomeOf(answer)]).toEqual([step, outcome]);
  }
  await expectGood(way);
});

test("Interface 22: nobody is logged in as an attacker by the attacker's code", async () => {
  const [attacker, victim] = [await newcomer(gateway), await newcomer(gateway)];
  const { path } = await takeWay(gateway, attacker);
  const inside = await enter(gateway, victim);
  for (const cookies of [{}, inside.state, inside.cookies]) expectRefused(await comeBack({ path, state: cookies }));
  expect((await visit(gateway, { cookies: inside.cookies })).headers['x-auth-caller-id']).toBe(victim.user.id);
  // A code that is bound to a browser without the cookie, or with an empty one, is good in none.
  for (const state of ['', 'undefined', 'A'.repeat(42)]) {
    const gate = new URL(leadOf((await takeWay(gateway, attacker)).asked));
    gate.searchParams.set('state', createHash('sha256').update(state).digest('base64url'));
    const wayBack = await askWayBack(gateway, gate, attacker.refreshToken);
    const target = String(wayBack.json.location).slice(ORIGIN.length);
    for (const cookies of [{}, { [STATE_COOKIE]: state }]) expectRefused(await visit(gateway, { target, cookies }));
  }
});

test('Interface 22: a code is good for 30 seconds', async () => {
  const [early, late] = [await newWay(), await newWay()];
  gateway.clock.advance(29);
  await expectGood(early);
  gateway.clock.advance(1);
  expectRefused(await comeBack(late));
});

const ENDINGS: Array<[what: string, end: (who: SignedIn) => Promise<unknown>]> = [
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
  ['a reset link', async ({ user }) => redeem(gateway, await issueLink(gateway, user.id))],
  [
    'a revoked session',
    ({ accessToken }) => revokeSession(gateway.app, COMMAND_LINE, undefined, String(claimsOf(accessToken)['sid'])),
  ],
  ['a deletion', ({ user }) => deleteUser(gateway.app, COMMAND_LINE, user.id)],
];

test.each(ENDINGS)('Interface 22: after %s the code is good no more', async (_what, end) => {
  const who = await newcomer(gateway);
  const way = await takeWay(gateway, who);
  await end(who);
  expectRefused(await comeBack(way));
});

test('Interface 22: a refresh in between leaves the code good', async () => {
  const who = await newcomer(gateway);
  const way = await takeWay(gateway, who);
  expect((await refresh(gateway, who.refreshToken)).status).toBe(200);
  await expectGood(way);
});

test('Interface 22: what is no visit does not use a code up', async () => {
  const way = await newWay();
  const step = { target: way.path, cookies: way.state };
  const ahead = ['prefetch', 'prefetch;prerender', 'prerender', ''];
  const notVisits: Array<[Step, string]> = [
    ...ahead.map((purpose): [Step, string] => [{ headers: { 'Sec-Purpose': purpose } }, '403 gate_code_invalid']),
    ...['image', 'iframe', 'script', 'empty', 'worker'].map((dest): [Step, string] => [
      { headers: { 'Sec-Fetch-Dest': dest } },
      '403 gate_code_invalid',
    ]),
    ...['HEAD', 'POST', 'OPTIONS', 'PUT', 'get'].map((method): [Step, string] => [
      { method },
      method === 'HEAD' ? '405 undefined' : '405 method_not_allowed',
    ]),
  ];
  for (const [more, verdict] of notVisits) {
    const answer = await visit(gateway, { ...step, ...more });
    const came = verdictOf(answer).replace(/405 .*/, '405');
    expect([more, came, answer.cookies]).toEqual([more, verdict.replace(/405 .*/, '405'), []]);
    if (answer.status === 405) expect(answer.headers.allow).toBe('GET');
  }
  expect(verdictOf(await ask(gateway, step))).toBe('403 gate_code_invalid');
  await expectGood(way);
});

test('Interface 22: two tabs share the state cookie, and both arrive', async () => {
  const who = await newcomer(gateway);
  const first = await takeWay(gateway, who, { target: '/one' });
  const second = await takeWay(gateway, who, { target: '/two', cookies: first.state });
  expect(second.state).toEqual(first.state);
  const leads = [await comeBack(second), await comeBack(first)].map((answer) => leadOf(answer).href);
  expect(leads).toEqual([`${ORIGIN}/two`, `${ORIGIN}/one`]);
});

test('Interface 22: a state that the gateway has not made is replaced', async () => {
  for (const state of ['', 'x', 'A'.repeat(42), 'A'.repeat(44), `${'A'.repeat(42)}=`, `"${'A'.repeat(43)}"`]) {
    const { asked } = await newWay({ cookies: { [STATE_COOKIE]: state } });
    expect(asked.cookies[0]).toMatch(/^__Host-auth-gate-state=[\w-]{43};/);
  }
});

test('Interface 22: whatever is no code leads to a page that says so, never round in a circle', async () => {
  const way = await newWay();
  const code = way.callback.searchParams.get('code') ?? '';
  const hash = createHash('sha256').update(code).digest('base64url');
  const queries = [
    ...[
      '',
      '?',
      '?code',
      '?code=',
      '?code=x',
      `?code=${hash}`,
      `?code=${code}x`,
      `?code=${code.slice(1)}`,
      `?Code=${code}`,
    ],
    ...[
      `?code=x&code=${code}`,
      `?code[]=${code}`,
      `?code=%00`,
      `?code=%`,
      `?code=${'x'.repeat(4_000)}`,
      `?code=${code}%0a`,
    ],
    `?code=%20${code}`,
  ];
  for (const query of queries) {
    const answer = await visit(gateway, { target: `/.auth-gateway/callback${query}`, cookies: way.state });
    expectRefused(answer);
    const gate = leadOf(answer);
    expect([gate.searchParams.get('target'), gate.searchParams.has('state')]).toEqual(['/', false]);
    expect(gate.href).not.toContain(code);
  }
  await expectGood(way);
});

test('Interface 22: the way back is for the cookie of a live session alone, which stays as it is', async () => {
  const [who, ended] = [await newcomer(gateway), await newcomer(gateway)];
  await logout(gateway, ended.refreshToken);
  const rotated = await newcomer(gateway);
  await refresh(gateway, rotated.refreshToken);
  const inside = await enter(gateway, who);
  const gate = leadOf(inside.asked);
  const records = await recordsOf(gateway, who.user.id);
  for (const token of [
    ...[undefined, '', 'x', who.accessToken, inside.cookies[GATE_COOKIE], ended.refreshToken, rotated.refreshToken],
  ]) {
    const { status, json, cookies, headers } = await askWayBack(gateway, gate, token);
    expect([token, status, json.reason, cookies]).toEqual([token, 401, 'session_ended', []]);
    expect(headers['www-authenticate']).toMatch(/^Cookie realm=/);
  }
  const bearer = { authorization: `Bearer ${who.accessToken}` };
  const body = Object.fromEntries(gate.searchParams);
  expect((await gateway.send('POST', '/auth/gate', { headers: bearer, body })).status).toBe(401);
  const good = await askWayBack(gateway, gate, who.refreshToken);
  expect([good.status, good.cookies]).toEqual([200, []]);
  expect(await recordsOf(gateway, who.user.id)).toEqual(records);
  expect((await refresh(gateway, rotated.refreshToken)).json.reason).toBe('record_revoked'); // the way back was no theft
});

test('Interface 22: the way back is a request of the gateway’s own page', async () => {
  const who = await newcomer(gateway);
  const gate = leadOf(await visit(gateway));
  const Cookie = `refresh_token=${who.refreshToken}`;
  const body = Object.fromEntries(gate.searchParams);
  const post = (headers: Record<string, string>, sent: unknown = body) =>
    gateway.send('POST', '/auth/gate', { headers: { Cookie, ...headers }, body: sent });
  for (const Origin of [ORIGIN, 'https://evil.example', 'null', 'http://localhost:3000.evil.example']) {
    expect([Origin, (await post({ Origin })).json.reason]).toEqual([Origin, 'cross_site']);
  }
  expect((await post({ 'Sec-Fetch-Site': 'cross-site' })).json.reason).toBe('cross_site');
  const form = new URLSearchParams(body).toString();
  for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x']) {
    expect((await post({ 'Content-Type': type }, form)).status).toBe(415);
  }
  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
    const { status, headers } = await gateway.send(method, '/auth/gate', { headers: { ...NAVIGATION, Cookie } });
    expect([method, status, headers.allow]).toEqual([method, 405, 'POST']);
  }
  expect(await gateway.rows('select from gate_codes where user_id = $1', [who.user.id])).toEqual([]);
  expect((await post({ Origin: gateway.config.publicUrl })).status).toBe(200);
});
