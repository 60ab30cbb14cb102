/** deploy/nginx: the file as it stands, before two gateways. Needs `nginx` on the PATH. */
import { testedBlock } from '../documents/printed.js';
import { startGateway } from '../support/gateway/gateway.js';
import { PUBLIC_URL, startTlsProxy } from '../support/programs/tls-proxy.js';
import { testWith } from '../support/programs/with-programs.js';
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
