/** Connections that are kept, shared or upgraded, and HTTP/2: each request is asked about by itself. */
import { FAMILIES, questionOf, signedOriginal } from '../../support/gateway/authz.js';
import type { Seen } from '../../support/programs/service-behind.js';
import { type CallerName, credentialOf } from './credentials.js';
import { rowsOf, type Site, type Verdict, verdictOf } from './site.js';

const CALLERS: CallerName[] = ['viewer', 'admin', 'key', 'cron', 'analyst'];

/** The callers that the service saw, each in the target of its request */
function verdictsIn(site: Site, seen: Seen[]): string[] {
  return seen.map((it) => `${it.target} ${verdictOf(site, [it])}`).toSorted();
}

const requestOf = (site: Site, caller: CallerName | 'nobody') => {
  const target = `/${caller}`;
  return { target, headers: credentialOf(site, caller, { target }) };
};

export async function expectOneCallerEach(site: Site): Promise<void> {
  const { proxy, service } = site;
  service.taken();
  const all = Array.from({ length: 8 }, () => CALLERS).flat();
  await Promise.all(
    all.map((caller) => requestOf(site, caller)).map(({ target, headers }) => proxy.send('GET', target, { headers })),
  );
  expect(verdictsIn(site, service.taken())).toEqual(all.map((caller) => `/${caller} ${caller}`).toSorted());

  const inTurn = ['admin', 'nobody', 'viewer', 'nobody', 'key'] as const;
  const answers = await proxy.sendInTurn(inTurn.map((caller) => requestOf(site, caller)));
  expect(answers.map(({ status }) => status)).toEqual([200, 401, 200, 401, 200]);
  expect(verdictsIn(site, service.taken())).toEqual(['/admin admin', '/key key', '/viewer viewer']);
}

export async function expectWebsocket(site: Site): Promise<void> {
  const { proxy, secrets, service } = site;
  service.taken();
  const fields = [
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Version: 13',
    `Authorization: Bearer ${secrets.viewer}`,
  ];
  const head = ['GET /live HTTP/1.1', 'Host: app.example.com', 'Connection: Upgrade', 'Upgrade: websocket', ...fields];
  const answer = await proxy.exchange(`${head.join('\r\n')}\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 101 .*\r\n\r\nhello$/s);
  const seen = service.taken();
  expect([seen[0]?.upgrade, verdictOf(site, seen)]).toEqual(['websocket', 'viewer']);
}

type Http2Row = [
  title: string,
  head: Record<string, string | string[]>,
  expected: Verdict | { nginx: Verdict; haproxy: Verdict; caddy: Verdict },
];

const HTTP2_ROWS: Http2Row[] = [
  ['a user', { ':path': '/x', authorization: 'viewer' }, 'viewer'],
  ['a user, role=admin', { ':path': '/admin', authorization: 'viewer' }, 'refused'],
  ['an administrator, role=admin', { ':path': '/admin', authorization: 'admin' }, 'admin'],
  ['nobody', { ':path': '/x' }, 'refused'],
  [
    'an identity field',
    { ':path': '/x', authorization: 'viewer', 'x-auth-role': 'admin' },
    { nginx: 'refused', haproxy: 'refused', caddy: 'viewer' },
  ],
  [
    'an identity field, other spelling',
    { ':path': '/x', authorization: 'viewer', x_auth_role: 'admin' },
    { nginx: 'viewer', haproxy: 'refused', caddy: 'refused' },
  ],
  ['another spelling of the path', { ':path': '//admin', authorization: 'viewer' }, 'refused'],
  ['a path without a slash', { ':path': 'admin', authorization: 'viewer' }, 'refused'],
  ['another authority', { ':path': '/x', ':authority': 'b.test:8080', authorization: 'viewer' }, 'refused'],
  [
    'another host',
    { ':path': '/x', host: 'b.test:8080', authorization: 'viewer' },
    { nginx: 'refused', haproxy: 'viewer', caddy: 'viewer' },
  ],
  [
    'another scheme',
    { ':path': '/x', ':scheme': 'http', authorization: 'viewer' },
    { nginx: 'viewer', haproxy: 'viewer', caddy: 'viewer' },
  ],
  ['CONNECT', { ':method': 'CONNECT', authorization: 'viewer' }, 'refused'],
  ['a method with a space', { ':method': 'GET /admin', ':path': '/x', authorization: 'viewer' }, 'refused'],
  ['two access tokens', { ':path': '/x', authorization: ['viewer', 'admin'] }, 'refused'],
];

export async function expectHttp2(site: Site): Promise<void> {
  const { kind, proxy, secrets, service } = site;
  const bearer = (name: string) => `Bearer ${secrets[name as keyof Site['secrets']]}`;
  const before = await rowsOf(site);
  const got: Record<string, string> = {};
  for (const [title, { authorization = [], ...head }] of HTTP2_ROWS) {
    service.taken();
    const values = [authorization].flat().map(bearer);
    await proxy.sendHttp2({ ...head, ...(values.length > 0 && { authorization: values }) }).catch(() => undefined);
    got[title] = verdictOf(site, service.taken());
  }
  const expected = HTTP2_ROWS.map(([title, , verdict]) => [
    title,
    typeof verdict === 'string' ? verdict : verdict[kind],
  ]);
  expect(got).toEqual(Object.fromEntries(expected));
  expect(await rowsOf(site)).toEqual(before);

  const signed = credentialOf(site, 'key', { method: 'POST', target: '/pay', body: '{"a":1}' });
  const lower = Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toLowerCase(), value]));
  expect(await proxy.sendHttp2({ ':method': 'POST', ':path': '/pay', ...lower }, '{"a":1}')).toBe(200);
  expect(service.taken()).toMatchObject([{ method: 'POST', target: '/pay', body: '{"a":1}' }]);
}

/** A signature that has passed is used up here, behind the other proxies, and at the gateway itself. */
export async function expectOneUse(site: Site): Promise<void> {
  const { gateway, keys, proxy, service } = site;
  const original = signedOriginal(gateway, keys.key, { target: '/once' });
  const send = () => proxy.send('GET', '/once', { headers: original.headers });
  service.taken();
  expect((await send()).status).toBe(200);
  expect((await send()).status).toBe(401);
  expect((await proxy.send('POST', '/once', { headers: original.headers })).status).toBe(401);
  expect(service.taken()).toHaveLength(1);
  for (const family of FAMILIES) {
    const { method, path, headers } = questionOf(family, 'caller=api_key', original);
    const answer = await gateway.send(method, path, { headers });
    expect([family, answer.status, answer.json.reason]).toEqual([family, 401, 'nonce_reused']);
  }
}
