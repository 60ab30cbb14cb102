/** deploy/systemd: the units are sound and closed, and what they leave open is enough. Needs systemd-analyze and python3. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runningClock } from '../support/gateway/clock.js';
import { type Instance, refreshTokenOf, send, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newApiKey } from '../support/gateway/graphql.js';
import { login, logout, refresh } from '../support/gateway/routes.js';
import { sendSigned, signerAt } from '../support/gateway/send-signed.js';
import { startProcess } from '../support/gateway/server-process.js';
import { KEYRING_FILE, required } from '../support/postgres/postgres.js';
import { openNotifySocket } from '../support/programs/notify-socket.js';
import { testWith } from '../support/programs/with-programs.js';
import { until } from '../support/until.js';

const UNITS = resolve('deploy/systemd');
const TEMPLATE = 'auth-gateway@.service';
const SERVICES = ['auth-gateway.service', 'auth-gateway-rotate.service'];
const SANDBOX = resolve('test/deploy/sandbox.py');

let gateway: TestGateway;
let folder: string;
beforeAll(async () => {
  gateway = await startGateway({ clock: runningClock(), passwords: 'argon2' });
  folder = await mkdtemp(join(tmpdir(), 'systemd-'));
});
afterAll(async () => {
  await gateway.close();
  await rm(folder, { recursive: true });
});

/** The values of a setting, in their order. */
async function valuesOf(unit: string, setting: string): Promise<string[]> {
  const lines = (await readFile(join(UNITS, unit), 'utf8')).split('\n');
  return lines.filter((line) => line.startsWith(`${setting}=`)).map((line) => line.slice(setting.length + 1));
}

/** The system calls of a set such as `@timer`, and of the sets in it. */
function callsOf(name: string): string[] {
  if (!name.startsWith('@')) return [name];
  const lines = execFileSync('systemd-analyze', ['syscall-filter', '--no-pager', name], { encoding: 'utf8' }).split(
    '\n',
  );
  return lines.filter((line) => /^ {4}[@\w-]+$/.test(line)).flatMap((line) => callsOf(line.trim()));
}

/** As systemd.exec(5) reads the lines: the first makes the list of what is allowed, later ones add, `~` takes away. */
async function allowedCalls(unit: string): Promise<Set<string>> {
  const allowed = new Set(callsOf('@default'));
  for (const value of await valuesOf(unit, 'SystemCallFilter')) {
    const calls = value.replace('~', '').split(' ').flatMap(callsOf);
    for (const call of calls) value.startsWith('~') ? allowed.delete(call) : allowed.add(call);
  }
  return allowed;
}

/** What runs a program under the filter of a unit; a call that the unit would refuse ends it by SIGSYS. */
async function filtered(unit: string): Promise<string[]> {
  const [families = ''] = await valuesOf(unit, 'RestrictAddressFamilies');
  const calls = [...(await allowedCalls(unit))].join();
  return ['python3', SANDBOX, calls, families.replaceAll(' ', ',')];
}

/** The file system as ProtectSystem=strict leaves it, /proc as ProcSubset=pid does, and no rights (CapabilityBoundingSet=). */
const READ_ONLY = [
  'unshare',
  '--map-root-user',
  '--mount',
  '--pid',
  '--fork',
  '--kill-child',
  'sh',
  '-c',
  `mount --make-rprivate / && mount -o remount,bind,ro / && mount -t proc -o subset=pid,hidepid=invisible proc /proc &&
   exec setpriv --bounding-set=-all --no-new-privs "$@"`,
  'sh',
];
const canUnshare = spawnSync(READ_ONLY[0] ?? '', [...READ_ONLY.slice(1), 'true']).status === 0;

testWith(
  ['systemd-analyze'],
  'systemd finds no fault in the units, and gives each an exposure of 2.0 at most',
  async () => {
    for (const name of (await readdir(UNITS)).filter((file) => /\.(service|timer)$/.test(file))) {
      const text = await readFile(join(UNITS, name), 'utf8');
      await writeFile(join(folder, name), text.replaceAll('/opt/auth-gateway', process.cwd()));
    }
    const instance = TEMPLATE.replace('@', '@1');
    const names = [...SERVICES, instance, 'auth-gateway-rotate.timer'];
    const verified = spawnSync('systemd-analyze', ['verify', '--man=no', '--recursive-errors=no', ...names], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect([verified.status, verified.stderr, verified.stdout]).toEqual([0, '', '']);
    await copyFile(join(folder, TEMPLATE), join(folder, instance));
    for (const unit of [...SERVICES, instance]) {
      const args = ['security', '--offline=true', '--threshold=20', '--no-pager', unit];
      const { status, stdout } = spawnSync('systemd-analyze', args, { cwd: folder, encoding: 'utf8' });
      expect([status, stdout.trim().split('\n').at(-1)]).toEqual([
        0,
        expect.stringContaining('Overall exposure level'),
      ]);
    }
  },
);

test('an instance of several differs from the service in its name, its shared port and its METRICS_PORT alone', async () => {
  const [one = [], several = []] = await Promise.all(
    ['auth-gateway.service', TEMPLATE].map(async (unit) => {
      const lines = (await readFile(join(UNITS, unit), 'utf8')).split('\n');
      return lines.filter((line) => !line.startsWith('#'));
    }),
  );
  expect(several.filter((line) => !one.includes(line))).toEqual([
    'Description=auth-gateway %i',
    'ExecStart=/usr/bin/env REUSE_PORT=true METRICS_PORT=946%i /opt/auth-gateway/bin/auth-gateway start',
  ]);
  expect(several.length).toBe(one.length);
});

test('both services are closed alike, but for what the rotation writes and the gateway asks of the scheduler', async () => {
  const [gatewayUnit = [], rotation = []] = await Promise.all(
    SERVICES.map(async (unit) => {
      const settings = (await readFile(join(UNITS, unit), 'utf8')).split('\n').filter((line) => /^[A-Z]/.test(line));
      return settings.slice(settings.findIndex((line) => line.startsWith('ProtectSystem=')));
    }),
  );
  const ours = gatewayUnit.filter(
    (line) => !['SystemCallFilter=setpriority', 'WantedBy=multi-user.target'].includes(line),
  );
  expect(rotation).toEqual(ours);
  expect(ours.length).toBeGreaterThan(20);
});

const NEEDS = ['systemd-analyze', 'systemd-notify', 'python3', 'setpriv'];

testWith(
  NEEDS,
  'under the filter of its unit the gateway does all that it does, on nothing that it can write',
  async () => {
    await using cleanUp = new AsyncDisposableStack();
    const { path, received } = cleanUp.use(await openNotifySocket(join(folder, 'notify')));
    const closed = [...(canUnshare ? READ_ONLY : []), ...(await filtered('auth-gateway.service'))];
    const env = {
      NOTIFY_SOCKET: path,
      NODE_ENV: 'production',
      LOGIN_RATE_LIMIT: '1000',
      TRUST_PROXY: '127.0.0.1',
    };
    const server = cleanUp.use(await startProcess(gateway, env, 'pipe', closed, true));
    let log = '';
    server.process.stdout?.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    await until('systemd is notified', () => {
      if (server.process.exitCode !== null || server.process.signalCode !== null)
        throw new Error(`it has ended: ${server.errors()}`);
      return received.includes('READY=1');
    });
    const on: Pick<Instance, 'url' | 'send'> = {
      url: server.url,
      send: (method, path, options) => send(server.url, method, path, options),
    };

    const begun = await login(on, (await gateway.user()).email);
    const next = await refresh(on, refreshTokenOf(begun));
    const { keyId, secret } = await newApiKey(gateway);
    const signed = await sendSigned(on, signerAt(gateway, keyId, secret)());
    expect([begun, next, signed, await logout(on, refreshTokenOf(next))].map(({ status }) => status)).toEqual([
      200, 200, 200, 200,
    ]);
    for (const path of ['/health/ready', '/metrics', '/.well-known/jwks.json']) {
      expect((await send(server.url, 'GET', path)).status).toBe(200);
    }
    process.kill(-(server.process.pid ?? 0), 'SIGTERM'); // to all processes in front of it, too
    expect([await server.exited, server.errors()]).toEqual([[0, null], '']);
    await until('systemd is notified', () => received.includes('STOPPING=1'));
    await until('its log has been read', () => log.includes('"msg":"stopped"'));
  },
);

testWith(NEEDS, 'under the filter of its unit the keyring is rotated', async () => {
  const keyring = join(folder, 'keyring.json');
  await copyFile(required(KEYRING_FILE), keyring);
  await chmod(keyring, 0o600);
  const before = await readFile(keyring, 'utf8');
  const [program = '', ...args] = await filtered('auth-gateway-rotate.service');
  const rotated = spawnSync(program, [...args, 'bin/auth-gateway', 'keyring', 'rotate'], {
    env: { PATH: process.env['PATH'], DATABASE_URL: gateway.database.url, KEYRING_FILE: keyring },
    encoding: 'utf8',
  });
  expect([rotated.status, rotated.signal]).toEqual([0, null]);
  expect(await readFile(keyring, 'utf8')).not.toBe(before);
});
