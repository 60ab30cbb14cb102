/** Pages behind a proxy of deploy/forward-auth: the way of a browser, and its cookies. (Interface 22) */
import type { Role } from '../../../src/domain/roles.js';
import { ORIGIN } from '../../support/gateway/authz.js';
import {
  askWayBack,
  cookiesOf,
  GATE_COOKIE,
  leadOf,
  NAVIGATION,
  SCRIPT,
  STATE_COOKIE,
} from '../../support/gateway/gate.js';
import { type Answer, claimsOf, type TestGateway } from '../../support/gateway/gateway.js';
import { newcomer } from '../../support/gateway/graphql.js';
import type { ForwardAuthProxy } from '../../support/programs/forward-auth-proxy.js';
import type { Seen } from '../../support/programs/service-behind.js';
import type { Site } from './site.js';

/** A proxy that runs, or one whose files are read. */
export interface PageSite {
  gateway: TestGateway;
  proxy: Pick<ForwardAuthProxy, 'send'>;
  service: { taken(): Seen[] };
  /** True: it is asked as browsers ask, which send one Cookie field (RFC 6265 section 5.4) */
  takesOneCookieField?: boolean;
}

type Cookies = Record<string, string>;

interface Visitor {
  id: string;
  accessToken: string;
  refreshToken: string;
  /** Of the service's origin */
  cookies: Cookies;
}

const LOGOUT = '/.auth-gateway/logout';

function cookieField(cookies: Cookies): { Cookie?: string } {
  const pairs = Object.entries(cookies).map(([name, value]) => `${name}=${value}`);
  return pairs.length === 0 ? {} : { Cookie: pairs.join('; ') };
}

/** Sends a request by the proxy. @returns the answer, and the requests that reached the service */
export async function ask(
  { proxy, service }: PageSite,
  kind: typeof NAVIGATION | typeof SCRIPT,
  target: string,
  { cookies = {}, method = 'GET', headers = {}, body }: AskOptions = {},
): Promise<{ answer: Answer; seen: Seen[] }> {
  service.taken();
  const sent = { ...kind, ...cookieField(cookies), ...headers };
  const answer = await proxy.send(method, target, { headers: sent, ...(body !== undefined && { body }) });
  return { answer, seen: service.taken() };
}

interface AskOptions {
  cookies?: Cookies;
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string;
}

function valuesOf(seen: Seen | undefined, name: string): string[] {
  return (seen?.fields ?? []).filter(([each]) => each.toLowerCase() === name).map(([, value]) => value);
}

/** The cookies that the service got, without the space around them */
function pairsIn(seen: Seen | undefined): string[] {
  const pairs = valuesOf(seen, 'cookie').flatMap((value) => value.split(';'));
  return pairs.map((pair) => pair.trim()).filter((pair) => pair !== '');
}

/** A redirect that no cache stores, with one cookie, of a request that the service has not seen. */
function expectRedirect({ answer, seen }: { answer: Answer; seen: Seen[] }, location: unknown, cookie: string): void {
  expect([answer.status, seen]).toEqual([302, []]);
  expect(answer.headers).toMatchObject({ location, 'cache-control': 'no-store' });
  expect(answer.cookies).toEqual([expect.stringMatching(cookie)]);
  expect(Object.keys(answer.headers).filter((name) => name.startsWith('x-auth-'))).toEqual([]);
}

/** The service knows the visitor, by an assertion of this request, and has no cookie of the gate. */
function expectVisitor({ answer, seen }: { answer: Answer; seen: Seen[] }, { id }: Visitor, target: string): void {
  expect([answer.status, seen.map((it) => it.target)]).toEqual([200, [target]]);
  const [it] = seen;
  const names = ['x-auth-caller-type', 'x-auth-caller-id', 'x-auth-role', 'cookie'];
  expect(names.map((name) => valuesOf(it, name))).toEqual([['user'], [id], ['viewer'], ['theme=dark']]);
  const [assertion = ''] = valuesOf(it, 'x-auth-assertion');
  expect(claimsOf(assertion)).toMatchObject({ aud: ORIGIN, sub: id, method: it?.method, uri: target });
}

/** A user whose browser has come in by the gate. */
export async function enter(site: PageSite, target = '/', role: Role = 'viewer'): Promise<Visitor> {
  const { user, accessToken, refreshToken } = await newcomer(site.gateway, role);
  const asked = await ask(site, NAVIGATION, target);
  const state = `^${STATE_COOKIE}=[\\w-]{43}; Max-Age=600; Path=/; HttpOnly; Secure; SameSite=Lax$`;
  expectRedirect(asked, expect.stringContaining('/gate?origin='), state);
  expect(leadOf(asked.answer).searchParams.get('target')).toBe(target);
  const wayBack = await askWayBack(site.gateway, leadOf(asked.answer), refreshToken);
  const callback = String(wayBack.json.location).slice(ORIGIN.length);
  const entered = await ask(site, NAVIGATION, callback, { cookies: cookiesOf(asked.answer) });
  expectRedirect(entered, ORIGIN + target, `^${GATE_COOKIE}=[\\w.-]+; Path=/; HttpOnly; Secure; SameSite=Lax$`);
  const cookies = { ...cookiesOf(asked.answer), ...cookiesOf(entered.answer) };
  return { id: user.id, accessToken, refreshToken, cookies };
}

/** From the first visit to the page, and what its scripts and forms send. */
async function expectWay(site: PageSite): Promise<void> {
  const target = '/reports?year=2026&x=%20//';
  const visitor = await enter(site, target);
  const cookies = { theme: 'dark', ...visitor.cookies };
  expectVisitor(await ask(site, NAVIGATION, target, { cookies }), visitor, target);
  expectVisitor(await ask(site, SCRIPT, '/api?a=b', { cookies }), visitor, '/api?a=b');
  const withoutFetchFields = { ...cookieField(cookies), Accept: 'text/html', 'User-Agent': 'old' };
  const old = await site.proxy.send('GET', '/old', { headers: withoutFetchFields });
  expectVisitor({ answer: old, seen: site.service.taken() }, visitor, '/old');

  const written = { cookies, method: 'POST', body: 'a=b', headers: { Origin: ORIGIN } };
  const posted = await ask(site, SCRIPT, '/write', written);
  expectVisitor(posted, visitor, '/write');
  expect(posted.seen[0]?.body).toBe('a=b');
  const foreign = { ...written, headers: { Origin: 'https://evil.example.com' } };
  const crossed = await ask(site, SCRIPT, '/write', foreign);
  expect([crossed.answer.status, crossed.seen]).toEqual([403, []]);
  expect((await ask(site, SCRIPT, '/admin', { cookies })).answer.status).toBe(403);
}

/** What is refused, and where it leads. */
async function expectRefusals(site: PageSite): Promise<void> {
  const script = await ask(site, SCRIPT, '/api');
  expect([script.answer.status, script.seen, script.answer.cookies]).toEqual([401, [], []]);
  expect(script.answer.headers['www-authenticate']).toContain(`form-action="${site.gateway.config.publicUrl}/gate?`);
  expect(script.answer.headers['accept-signature']).toContain('sig1=("@method"');
  const ahead = await ask(site, NAVIGATION, '/', { headers: { 'Sec-Purpose': 'prefetch' } });
  expect([ahead.answer.status, ahead.answer.cookies]).toEqual([401, []]);
  const old = await site.proxy.send('GET', '/', { headers: { Accept: 'text/html,*/*' } });
  expect([old.status, old.cookies.length]).toEqual([302, 1]);
  const head = await ask(site, NAVIGATION, '/', { method: 'HEAD' });
  expect([head.answer.status, head.answer.cookies.length]).toEqual([302, 1]);
  const malformed = await ask(site, SCRIPT, '/api', { cookies: { [GATE_COOKIE]: 'a.b.c' } });
  expect([malformed.answer.status, malformed.seen]).toEqual([401, []]);
}

/** The paths of the gate are questions, with a credential and without. */
async function expectOwnPaths(site: PageSite): Promise<void> {
  const { accessToken, cookies } = await enter(site);
  const { status } = (await ask(site, NAVIGATION, '/.auth-gateway/callback?code=a')).answer;
  expect(status).toBe(302);
  for (const target of [
    '/.auth-gateway/callback?code=a',
    LOGOUT,
    '/.auth-gateway/',
    '/.auth-gateway/x',
    '/.Auth-Gateway/x',
  ]) {
    for (const headers of [{}, { Authorization: `Bearer ${accessToken}` }]) {
      const { answer, seen } = await ask(site, SCRIPT, target, { cookies, headers });
      const isOurs = target.startsWith('/.auth-gateway/');
      expect([target, seen.length, answer.status >= 400]).toEqual([target, isOurs ? 0 : 1, isOurs]);
    }
  }
  expect((await ask(site, SCRIPT, '/', { cookies })).answer.status).toBe(200);
}

/** A logout at the service, and the end of a session elsewhere. A form that comes too late is not redirected. */
async function expectEnd(site: PageSite): Promise<void> {
  const visitor = await enter(site);
  const { cookies } = visitor;
  const crossed = await ask(site, NAVIGATION, LOGOUT, {
    cookies,
    method: 'POST',
    headers: { Origin: 'https://evil.example.com' },
  });
  expect([crossed.answer.status, crossed.answer.cookies]).toEqual([403, []]);
  const left = await ask(site, NAVIGATION, LOGOUT, { cookies, method: 'POST', headers: { Origin: ORIGIN } });
  expectRedirect(left, `${ORIGIN}/`, `^${GATE_COOKIE}=; Max-Age=0; `);
  await expectOut(site, cookies);

  const other = await enter(site);
  await site.gateway.send('POST', '/auth/logout', { headers: { Cookie: `refresh_token=${other.refreshToken}` } });
  await expectOut(site, other.cookies);
}

async function expectOut(site: PageSite, cookies: Cookies): Promise<void> {
  const page = await ask(site, NAVIGATION, '/', { cookies });
  expectRedirect(page, expect.stringContaining('/gate?origin='), `^${STATE_COOKIE}=${cookies[STATE_COOKIE]};`);
  expect((await ask(site, SCRIPT, '/', { cookies })).answer.status).toBe(401);
  const form = { cookies, method: 'POST', headers: { Origin: ORIGIN }, body: 'a'.repeat(500_000) };
  const { answer, seen } = await ask(site, NAVIGATION, '/form', form);
  expect([answer.status, seen, answer.cookies]).toEqual([401, [], []]);
}

/** Fields of a request, with the cookies of the gate in braces, and the cookies that the service gets */
type CookieRow = [fields: string[], expected: string[]];

const COOKIE_ROWS: CookieRow[] = [
  [['{gate}'], []],
  [['{gate}; {state}'], []],
  [['a=1; {gate}; b=2; {state}; c=3'], ['a=1', 'b=2', 'c=3']],
  [['{state}; a=1; {gate}'], ['a=1']],
  [['a=1;{gate};{state};b=2'], ['a=1', 'b=2']],
  [['  a=1 ;  {gate}  ;\t{state};;  b=2  ;'], ['a=1', 'b=2']],
  [['; {gate}; ;{state}; a=1'], ['a=1']],
  [
    ['a="x y"; {gate}; b=c=d; e; f=', '{state}'],
    ['a="x y"', 'b=c=d', 'e', 'f='],
  ],
  [
    ['a=1', '{gate}; {state}', 'b=2'],
    ['a=1', 'b=2'],
  ],
  [
    ['{gate}; a=1', 'b=2; {state}'],
    ['a=1', 'b=2'],
  ],
  [
    ['a=1', 'b=2', '{gate}'],
    ['a=1', 'b=2'],
  ],
  [
    ['__Host-auth-gates=1; x__Host-auth-gate=2; auth-gate=3; a=__Host-auth-gate=4; {gate}'],
    ['__Host-auth-gates=1', 'x__Host-auth-gate=2', 'auth-gate=3', 'a=__Host-auth-gate=4'],
  ],
  [['__Host-auth-gate = {token}; a=1'], ['a=1']],
  [['{gate}; {gate}; a=1'], ['a=1']],
];

/** @returns the fields of a row */
function cookieFields(fields: string[], cookies: Cookies): string[] {
  const values: Cookies = {
    gate: `${GATE_COOKIE}=${cookies[GATE_COOKIE]}`,
    state: `${STATE_COOKIE}=${cookies[STATE_COOKIE]}`,
    token: String(cookies[GATE_COOKIE]),
  };
  return fields.map((field) => field.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? ''));
}

async function expectCookies(site: PageSite): Promise<void> {
  const { accessToken, cookies } = await enter(site);
  const rows = COOKIE_ROWS.filter(([fields]) => site.takesOneCookieField !== true || fields.length === 1);
  for (const Authorization of [undefined, `Bearer ${accessToken}`]) {
    const got: unknown[] = [];
    for (const [fields] of rows) {
      const headers = { Cookie: cookieFields(fields, cookies), ...(Authorization !== undefined && { Authorization }) };
      const { answer, seen } = await ask(site, SCRIPT, '/x', { headers });
      got.push([fields, answer.status, pairsIn(seen[0])]);
    }
    expect(got).toEqual(rows.map(([fields, expected]) => [fields, 200, expected]));
  }
}

/** More of our cookies than a browser has, and the fields of HTTP/2. */
async function expectManyCookies(site: Site): Promise<void> {
  const { cookies } = await enter(site);
  const [gate = ''] = cookieFields(['{gate}'], cookies);
  const many = await ask(site, SCRIPT, '/x', { headers: { Cookie: `a=1; ${`${gate}; b=2; `.repeat(5)}` } });
  const left = pairsIn(many.seen[0]);
  expect([many.answer.status, left.join().includes(GATE_COOKIE)]).toEqual([200, false]);
  site.service.taken();
  const sent = { ':path': '/x', cookie: cookieFields(['a=1', '{gate}', 'b=2', '{state}', 'c=3'], cookies) };
  expect(await site.proxy.sendHttp2(sent)).toBe(200);
  expect(pairsIn(site.service.taken()[0])).toEqual(['a=1', 'b=2', 'c=3']);
}

/** What stays open: a websocket if the service's own page opens it, and events as they come. */
async function expectStreams(site: Site): Promise<void> {
  const { cookies, refreshToken } = await enter(site);
  const { Cookie } = cookieField({ ...cookies, theme: 'dark' });
  const begin = (target: string, fields: string[]) =>
    site.proxy.exchange(
      `${[`GET ${target} HTTP/1.1`, 'Host: app.example.com', `Cookie: ${Cookie}`, ...fields].join('\r\n')}\r\n\r\n`,
    );
  const websocket = (origin: string[]) => [
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Version: 13',
    ...origin,
  ];
  site.service.taken();
  expect(await begin('/live', websocket([`Origin: ${ORIGIN}`]))).toMatch(/^HTTP\/1\.1 101 .*\r\n\r\nhello$/s);
  const seen = site.service.taken();
  expect([seen.map(({ upgrade }) => upgrade), pairsIn(seen[0])]).toEqual([['websocket'], ['theme=dark']]);
  for (const origin of [['Origin: https://evil.example.com'], ['Origin: null'], []]) {
    expect(await begin('/live', websocket(origin))).toMatch(/^HTTP\/1\.1 403 /);
  }
  expect(await begin('/events', ['Accept: text/event-stream'])).toMatch(/^HTTP\/1\.1 200 .*data: hello\n\n/s);
  site.service.taken();
  await site.gateway.send('POST', '/auth/logout', { headers: { Cookie: `refresh_token=${refreshToken}` } });
  for (const fields of [websocket([`Origin: ${ORIGIN}`]), ['Accept: text/event-stream']]) {
    expect(await begin('/live', fields)).toMatch(/^HTTP\/1\.1 401 /);
  }
  expect(site.service.taken()).toEqual([]);
}

/** What holds behind every proxy */
export const PAGES: Array<[title: string, work: (site: PageSite) => Promise<void>]> = [
  ['a browser is sent to the gate and comes back, and the service learns who it is', expectWay],
  ['a script without a session is not redirected, nor is what is loaded ahead', expectRefusals],
  ['no path of the gate reaches the service', expectOwnPaths],
  ['the session ends here or elsewhere, and the page is closed', expectEnd],
  ['the service gets each cookie but the two of the gate', expectCookies],
];

/** What holds behind one that runs */
export const RUNNING: Array<[title: string, work: (site: Site) => Promise<void>]> = [
  ['a client with many cookies of the gate, and HTTP/2', expectManyCookies],
  ['a websocket needs the origin of the service, and events come at once', expectStreams],
];
