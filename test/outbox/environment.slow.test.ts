/** TLS is verified and no proxy is used, whatever the environment of the process says. (Interface 17) */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createPlainServer, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { createWebhook } from '../../src/admin/webhooks.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { startProcess } from '../support/gateway/server-process.js';
import { until } from '../support/until.js';
import { type Authority, createAuthority, type Issued } from './certificates.js';

let folder: string;
let known: Authority;
let unknown: Authority;
let gateway: TestGateway;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'certificates-'));
  known = createAuthority(folder, 'known');
  unknown = createAuthority(folder, 'unknown');
  gateway = await startGateway(); // without WEBHOOK_HOSTS, so that only the process delivers
});
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true });
});

async function listening(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `localhost:${(server.address() as AddressInfo).port}`;
}

/** A gateway process with these receivers @returns the last outcome of each, once all were tried */
async function outcomes(
  urls: Record<string, string>,
  env: Record<string, string> = {},
): Promise<Record<string, string>> {
  const hosts = Object.values(urls).map((url) => new URL(url).host);
  const app = { ...gateway.app, config: { ...gateway.config, webhookHosts: hosts } };
  const ids: Record<string, string> = {};
  for (const [name, url] of Object.entries(urls))
    ids[name] = (await createWebhook(app, COMMAND_LINE, { url, eventTypes: ['webhook_created'] })).webhook.id;
  await using _process = await startProcess(gateway, { WEBHOOK_HOSTS: hosts.join(','), LOG_LEVEL: 'warn', ...env });
  const found: Record<string, string> = {};
  await until('each was tried', async () => {
    const rows = await gateway.rows<{ id: string; last_outcome: string | null }>(
      'select id, last_outcome from outbox_cursors',
    );
    for (const [name, id] of Object.entries(ids)) {
      const { last_outcome = null } = rows.find((row) => row.id === id) ?? {};
      if (last_outcome !== null) found[name] = last_outcome;
    }
    return Object.keys(found).length === Object.keys(ids).length;
  });
  await gateway.rows('delete from webhooks');
  await gateway.rows('delete from outbox_cursors');
  return found;
}

describe('Interface 17: TLS is verified', () => {
  const servers: Server[] = [];
  /** Ports at which a request was read */
  const called = new Set<number | undefined>();
  let urls: Record<string, string>;

  async function serve(issued: Issued | undefined, options: object = {}): Promise<string> {
    const accept: RequestListener = (req, res) => {
      called.add(req.socket.localPort);
      req.resume();
      res.writeHead(204).end();
    };
    const server = issued === undefined ? createPlainServer(accept) : createServer({ ...issued, ...options }, accept);
    server.on('tlsClientError', () => undefined);
    servers.push(server);
    return `https://${await listening(server)}/`;
  }

  beforeAll(async () => {
    urls = {
      right: await serve(known.issue('localhost')),
      expired: await serve(known.issue('localhost', -1)),
      of_another_host: await serve(known.issue('hooks.example.com')),
      of_an_unknown_authority: await serve(unknown.issue('localhost')),
      self_signed: await serve(createAuthority(folder, 'localhost').own),
      old_tls: await serve(known.issue('localhost'), {
        minVersion: 'TLSv1',
        maxVersion: 'TLSv1.1',
        ciphers: 'DEFAULT@SECLEVEL=0',
      }),
      no_tls: await serve(undefined),
    };
  });
  beforeEach(() => called.clear());
  afterAll(() => {
    for (const server of servers) server.close();
  });

  const refused = {
    expired: 'tls',
    of_another_host: 'tls',
    of_an_unknown_authority: 'tls',
    self_signed: 'tls',
    old_tls: 'tls',
    no_tls: 'tls',
  };

  test('an authority of NODE_EXTRA_CA_CERTS is trusted, and nothing else that is wrong', async () => {
    expect(await outcomes(urls, { NODE_EXTRA_CA_CERTS: known.file })).toEqual({ right: 'delivered', ...refused });
    expect([...called]).toEqual([Number(new URL(urls['right'] ?? '').port)]);
  });

  test('without it that authority is unknown, even if NODE_TLS_REJECT_UNAUTHORIZED is 0', async () => {
    expect(await outcomes(urls, { NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toEqual({ right: 'tls', ...refused });
    expect([...called]).toEqual([]);
  });
});

test('Interface 17: no proxy of the environment is used', async () => {
  let asked = 0;
  const proxy = createSocketServer((socket) => {
    asked += 1;
    socket.on('error', () => undefined).destroy();
  });
  const accept: RequestListener = (req, res) => {
    req.resume();
    res.writeHead(204).end();
  };
  const [plain, tls] = [createPlainServer(accept), createServer(known.issue('localhost'), accept)];
  try {
    const through = `http://${await listening(proxy)}`;
    const names = [
      'HTTP_PROXY',
      'HTTPS_PROXY',
      'ALL_PROXY',
      'http_proxy',
      'https_proxy',
      'all_proxy',
      'npm_config_proxy',
    ];
    const proxies = {
      ...Object.fromEntries(names.map((name) => [name, through])),
      NODE_USE_ENV_PROXY: '1',
      NO_PROXY: '',
    };
    const urls = { plain: `http://${await listening(plain)}/`, tls: `https://${await listening(tls)}/` };

    // Node itself obeys them.
    const script = ['--input-type=module', '-e', `await fetch('${urls.plain}').catch(() => undefined)`];
    await promisify(execFile)(process.execPath, script, { env: { ...process.env, ...proxies } });
    expect(asked).toBeGreaterThan(0);
    asked = 0;

    const env = { NODE_EXTRA_CA_CERTS: known.file, ...proxies };
    expect(await outcomes(urls, env)).toEqual({ plain: 'delivered', tls: 'delivered' });
    expect(asked).toBe(0);
  } finally {
    for (const server of [proxy, plain, tls]) server.close();
  }
});
