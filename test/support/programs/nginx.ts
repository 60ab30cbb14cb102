/** A real nginx in front of instances of the gateway, configured as documented, if the machine has one. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { send } from '../gateway/gateway.js';
import { until } from '../until.js';
import { freePort } from './redis.js';

export const hasNginx = spawnSync('nginx', ['-v']).status === 0;

export interface Nginx extends AsyncDisposable {
  url: string;
}

/** @param ports of the instances, on this machine; one of them answers already */
export async function startNginx(ports: number[]): Promise<Nginx> {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'nginx-'));
  await mkdir(join(folder, 'logs')); // it writes there before it has read its configuration
  const file = join(folder, 'nginx.conf');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);
  await writeFile(
    file,
    `daemon off;
    pid nginx.pid;
    error_log errors.log;
    events {}
    http {
      access_log off;
      ${temporary.join(' ')}
      upstream gateway {
        ${ports.map((instance) => `server 127.0.0.1:${instance} max_fails=0;`).join(' ')}
        keepalive 16;
      }
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass http://gateway;
          proxy_http_version 1.1;
          proxy_set_header Connection "";
        }
      }
    }`,
  );
  const nginx = spawn('nginx', ['-p', folder, '-c', file], { stdio: 'ignore' });
  const exited = once(nginx, 'exit');
  const url = `http://127.0.0.1:${port}`;
  const isUp = () => send(url, 'GET', '/health/live').catch(() => undefined);
  await until('nginx answers', async () => (await isUp())?.status === 200);
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      nginx.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}
