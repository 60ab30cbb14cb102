/** A hundred hostile return addresses: none leads anywhere but to a listed origin, by a path of it. (Interface 22) */
import { FAMILIES, FORWARD_AUTH, ORIGIN } from '../support/gateway/authz.js';
import { leadOf, visit } from '../support/gateway/gate.js';
import { type Answer, logIn, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { captureLog } from '../support/gateway/log.js';
import { until } from '../support/until.js';

const HTTP_ORIGIN = 'http://b.test:8080';

const captured = captureLog();
let gateway: TestGateway;
let refreshToken: string;
beforeAll(async () => {
  gateway = await startGateway({ log: captured.log, env: FORWARD_AUTH });
  ({ refreshToken } = await logIn(gateway, (await gateway.user()).email));
});
afterAll(() => gateway.close());

/** Origins that are not listed, each with `/` */
const ORIGINS: unknown[] = [
  // Another host
  ...['https://evil.example', 'https://example.com', 'https://sub.app.example.com', 'https://*.example.com'],
  ...['https://app-example.com', 'https://appXexample.com', 'https://127.0.0.1', 'https://[::1]', 'https://localhost'],
  ...['https://app.example.com.evil.example', 'https://evil.example/app.example.com', 'https://evil.example?app'],
  // Userinfo (authelia GHSA-36f2-fcrx-fp4j), and two of them (oauth2-proxy CVE-2026-40574)
  ...['https://app.example.com@evil.example', 'https://app.example.com:x@evil.example', 'https://x@app.example.com'],
  ...['https://x@evil.example@app.example.com', 'https://@app.example.com', 'https://app.example.com%40evil.example'],
  // Slashes that browsers read in their own way (authelia#290)
  ...['https://app.example.com\\@evil.example', 'https://app.example.com\\.evil.example', 'https:\\\\evil.example'],
  ...['https:evil.example', 'https:/evil.example', 'https:///app.example.com', '//evil.example', '//app.example.com'],
  ...['\\\\evil.example', '/\\evil.example', '/', 'app.example.com', 'https:', 'https://'],
  // More than an origin
  ...['https://app.example.com/', 'https://app.example.com/x', 'https://app.example.com?', 'https://app.example.com#'],
  ...['https://app.example.com#@evil.example', 'https://app.example.com/@evil.example', `${ORIGIN},${HTTP_ORIGIN}`],
  ...[`${ORIGIN} ${HTTP_ORIGIN}`, `${ORIGIN}\0`, `${ORIGIN}%00.evil.example`, `${ORIGIN}\r\nSet-Cookie: x=1`],
  ...[
    ` ${ORIGIN}`,
    `${ORIGIN} `,
    `${ORIGIN}\n`,
    `\t${ORIGIN}`,
    'https://app.exa\tmple.com',
    `${ORIGIN}${'a'.repeat(5_000)}`,
  ],
  // Another spelling of the host (authelia GHSA-j748-h363-wqj8)
  ...['HTTPS://app.example.com', 'https://APP.example.com', 'https://app.example.com.', 'https://.app.example.com'],
  ...[
    'https://app%2eexample.com',
    'https://app.example.com%E3%80%82',
    'https://app。example.com',
    'https://ａpp.example.com',
  ],
  ...['https://аpp.example.com', 'https://xn--pp-8kc.example.com', 'https://app.exam\u00adple.com', `${ORIGIN}\u200b`],
  ...[`${ORIGIN}\u2028`, 'https://app.example.com\ufeff', '\ud800'],
  // Another port or scheme
  ...[
    'https://app.example.com:443',
    'https://app.example.com:0443',
    'https://app.example.com:',
    'https://app.example.com:8443',
  ],
  ...[
    'http://app.example.com',
    'https://b.test:8080',
    'http://b.test',
    'http://b.test:80',
    'http://b.test:8080.evil.example',
  ],
  ...['http://b.test:8080@evil.example', 'wss://app.example.com', 'ftp://app.example.com', 'file:///', 'null'],
  ...['javascript:alert(1)//', 'data:text/html,x', `blob:${ORIGIN}/x`, `view-source:${ORIGIN}`],
  // Names of every object, and values that are no text
  ...['', '*', '__proto__', 'constructor', 'toString', 'undefined', '[object Object]'],
  ...[null, true, 1, {}, [], [ORIGIN], [ORIGIN, 'https://evil.example'], { toString: ORIGIN }],
];

/** Targets that are no path of the origin */
const TARGETS: unknown[] = [
  ...['', 'evil.example', '@evil.example', '.evil.example', ':8443/', ':x@evil.example/', '?x', '#', '*'],
  ...[
    'https://evil.example/',
    'javascript:alert(1)',
    '\\evil.example',
    '/\\evil.example',
    '/a\\b',
    '/\\',
    '\\/evil.example',
  ],
  // oauth2-proxy CVE-2026-41059
  ...[
    '/#',
    '/a#@evil.example',
    '/a b',
    ' /',
    '/\t/evil.example',
    '\t//evil.example',
    '/\n',
    '/\r\nLocation: //evil.example',
  ],
  ...['/\0', '/\x7f', '/é', '/\u2028', '/\ufeff', '／evil.example', `/${'a'.repeat(2_048)}`],
  ...[null, 1, {}, ['/'], ['/', '//evil.example']],
];

/** Targets that look hostile and stay below the origin */
const HARMLESS = [
  ...[
    '//evil.example',
    '///evil.example',
    '////evil.example/..',
    '/@evil.example',
    '/.evil.example',
    '/:8443',
    '/%5cevil',
  ],
  ...[
    '/%2f%2fevil.example',
    '/..//evil.example',
    '/../../',
    '/%2e%2e//evil.example',
    '/%0d%0aLocation:x',
    '/;@evil.example',
  ],
  ...[
    '/?next=https://evil.example',
    '/https://evil.example',
    '/javascript:alert(1)',
    '/?__proto__[x]=1',
    '/%00',
    '/%',
    '/"><x>',
  ],
  `/${'a'.repeat(2_047)}`,
];

const gateOf = (origin: unknown, target: unknown) =>
  gateway.send('GET', `/gate?${new URLSearchParams({ origin: String(origin), target: String(target) })}`);
const wayBackOf = (origin: unknown, target: unknown) =>
  gateway.send('POST', '/auth/gate', {
    headers: { Cookie: `refresh_token=${refreshToken}` },
    body: { origin, target, state: 'A'.repeat(43) },
  });

test('Interface 22: a hostile return address gets no code, and a page that leads nowhere', async () => {
  const rows = [...ORIGINS.map((origin) => [origin, '/']), ...TARGETS.map((target) => [ORIGIN, target])];
  expect(rows.length).toBeGreaterThanOrEqual(100);
  for (const [origin, target] of rows) {
    const row = [origin, target];
    const wayBack = await wayBackOf(origin, target);
    expect([row, wayBack.status, wayBack.json.reason]).toEqual([row, 422, 'body_invalid']);
    if (typeof origin !== 'string' || typeof target !== 'string') continue;
    const page = await gateOf(origin, target);
    expect([row, page.status, page.headers.location]).toEqual([row, 400, undefined]);
    expect(page.text).toContain('data-astray="true"');
  }
  expect(await gateway.rows('select from gate_codes')).toEqual([]);
});

/** The messages of a return address that is right in all but this. */
const OF_ORIGIN = 'must be one of FORWARD_AUTH_ORIGINS';
const OF_TARGET = 'must be a path and query of printable ASCII without # and backslash';
const OF_STATE = 'must be 32 bytes in base64url';
const STATE = 'A'.repeat(43);
const BODY = { origin: ORIGIN, target: '/', state: STATE };
const INVALID: Array<[body: unknown, field: string, message: string]> = [
  ...[true, 5, 'word', [], [BODY]].map((body): [unknown, string, string] => [
    body,
    ...(['body', 'must be a JSON object'] as const),
  ]),
  ...['origin', 'target', 'state'].flatMap((field) =>
    [undefined, null, true, 5, [STATE], { toString: STATE }].map((value): [unknown, string, string] => [
      { ...BODY, [field]: value },
      field,
      'must be a string',
    ]),
  ),
  [{ ...BODY, origin: '' }, 'origin', OF_ORIGIN],
  [{ ...BODY, origin: 'https://evil.example' }, 'origin', OF_ORIGIN],
  [{ ...BODY, target: '' }, 'target', OF_TARGET],
  [{ ...BODY, target: '//evil.example/#' }, 'target', OF_TARGET],
  ...['', 'A'.repeat(42), 'A'.repeat(44), `${'A'.repeat(42)}=`, `${STATE}\n`].map(
    (state): [unknown, string, string] => [{ ...BODY, state }, 'state', OF_STATE],
  ),
];

test('Interface 22: a body that is not valid says what each field must be, in the words of the other bodies', async () => {
  const send = (body: unknown) =>
    gateway.send('POST', '/auth/gate', {
      headers: { Cookie: `refresh_token=${refreshToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  for (const [body, field, message] of INVALID) {
    const { status, json } = await send(body);
    expect([body, status, json.reason, json.errors]).toEqual([body, 422, 'body_invalid', [{ field, message }]]);
  }
  const allMissing = Object.keys(BODY).map((field) => ({ field, message: 'must be a string' }));
  for (const body of [{}, null]) expect([body, (await send(body)).json.errors]).toEqual([body, allMissing]);
  expect((await send(BODY)).status).toBe(200);
});

/** An origin that is not listed, and what the log has of it: what an operator compares with FORWARD_AUTH_ORIGINS. */
const LOGGED: Array<[origin: string, logged: string]> = [
  ['https://new.example.com', 'https://new.example.com'],
  ['https://APP.example.com', 'https://APP.example.com'],
  ['https://app.example.com:443', 'https://app.example.com:443'],
  ['http://[::1]:8080', 'http://[::1]:8080'],
  ['https://user:word@new.example.com', 'https://new.example.com'],
  ['https://new.example.com" word', 'unreadable'],
  [`https://${'a'.repeat(300)}.example`, `https://${'a'.repeat(248)}`],
];

test('Interface 22: the log has the origin that is not listed, and nothing else shows it', async () => {
  const lineOf = ({ headers }: Answer) =>
    captured.lines().find(({ msg, request_id }) => msg === 'request' && request_id === headers['x-request-id']);
  for (const [origin, logged] of LOGGED) {
    const answers = [await gateOf(origin, '/word')];
    for (const family of FAMILIES) {
      if (URL.canParse(origin)) answers.push(await visit(gateway, { family, origin, target: '/word' }));
    }
    for (const answer of answers) {
      await until('the line', () => lineOf(answer) !== undefined);
      expect(lineOf(answer)).toMatchObject({ outcome: 'origin_not_listed', origin: logged });
      expect(lineOf(answer)).not.toHaveProperty('service');
      expect(answer.text).not.toContain(origin);
      expect(JSON.stringify(lineOf(answer))).not.toContain('word');
    }
  }
  const astray = await gateOf(ORIGIN, 'no path');
  await until('the line', () => lineOf(astray) !== undefined);
  expect([astray.status, lineOf(astray)?.['origin'], lineOf(astray)?.['outcome']]).toEqual([400, undefined, undefined]);
  expect((await gateway.send('GET', '/metrics')).text).not.toContain('new.example.com');
});

test('Interface 22: a target that looks hostile leads below its origin', async () => {
  for (const origin of [ORIGIN, HTTP_ORIGIN]) {
    for (const target of HARMLESS) {
      const row = [origin, target];
      expect([row, (await gateOf(origin, target)).status]).toEqual([row, 200]);
      const asked = await visit(gateway, { origin, target });
      const gate = leadOf(asked);
      expect([row, gate.origin, gate.searchParams.get('target')]).toEqual([row, gateway.config.publicUrl, target]);
      const { json } = await gateway.send('POST', '/auth/gate', {
        headers: { Cookie: `refresh_token=${refreshToken}` },
        body: Object.fromEntries(gate.searchParams),
      });
      const callback = new URL(json.location);
      expect([row, callback.origin, callback.pathname]).toEqual([row, origin, '/.auth-gateway/callback']);
      const [state = ''] = asked.cookies;
      const cookie = state.slice(0, state.indexOf(';'));
      const back = await visit(gateway, {
        origin,
        target: callback.pathname + callback.search,
        headers: { Cookie: cookie },
      });
      expect([row, back.status, back.headers.location]).toEqual([row, 302, origin + target]);
      expect(new URL(origin + target).origin).toBe(origin);
    }
  }
});

/** The page reads the first parameter of a name, so the gateway takes an address with one of each alone. */
test('Interface 22: the page and the gateway read the same address', async () => {
  const [good, evil, path] = [`origin=${ORIGIN}`, 'origin=https://evil.example', 'target=/'];
  const astray = [
    ...[`${good}&${evil}&${path}`, `${evil}&${good}&${path}`, `${good}&${good}&${path}`, `${good}&${path}&${path}`],
    ...[`origin[]=${ORIGIN}&${path}`, `origin[0]=${ORIGIN}&${path}`, `Origin=${ORIGIN}&${path}`, `${good};${path}`],
    ...[
      `%6frigin=https://evil.example&${good}&${path}`,
      `?${good}&${path}`,
      `%EF%BB%BF${good}&${path}`,
      path,
      good,
      '',
    ],
    ...[
      `${good}%0a&${path}`,
      `${good}+&${path}`,
      `${good}&target=`,
      `${good}&target[]=/`,
      `__proto__[origin]=${ORIGIN}`,
    ],
    `${evil}&${path}${'&x=1'.repeat(1_000)}&${good}`,
  ];
  for (const query of astray)
    expect([query, (await gateway.send('GET', `/gate?${query}`)).status]).toEqual([query, 400]);
  const right = [`${good}&${path}`, `${path}&${good}&x=1&x=2`, `%6frigin=${ORIGIN}&${path}`, `&${good}&&${path}`];
  for (const query of right) {
    expect([query, (await gateway.send('GET', `/gate?${query}`)).status]).toEqual([query, 200]);
    expect(new URLSearchParams(query).get('origin')).toBe(ORIGIN);
  }
  expect((await gateway.send('GET', '/gate')).status).toBe(400);
});
