/** deploy/forward-auth: the file for nginx as it stands, and next to others. Needs `nginx` on the PATH. (Interface 18) */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nginxWords, selfSigned } from '../support/programs/deployed.js';
import { freePort } from '../support/programs/redis.js';
import { testWith } from '../support/programs/with-programs.js';
import { testsBehind } from './behind/tests.js';

testsBehind('nginx');

testWith(
  ['nginx', 'openssl'],
  'Interface 18: one nginx serves the gateway and two services, whose names differ by what the file says',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'nginx-'));
    try {
      const [gateway, app] = await Promise.all(
        ['deploy/nginx/auth-gateway.conf', 'deploy/forward-auth/nginx.conf'].map((file) => readFile(file, 'utf8')),
      );
      expect(app).toContain('# For a second service copy this file and replace app_ and app.example.com.\n');
      const copy = app?.replaceAll('app_', 'wiki_').replaceAll('app.example.com', 'wiki.example.com') ?? '';
      const names = [...copy.matchAll(/^upstream (\w+)|^map \S+ \$(\w+)|\(\?<(\w+)>/gm)].map((found) =>
        found.slice(1).join(''),
      );
      expect(names).toHaveLength(13);
      expect(names.filter((name) => !name.startsWith('wiki_'))).toEqual([]); // nginx would take the last of two maps

      const { cert, key } = await selfSigned(folder, 'app.example.com');
      const [plain, tls] = [await freePort(), await freePort()]; // nginx binds also for a test of its configuration
      const all = [gateway, app, copy]
        .join('\n')
        .replaceAll(/^ *listen \[::\].*$/gm, '') // not every machine has IPv6
        .replaceAll('listen 80;', `listen 127.0.0.1:${plain};`)
        .replaceAll('listen 443 ', `listen 127.0.0.1:${tls} `)
        .replaceAll(/\/etc\/ssl\/\S+\/fullchain\.pem/g, cert)
        .replaceAll(/\/etc\/ssl\/\S+\/privkey\.pem/g, key);
      const { status, stderr } = spawnSync('nginx', ['-t', ...(await nginxWords(folder, all))], { encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, expect.stringContaining('test is successful')]);
      expect(stderr).not.toContain('[warn]');
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);
