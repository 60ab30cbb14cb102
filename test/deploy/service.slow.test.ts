/** The gateway as a service: systemd learns when it is ready, SIGHUP reads the keyring. Needs python3 and systemd-notify. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { send, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { linkLauncherTools } from '../support/gateway/launcher-tools.js';
import { type ServerProcess, startProcess } from '../support/gateway/server-process.js';
import { KEYRING_FILE, required } from '../support/postgres/postgres.js';
import { openNotifySocket } from '../support/programs/notify-socket.js';
import { freePort } from '../support/programs/redis.js';
import { testWith } from '../support/programs/with-programs.js';
import { until } from '../support/until.js';

let gateway: TestGateway;
let folder: string;
let keyring: string;
beforeAll(async () => {
  gateway = await startGateway();
  folder = await mkdtemp(join(tmpdir(), 'service-'));
  keyring = join(folder, 'keyring.json');
});
beforeEach(() => copyFile(required(KEYRING_FILE), keyring));
afterAll(async () => {
  await gateway.close();
  await rm(folder, { recursive: true });
});

/** Every whole line so far of what a process prints. */
function linesOf({ stdout }: ChildProcess): string[] {
  if (stdout === null) throw new Error('it prints nowhere');
  const lines: string[] = [];
  createInterface({ input: stdout }).on('line', (line) => lines.push(line));
  return lines;
}

/** How often the log has this message. */
const count = (log: string[], msg: string) => log.filter((line) => JSON.parse(line).msg === msg).length;

/** A service has no terminal; the tests may have one. */
async function startService(env: Record<string, string>): Promise<{ service: ServerProcess; log: string[] }> {
  const service = await startProcess(gateway, { KEYRING_FILE: keyring, ...env }, 'pipe', [], true);
  return { service, log: linesOf(service.process) };
}

testWith(
  ['python3', 'systemd-notify'],
  'Interface 10: systemd receives READY=1 when requests are answered, STOPPING=1 at the stop',
  async () => {
    await using cleanUp = new AsyncDisposableStack();
    const { path, received } = cleanUp.use(await openNotifySocket(join(folder, 'notify')));
    const { service } = await startService({ NOTIFY_SOCKET: path });
    cleanUp.use(service);
    await until('systemd is notified', () => received.includes('READY=1'));
    expect((await send(service.url, 'GET', '/health/ready')).status).toBe(200);
    expect(received).not.toContain('STOPPING=1');
    service.process.kill('SIGTERM');
    expect([await service.exited, service.errors()]).toEqual([[0, null], '']);
    await until('systemd is notified', () => received.includes('STOPPING=1'));
  },
);

test('Interface 10: if systemd-notify is missing, one line says so, and the gateway serves', async () => {
  await using cleanUp = new AsyncDisposableStack();
  const { service, log } = await startService({
    PATH: linkLauncherTools(join(folder, 'tools')),
    NOTIFY_SOCKET: join(folder, 'nobody'),
  });
  cleanUp.use(service);
  await until('it is ready', () => count(log, 'ready') === 1);
  await until('it says so', () => service.errors() !== '');
  expect(service.errors()).toBe('systemd-notify READY=1 cannot be run (ENOENT)\n');
  expect((await send(service.url, 'GET', '/health/ready')).status).toBe(200);
});

test('Interface 10: SIGHUP without a terminal: the keyring is read at once, or refused', async () => {
  await using cleanUp = new AsyncDisposableStack();
  const { service, log } = await startService({});
  cleanUp.use(service);
  await until('it is ready', () => count(log, 'ready') === 1);
  const jwks = async () => (await send(service.url, 'GET', '/.well-known/jwks.json')).text;
  const before = await jwks();

  for (const times of [1, 2]) {
    service.process.kill('SIGHUP'); // the file is the same: unasked it is not read again
    await until('it is read', () => count(log, 'keyring read again') === times);
  }
  await chmod(keyring, 0o602);
  await until('it is refused', () => count(log, 'changed keyring refused; the keys in use stay') === 1);
  service.process.kill('SIGHUP'); // unasked this is said once
  await until('it is refused again', () => count(log, 'changed keyring refused; the keys in use stay') === 2);
  expect(await jwks()).toBe(before);
  expect(count(log, 'trusted documents read again')).toBe(0); // there are none
  service.process.kill('SIGTERM');
  expect(await service.exited).toEqual([0, null]);
});

/** Runs a program on a terminal of its own, apart from its output, and closes the terminal once it may. */
const TERMINAL = `
import os, pty, sys
out, err = os.dup(1), os.dup(2)
pid, master = pty.fork()
if pid == 0:
    os.dup2(out, 1); os.dup2(err, 2)
    os.execv(sys.argv[1], sys.argv[1:])
sys.stdin.read()
os.close(master)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))`;

testWith(['python3'], 'Interface 10: SIGHUP of a terminal that closes ends the gateway', async () => {
  const { database, config } = gateway;
  const terminal = spawn('python3', ['-c', TERMINAL, 'bin/auth-gateway', 'start'], {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: database.url,
      KEYRING_FILE: keyring,
      PORT: String(await freePort()),
      PUBLIC_URL: config.publicUrl,
    },
  });
  await using cleanUp = new AsyncDisposableStack();
  cleanUp.defer(() => void terminal.kill());
  const exited = once(terminal, 'exit');
  const log = linesOf(terminal);
  await until('it is ready', () => count(log, 'ready') === 1);
  terminal.stdin.end();
  expect(await exited).toEqual([0, null]);
  expect([count(log, 'stopped'), count(log, 'keyring read again')]).toEqual([1, 0]);
});
