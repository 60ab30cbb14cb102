/** examples/gate: a static site and Grafana behind the file for nginx. Grafana itself is not installed here. (Interface 22) */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROLES } from '../../src/domain/roles.js';
import { FORWARD_AUTH } from '../support/gateway/authz.js';
import { NAVIGATION, SCRIPT } from '../support/gateway/gate.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { startForwardAuthProxy } from '../support/programs/forward-auth-proxy.js';
import { freePort } from '../support/programs/redis.js';
import { startServiceBehind } from '../support/programs/service-behind.js';
import { testWith } from '../support/programs/with-programs.js';
import { until } from '../support/until.js';
import { ask, enter, type PageSite } from './behind/pages.js';

const cleanUp = new AsyncDisposableStack();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: FORWARD_AUTH });
  cleanUp.defer(gateway.close);
});
afterAll(() => cleanUp.disposeAsync());

async function startNginx(service: PageSite['service'], port: number, changes: Record<string, string>) {
  const ports = { gateway: Number(new URL(gateway.url).port), service: port };
  const proxy = cleanUp.use(await startForwardAuthProxy('nginx', ports, changes));
  await until('nginx reaches the gateway', async () => (await proxy.send('GET', '/')).status === 401);
  return { gateway, proxy, service };
}

testWith(['nginx', 'openssl'], 'Interface 22: a static site is shown to users alone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'static-'));
  cleanUp.defer(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'guide'));
  await writeFile(join(folder, 'index.html'), 'start');
  await writeFile(join(folder, 'guide', 'index.html'), 'guide');
  await writeFile(join(folder, 'a.css'), 'style');
  const [shipped = ''] =
    /^ {2}location \/ \{.*?^ {2}\}$/ms.exec(await readFile('deploy/forward-auth/nginx.conf', 'utf8')) ?? [];
  const example = await readFile('examples/gate/static.conf', 'utf8');
  const changes = { [shipped]: example.replace('/srv/www', folder) };
  const site = await startNginx({ taken: () => [] }, await freePort(), changes);

  const { cookies, refreshToken } = await enter(site, '/guide/');
  const read = async (target: string) => {
    const { answer } = await ask(site, NAVIGATION, target, { cookies });
    return [answer.status, answer.text, answer.headers['cache-control']];
  };
  const cached = 'private, no-cache';
  expect(await read('/')).toEqual([200, 'start', cached]);
  expect(await read('/guide/')).toEqual([200, 'guide', cached]);
  expect(await read('/a.css?v=1')).toEqual([200, 'style', cached]);
  expect((await read('/none'))[0]).toBe(404);
  expect((await ask(site, SCRIPT, '/a.css')).answer.status).toBe(401);
  await gateway.send('POST', '/auth/logout', { headers: { Cookie: `refresh_token=${refreshToken}` } });
  expect((await read('/guide/'))[0]).toBe(302);
});

/** The changes of the file, which stand in a comment of the example. */
function changesIn(example: string): Record<string, string> {
  const [, added = ''] = /^# and add\n# {3}(.*;)$/m.exec(example) ?? [];
  const changes = [...example.matchAll(/^# {3}(\S.*;) {2,}by {2}(.*;)$/gm)];
  return Object.fromEntries(
    changes.map(([, from = '', to = '']) => [from, from.startsWith('proxy_set_header') ? `${to} ${added}` : to]),
  );
}

testWith(
  ['nginx', 'openssl'],
  'Interface 22: Grafana gets the user, a role that it knows, and no credential',
  async () => {
    const [example, ini] = await Promise.all(
      ['grafana.conf', 'grafana.ini'].map((name) => readFile(`examples/gate/${name}`, 'utf8')),
    );
    const changes = changesIn(example ?? '');
    expect(Object.keys(changes)).toHaveLength(2);
    const grafana = cleanUp.use(await startServiceBehind());
    const map = { '# A websocket is the only': `${example}\n# A websocket is the only` };
    const site = await startNginx(grafana, grafana.port, { ...changes, ...map });
    const [, user = ''] = /^header_name = (.*)$/m.exec(ini ?? '') ?? [];
    const [, role = ''] = /^headers = Role:(.*)$/m.exec(ini ?? '') ?? [];

    const got: Record<string, unknown> = {};
    for (const each of ROLES) {
      const { id, cookies, accessToken } = await enter(site, '/', each);
      for (const headers of [{}, { Authorization: `Bearer ${accessToken}` }]) {
        const { seen } = await ask(site, SCRIPT, '/api/user', { cookies, headers });
        const fields = new Map(seen[0]?.fields.map(([name, value]) => [name.toLowerCase(), value]));
        expect([fields.get(user.toLowerCase()), fields.get('authorization')]).toEqual([id, undefined]);
        got[each] = fields.get(role.toLowerCase());
      }
    }
    expect(got).toEqual({ viewer: 'Viewer', analyst: 'Editor', admin: 'Admin' });
  },
);
