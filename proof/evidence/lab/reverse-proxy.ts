/** nginx or HAProxy in front of the gateways, with keep-alive connections to them, as documented. */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../../test/support/programs/redis.js';
import { until } from '../../../test/support/until.js';
import type { Instance } from './gateways.js';
import type { Lab } from './lab.js';
import { startProgram } from './program.js';

export type Kind = 'nginx' | 'haproxy';

export interface ReverseProxy {
  url: string;
  /** What nginx logged about requests that it could not pass on */
  errors(): string[];
}

export async function startReverseProxy(lab: Lab, kind: Kind, instances: readonly Instance[]): Promise<ReverseProxy> {
  const port = await freePort();
  const folder = join(lab.folder, kind);
  await mkdir(folder);
  const file = join(folder, 'conf');
  const addresses = instances.map(({ url }) => new URL(url).host);
  await writeFile(file, kind === 'nginx' ? nginxConf(folder, port, addresses) : haproxyConf(port, addresses));
  startProgram(lab, kind, kind === 'nginx' ? ['nginx', '-p', folder, '-c', file] : ['haproxy', '-db', '-f', file]);
  const url = `http://127.0.0.1:${port}`;
  await until(`${kind} answers`, () =>
    fetch(`${url}/health/live`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return { url, errors: () => brokenRequestsIn(join(folder, 'error.log')) };
}

/** Refused connections are no errors: nginx asks the other instance then. HAProxy writes no such file. */
function brokenRequestsIn(file: string): string[] {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  return lines.filter((line) => line !== '' && !line.includes('Connection refused'));
}

/** `max_fails=0`: one refused connection is no reason to leave an instance out for ten seconds. */
function nginxConf(folder: string, port: number, addresses: string[]): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
    daemon off;
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    worker_processes 1;
    pid ${folder}/pid;
    error_log ${folder}/error.log;
    events { worker_connections 512; }
    http {
      access_log off;
      ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n      ')}
      upstream gateways {
        ${addresses.map((address) => `server ${address} max_fails=0;`).join('\n        ')}
        keepalive 32;
      }
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass http://gateways;
          proxy_http_version 1.1;
          proxy_set_header Connection "";
        }
      }
    }`;
}

/** Without health checks: a connection that is refused is made to the other instance at once. */
function haproxyConf(port: number, addresses: string[]): string {
  return [
    'defaults',
    '  mode http',
    '  timeout connect 5s',
    '  timeout client 60s',
    '  timeout server 60s',
    '  retries 3',
    '  option redispatch 1',
    'frontend all',
    `  bind 127.0.0.1:${port}`,
    '  default_backend gateways',
    'backend gateways',
    '  balance roundrobin',
    ...addresses.map((address, index) => `  server gateway${index} ${address}`),
    '',
  ].join('\n');
}
