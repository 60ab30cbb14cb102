/** Cookies as browsers send them, cross-site calls and CORS. (Interface 5) */
import {
  type Answer,
  logIn,
  PASSWORD,
  startGateway,
  startInstance,
  type TestGateway,
} from '../support/gateway/gateway.js';
import { captureLog } from '../support/gateway/log.js';
import { wholeState } from '../support/gateway/rows.js';

const OWN = 'https://auth.example.com';
const APP = 'https://app.example.com';
const EVIL = 'https://evil.example.net';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({
    env: { PUBLIC_URL: OWN, CORS_ORIGINS: `${APP}, http://localhost:5173` },
  });
});
afterAll(() => gateway.close());

type Headers = Record<string, string>;

/** A call of each route that would succeed but for these headers. */
async function callAll(headers: Headers): Promise<Answer[]> {
  const { email } = await gateway.user();
  const one = await logIn(gateway, email);
  const two = await logIn(gateway, email);
  const before = await wholeState(gateway);
  const cookie = (token: string) => ({ headers: { ...headers, cookie: `refresh_token=${token}` } });
  const answers = [
    await gateway.send('POST', '/auth/login', { headers, body: { email, password: PASSWORD } }),
    await gateway.send('POST', '/auth/refresh', cookie(one.refreshToken)),
    await gateway.send('POST', '/auth/logout', cookie(two.refreshToken)),
  ];
  if (answers[0]?.status === 403) expect(await wholeState(gateway)).toEqual(before);
  return answers;
}

test.each<Headers>([
  { origin: EVIL },
  { origin: 'null' },
  { origin: 'http://auth.example.com' },
  { origin: 'https://auth.example.com:8443' },
  { origin: 'https://auth.example.com.evil.net' },
  { origin: `${APP}.evil.net` },
  { origin: 'https://sub.app.example.com' },
  { 'sec-fetch-site': 'cross-site' },
  { origin: OWN, 'sec-fetch-site': 'cross-site' },
  { origin: EVIL, 'sec-fetch-site': 'same-origin' },
  { origin: EVIL, 'content-type': 'text/plain' },
])(
  'Interface 5: a browser that calls from another site is refused with 403, and nothing happens: %j',
  async (headers) => {
    for (const answer of await callAll(headers)) {
      expect(answer.status).toBe(403);
      expect(answer.json).toEqual({ detail: 'Calls from this origin are not allowed', reason: 'cross_site' });
      expect(answer.cookies).toEqual([]);
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
  },
);

test.each<Headers>([
  {},
  { origin: OWN },
  { origin: OWN, 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'none' },
  { origin: APP, 'sec-fetch-site': 'cross-site' },
  { origin: 'http://localhost:5173', 'sec-fetch-site': 'cross-site' },
])('Interface 5: the own origin, one of CORS_ORIGINS and callers that are no browser may call: %j', async (headers) => {
  for (const answer of await callAll(headers)) expect(answer.status).toBe(200);
});

test('Interface 5: CORS: an origin of the list may read the answer with credentials', async () => {
  for (const answer of await callAll({ origin: APP })) {
    expect(answer.headers['access-control-allow-origin']).toBe(APP);
    expect(answer.headers['access-control-allow-credentials']).toBe('true');
    expect(answer.headers['vary']).toContain('Origin');
    const exposed = String(answer.headers['access-control-expose-headers']).split(',');
    expect(exposed).toEqual([
      'Export-Until',
      'RateLimit',
      'RateLimit-Policy',
      'Refresh-Retry',
      'Retry-After',
      'WWW-Authenticate',
      'X-Request-Id',
    ]);
  }
});

const preflight = (on: TestGateway, origin: string): Promise<Answer> =>
  on.send('OPTIONS', '/auth/login', {
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
  });

test('Interface 5: CORS: the preflight is answered for the list and for nobody else', async () => {
  const allowed = await preflight(gateway, APP);
  expect(allowed.status).toBe(204);
  expect(allowed.headers['access-control-allow-origin']).toBe(APP);
  expect(allowed.headers['access-control-allow-methods']).toBe('GET,POST,DELETE');
  expect(allowed.headers['access-control-allow-headers']).toBe(
    'Authorization,Content-Type,GraphQL-Cost,Last-Event-ID,Refresh-Retry,traceparent,tracestate,X-Request-Id',
  );
  const refused = await preflight(gateway, EVIL);
  expect(refused.headers['access-control-allow-origin']).toBeUndefined();
});

test('Interface 5: CORS: without CORS_ORIGINS no answer has its headers', async () => {
  const closed = await startGateway();
  try {
    const answer = await preflight(closed, APP);
    expect(answer.status).toBe(405);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  } finally {
    await closed.close();
  }
});

/** What is sent as `Origin`, and what the log has of it. */
const LOGGED: Array<[origin: string, logged: string | undefined]> = [
  [EVIL, EVIL],
  ['null', 'null'],
  ['http://127.0.0.1:5173', 'http://127.0.0.1:5173'],
  ['chrome-extension://abcdef', 'chrome-extension://abcdef'],
  ['https://user:secret@evil.example.net/secret?secret#secret', EVIL],
  ['secret', 'unreadable'],
  ['https://evil.example.net" msg=secret', 'unreadable'],
  [`https://${'a'.repeat(2_000)}.net`, `https://${'a'.repeat(248)}`],
];

test.each(LOGGED)('Interface 5: a refused origin is in the log line, cut (%#)', async (origin, logged) => {
  const captured = captureLog();
  const on = await startInstance(gateway.database, { log: captured.log, env: { PUBLIC_URL: OWN } });
  try {
    for (const route of ['login', 'refresh', 'logout'])
      await on.send('POST', `/auth/${route}`, { headers: { origin } });
    await on.send('POST', '/auth/logout', { headers: { origin: OWN } });
    await on.send('POST', '/auth/logout', { headers: { 'sec-fetch-site': 'cross-site' } });
    const lines = captured.lines().filter(({ msg }) => msg === 'request');
    expect(lines.map(({ status, outcome, origin }) => [status, outcome, origin])).toEqual([
      ...Array(3).fill([403, 'cross_site', logged]),
      [200, 'without_session', undefined],
      [403, 'cross_site', undefined],
    ]);
    expect(captured.text()).not.toContain('secret');
  } finally {
    await on.close();
  }
});

test.each<[string, Headers, string]>([
  ['in development it names the variable', {}, ': it is neither that of PUBLIC_URL nor in CORS_ORIGINS'],
  ['in production it does not', { NODE_ENV: 'production' }, ''],
])('Interface 5: the 403 of a refused origin: %s', async (_what, env, cure) => {
  const on = await startInstance(gateway.database, { env });
  try {
    const answer = await on.send('POST', '/auth/login', { headers: { origin: EVIL } });
    expect([answer.status, answer.json]).toEqual([
      403,
      { detail: `Calls from this origin are not allowed${cure}`, reason: 'cross_site' },
    ]);
  } finally {
    await on.close();
  }
});

test('Interface 5: on https every answer asks for it to stay so, for the host of PUBLIC_URL alone', async () => {
  const { headers } = await gateway.send('POST', '/auth/logout');
  expect(headers['strict-transport-security']).toBe('max-age=31536000');
});
