/** What has to hold behind a proxy that ends TLS, whichever it is: two gateways as processes, the proxy from deploy/. */
import { createInterface } from 'node:readline';
import { runningClock } from '../support/gateway/clock.js';
import {
  type Instance,
  PASSWORD,
  refreshTokenOf,
  send,
  startGateway,
  type TestGateway,
} from '../support/gateway/gateway.js';
import { newApiKey } from '../support/gateway/graphql.js';
import { login, refresh } from '../support/gateway/routes.js';
import { signerAt } from '../support/gateway/send-signed.js';
import { type ServerProcess, startProcess } from '../support/gateway/server-process.js';
import { PUBLIC_URL, startTlsProxy, type TlsProxy } from '../support/programs/tls-proxy.js';
import { testWith } from '../support/programs/with-programs.js';
import { until } from '../support/until.js';

const AWAY = { detail: 'Service temporarily unavailable, try again later', reason: 'unavailable' };

interface Site {
  gateway: TestGateway;
  servers: [ServerProcess, ServerProcess];
  /** Lines of both */
  log: Array<Record<string, unknown>>;
  proxy: TlsProxy;
}

/** Two gateways that are ready, and the proxy in front of them. */
async function start(kind: 'nginx' | 'haproxy', cleanUp: AsyncDisposableStack): Promise<Site> {
  const forwardAuth = { FORWARD_AUTH_PROXIES: '127.0.0.1', FORWARD_AUTH_ORIGINS: 'https://app.example.com' };
  const env = { PUBLIC_URL, TRUST_PROXY: '127.0.0.1', LOGIN_RATE_LIMIT: '1000', ...forwardAuth };
  const gateway = await startGateway({ env, clock: runningClock(), passwords: 'argon2' });
  cleanUp.defer(gateway.close);
  const log: Site['log'] = [];
  const begin = async (): Promise<ServerProcess> => {
    const server = cleanUp.use(await startProcess(gateway, env));
    if (server.process.stdout)
      createInterface({ input: server.process.stdout }).on('line', (line) => log.push(JSON.parse(line)));
    return server;
  };
  const servers: Site['servers'] = [await begin(), await begin()];
  await until('both are ready', () => log.filter(({ msg }) => msg === 'ready').length === 2);
  const [one, two] = servers.map(({ url }) => Number(new URL(url).port));
  const proxy = cleanUp.use(await startTlsProxy(kind, [one ?? 0, two ?? 0]));
  const isThrough = async () => (await proxy.send('GET', '/.well-known/jwks.json')).status === 200;
  await until('it reaches a gateway', isThrough);
  return { gateway, servers, log, proxy };
}

export function testsBehind(kind: 'nginx' | 'haproxy'): void {
  testWith([kind, 'openssl'], `${kind}: TLS, addresses, limits, and a gateway that dies`, async () => {
    await using cleanUp = new AsyncDisposableStack();
    const site = await start(kind, cleanUp);
    await logsInFromOneAddress(site);
    await takesSignedRequests(site);
    await keepsOutWhatIsForThoseInside(site);
    await passesRefusalsOfTheGateway(site);
    await outlivesOne(site);
  });
}

/** The cookie is for https alone, the address is the client's, whatever it claims, and a request can be followed. */
async function logsInFromOneAddress({ gateway, log, proxy }: Site): Promise<void> {
  const { email, id } = await gateway.user();
  const claims = {
    'x-forwarded-for': '192.0.2.1',
    forwarded: 'for=192.0.2.1',
    'x-request-id': 'followed-1',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  };
  const answer = await proxy.send(
    'POST',
    '/auth/login',
    { headers: claims, body: { email, password: PASSWORD } },
    '127.0.0.9',
  );
  expect([answer.status, answer.headers['x-request-id']]).toEqual([200, 'followed-1']);
  expect(answer.cookies).toEqual([expect.stringMatching(/; Secure/)]);
  expect(answer.headers['strict-transport-security']).toBe('max-age=31536000'); // once, and of this host alone
  const rows = await gateway.rows('select ip_address from refresh_tokens where user_id = $1', [id]);
  expect(rows).toEqual([{ ip_address: '127.0.0.9' }]);
  await until('the log has it', () => log.some((line) => line['request_id'] === 'followed-1'));
  expect(log.find((line) => line['request_id'] === 'followed-1')).toMatchObject({
    client_ip: '127.0.0.9',
    trace_id: '0af7651916cd43dd8448eb211c80319c',
  });

  const plain = await send(proxy.plainUrl, 'POST', '/auth/login?a=b', { headers: { host: 'other.example.com' } });
  expect([plain.status, plain.headers.location]).toEqual([301, `${PUBLIC_URL}/auth/login?a=b`]);
}

async function takesSignedRequests({ gateway, proxy }: Site): Promise<void> {
  const { keyId, secret } = await newApiKey(gateway);
  const { method, target, headers, body } = signerAt(gateway, keyId, secret)();
  const answer = await proxy.send(method, target, { headers: Object.fromEntries(headers), body });
  expect([answer.status, answer.json.data?.caller?.callerType]).toEqual([200, 'api_key']);
}

async function keepsOutWhatIsForThoseInside({ proxy }: Site): Promise<void> {
  for (const path of [
    '/metrics',
    '/health/live',
    '/health/ready',
    '/health/',
    '/metrics?a',
    '/authz/forward-auth/caller=user',
    '//authz/forward-auth/caller=user',
    '/%61uthz/forward-auth/caller=user',
    '//metrics',
    '/%6detrics',
  ]) {
    const { status, json } = await proxy.send('GET', path);
    expect([path, status, json]).toEqual([path, 404, { detail: 'Not found', reason: 'not_found' }]);
  }
}

async function passesRefusalsOfTheGateway({ proxy }: Site): Promise<void> {
  const sendBytes = (bytes: number) =>
    proxy.send('POST', '/auth/login', { body: { email: 'x', password: 'x'.repeat(bytes) } });
  const ours = await sendBytes(60 * 1024);
  expect([ours.status, ours.json]).toEqual([413, { detail: 'Request body is too large', reason: 'body_too_large' }]);
  expect(ours.headers['x-request-id']).toBeDefined();
  const itsOwn = await sendBytes(200 * 1024);
  expect([itsOwn.status, itsOwn.json]).toEqual([
    413,
    { detail: 'Request body is too large', reason: 'body_too_large' },
  ]);

  const headOf = (bytes: number) =>
    proxy.send('GET', '/.well-known/jwks.json', { headers: { cookie: `a=${'x'.repeat(bytes)}` } });
  expect((await headOf(12 * 1024)).status).toBe(200);
  const tooLong = await headOf(20 * 1024);
  expect([tooLong.status, Object.keys(tooLong.json)]).toEqual([431, ['detail', 'reason']]);
}

/** One is killed without a word: all that is asked from then on is answered. Both: 503, and the session goes on later. */
async function outlivesOne({ gateway, servers, proxy }: Site): Promise<void> {
  const on: Pick<Instance, 'send'> = proxy;
  const token = refreshTokenOf(await login(on, (await gateway.user()).email));
  const [one, two] = servers;
  one.process.kill('SIGKILL');
  await one.exited;
  for (let n = 0; n < 4; n += 1) expect((await proxy.send('GET', '/.well-known/jwks.json')).status).toBe(200);
  let last = token;
  for (let n = 0; n < 6; n += 1) {
    const answer = await refresh(on, last);
    expect(answer.status).toBe(200);
    last = refreshTokenOf(answer);
  }
  two.process.kill('SIGKILL');
  await two.exited;
  const away = await refresh(on, last);
  expect([away.status, away.json, away.headers['retry-after'], away.cookies]).toEqual([503, AWAY, '5', []]);
  expect(away.headers['cache-control']).toBe('no-store');
}
