/** Hostile questions about pages: a request is led to the gate, refused, or passes with every field of identity. (Interface 22) */
import { signJwt } from '../../src/credentials/tokens/compact-jws.js';
import { askAs, FAMILIES, identityOf, ORIGIN, type Original } from '../support/gateway/authz.js';
import { newDevice } from '../support/gateway/devices.js';
import {
  enter,
  GATE,
  GATE_COOKIE,
  leadOf,
  NAVIGATION,
  PAGES,
  SCRIPT,
  STATE_COOKIE,
  verdictOf,
} from '../support/gateway/gate.js';
import { type Answer, claimsOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newcomer, type SignedIn } from '../support/gateway/graphql.js';
import { hmacSignedJwt, unsignedJwt } from '../support/independent/forge.js';

const OTHER_ORIGIN = 'https://other.example.com';

let gateway: TestGateway;
let who: SignedIn;
let good: string;
let assertion: string;
let elsewhere: string;
let state: string;
let device: string;
beforeAll(async () => {
  const origins = { FORWARD_AUTH_ORIGINS: `${GATE.FORWARD_AUTH_ORIGINS},${OTHER_ORIGIN}` };
  gateway = await startGateway({ env: { ...GATE, ...origins, KNOWN_DEVICES: 'on' } });
  who = await newcomer(gateway);
  const inside = await enter(gateway, who);
  good = inside.cookies[GATE_COOKIE] ?? '';
  state = inside.cookies[STATE_COOKIE] ?? '';
  elsewhere = (await enter(gateway, who, { origin: OTHER_ORIGIN })).cookies[GATE_COOKIE] ?? '';
  device = await newDevice(gateway, who.user.email);
  assertion = String(identityOf(await askPage({ headers: { Cookie: `${GATE_COOKIE}=${good}` } }))['x-auth-assertion']);
});
afterAll(() => gateway.close());

type Family = (typeof FAMILIES)[number];
type Fields = Original['headers'];
/** Its fields stand in the place of those of a navigation; an empty list removes one */
type Question = Partial<Original> & { rule?: string };

const askPage = ({ rule = PAGES, headers, ...original }: Question, family: Family = 'forward-auth') =>
  askAs(gateway, family, rule, { target: '/', ...original, headers: { ...NAVIGATION, ...headers } });

/** An answer is what it says, and has the fields of identity if it passes, and none of them otherwise. */
function expectVerdict(row: unknown, answer: Answer, verdict: string): void {
  expect([row, verdictOf(answer)]).toEqual([row, verdict]);
  const names = ['caller-type', 'caller-id', 'role', 'scopes', 'assertion'].map((name) => `x-auth-${name}`);
  const fields = names.map((name) => answer.headers[name]);
  if (verdict !== 'in') return expect([row, fields]).toEqual([row, names.map(() => undefined)]);
  const { sub, aud } = claimsOf(String(answer.headers['x-auth-assertion']));
  expect([row, fields.slice(0, 3), typeof fields[3], sub, aud]).toEqual([
    row,
    ['user', who.user.id, 'viewer'],
    'string',
    who.user.id,
    ORIGIN,
  ]);
}

/** The cookie with another character at a place of one of its parts */
function altered(part: number, at: number): string {
  const parts = good.split('.');
  const text = parts[part] ?? '';
  const index = at < 0 ? text.length + at : at;
  parts[part] = `${text.slice(0, index)}${text[index] === 'A' ? 'B' : 'A'}${text.slice(index + 1)}`;
  return parts.join('.');
}

/** As the gateway would sign it, but for these claims */
function signedWith(claims: object): string {
  return signJwt({ ...claimsOf(good), ...claims }, gateway.app.keyring.inUse('gate', gateway.clock.now()));
}

/** Fields `Cookie`, with what they lead to. authentik CVE-2026-25748: a malformed cookie was 200 without a field of identity */
function cookieRows(): Array<[what: string, cookie: string | string[], verdict: string]> {
  const [header = '', payload = '', signature = ''] = good.split('.');
  const named = (value: string): string => `${GATE_COOKIE}=${value}`;
  const claims = claimsOf(good);
  const asNone: Array<[string, string]> = [
    ...[0, 9, -1].map((at): [string, string] => [`header altered at ${at}`, altered(0, at)]),
    ...[0, 9, -1].map((at): [string, string] => [`payload altered at ${at}`, altered(1, at)]),
    ...[0, 9, -1].map((at): [string, string] => [`signature altered at ${at}`, altered(2, at)]),
    ['no signature', `${header}.${payload}.`],
    ['no third part', `${header}.${payload}`],
    ['a fourth part', `${good}.x`],
    ['a fourth part, empty', `${good}.`],
    ['parts in another order', [payload, header, signature].join('.')],
    ['padded', `${good}=`],
    ['a short signature', good.slice(0, -1)],
    ['a line inside', `${header}. ${payload}.${signature}`],
    ['upper case', good.toUpperCase()],
    ['quoted', `"${good}"`],
    ['quoted at one end', `"${good}`],
    ['percent-encoded', good.replaceAll('.', '%2E')],
    ['as JSON', `j:"${good}"`],
    ['as Bearer', `Bearer ${good}`],
    ['alg none', unsignedJwt({ alg: 'none', typ: 'gate+jwt' }, claims)],
    ['alg none with our signature', `${unsignedJwt({ alg: 'none', typ: 'gate+jwt' }, claims)}${signature}`],
    ['alg none with our header', unsignedJwt(JSON.parse(Buffer.from(header, 'base64url').toString()), claims)],
    ['by the refresh key', hmacSignedJwt({ typ: 'gate+jwt' }, claims)],
    ['by the refresh key, as a refresh token', hmacSignedJwt({}, claims)],
    ['an access token', who.accessToken],
    ['a refresh token', who.refreshToken],
    ['an assertion', assertion],
    ['a device', device],
    ['the state', state],
    ['of another origin', elsewhere],
    ['of every origin', signedWith({ aud: [ORIGIN, OTHER_ORIGIN] })],
    ['of the gateway', signedWith({ aud: gateway.config.publicUrl })],
    ['of no origin', signedWith({ aud: undefined })],
    ['of an origin in capitals', signedWith({ aud: 'https://APP.example.com' })],
    ['of another issuer', signedWith({ iss: 'https://evil.example' })],
    ['of nobody', signedWith({ sub: undefined })],
    ['of somebody else', signedWith({ sub: '00000000-0000-4000-8000-000000000000' })],
    ['of no session', signedWith({ sid: undefined })],
    ['of another session', signedWith({ sid: '00000000-0000-4000-8000-000000000000' })],
    ['of a session that is text', signedWith({ sid: "' or true --" })],
    ['without an end', signedWith({ exp: undefined })],
    ['ended', signedWith({ exp: Math.floor(gateway.clock.now().getTime() / 1000) })],
    ...[
      '',
      '=',
      '.',
      '..',
      '...',
      'x',
      'true',
      'null',
      'undefined',
      'deleted',
      '{}',
      '[]',
      '%',
      '%00',
      '0',
      '\x80\xff',
    ].map((value): [string, string] => [`a value of ${JSON.stringify(value)}`, value]),
    ['a huge one', 'x'.repeat(8_000)],
    ['many parts', '.'.repeat(4_000)],
  ];
  const names = [
    GATE_COOKIE.toLowerCase(),
    GATE_COOKIE.slice(7),
    `__Secure${GATE_COOKIE.slice(6)}`,
    `${GATE_COOKIE}-x`,
    STATE_COOKIE,
  ];
  return [
    ...asNone.map(([what, value]): [string, string, string] => [what, named(value), 'gate']),
    ...names.map((name): [string, string, string] => [`under the name ${name}`, `${name}=${good}`, 'gate']),
    // What a sibling host can plant: browsers let no cookie with the prefix be set from there, others are read loosely by some
    ['the name after a space of Unicode', `\xe2\x80\x80${named(good)}`, 'gate'],
    ['the name after a no-break space', `\xa0${named(good)}`, 'gate'],
    ['a cookie without a name', `=${named(good)}`, 'gate'],
    ['the name alone', GATE_COOKIE, 'gate'],
    ['inside another cookie', `x="; ${GATE_COOKIE}"=${good}`, 'gate'],
    ['inside the value of another', `x=y, ${named(good)}`, 'gate'],
    ['names of every object', '__proto__=x; constructor=y; toString=z', 'gate'],
    ['two that differ', `${named(good)}; ${named('x')}`, 'gate'],
    ['two that differ, in two fields', [named(good), named('x')], 'gate'],
    ['one and an empty one', `${named('')}; ${named(good)}`, 'gate'],
    ['one and that of another origin', `${named(elsewhere)}; ${named(good)}`, 'gate'],
    ['the right one', named(good), 'in'],
    ['two that are equal', `${named(good)}; ${named(good)}`, 'in'],
    ['two that are equal, in two fields', [named(good), named(good)], 'in'],
    ['with those of others', `a=b; ${named(good)};c; d="e;f"; ${GATE_COOKIE}-x=y`, 'in'],
    ['after a version', `$Version=1;${named(good)}`, 'in'],
  ];
}

test.each(FAMILIES)('Interface 22: %s: a cookie that is not the right one is as none', async (family) => {
  const rows = cookieRows();
  expect(rows.length).toBeGreaterThan(80);
  for (const [what, cookie, verdict] of rows) {
    const headers = { Cookie: cookie };
    expectVerdict(what, await askPage({ headers }, family), verdict);
    const script = await askPage({ headers: { ...SCRIPT, ...headers } }, family);
    expectVerdict([what, 'by a script'], script, verdict === 'in' ? 'in' : '401 missing_credentials');
    expect([what, script.cookies]).toEqual([what, []]);
  }
});

/** Without any credential: a browser that opens a page is led away, anything else is 401. */
const NO_METADATA: Fields = { 'Sec-Fetch-Mode': [], 'Sec-Fetch-Dest': [], 'Sec-Fetch-Site': [], 'Sec-Fetch-User': [] };
const ACCEPTED = ['text/html', 'TEXT/HTML,*/*', 'text/html;q=0.9,*/*', ' text/html ,*/*', 'text/html\t;q=1'];
const NOT_ACCEPTED = [
  '*/*',
  'application/json,text/html',
  '*/*,text/html',
  'text/htmlx',
  'text/html+xml',
  'xtext/html',
  'text/*',
  '',
  ',',
];
const DESTINATIONS = [
  ...[
    'iframe',
    'frame',
    'image',
    'script',
    'style',
    'font',
    'worker',
    'sharedworker',
    'serviceworker',
    'object',
    'embed',
  ],
  ...[
    'audio',
    'video',
    'manifest',
    'report',
    'xslt',
    'empty',
    '',
    'Document',
    'document;x',
    'document, document',
    'null',
  ],
];

const WITHOUT: Array<[Question, isPage: boolean]> = [
  ...DESTINATIONS.map((dest): [Question, boolean] => [{ headers: { 'Sec-Fetch-Dest': dest } }, false]),
  ...['cors', 'no-cors', 'same-origin', 'websocket', '', 'Navigate', 'nested-navigate'].map(
    (mode): [Question, boolean] => [{ headers: { 'Sec-Fetch-Mode': mode } }, false],
  ),
  ...[['navigate', 'navigate'], ['cors', 'navigate'], []].map((mode): [Question, boolean] => [
    { headers: { 'Sec-Fetch-Mode': mode } },
    false,
  ]),
  ...[['document', 'document'], ['document', 'image'], []].map((dest): [Question, boolean] => [
    { headers: { 'Sec-Fetch-Dest': dest } },
    false,
  ]),
  [{ headers: { ...NO_METADATA, 'Sec-Fetch-Site': 'none' } }, false],
  [{ headers: { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-User': [] } }, true],
  [{ headers: { Accept: '*/*' } }, true],
  ...['prefetch', 'prefetch;prerender', 'prerender', ''].map((purpose): [Question, boolean] => [
    { headers: { 'Sec-Purpose': purpose } },
    false,
  ]),
  ...ACCEPTED.map((Accept): [Question, boolean] => [{ headers: { ...NO_METADATA, Accept } }, true]),
  ...NOT_ACCEPTED.map((Accept): [Question, boolean] => [{ headers: { ...NO_METADATA, Accept } }, false]),
  [{ headers: { ...NO_METADATA, Accept: [] } }, false],
  [{ method: 'HEAD' }, true],
  ...['POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND', 'get', 'Get'].map((method): [Question, boolean] => [
    { method },
    false,
  ]),
  // oauth2-proxy CVE-2026-34457: agents of health checks passed; CVE-2026-40575: a path that another field claims
  ...[
    'GoogleHC/1.0',
    'kube-probe/1.30',
    'ELB-HealthChecker/2.0',
    'Envoy/HC',
    'Consul Health Check',
    'Googlebot/2.1',
    '',
  ].map((agent): [Question, boolean] => [{ headers: { 'User-Agent': agent } }, true]),
  ...[
    '/ping',
    '/ready',
    '/healthz',
    '/robots.txt',
    '/favicon.ico',
    '/oauth2/auth',
    '/.well-known/x',
    '/gate',
    '/authz/x',
  ].map((target): [Question, boolean] => [{ target }, true]),
  ...[
    'X-Forwarded-Uri',
    'X-Original-URL',
    'X-Original-URI',
    'X-Rewrite-URL',
    'X-Envoy-Original-Path',
    'X-HTTP-Method-Override',
    'Forwarded',
  ].map((name): [Question, boolean] => [{ headers: { [name]: '/ping' } }, true]),
  ...['/.auth-gateway', '/.AUTH-GATEWAY/callback', '/%2eauth-gateway/callback', '//.auth-gateway/callback'].map(
    (target): [Question, boolean] => [{ target }, true],
  ),
  ...[
    '/./.auth-gateway/logout',
    '/x/../.auth-gateway/logout',
    '/?/.auth-gateway/logout',
    '/.auth-gateway%2flogout',
  ].map((target): [Question, boolean] => [{ target }, true]),
];

test.each(FAMILIES)(
  'Interface 22: %s: without a credential only a browser that opens a page is led away',
  async (family) => {
    expect(WITHOUT.length).toBeGreaterThan(80);
    for (const [question, isPage] of WITHOUT) {
      // Node writes no question in a method of small letters, as Envoy would send it.
      if (family === 'ext-authz' && /[a-z]/.test(question.method ?? '')) continue;
      const answer = await askPage(question, family);
      if (question.method === 'HEAD' && family === 'ext-authz') expect(answer.text).toBe('');
      expectVerdict(question, answer, isPage ? 'gate' : '401 missing_credentials');
      expect([question, answer.headers['cache-control']]).toEqual([question, 'no-store']);
      if (!isPage) {
        expect([question, answer.cookies]).toEqual([question, []]);
        expect(answer.headers['www-authenticate']).toContain(`cookie-name="${GATE_COOKIE}"`);
        continue;
      }
      const gate = leadOf(answer);
      expect([question, gate.origin, gate.searchParams.get('origin'), gate.searchParams.get('target')]).toEqual([
        question,
        gateway.config.publicUrl,
        ORIGIN,
        question.target ?? '/',
      ]);
    }
  },
);

/** With the right cookie */
const WITH: Array<[Question, verdict: string, but?: Family[]]> = [
  // What a page loads passes, whatever it says of itself
  ...DESTINATIONS.map((dest): [Question, string] => [
    { headers: { 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': dest } },
    'in',
  ]),
  [{ headers: { 'Sec-Purpose': 'prefetch' } }, 'in'],
  [{ method: 'HEAD' }, 'in'],
  // authelia GHSA-j748-h363-wqj8: the case of the host
  ...[
    'https://APP.example.com',
    'https://app.example.com.',
    'https://app.example.com:443',
    'https://app.example.com:8443',
  ].map((origin): [Question, string] => [{ origin }, '403 origin_not_listed']),
  ...['http://app.example.com', 'HTTPS://app.example.com', 'https://evil.example'].map(
    (origin): [Question, string, Family[]] => [
      { origin },
      '403 origin_not_listed',
      origin.startsWith('HTTPS') ? ['auth-request'] : [], // which takes it for no URL
    ],
  ),
  [{ origin: OTHER_ORIGIN }, 'gate'],
  // oauth2-proxy CVE-2026-41059: what follows `#`
  ...['/a#b', '/a%23b#', '/#'].flatMap(
    (target): Array<[Question, string, Family[]]> => [
      [{ target }, '403 original_request_invalid', ['ext-authz']],
      [{ target }, '400 malformed_request', ['auth-request', 'forward-auth']],
    ],
  ),
  [{ target: '/a\\b' }, '403 original_request_invalid'],
  ...[
    '/.auth-gateway/',
    '/.auth-gateway/x',
    '/.auth-gateway/callback/',
    '/.auth-gateway/Callback',
    '/.auth-gateway//callback',
  ].map((target): [Question, string] => [{ target }, '404 not_found']),
  ...[
    '/.auth-gateway/callback;x',
    '/.auth-gateway/callback%00',
    '/.auth-gateway/../callback',
    '/.auth-gateway/%6cogout',
  ].map((target): [Question, string] => [{ target }, '404 not_found']),
  [{ target: '/.auth-gateway/callback' }, 'gate, with a problem'],
  [{ target: '/.auth-gateway/logout' }, '405 method_not_allowed'],
  ...['X-Auth-Role', 'x-auth-caller-id', 'X_Auth_Role', 'X-Auth-Anything', 'X.Auth.Role'].map(
    (name): [Question, string] => [{ headers: { [name]: 'admin' } }, '403 identity_field'],
  ),
  [{ rule: 'caller=api_key;pages=on' }, '400 rule_invalid'],
  [{ rule: 'caller=user;pages=off' }, '400 rule_invalid'],
  [{ rule: 'caller=user;pages=on;pages=on' }, '400 rule_invalid'],
  [{ rule: 'caller=user' }, '401 missing_credentials'],
];

test.each(FAMILIES)(
  'Interface 22: %s: with the cookie a request passes with every field, or not at all',
  async (family) => {
    for (const [question, verdict, but = []] of WITH) {
      if (but.includes(family)) continue;
      const headers = { Cookie: `${GATE_COOKIE}=${good}`, ...question.headers };
      expectVerdict(question, await askPage({ ...question, headers }, family), verdict);
    }
  },
);

test('Interface 22: a target that is too long for an address leads to the start of the service', async () => {
  for (const [length, target] of [
    [2_048, `/${'a'.repeat(2_047)}`],
    [2_049, '/'],
  ] as const) {
    const gate = leadOf(await askPage({ target: `/${'a'.repeat(length - 1)}` }));
    expect(gate.searchParams.get('target')).toBe(target);
  }
});
