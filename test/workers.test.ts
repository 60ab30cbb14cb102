/** Interface 2: WORKERS: several processes on one port are one gateway to whoever asks. */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { runningClock } from './support/clock.js';
import { testWith } from './support/documents.js';
import { type Answer, PASSWORD, refreshTokenOf, startGateway, type TestGateway } from './support/gateway.js';
import { newApiKey } from './support/graphql.js';
import { KEYRING_FILE, required } from './support/postgres.js';
import { figureOf, readMetrics } from './support/prometheus.js';
import { login, logout, refresh } from './support/routes.js';
import { sendSigned, signerAt } from './support/send-signed.js';
import { until } from './support/until.js';
import { startWorkers, type WorkersProcess } from './support/workers.js';

let gateway: TestGateway;
let server: WorkersProcess;
beforeAll(async () => {
  gateway = await startGateway({ clock: runningClock(), passwords: 'argon2' });
  server = await startWorkers(gateway, { LOGIN_RATE_LIMIT: '1000000' });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await gateway.close();
});

/** Does it, each time on a connection of its own, until both workers have answered with that outcome. */
async function onBoth(outcome: string, work: () => Promise<unknown>): Promise<void> {
  await until(`both answer ${outcome}`, async () => {
    await work();
    return server.answeredBy(outcome).size === 2;
  });
}

async function figure(name: string, labels: Record<string, string>): Promise<number> {
  const { text } = await server.send('GET', '/metrics');
  return figureOf(readMetrics(text), name, labels) ?? 0;
}

test('Interface 2: a session goes on and ends, whichever worker is asked; a used token is theft on both', async () => {
  const { email } = await gateway.user();
  await onBoth('success', async () => {
    const begun = await login(server, email);
    expect(begun.status).toBe(200);
    expect((await logout(server, refreshTokenOf(begun))).status).toBe(200);
  });
  let token = refreshTokenOf(await login(server, email)) ?? '';
  const used = token;
  for (let i = 0; i < 10; i += 1) {
    const answer = await refresh(server, token);
    expect(answer.status).toBe(200);
    token = refreshTokenOf(answer) ?? '';
  }
  await onBoth('record_revoked', async () => expect((await refresh(server, used)).status).toBe(401));
  expect((await refresh(server, token)).status).toBe(401);
});

test('Interface 2: a signed request is taken once, whichever worker it comes to again', async () => {
  const { keyId, secret } = await newApiKey(gateway);
  const request = signerAt(gateway, keyId, secret)();
  const [first, ...others] = await Promise.all(Array.from({ length: 8 }, () => sendSigned(server, request))).then(
    (answers) => answers.map(({ status, reason }) => reason ?? status).sort(),
  );
  expect([first, new Set(others)]).toEqual([200, new Set(['nonce_reused'])]);
  await onBoth('nonce_reused', async () => expect((await sendSigned(server, request)).reason).toBe('nonce_reused'));
});

test('Interface 2: what is once is told once; a line of a worker has its number', () => {
  const told = (msg: string) => server.lines.filter((line) => line['msg'] === msg);
  expect(told('ready')).toEqual([expect.objectContaining({ workers: 2 })]);
  expect(told('request').every(({ worker }) => worker === 1 || worker === 2)).toBe(true);
});

const LOGOUTS = 'auth_gateway_logouts_total';
const WITHOUT = { outcome: 'without_session' };
const STARTED = 'process_start_time_seconds';

test('Interface 14: what cannot be added is of the one that knows it', async () => {
  expect(await figure('auth_gateway_ready', { check: 'database' })).toBe(1);
  const keyStart = await figure('auth_gateway_signing_key_start_timestamp_seconds', {});
  expect(keyStart).toBe(Math.floor(statSync(required(KEYRING_FILE)).mtimeMs / 1000));
  const started = await figure(STARTED, {});
  expect(started).toBeGreaterThan(keyStart - 1); // the keyring of the tests is older than the process
  const swept = await figure('auth_gateway_last_sweep_timestamp_seconds', {});
  expect(swept).toBeGreaterThan(started - 1); // not 0, as the worker says that does not sweep
});

testWith(['promtool'], 'Interface 14: promtool finds no fault with the metrics of all workers', async () => {
  const { text } = await server.send('GET', '/metrics');
  const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});

test('Interface 14: metrics are those of all workers, and do not go back when one is killed and replaced', async () => {
  const before = await figure(LOGOUTS, WITHOUT);
  const hashesBefore = await figure('auth_gateway_password_hash_duration_seconds_count', {});
  let sent = 0;
  const one = async (): Promise<Answer> => {
    sent += 1;
    return logout(server);
  };
  await onBoth('without_session', one);
  await until('all are counted', async () => (await figure(LOGOUTS, WITHOUT)) === before + sent);

  const started = await figure(STARTED, {});
  const [victim = 0, other] = server.workers();
  process.kill(victim, 'SIGKILL');
  await until('it is replaced', () => server.workers().length === 2 && !server.workers().includes(victim));
  expect(server.workers()).toContain(other);
  expect(await figure(LOGOUTS, WITHOUT)).toBe(before + sent);
  const replaced = server.lines.filter(({ msg }) => msg === 'a worker has ended and is replaced');
  expect(replaced).toEqual([expect.objectContaining({ level: 'error', exit_code: null, signal: 'SIGKILL' })]);

  const seen = server.lines.length;
  const number = replaced[0]?.['worker'];
  const answersAgain = () => server.lines.slice(seen).some((line) => line['worker'] === number && 'status' in line);
  await until('the new one answers', async () => {
    await one();
    return answersAgain();
  });
  await until('all are counted', async () => (await figure(LOGOUTS, WITHOUT)) === before + sent);
  expect(await figure('auth_gateway_build_info', {})).toBe(1);
  expect(await figure(STARTED, {})).toBe(started);
  const hashes = await figure('auth_gateway_password_hash_duration_seconds_count', {});
  await login(server, (await gateway.user()).email, PASSWORD);
  await until('the hash is counted', async () => {
    return (await figure('auth_gateway_password_hash_duration_seconds_count', {})) === hashes + 1;
  });
  expect(hashes).toBe(hashesBefore);
});
