/** A gateway that is away or says something else: no service, and no request passes unasked. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { whileAway } from '../../support/postgres/faults.js';
import {
  type ForwardAuthProxy,
  type ProxyKind,
  startForwardAuthProxy,
} from '../../support/programs/forward-auth-proxy.js';
import { freePort } from '../../support/programs/redis.js';
import { credentialOf } from './credentials.js';
import { type Site } from './site.js';

const UNAVAILABLE = { detail: 'Service temporarily unavailable, try again later', reason: 'unavailable' };

async function expectUnavailable(
  { service }: Site,
  proxy: ForwardAuthProxy,
  headers: Record<string, string | string[]>,
) {
  service.taken();
  const answer = await proxy.send('GET', '/x', { headers });
  expect([answer.status, answer.json, answer.headers['retry-after']]).toEqual([503, UNAVAILABLE, '5']);
  expect(service.taken()).toEqual([]);
}

/** The database of the gateway is away: a key cannot be checked, an access token can. */
export async function expectOutage(site: Site): Promise<void> {
  const { gateway, proxy } = site;
  await whileAway(gateway.database, () => expectUnavailable(site, proxy, credentialOf(site, 'key', { target: '/x' })));
  expect((await proxy.send('GET', '/x', { headers: credentialOf(site, 'viewer') })).status).toBe(200);
}

export async function expectNoGateway(site: Site): Promise<void> {
  await using proxy = await startForwardAuthProxy(site.kind, { gateway: await freePort(), service: site.service.port });
  await expectUnavailable(site, proxy, credentialOf(site, 'viewer'));
}

const IDENTITY = { 'X-Auth-Caller-Id': 'a', 'X-Auth-Role': 'admin', 'X-Auth-Scopes': '-', 'X-Auth-Assertion': '-' };

/** Each is an answer that the gateway does not give. nginx takes a 200 without a caller for one, and sets no field. */
const STRANGE: Array<[title: string, answer: (res: ServerResponse) => unknown]> = [
  ['200 without a caller', (res) => res.writeHead(200, IDENTITY).end()],
  ['204 without a caller', (res) => res.writeHead(204).end()],
  [
    'a redirect',
    (res) => res.writeHead(302, { Location: 'https://app.example.com/x', 'X-Auth-Caller-Type': 'user' }).end(),
  ],
  ['304', (res) => res.writeHead(304, { 'X-Auth-Caller-Type': 'user' }).end()],
  ['404', (res) => res.writeHead(404).end()],
  ['500', (res) => res.writeHead(500, { 'X-Auth-Caller-Type': 'user' }).end()],
  ['the end of the connection', (res) => res.destroy()],
  ['half an answer', (res) => res.socket?.end('HTTP/1.1 200 OK\r\nX-Auth-Caller-Type: user\r\n')],
  ['something else', (res) => res.socket?.end('220 mail.example.com ESMTP\r\n')],
];

/** A gateway of one test. It is ready, and else does what `answer` says. */
async function startGatewayThat(cleanUp: AsyncDisposableStack, answer: RequestListener): Promise<number> {
  const gateway = createServer((req, res) => (req.url === '/health/ready' ? res.end() : answer(req, res)));
  await once(gateway.listen(0, '127.0.0.1'), 'listening');
  cleanUp.defer(async () => {
    gateway.closeAllConnections();
    gateway.close();
    await once(gateway, 'close');
  });
  return (gateway.address() as AddressInfo).port;
}

export async function expectNoStrangeAnswer({ kind, service }: Site): Promise<void> {
  await using cleanUp = new AsyncDisposableStack();
  let answer: (typeof STRANGE)[number][1] = () => undefined;
  const gateway = await startGatewayThat(cleanUp, (_req, res) => answer(res));
  const proxy = cleanUp.use(await startForwardAuthProxy(kind, { gateway, service: service.port }));
  service.taken();
  const passed: Array<[string, string[]]> = [];
  for (const [title, strange] of STRANGE) {
    answer = strange;
    const { status } = await proxy.send('GET', '/x', {
      headers: { 'X-Auth-Caller-Type': 'user', 'X-Auth-Role': 'admin' },
    });
    const seen = service.taken();
    if (seen.length > 0)
      passed.push([
        title,
        seen
          .flatMap(({ fields }) => fields.map(([name]) => name.toLowerCase()))
          .filter((name) => name.startsWith('x-auth-')),
      ]);
    else expect([title, status >= 300]).toEqual([title, true]);
  }
  const withoutType = ['x-auth-caller-id', 'x-auth-role', 'x-auth-scopes', 'x-auth-assertion'];
  expect(passed).toEqual(
    kind === 'nginx'
      ? [
          ['200 without a caller', withoutType],
          ['204 without a caller', []],
        ]
      : [],
  );
}

/** The rule is the whole target, the body stays with the proxy, and nothing speaks of another connection. */
export async function expectQuestion({ kind, service }: Site): Promise<void> {
  await using cleanUp = new AsyncDisposableStack();
  const questions: IncomingMessage[] = [];
  const gateway = await startGatewayThat(cleanUp, (req, res) => {
    questions.push(req);
    res.writeHead(403).end();
  });
  const proxy = cleanUp.use(await startForwardAuthProxy(kind, { gateway, service: service.port }));
  const headers = {
    'X-Internal-Key': 'a.b',
    Expect: '100-continue',
    TE: 'trailers',
    Connection: 'close, TE',
    'X-Forwarded-For': '192.0.2.1',
    ...OF_PAGES,
  };
  await proxy.send('POST', '/admin?caller=user;role=viewer', { headers, body: 'secret' });
  const [question] = questions;
  expect([question?.method, question?.url]).toEqual([
    'GET',
    `/authz/${kind === 'nginx' ? 'auth-request' : 'forward-auth'}/caller=user;role=admin;pages=on`,
  ]);
  const { headers: fields = {} } = question ?? {};
  const {
    connection = 'keep-alive',
    'content-length': length,
    'transfer-encoding': encoding,
    expect: expectation,
  } = fields;
  expect([connection, length, encoding, expectation]).toEqual(['keep-alive', undefined, undefined, undefined]);
  expect(fields).toMatchObject({
    'x-internal-key': 'a.b',
    'x-forwarded-for': '127.0.0.1',
    ...DESCRIPTIONS[kind],
    ...OF_PAGES,
  });
}

/** What the gateway reads of a browser. (Interface 22) */
const OF_PAGES = {
  accept: 'text/html,*/*',
  cookie: 'a=b; __Host-auth-gate=c; __Host-auth-gate-state=d',
  origin: 'https://app.example.com',
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'none',
  'sec-purpose': 'prefetch',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

const FORWARDED = {
  'x-forwarded-method': 'POST',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'app.example.com',
  'x-forwarded-uri': '/admin?caller=user;role=viewer',
};

const DESCRIPTIONS: Record<ProxyKind, Record<string, string>> = {
  nginx: {
    'x-original-method': 'POST',
    'x-original-url': 'https://app.example.com/admin?caller=user;role=viewer',
  },
  haproxy: FORWARDED,
  caddy: FORWARDED,
};
