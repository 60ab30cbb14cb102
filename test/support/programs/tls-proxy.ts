/** nginx or HAProxy before gateways, from the files in deploy/, of which only paths, ports and addresses are replaced. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Answer, type SendOptions, send, sendBy } from '../gateway/gateway.js';
import { until } from '../until.js';
import { freePort } from './redis.js';

export const PUBLIC_URL = 'https://auth.example.com';
const HOST = new URL(PUBLIC_URL).host;

export interface TlsProxy extends AsyncDisposable {
  /** Where it redirects from: http://127.0.0.1:PORT */
  plainUrl: string;
  /** One request by https on a connection of its own. @param from the address of the client, one of 127.0.0.0/8 */
  send(method: string, path: string, options?: SendOptions, from?: string): Promise<Answer>;
}

type Kind = 'nginx' | 'haproxy';

/** @param ports of the two gateways on this machine, which answer already */
export async function startTlsProxy(kind: Kind, ports: [number, number]): Promise<TlsProxy> {
  const folder = await mkdtemp(join(tmpdir(), `${kind}-`));
  const [plain, tls] = [await freePort(), await freePort()];
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const made = `req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=${HOST} -addext subjectAltName=DNS:${HOST}`;
  execFileSync('openssl', [...made.split(' '), '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const ca = await readFile(cert, 'utf8');
  const words = await PROXIES[kind](folder, { plain, tls, ports, key, cert });

  const proxy = spawn(kind, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(proxy, 'exit');
  let errors = '';
  proxy.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const plainUrl = `http://127.0.0.1:${plain}`;
  const isUp = () => send(plainUrl, 'GET', '/').catch(() => undefined);
  await until(`${kind} answers`, async () => {
    if (proxy.exitCode !== null) throw new Error(`${kind} has ended: ${errors}`);
    return (await isUp()) !== undefined;
  });
  return {
    plainUrl,
    send: (method, path, { headers, body } = {}, from = '127.0.0.1') => {
      const to = { hostname: '127.0.0.1', port: tls, path, method, localAddress: from, ca, servername: HOST };
      return sendBy(request, to, { headers: { host: HOST, ...headers }, body });
    },
    [Symbol.asyncDispose]: async () => {
      proxy.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}

interface Places {
  plain: number;
  tls: number;
  ports: [number, number];
  key: string;
  cert: string;
}

/** Writes the configuration. @returns the words of the command */
const PROXIES: Record<Kind, (folder: string, places: Places) => Promise<string[]>> = {
  nginx: async (folder, { plain, tls, ports, key, cert }) => {
    const ours = await replaced('deploy/nginx/auth-gateway.conf', {
      'listen 80;': `listen 127.0.0.1:${plain};`,
      'listen 443 ': `listen 127.0.0.1:${tls} `,
      'listen [::]:80;': '', // not every machine has IPv6
      'listen [::]:443 ssl http2;': '',
      'server 127.0.0.1:3000 ': `server 127.0.0.1:${ports[0]} `,
      'server 127.0.0.1:3001 ': `server 127.0.0.1:${ports[1]} `,
      '/etc/ssl/auth.example.com/fullchain.pem': cert,
      '/etc/ssl/auth.example.com/privkey.pem': key,
    });
    await mkdir(join(folder, 'logs')); // it writes there before it has read its configuration
    await writeFile(join(folder, 'ours.conf'), ours);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);
    const user = process.getuid?.() === 0 ? 'user root;' : '';
    await writeFile(
      join(folder, 'nginx.conf'),
      `daemon off; ${user} pid nginx.pid; error_log errors.log; events {}
      http { access_log off; ${temporary.join(' ')} include ours.conf; }`,
    );
    return ['-p', folder, '-c', join(folder, 'nginx.conf')];
  },
  haproxy: async (folder, { plain, tls, ports, key, cert }) => {
    const ours = await replaced('deploy/haproxy/haproxy.cfg', {
      'bind :::80 v4v6': `bind 127.0.0.1:${plain}`,
      'bind :::443 v4v6': `bind 127.0.0.1:${tls}`,
      'server one 127.0.0.1:3000': `server one 127.0.0.1:${ports[0]}`,
      'server two 127.0.0.1:3001': `server two 127.0.0.1:${ports[1]}`,
      '/etc/haproxy/auth.example.com.pem': join(folder, 'both.pem'),
    });
    await writeFile(join(folder, 'both.pem'), (await readFile(cert, 'utf8')) + (await readFile(key, 'utf8')));
    await writeFile(join(folder, 'haproxy.cfg'), ours);
    return ['-db', '-f', join(folder, 'haproxy.cfg')];
  },
};

/** @throws {Error} if one of them is not exactly once in the file */
async function replaced(file: string, changes: Record<string, string>): Promise<string> {
  let text = await readFile(file, 'utf8');
  for (const [from, to] of Object.entries(changes)) {
    const parts = text.split(from);
    if (parts.length !== 2) throw new Error(`${file} has "${from}" ${parts.length - 1} times`);
    text = parts.join(to);
  }
  return text;
}
