/** nginx or HAProxy before the gateways, with connections kept open to them, as the documents recommend. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../../test/support/redis.js';
import { until } from '../../../test/support/until.js';
import type { Instance } from './gateways.js';
import type { Lab } from './lab.js';
import { startProgram } from './program.js';

export type Kind = 'nginx' | 'haproxy';

/** @returns its URL */
export async function startReverseProxy(lab: Lab, kind: Kind, instances: readonly Instance[]): Promise<string> {
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
  return url;
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
