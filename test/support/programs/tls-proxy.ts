/** nginx or HAProxy before gateways, from the files in deploy/, of which only paths, ports and addresses are replaced. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Answer, type SendOptions, send, sendBy } from '../gateway/gateway.js';
import { type Certificate, nginxWords, replaced, selfSigned, startProgram } from './deployed.js';
import { freePort } from './redis.js';

export const PUBLIC_URL = 'https://auth.example.com';
export const HOST = new URL(PUBLIC_URL).host;

export interface TlsProxy extends AsyncDisposable {
  /** Where it redirects from: http://127.0.0.1:PORT */
  plainUrl: string;
  /** Where it answers https, and what a client of it trusts */
  tls: { port: number; ca: string; servername: string };
  /** One request by https on a connection of its own. @param from the address of the client, one of 127.0.0.0/8 */
  send(method: string, path: string, options?: SendOptions, from?: string): Promise<Answer>;
}

type Kind = 'nginx' | 'haproxy';

/**
 * @param ports of the two gateways on this machine, which answer already
 * @param more what else is replaced in the file, as an operator would
 */
export async function startTlsProxy(
  kind: Kind,
  ports: [number, number],
  more: Record<string, string> = {},
): Promise<TlsProxy> {
  const folder = await mkdtemp(join(tmpdir(), `${kind}-`));
  const [plain, tls] = [await freePort(), await freePort()];
  const certificate = await selfSigned(folder, HOST);
  const { ca } = certificate;
  const words = await PROXIES[kind](folder, { plain, tls, ports, certificate, more });

  const plainUrl = `http://127.0.0.1:${plain}`;
  const isUp = () =>
    send(plainUrl, 'GET', '/').then(
      () => true,
      () => false,
    );
  const proxy = await startProgram(kind, words, isUp);
  return {
    plainUrl,
    tls: { port: tls, ca, servername: HOST },
    send: (method, path, { headers, body } = {}, from = '127.0.0.1') => {
      const to = { hostname: '127.0.0.1', port: tls, path, method, localAddress: from, ca, servername: HOST };
      return sendBy(request, to, { headers: { host: HOST, ...headers }, body });
    },
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

interface Places {
  plain: number;
  tls: number;
  ports: [number, number];
  certificate: Certificate;
  more: Record<string, string>;
}

/** Writes the configuration. @returns the words of the command */
const PROXIES: Record<Kind, (folder: string, places: Places) => Promise<string[]>> = {
  nginx: async (folder, { plain, tls, ports, certificate, more }) => {
    const ours = await replaced('deploy/nginx/auth-gateway.conf', {
      'listen 80;': `listen 127.0.0.1:${plain};`,
      'listen 443 ': `listen 127.0.0.1:${tls} `,
      'listen [::]:80;': '', // not every machine has IPv6
      'listen [::]:443 ssl http2;': '',
      'server 127.0.0.1:3000 ': `server 127.0.0.1:${ports[0]} `,
      'server 127.0.0.1:3001 ': `server 127.0.0.1:${ports[1]} `,
      '/etc/ssl/auth.example.com/fullchain.pem': certificate.cert,
      '/etc/ssl/auth.example.com/privkey.pem': certificate.key,
      ...more,
    });
    return nginxWords(folder, ours);
  },
  haproxy: async (folder, { plain, tls, ports, certificate, more }) => {
    const ours = await replaced('deploy/haproxy/haproxy.cfg', {
      'bind :::80 v4v6': `bind 127.0.0.1:${plain}`,
      'bind :::443 v4v6': `bind 127.0.0.1:${tls}`,
      'server one 127.0.0.1:3000 track': `server one 127.0.0.1:${ports[0]} track`,
      'server two 127.0.0.1:3001 track': `server two 127.0.0.1:${ports[1]} track`,
      'server one 127.0.0.1:3000\n': `server one 127.0.0.1:${ports[0]}\n`,
      'server two 127.0.0.1:3001\n': `server two 127.0.0.1:${ports[1]}\n`,
      '/etc/haproxy/auth.example.com.pem': certificate.both,
      ...more,
    });
    await writeFile(join(folder, 'haproxy.cfg'), ours);
    return ['-db', '-f', join(folder, 'haproxy.cfg')];
  },
};
