/** compose.yaml: its services run as it says, each in namespaces of its own with its own address. docs/deploy-containers.md */
import { spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openProject, type Project } from '../support/containers/compose.js';
import { readCompose } from '../support/containers/compose-file.js';
import { IPV6_CLIENTS } from '../support/containers/compose-network.js';
import { hasContainers } from '../support/containers/container.js';
import { buildImage } from '../support/containers/image.js';

const [compose, tls] = readCompose('compose.yaml', 'deploy/compose/tls.yaml');

test.each(Object.entries(compose?.services ?? {}))(
  '%s can change nothing but its volumes, and has no privilege',
  (_, service) => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    expect(service).toHaveProperty('deploy.resources.limits.memory');
  },
);

test('what others make is free software, in a version that is named', () => {
  const images = Object.values(compose?.services ?? {}).map(({ image }) => image.split(':'));
  const others = new Map(images.filter(([name]) => name !== 'auth-gateway').map(([name, tag = '']) => [name, tag]));
  expect([...others.keys()].toSorted()).toEqual(['nginx', 'postgres', 'valkey/valkey']);
  for (const tag of others.values()) expect(tag).toMatch(/^\d+[.\d]*-\w+$/);
});

const hasPrograms = ['nginx', 'redis-server', 'psql', 'curl', 'openssl'].every(
  (program) => spawnSync('which', [program]).status === 0,
);
const isHere = (hasContainers && hasPrograms) || process.env['REQUIRE_PROGRAMS'] === '1';

(isHere ? describe : describe.skip)('with namespaces, nginx, Redis, psql, curl, openssl (REQUIRE_PROGRAMS=1)', () => {
  let folder: string;
  let project: Project;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-compose-'));
    project = await openProject(folder, await buildImage(folder));
  });
  afterAll(async () => {
    await project?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  /** From outside, by nginx. @returns status, body, and the refresh token if one was set */
  async function send(path: string, { body, token, from }: { body?: object; token?: string; from?: string } = {}) {
    const data = body === undefined ? [] : ['-H', 'Content-Type: application/json', '-d', JSON.stringify(body)];
    const cookie = token === undefined ? [] : ['-X', 'POST', '-b', `refresh_token=${token}`];
    const by = from === undefined ? [] : ['--interface', from];
    const nginx = from === undefined ? '172.31.254.2' : `[${project.ipv6.get('nginx')}]`;
    const { stdout } = await project.outside('curl', '-sSi', ...by, ...data, ...cookie, `http://${nginx}:8080${path}`);
    const set = /^set-cookie: refresh_token=([^;]+)/im.exec(stdout)?.[1] ?? '';
    return { status: Number(/^HTTP\S+ (\d+)/.exec(stdout)?.[1]), text: stdout, token: set };
  }
  /** As compose mounts the two secrets of tls.yaml */
  function certificate(): string[] {
    const [cert, key] = ['tls_certificate', 'tls_key'].map((name) => join(folder, name)) as [string, string];
    const made = `req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -keyout ${key} -out ${cert}`;
    expect(spawnSync('openssl', made.split(' ')).status).toBe(0);
    chownSync(key, 101, 101);
    return (tls?.services['nginx']?.secrets ?? []).map((name) => `${join(folder, name)}:/run/secrets/${name}:ro`);
  }
  /** By psql, as somebody on the network of the database who has its password. */
  async function query(user: string, sql: string): Promise<string> {
    const url = `$(sed 's/gateway:/${user}:/' /run/secrets/database_url)`;
    const ended = await project.containers.get('postgres')?.exec('sh', '-c', `psql -At "${url}" -c "${sql}"`);
    return `${ended?.stdout}${ended?.stderr}`;
  }
  const said = () => [...project.containers].map(([name, container]) => [name, container.said()] as const);

  test('one command starts it; state and logins outlive it, and the first password, printed once, is the only secret in its output', async () => {
    await project.up();
    const secrets = ['database_password', 'database_url'].map((name) =>
      readFileSync(join(folder, 'volume-database-secrets', name), 'utf8'),
    );
    const [, password = ''] = /^password: (.+)$/m.exec(project.containers.get('setup')?.said() ?? '') ?? [];
    const leaking = said().filter(([, text]) => [password, ...secrets].some((secret) => text.includes(secret)));
    expect(leaking.map(([name, text]) => [name, text.split(password).length - 1])).toEqual([['setup', 1]]);

    const begun = await send('/auth/login', { body: { email: 'admin@example.com', password } });
    expect(begun.status).toBe(200);
    const refreshed = await send('/auth/refresh', { token: begun.token });
    expect(refreshed.status).toBe(200);
    for (const path of ['/health/ready', '/health/live', '/metrics']) expect((await send(path)).status).toBe(404);
    expect((await project.cli('keyring', 'rotate')).code).toBe(0);

    // The addresses that nginx saw, and the limits in Valkey. Clients that come by IPv6 have their own addresses, and each /64 its
    // own limit; both are in one /48.
    for (const from of IPV6_CLIENTS) {
      const body = { email: 'admin@example.com', password: `not ${password}` };
      expect((await send('/auth/login', { body, from })).status).toBe(401);
    }
    const { stdout: events } = await project.cli('audit', 'tail', '--json');
    for (const from of ['172.31.254.1', ...IPV6_CLIENTS]) expect(events).toContain(`"ip_address":"${from}"`);
    const { stdout: limits } = await project.cli('rate-limit', 'list', '--json');
    expect(limits).toContain('172.31.254.1');
    const counted: { ip_address: string }[] = JSON.parse(limits);
    const clients = counted.filter(({ ip_address }) => !ip_address.endsWith('/48'));
    expect([clients.length, counted.length]).toEqual([1 + IPV6_CLIENTS.length, 2 + IPV6_CLIENTS.length]);

    // The role of the gateways owns their database, and is nothing else; its password is no superuser's.
    const rights = 'rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls';
    const member = 'exists (select from pg_auth_members where member = pg_roles.oid)';
    const own = `select ${rights}, ${member} from pg_roles where rolname = current_user`;
    expect(await query('gateway', own)).toBe('f|f|f|f|f|f\n');
    const owned = 'select datname from pg_database where pg_get_userbyid(datdba) = current_user';
    expect(await query('gateway', owned)).toBe('gateway\n');
    expect(await query('gateway', 'create database other')).toContain('permission denied to create database');
    expect(await query('gateway', 'create role other')).toContain('permission denied to create role');
    expect(await query('postgres', 'select 1')).toContain('password authentication failed for user "postgres"');

    // With TLS, by the other file.
    await project.containers.get('nginx')?.stop();
    await project.start('nginx', [...(tls?.services['nginx']?.volumes ?? []), ...certificate()]);
    for (const nginx of ['172.31.254.2', `[${project.ipv6.get('nginx')}]`]) {
      const encrypted = await project.outside('curl', '-sSk', `https://${nginx}:8080/.well-known/jwks.json`);
      expect(JSON.parse(encrypted.stdout)).toHaveProperty('keys');
    }
    await project.containers.get('nginx')?.stop();
    await project.start('nginx');

    // One gateway away, as while it is replaced.
    let { token } = refreshed;
    expect(await project.containers.get('gateway-1')?.stop()).toBe(0);
    for (let i = 0; i < 4; i += 1) ({ token } = await send('/auth/refresh', { token }));
    await project.start('gateway-1');

    expect(await project.down()).toMatchObject({ nginx: 0, 'gateway-1': 0, 'gateway-2': 0, valkey: 0, postgres: 0 });
    await project.up();
    expect(project.containers.get('setup')?.said()).not.toContain('password');
    expect((await send('/auth/refresh', { token })).status).toBe(200);
  });
});
