/** `doctor` next to a gateway as an operator runs it: the build, its own database, a proxy that ends TLS. (Interface 9) */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { testedBlock } from '../documents/printed.js';
import { run } from '../support/gateway/cli.js';
import { certificatesIn, ownKeyring, startEdge } from '../support/gateway/doctor.js';
import { CHOSEN } from '../support/gateway/passwords.js';
import { freePort } from '../support/programs/redis.js';
import { until } from '../support/until.js';

const cleanUp = new AsyncDisposableStack();
let env: Record<string, string>;

beforeAll(async () => {
  const { folder, file, remove } = await ownKeyring();
  cleanUp.defer(remove);
  const certificate = await (await certificatesIn(folder)).make(90, 'DNS:localhost');
  const ca = `${folder}/ca.pem`;
  await writeFile(ca, certificate.cert);
  const edge = await startEdge(certificate);
  cleanUp.defer(edge.close);
  const port = await freePort();
  edge.leadTo(`http://127.0.0.1:${port}`);
  env = {
    NODE_ENV: 'production',
    NODE_EXTRA_CA_CERTS: ca,
    PUBLIC_URL: `https://localhost:${edge.port}`,
    PORT: String(port),
    METRICS_PORT: String(await freePort()),
    TRUST_PROXY: '127.0.0.1',
    DATABASE_URL: 'embedded',
    DATA_DIR: `${folder}/data`,
    KEYRING_FILE: file,
    WEBHOOK_HOSTS: 'hooks.example.com',
    MAIL: 'smtp',
    SMTP_URL: 'smtps://gateway:secret@mail.example.com',
    MAIL_FROM: 'auth@example.com',
  };
  const server = spawn('bin/auth-gateway', ['start'], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  cleanUp.defer(async () => {
    server.kill('SIGTERM'); // its PostgreSQL is to end too
    expect(await once(server, 'exit')).toEqual([0, null]);
  });
  let log = '';
  server.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    log += chunk;
  });
  await until('it is ready', () => log.includes('"msg":"ready"'));
});
afterAll(() => cleanUp.disposeAsync());

/** Disk and speed are those of the machine, which may be full and slow. */
const isAbout = (check: string) => check !== 'disk' && check !== 'password_speed';

test('the first password is warned about until it is changed, as docs/doctor.md shows; then all is well', async () => {
  const PATH = process.env['PATH'] ?? '';
  const words = ['-c', testedBlock('docs/doctor.md', 'doctor')];
  const { stdout, stderr } = await promisify(execFile)('sh', words, { env: { PATH, ...env } }); // it exits with 0
  const lines = stdout.split('\n').filter((line) => isAbout(/(\w+):/.exec(line)?.[1] ?? ''));
  const said = testedBlock('docs/doctor.md', 'doctor-prints').split('\n');
  expect(lines.slice(0, said.length - 1)).toEqual(said.slice(0, -1));
  expect(stderr).toMatch(
    /^database: embedded in \S+ \(joined the running gateway\)\nvariables: .*\n0 faults, 2 warnings, \d+ ok\n$/,
  );

  const { stdout: printed } = await run(['user', 'reset-link', 'admin@example.com', '--json'], { env });
  const token = JSON.parse(printed).link.split('#token=')[1];
  const redeemed = await fetch(`http://127.0.0.1:${env['PORT']}/auth/password/redeem`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, new_password: CHOSEN }),
  });
  expect(redeemed.status).toBe(204);
  const second = await run(['doctor', '--json'], { env });
  const found = (JSON.parse(second.stdout) as Array<Record<string, string>>).filter(({ check = '' }) => isAbout(check));
  expect(found.filter(({ severity }) => severity !== 'ok')).toEqual([]);
  expect(found).toContainEqual({ severity: 'ok', check: 'certificate', seen: expect.any(String), remedy: null });
  for (const check of ['webhooks', 'mail']) {
    expect(found).toContainEqual({ severity: 'ok', check, seen: expect.any(String), remedy: null });
  }
  expect(second.stdout).not.toContain('secret@');
  expect(second.code).toBe(0);
});
