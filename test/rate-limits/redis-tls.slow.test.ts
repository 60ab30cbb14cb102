/** REDIS_URL with TLS. Needs `openssl` and `redis-server` (REQUIRE_PROGRAMS=1). (Interface 2) */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { startGateway } from '../support/gateway/gateway.js';
import { login } from '../support/gateway/routes.js';
import { freePort, type RedisServer, startRedis } from '../support/programs/redis.js';
import { withRedis } from '../support/programs/with-redis.js';
import { until } from '../support/until.js';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
const withBoth = hasOpenssl || process.env['REQUIRE_PROGRAMS'] === '1' ? withRedis : describe.skip;

withBoth('with TLS', () => {
  const trusted = getCACertificates('default');
  let folder: string;
  let redis: RedisServer;
  let sentinel: ChildProcess;
  let sentinelPort: number;

  /** A cluster of one server, and a sentinel that watches it, both only with TLS. */
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'redis-tls-'));
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
    const subject = ['-subj', '/CN=redis', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
    const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    execFileSync('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
    const ca = await readFile(certificate, 'utf8');
    setDefaultCACertificates([...trusted, ca]);
    const words = ['tls-cert-file', certificate, 'tls-key-file', key, 'tls-ca-cert-file', certificate];
    const tls = [...words, 'tls-auth-clients', 'no', 'tls-replication', 'yes'];
    const settings = tls.map((word, i) => (i % 2 === 0 ? `--${word}` : word));
    const asCluster = ['--cluster-enabled', 'yes', '--tls-cluster', 'yes', '--cluster-port', String(await freePort())];
    const clusterFile = ['--cluster-config-file', join(folder, 'nodes.conf'), '--cluster-announce-ip', '127.0.0.1'];
    redis = await startRedis([...settings, ...asCluster, ...clusterFile], { tls: { ca } });
    await redis.command('cluster addslotsrange 0 16383');
    await until('the cluster has begun', async () => /state:ok/.test(String(await redis.command('cluster info'))));
    sentinelPort = await freePort();
    const file = join(folder, 'sentinel.conf');
    const lines = tls.flatMap((word, i) => (i % 2 === 0 ? [`${word} ${tls[i + 1]}`] : []));
    const watch = `sentinel monitor limits 127.0.0.1 ${redis.port} 1`;
    await writeFile(file, [...lines, 'port 0', `tls-port ${sentinelPort}`, 'bind 127.0.0.1', watch].join('\n'));
    sentinel = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore', cwd: folder });
  });
  afterAll(async () => {
    setDefaultCACertificates(trusted);
    const ended = once(sentinel, 'exit');
    sentinel.kill('SIGKILL');
    await ended;
    await redis?.stop();
    await rm(folder, { recursive: true });
  });

  test.each([
    ['rediss://127.0.0.1:SERVER'],
    ['valkeys+cluster://127.0.0.1:SERVER'],
    ['rediss+sentinel://127.0.0.1:SENTINEL/limits'],
  ])('Interface 2: %s', async (form) => {
    const url = form.replace('SERVER', String(redis.port)).replace('SENTINEL', String(sentinelPort));
    const gateway = await startGateway({ env: { REDIS_URL: url, LOGIN_RATE_LIMIT: '1' } });
    try {
      await redis.empty();
      await until('it is connected', async () => (await gateway.send('GET', '/health/ready')).status === 200);
      const statuses = [await login(gateway, 'a@example.com'), await login(gateway, 'a@example.com')];
      expect(statuses.map(({ status }) => status)).toEqual([401, 429]);
      expect(await redis.keys()).toEqual(['login:127.0.0.1']);
    } finally {
      await gateway.close();
    }
  });
});
