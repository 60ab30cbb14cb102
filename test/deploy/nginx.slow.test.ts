/** deploy/nginx: the file as it stands, before two gateways. Needs `nginx` on the PATH. */
import { once } from 'node:events';
import { connect } from 'node:http2';
import { request } from 'node:https';
import type { Readable } from 'node:stream';
import { testedBlock } from '../documents/printed.js';
import { startGateway } from '../support/gateway/gateway.js';
import { newcomer } from '../support/gateway/graphql.js';
import { ADDED, openStream } from '../support/gateway/live-log.js';
import { login, WRONG } from '../support/gateway/routes.js';
import { startNginx } from '../support/programs/nginx.js';
import { HOST, PUBLIC_URL, startTlsProxy, type TlsProxy } from '../support/programs/tls-proxy.js';
import { testWith } from '../support/programs/with-programs.js';
import { until } from '../support/until.js';
import { testsBehind } from './behind-proxy.js';

testsBehind('nginx');

testWith(
  ['nginx', 'openssl'],
  'Interface 19: nginx shows the console to one network, as docs/proxies.md has it',
  async () => {
    await using cleanUp = new AsyncDisposableStack();
    const gateway = await startGateway({ env: { PUBLIC_URL, TRUST_PROXY: '127.0.0.1', CONSOLE: 'on' } });
    cleanUp.defer(gateway.close);
    const port = Number(new URL(gateway.url).port);
    const network = testedBlock('docs/proxies.md', 'console-network').replace('192.0.2.0/24', '127.0.0.7');
    const inside = '  location / {\n';
    const proxy = cleanUp.use(await startTlsProxy('nginx', [port, port], { [inside]: `${inside}${network}\n` }));
    const statusFrom = async (address: string, path: string) => (await proxy.send('GET', path, {}, address)).status;
    for (const path of ['/console', '/console/', '/console/users/ID', '/console?a', '/x/..%2fconsole/']) {
      expect([path, await statusFrom('127.0.0.8', path)]).toEqual([path, 403]);
    }
    for (const path of [
      '/console/../x',
      '/console/%2e%2e/x',
      '/console%2f..%2fx',
      '/console/..%2fx',
      '//console/..//x',
    ]) {
      expect([path, await statusFrom('127.0.0.8', path)]).toEqual([path, 404]); // for nginx they are below `/` alone
    }
    expect(await statusFrom('127.0.0.7', '/console/users')).toBe(200);
    const answer = await proxy.send('POST', '/auth/refresh', {}, '127.0.0.8');
    expect([answer.status, answer.json.reason]).toEqual([401, 'no_refresh_token']);
  },
);

/** A stream by https, as a browser has it: by HTTP/2, or by HTTP/1.1 */
async function streamBy2({ tls }: TlsProxy, headers: Record<string, string>, body: string): Promise<Readable> {
  const session = connect(`https://127.0.0.1:${tls.port}`, tls);
  const stream = session.request({ ':method': 'POST', ':path': '/graphql', ':authority': HOST, ...headers });
  stream.once('close', () => session.close());
  return stream.end(body);
}

async function streamBy1({ tls }: TlsProxy, headers: Record<string, string>, body: string): Promise<Readable> {
  const options = { hostname: '127.0.0.1', path: '/graphql', method: 'POST', agent: false, ...tls };
  const sent = request({ ...options, headers: { host: HOST, ...headers } });
  sent.end(body);
  const [res] = await once(sent, 'response');
  return res;
}

testWith(
  ['nginx', 'openssl'],
  'Interface 24: through nginx, which buffers answers, events of a stream arrive while it is open',
  async () => {
    await using cleanUp = new AsyncDisposableStack();
    const live = { pollMs: 20, settledSeconds: 0 };
    const gateway = await startGateway({ env: { PUBLIC_URL, TRUST_PROXY: '127.0.0.1' }, live });
    cleanUp.defer(gateway.close);
    const { as } = await newcomer(gateway, 'admin');
    const port = Number(new URL(gateway.url).port);

    const plain = await openStream(cleanUp.use(await startNginx([port])), as);
    cleanUp.defer(async () => plain.close());
    await login(gateway, 'plain@example.com', WRONG);
    await plain.until((stream) => stream.results().length === 1);

    const proxy = cleanUp.use(await startTlsProxy('nginx', [port, port]));
    const body = JSON.stringify({ query: ADDED });
    const headers = { 'content-type': 'application/json', accept: 'text/event-stream', ...as(body) };
    for (const begin of [streamBy1, streamBy2]) {
      const stream = await begin(proxy, headers, body);
      cleanUp.defer(async () => void stream.destroy());
      let text = '';
      stream.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      await until('the stream has begun', () => text.startsWith(':\nid: '));
      await login(gateway, 'tls@example.com', WRONG);
      await until('the event has come', () => text.includes('"login_failure"'));
      expect(stream.readableEnded).toBe(false);
    }
  },
);
