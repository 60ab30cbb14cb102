/** A proxy of deploy/forward-auth between clients and a service, and what clients send to it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect as connectHttp2 } from 'node:http2';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { AUTHORITY } from '../gateway/authz.js';
import { type Answer, type SendOptions, sendBy } from '../gateway/gateway.js';
import { type Certificate, nginxWords, replaced, selfSigned, startProgram } from './deployed.js';
import { freePort } from './redis.js';

export type ProxyKind = 'nginx' | 'haproxy' | 'caddy';

export interface ForwardAuthProxy extends AsyncDisposable {
  port: number;
  /** One request by https on a connection of its own */
  send(method: string, target: string, options?: SendOptions): Promise<Answer>;
  /** One request by HTTP/2. @param head with pseudo-fields. @returns the status; undefined if the stream was reset */
  sendHttp2(head: Record<string, string | string[]>, body?: string): Promise<number | undefined>;
  /** Requests on one connection, one after the other */
  sendInTurn(requests: Array<{ target: string; headers: Record<string, string | string[]> }>): Promise<Answer[]>;
  /** Bytes, character for byte. @returns what came back until the connection or the answer ended */
  exchange(text: string): Promise<string>;
}

/** Milliseconds that a proxy has for its answer to bytes that may be no request at all */
const PATIENCE_MS = 10_000;
/** Milliseconds after the answer in which a request that hides in a body would reach the service */
const MORE_MS = 50;

/**
 * @param ports of the gateway and the service
 * @param changes what else is replaced in the file
 * @param host of the service, in place of app.example.com
 */
export async function startForwardAuthProxy(
  kind: ProxyKind,
  ports: { gateway: number; service: number },
  changes: Record<string, string> = {},
  host = AUTHORITY,
): Promise<ForwardAuthProxy> {
  const folder = await mkdtemp(join(tmpdir(), `${kind}-`));
  const certificate = await selfSigned(folder, host);
  const port = await freePort();
  const places = { folder, port, certificate, changes, host, ...ports };
  const { words, env } = await PROXIES[kind](places);
  const to = { host: '127.0.0.1', port, servername: host, ca: certificate.ca };
  const isUp = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(to, () => resolve(true));
      socket.on('error', () => resolve(false)).on('secureConnect', () => socket.destroy());
    });
  const proxy = await startProgram(kind, words, isUp, env);
  return {
    port,
    send: (method, target, options = {}) =>
      sendBy(request, { ...to, method, path: target }, { ...options, headers: { host, ...options.headers } }),
    sendHttp2: async (head, body = '') => {
      const createConnection = () => connect({ ...to, ALPNProtocols: ['h2'] });
      const session = connectHttp2(`https://${host}`, { createConnection });
      try {
        return await new Promise((resolve, reject) => {
          session.on('error', reject);
          const stream = session.request(
            { ':authority': host, ':scheme': 'https', ...head },
            { endStream: body === '' },
          );
          let status: number | undefined;
          stream.on('response', (fields) => {
            status = fields[':status'];
          });
          stream.on('error', () => undefined).on('close', () => resolve(status)); // a reset is an answer too
          stream.resume();
          if (body !== '') stream.end(body);
        });
      } finally {
        session.destroy();
      }
    },
    sendInTurn: async (requests) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const answers: Answer[] = [];
      for (const { target, headers } of requests) {
        const options = { headers: { host, ...headers } };
        answers.push(
          await sendBy((at, onAnswer) => request({ ...at, agent }, onAnswer), { ...to, path: target }, options),
        );
      }
      agent.destroy();
      return answers;
    },
    exchange: (text) =>
      new Promise((resolve) => {
        let came = '';
        const hasMore = text.indexOf('\r\n\r\n') + 4 < text.length;
        const socket: TLSSocket = connect({ ...to, ALPNProtocols: ['http/1.1'] }, () => socket.write(text, 'latin1'));
        const end = () => {
          clearTimeout(timer);
          socket.destroy();
          resolve(came);
        };
        const timer = setTimeout(end, PATIENCE_MS);
        socket.setEncoding('latin1').on('data', (chunk: string) => {
          came += chunk;
          if (isWhole(came, text.startsWith('HEAD '))) setTimeout(end, hasMore ? MORE_MS : 0);
        });
        socket.on('error', end).on('close', end);
      }),
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

/** True if this is an answer and its body. */
function isWhole(came: string, isHead: boolean): boolean {
  const answer = came.replace(/^(HTTP\/1\.1 100 .*?\r\n\r\n)+/s, '');
  const [head = '', ...rest] = answer.split('\r\n\r\n');
  if (rest.length === 0) return false;
  if (isHead) return true;
  const body = rest.join('\r\n\r\n');
  if (/^HTTP\/1\.1 101 /.test(head)) return body !== '';
  if (/^content-type: text\/event-stream/im.test(head)) return body.includes('\n\n');
  if (/^transfer-encoding: chunked/im.test(head)) return body.endsWith('0\r\n\r\n');
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  return length !== undefined && body.length >= Number(length);
}

interface Places {
  folder: string;
  port: number;
  certificate: Certificate;
  gateway: number;
  service: number;
  changes: Record<string, string>;
  host: string;
}

/** The change by which a proxy keeps an idle connection to the gateway for this time, such as `3s`. */
export const KEEPS_FOR: Record<ProxyKind, (time: string) => Record<string, string>> = {
  nginx: (time) => ({ '# Each request asks, so connections are kept.': `keepalive_timeout ${time};` }),
  haproxy: (time) => ({ 'retries 3': `retries 3\ndefault-server pool-purge-delay ${time}` }),
  caddy: (time) => ({ 'dial_timeout 1s': `dial_timeout 1s\nkeepalive ${time}` }),
};

const FOLDER = 'deploy/forward-auth';

/** Writes the configuration. @returns the words of the command */
const PROXIES: Record<ProxyKind, (places: Places) => Promise<{ words: string[]; env?: Record<string, string> }>> = {
  nginx: async ({ folder, port, certificate, gateway, service, changes, host }) => {
    const ours = await replaced(`${FOLDER}/nginx.conf`, {
      'listen 443 ': `listen 127.0.0.1:${port} `,
      'listen [::]:443 ssl http2;': '', // not every machine has IPv6
      'server 127.0.0.1:3000 ': `server 127.0.0.1:${gateway} `,
      'server 127.0.0.1:3001 ': `server 127.0.0.1:${gateway} `,
      'server 127.0.0.1:8080;': `server 127.0.0.1:${service};`,
      '/etc/ssl/app.example.com/fullchain.pem': certificate.cert,
      '/etc/ssl/app.example.com/privkey.pem': certificate.key,
      ...changes,
    });
    return { words: await nginxWords(folder, ours.replaceAll(AUTHORITY, host)) };
  },
  haproxy: async ({ folder, port, certificate, gateway, service, changes, host }) => {
    const asking = await freePort();
    const script = join(folder, 'auth-gateway.lua');
    const address = { '127.0.0.1:3900': `127.0.0.1:${asking}` };
    await writeFile(script, await replaced(`${FOLDER}/auth-gateway.lua`, address));
    const ours = await replaced(`${FOLDER}/haproxy.cfg`, {
      ...address,
      '/etc/haproxy/auth-gateway.lua': script,
      'bind :::443 v4v6': `bind 127.0.0.1:${port}`,
      'server one 127.0.0.1:3000 track': `server one 127.0.0.1:${gateway} track`,
      'server two 127.0.0.1:3001 track': `server two 127.0.0.1:${gateway} track`,
      'server one 127.0.0.1:3000\n': `server one 127.0.0.1:${gateway}\n`,
      'server two 127.0.0.1:3001\n': `server two 127.0.0.1:${gateway}\n`,
      'server one 127.0.0.1:8080': `server one 127.0.0.1:${service}`,
      '/etc/haproxy/app.example.com.pem': certificate.both,
      ...changes,
    });
    await writeFile(join(folder, 'haproxy.cfg'), ours.replaceAll(AUTHORITY, host));
    return { words: ['-db', '-f', join(folder, 'haproxy.cfg')] };
  },
  caddy: async ({ folder, port, certificate, gateway, service, changes, host }) => {
    const ours = await replaced(`${FOLDER}/Caddyfile`, {
      '127.0.0.1:3000': `127.0.0.1:${gateway}`,
      '127.0.0.1:3001': `127.0.0.1:${gateway}`,
      '127.0.0.1:8080': `127.0.0.1:${service}`,
      '/etc/caddy/app.example.com.pem': certificate.cert,
      '/etc/caddy/app.example.com-key.pem': certificate.key,
      ...changes,
    });
    const ports = `{\n\tadmin off\n\tdefault_bind 127.0.0.1\n\thttp_port ${await freePort()}\n\thttps_port ${port}\n}\n`;
    const file = join(folder, 'Caddyfile');
    await writeFile(file, ports + ours.replaceAll(AUTHORITY, host));
    const env = { HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
    return { words: ['run', '--config', file, '--adapter', 'caddyfile'], env };
  },
};
