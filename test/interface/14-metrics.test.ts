/** The metrics, by their final names. (Interface 10 and 14) */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile, mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { revokeCronKey } from '../../src/admin/cron-keys.js';
import { rotateKeyring } from '../../src/admin/keyring.js';
import { createWebhook, pauseWebhook } from '../../src/admin/webhooks.js';
import { measureKeyExpiry } from '../../src/callers/key-expiry.js';
import { sweepRound } from '../../src/db/sweeper.js';
import { REFUSALS } from '../../src/http/refusals.js';
import { longestLag } from '../../src/outbox/lag.js';
import { WEBHOOK_OUTCOMES } from '../../src/outbox/webhooks/webhook-consumer.js';
import { REVISION } from '../../src/platform/versions.js';
import { expiringRows } from '../../src/start/compose.js';
import { startReceiver } from '../outbox/receiver.js';
import { FORWARD_AUTH } from '../support/gateway/authz.js';
import { loginFrom, newDevice } from '../support/gateway/devices.js';
import { codeAt, finishLogin, halfLogin, withTotp, wrongCode } from '../support/gateway/factors.js';
import {
  logIn,
  PASSWORD,
  refreshTokenOf,
  startGateway,
  startInstance,
  type TestGateway,
} from '../support/gateway/gateway.js';
import { ask, internalKey, newApiKey, newCronKey, nobody, signIn } from '../support/gateway/graphql.js';
import { open } from '../support/gateway/raw.js';
import { login, logout, refresh, WRONG } from '../support/gateway/routes.js';
import { type Family, figureOf, readMetrics } from '../support/independent/prometheus.js';
import { lacksColumn, whileAway, withFault } from '../support/postgres/faults.js';
import { KEYRING_FILE, required } from '../support/postgres/postgres.js';
import { testWith } from '../support/programs/with-programs.js';
import { until } from '../support/until.js';

const ENV = { LOGIN_MAX_FAILURES: '3', ...FORWARD_AUTH };

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startGateway({ passwords: 'argon2', env: ENV });
});
afterEach(() => gateway.close());

/** Starts it again with whatever has metrics of its own. Not for every test, because the outbox uses connections now and then. */
async function turnAllOn(): Promise<void> {
  await gateway.close();
  const env = { ...ENV, WEBHOOK_HOSTS: 'hooks.example.com', MAIL: 'log', TRUSTED_DOCUMENTS_ONLY: 'user' };
  gateway = await startGateway({ passwords: 'argon2', env });
}

async function metrics(): Promise<Map<string, Family>> {
  return readMetrics((await gateway.send('GET', '/metrics')).text);
}

/** What a counter has gained by some work: its outcomes that are not 0. */
async function gained(name: string, work: () => Promise<unknown>): Promise<Record<string, number>> {
  const outcomes = async (): Promise<Array<[string, number]>> =>
    ((await metrics()).get(name)?.samples ?? []).map(({ labels, value }) => [Object.values(labels).join(' '), value]);
  const before = Object.fromEntries(await outcomes());
  await work();
  const gains = (await outcomes()).map(([labels, value]) => [labels, value - (before[labels] ?? 0)] as const);
  return Object.fromEntries(gains.filter(([, gain]) => gain !== 0));
}

/** Every metric of ours, its type and its labels in the order of the alphabet. */
const OURS: Record<string, [type: string, ...labels: string[]]> = {
  auth_gateway_logins_total: ['counter', 'outcome'],
  auth_gateway_refreshes_total: ['counter', 'outcome'],
  auth_gateway_logouts_total: ['counter', 'outcome'],
  auth_gateway_password_changes_total: ['counter', 'outcome'],
  auth_gateway_link_redemptions_total: ['counter', 'outcome'],
  auth_gateway_reset_requests_total: ['counter', 'outcome'],
  auth_gateway_caller_checks_total: ['counter', 'caller', 'outcome'],
  auth_gateway_untrusted_documents_total: ['counter', 'caller'],
  auth_gateway_authz_checks_total: ['counter', 'outcome', 'route'],
  auth_gateway_introspections_total: ['counter', 'outcome'],
  auth_gateway_account_locks_total: ['counter'],
  auth_gateway_dropped_spans_total: ['counter'],
  auth_gateway_login_devices_total: ['counter', 'outcome'],
  auth_gateway_factors_total: ['counter', 'kind', 'outcome'],
  auth_gateway_token_thefts_total: ['counter'],
  auth_gateway_password_queue_length: ['gauge'],
  auth_gateway_password_hash_duration_seconds: ['histogram'],
  auth_gateway_db_pool_connections: ['gauge', 'state'],
  auth_gateway_db_pool_waiters: ['gauge'],
  auth_gateway_swept_rows_total: ['counter', 'table'],
  auth_gateway_last_sweep_timestamp_seconds: ['gauge'],
  auth_gateway_ready: ['gauge', 'check'],
  auth_gateway_key_expiry_timestamp_seconds: ['gauge'],
  auth_gateway_signing_key_start_timestamp_seconds: ['gauge'],
  auth_gateway_audit_rows_suppressed_total: ['counter'],
  auth_gateway_log_lines_dropped_total: ['counter'],
  auth_gateway_clock_skew_seconds: ['gauge'],
  auth_gateway_webhook_deliveries_total: ['counter', 'outcome'],
  auth_gateway_audit_streams: ['gauge'],
  auth_gateway_webhook_lag_seconds: ['gauge'],
  auth_gateway_mails_total: ['counter', 'outcome'],
  auth_gateway_mail_lag_seconds: ['gauge'],
  auth_gateway_build_info: ['gauge', 'argon2', 'node', 'revision', 'version'],
  http_server_request_duration_seconds: ['histogram', 'http_request_method', 'http_response_status_code', 'http_route'],
};

test('Interface 14: the metrics of the gateway, with their types and labels', async () => {
  await turnAllOn();
  await gateway.send('GET', '/health/live');
  const answer = await gateway.send('GET', '/metrics');
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  const found = [...readMetrics(answer.text)].filter(([name]) => !/^(nodejs|process)_/.test(name));
  const described = found.map(([name, { type, samples }]) => {
    const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)).filter((label) => label !== 'le'));
    return [name, [type, ...[...labels].sort()]];
  });
  expect(Object.fromEntries(described)).toEqual(OURS);
  expect(answer.text).toMatch(/^process_cpu_seconds_total /m);
  expect(answer.text).toMatch(/^nodejs_heap_size_used_bytes /m);
});

testWith(
  ['promtool'],
  'Interface 14: promtool finds no fault with any name, type or help, those of Node included',
  async () => {
    await login(gateway, 'nobody@example.com');
    const { text } = await gateway.send('GET', '/metrics');
    const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  },
);

test('Interface 14: they are there while the database is away', async () => {
  await turnAllOn();
  const { status, text } = await whileAway(gateway.database, async () => {
    await gateway.send('POST', '/auth/refresh');
    return gateway.send('GET', '/metrics');
  });
  expect(status).toBe(200);
  const families = readMetrics(text);
  for (const name of Object.keys(OURS)) expect([name, families.get(name)?.samples.length]).not.toEqual([name, 0]);
  for (const state of ['idle', 'used']) {
    expect(figureOf(families, 'auth_gateway_db_pool_connections', { state })).toEqual(expect.any(Number));
  }
});

test('Interface 14 and 20: second factors are counted by kind and outcome, and the first step as a login', async () => {
  const { user, secret, recoveryCodes } = await withTotp(gateway);
  const logInBy = async (proof: object) => finishLogin(gateway, await halfLogin(gateway, user.email), proof);
  const work = async () => {
    const now = gateway.clock.now();
    const waiting = await halfLogin(gateway, user.email);
    await logInBy({ code: wrongCode(secret, now) });
    await logInBy({ code: codeAt(secret, now) });
    await logInBy({ recovery_code: recoveryCodes[0] });
    for (let wrong = 0; wrong < 3; wrong += 1) await finishLogin(gateway, waiting, { recovery_code: recoveryCodes[0] });
    await finishLogin(gateway, waiting, { recovery_code: recoveryCodes[1] });
  };
  const gains = await gained('auth_gateway_factors_total', () =>
    gained('auth_gateway_logins_total', work).then((logins) => expect(logins).toEqual({ second_factor_required: 4 })),
  );
  expect(gains).toEqual({
    'totp wrong': 1,
    'totp success': 1,
    'recovery_code success': 1,
    'recovery_code wrong': 3,
    'recovery_code account_locked': 1,
  });
});

test('Interface 14: each known outcome is there from 0', async () => {
  const families = await metrics();
  const outcomesOf = (name: string, caller?: string): string[] =>
    (families.get(name)?.samples ?? [])
      .filter(({ labels, value }) => value === 0 && labels['caller'] === caller)
      .map(({ labels }) => labels['outcome'] ?? '')
      .sort();
  const ofEveryRoute = ['body_too_large', 'client_closed', 'cross_site', 'internal_error', 'malformed_request'];
  ofEveryRoute.push('request_timeout', 'unavailable');
  const withPassword = [...ofEveryRoute, 'body_invalid', 'body_not_json', 'login_rate_limited'];
  withPassword.push('unsupported_media_type');
  const refusals = Object.keys(REFUSALS);
  const ofLogin = refusals.filter((reason) => ['invalid_credentials', 'account_locked'].includes(reason));
  const ofRefresh = refusals.filter((reason) => !ofLogin.includes(reason));
  expect(outcomesOf('auth_gateway_logins_total')).toEqual(
    ['success', 'second_factor_required', ...ofLogin, ...withPassword].sort(),
  );
  expect(outcomesOf('auth_gateway_factors_total')).toEqual(
    ['account_locked', 'success', 'wrong'].flatMap((outcome) => [outcome, outcome, outcome]), // of three kinds
  );
  expect(outcomesOf('auth_gateway_refreshes_total')).toEqual(
    ['success', 'retried', 'ambiguous_cookie', 'rate_limited', ...ofRefresh, ...ofEveryRoute].sort(),
  );
  expect(outcomesOf('auth_gateway_logouts_total')).toEqual(
    ['success', 'without_session', 'rate_limited', ...ofEveryRoute].sort(),
  );
  const ofTokens = ['missing_credentials', 'unsupported_scheme', 'invalid_request', 'invalid_token'];
  expect(outcomesOf('auth_gateway_password_changes_total')).toEqual(
    ['success', 'current_password_wrong', 'account_locked', ...ofTokens, ...withPassword].sort(),
  );
  expect(outcomesOf('auth_gateway_link_redemptions_total')).toEqual(
    ['success', 'link_invalid', ...withPassword].sort(),
  );
  const checks = 'auth_gateway_caller_checks_total';
  expect(outcomesOf(checks, 'user')).toEqual([
    'internal_error',
    'invalid_request',
    'invalid_token',
    'success',
    'unavailable',
    'unsupported_scheme',
  ]);
  expect(outcomesOf(checks, 'api_key')).toEqual([
    'content_digest_mismatch',
    'insufficient_coverage',
    'internal_error',
    'invalid_signature',
    'malformed_signature',
    'nonce_reused',
    'rate_limited',
    'signature_expired',
    'success',
    'unavailable',
  ]);
  expect(outcomesOf(checks, 'cron')).toEqual(['internal_error', 'invalid_key', 'success', 'unavailable']);
  expect(outcomesOf(checks, 'none')).toEqual(['missing_credentials']);
  expect(outcomesOf(checks, 'several')).toEqual(['multiple_credentials']);
  const single = ['account_locks', 'token_thefts', 'audit_rows_suppressed', 'log_lines_dropped'];
  for (const name of single.map((what) => `${what}_total`)) {
    expect(figureOf(families, `auth_gateway_${name}`)).toBe(0);
  }
  const tables = families.get('auth_gateway_swept_rows_total')?.samples.map(({ labels }) => labels['table']);
  expect(tables?.sort()).toEqual([
    'audit_events',
    'ceremonies',
    'email_changes',
    'email_undos',
    'gate_codes',
    'known_devices',
    'password_links',
    'rate_limits',
    'refresh_tokens',
    'requested_links',
    'signature_nonces',
  ]);
});

test('Interface 14: logins, by outcome; a lock is counted when it begins', async () => {
  const { email } = await gateway.user();
  const plain = { 'content-type': 'text/plain' };
  expect(
    await gained('auth_gateway_logins_total', async () => {
      await login(gateway, email);
      await login(gateway, 'nobody@example.com', WRONG);
      await gateway.send('POST', '/auth/login', { body: {} });
      await gateway.send('POST', '/auth/login', { headers: plain, body: 'x' });
      await login(gateway, email, PASSWORD, { origin: 'https://elsewhere.example.com' });
      await gateway.send('GET', '/auth/login'); // no login
      await whileAway(gateway.database, () => login(gateway, email));
      await withFault(gateway, lacksColumn('users', 'password_hash'), () => login(gateway, email));
    }),
  ).toEqual({
    success: 1,
    invalid_credentials: 1,
    body_invalid: 1,
    unsupported_media_type: 1,
    cross_site: 1,
    unavailable: 1,
    internal_error: 1,
  });

  const locks = 'auth_gateway_account_locks_total';
  expect(await gained(locks, () => login(gateway, email, WRONG))).toEqual({});
  await login(gateway, email, WRONG);
  expect(await gained(locks, () => login(gateway, email, WRONG))).toEqual({ '': 1 });
  const locked = () => gained('auth_gateway_logins_total', () => login(gateway, email));
  expect(await gained(locks, locked)).toEqual({});
  expect(await locked()).toEqual({ account_locked: 1 });
  gateway.clock.advance(gateway.config.login.lockoutSeconds);
  expect(await gained(locks, () => login(gateway, email, WRONG))).toEqual({ '': 1 }); // it locks again at once
});

test('Interface 16: logins by their device, and none if devices are unknown', async () => {
  const devices = 'auth_gateway_login_devices_total';
  const { email } = await gateway.user();
  expect(await gained(devices, () => login(gateway, email))).toEqual({});
  await gateway.close();
  gateway = await startGateway({ env: { LOGIN_MAX_FAILURES: '1', KNOWN_DEVICES: 'on' } });
  const owner = await gateway.user();
  let device = '';
  const gains = async (work: () => Promise<unknown>) => gained(devices, work);
  expect(await gains(() => login(gateway, 'nobody@example.com'))).toEqual({});
  expect(
    await gains(async () => {
      device = await newDevice(gateway, owner.email);
    }),
  ).toEqual({ new: 1 });
  expect(await gains(() => loginFrom(device, gateway, owner.email))).toEqual({ known: 1 });
  expect(await gains(() => login(gateway, owner.email, WRONG))).toEqual({ new: 1 });
  expect(await gains(() => loginFrom(device, gateway, owner.email))).toEqual({ spared: 1 });
  expect(
    await gained('auth_gateway_account_locks_total', () => loginFrom(device, gateway, owner.email, WRONG)),
  ).toEqual({});
  expect(await gains(() => loginFrom(device, gateway, owner.email))).toEqual({ locked: 1 });
});

test('Interface 17: attempts to deliver to a webhook, by their outcome; none if webhooks are off', async () => {
  const deliveries = 'auth_gateway_webhook_deliveries_total';
  expect((await metrics()).get(deliveries)?.samples).toEqual([]);
  const receiver = await startReceiver();
  try {
    await gateway.close();
    gateway = await startGateway({ env: { WEBHOOK_HOSTS: receiver.authority }, outboxPollMs: 20 });
    const samples = (await metrics()).get(deliveries)?.samples;
    expect(samples?.map(({ labels, value }) => [labels['outcome'], value])).toEqual(
      WEBHOOK_OUTCOMES.map((outcome) => [outcome, 0]),
    );
    const { url } = receiver;
    const statuses = [204, 200, 500, 302, 410];
    let answered = 0;
    receiver.reply(() => ({ status: statuses[answered++] ?? 599 }));
    const work = async () => {
      await createWebhook(gateway.app, COMMAND_LINE, { url });
      await receiver.reached(1);
      await gateway.user();
      await receiver.reached(2);
      for (const count of [3, 4, 5]) {
        await gateway.user();
        await receiver.reached(count);
      }
      const paused = () => gateway.rows("select from outbox_cursors where paused_by = 'receiver'");
      await until('410 has paused it', async () => (await paused()).length === 1);
    };
    expect(await gained(deliveries, work)).toEqual({ delivered: 2, http_error: 1, redirect: 1, gone: 1 });
  } finally {
    await receiver.close();
  }
});

test('Interface 17: the lag is the wait of the oldest event, also of one that failed; paused webhooks have none', async () => {
  const receiver = await startReceiver();
  const env = { WEBHOOK_HOSTS: receiver.authority };
  const webhooks = await startInstance(gateway.database, { env, outboxPollMs: 20 });
  try {
    receiver.reply(() => ({ status: 500 }));
    const { webhook } = await createWebhook(webhooks.app, COMMAND_LINE, { url: receiver.url });
    const parked = () => gateway.rows('select from outbox_events where due_at is not null');
    await until('it is parked', async () => (await parked()).length === 1);
    await gateway.rows("update outbox_events set written_at = written_at - interval '1 hour'");
    const another = await startInstance(gateway.database, { env }); // which measures it at its start
    const lag = async () => {
      const { text } = await another.send('GET', '/metrics');
      return figureOf(readMetrics(text), 'auth_gateway_webhook_lag_seconds') ?? 0;
    };
    await until('it is measured', async () => (await lag()) > 3_600);
    expect(await lag()).toBeLessThan(3_700);
    await another.close();
    await pauseWebhook(webhooks.app, COMMAND_LINE, webhook.id);
    expect(await longestLag(webhooks.app.db.admin, 'webhook')).toBe(0);
  } finally {
    await webhooks.close();
    await receiver.close();
  }
});

test('Interface 14: requests over a limit, and clients that go away', async () => {
  const limited = await startGateway({ env: { LOGIN_RATE_LIMIT: '1', SESSION_RATE_LIMIT: '1' } });
  try {
    for (const path of ['/auth/login', '/auth/refresh', '/auth/refresh', '/auth/logout']) {
      await limited.send('POST', path);
    }
    await login(limited, 'nobody@example.com');
    const families = readMetrics((await limited.send('GET', '/metrics')).text);
    for (const [name, outcome] of Object.entries({
      logins: 'login_rate_limited',
      refreshes: 'rate_limited',
      logouts: 'rate_limited',
    })) {
      expect(figureOf(families, `auth_gateway_${name}_total`, { outcome })).toBe(1);
    }
  } finally {
    await limited.close();
  }
  const socket = await open(gateway, 'POST /auth/refresh HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx');
  socket.resetAndDestroy();
  const gone = async () => figureOf(await metrics(), 'auth_gateway_refreshes_total', { outcome: 'client_closed' });
  await until('it is counted', async () => (await gone()) === 1);
});

test('Interface 14: refreshes and logouts, by outcome; every presentation of a used token is a theft', async () => {
  const { refreshToken } = await logIn(gateway, (await gateway.user()).email);
  const steps = async () => {
    const next = refreshTokenOf(await refresh(gateway, refreshToken));
    await refresh(gateway);
    await refresh(gateway, 'junk');
    const thefts = () => refresh(gateway, refreshToken).then(() => refresh(gateway, next));
    expect(await gained('auth_gateway_token_thefts_total', thefts)).toEqual({ '': 2 });
  };
  expect(await gained('auth_gateway_refreshes_total', steps)).toEqual({
    success: 1,
    no_refresh_token: 1,
    invalid_refresh_token: 1,
    record_revoked: 2,
  });
  const logouts = async () => {
    await logout(gateway, refreshToken);
    await logout(gateway);
  };
  expect(await gained('auth_gateway_logouts_total', logouts)).toEqual({ success: 1, without_session: 1 });
});

test('Interface 14: caller checks, by kind of credential and outcome', async () => {
  const user = await signIn(gateway, await gateway.user());
  const cron = await newCronKey(gateway, []);
  const api = await newApiKey(gateway, []);
  const query = '{ caller { callerType } }';
  const asks = async () => {
    for (const as of [user.as, cron.as, api.as, nobody, internalKey('x')]) await ask(gateway, as, query);
    await ask(gateway, (body) => ({ ...user.as(body), ...cron.as(body) }), query);
    await ask(gateway, () => ({ authorization: 'Bearer x' }), query);
    await ask(gateway, () => ({ signature: 'x' }), query);
    await gateway.send('POST', '/graphql', { headers: { 'content-type': 'text/plain' }, body: 'x' }); // nobody is asked
    await whileAway(gateway.database, () => ask(gateway, cron.as, query));
    await withFault(gateway, lacksColumn('api_keys', 'sealed_secret'), () => ask(gateway, api.as, query));
  };
  expect(await gained('auth_gateway_caller_checks_total', asks)).toEqual({
    'user success': 1,
    'cron success': 1,
    'api_key success': 1,
    'none missing_credentials': 1,
    'cron invalid_key': 1,
    'several multiple_credentials': 1,
    'user invalid_token': 1,
    'api_key malformed_signature': 1,
    'cron unavailable': 1,
    'api_key internal_error': 1,
  });
});

test('Interface 14: durations of requests have their method, route and status, and grow with no text of a caller', async () => {
  await login(gateway, 'nobody@example.com');
  await gateway.send('POST', '/label-attack');
  await gateway.send('PROPFIND', '/auth/login');
  const families = await metrics();
  const { samples = [] } = families.get('http_server_request_duration_seconds') ?? {};
  const counts = samples.filter(({ name }) => name.endsWith('_count')).map(({ labels, value }) => ({ labels, value }));
  const series = (http_request_method: string, http_response_status_code: string, http_route?: string) => ({
    labels: { http_request_method, http_response_status_code, ...(http_route && { http_route }) },
    value: 1,
  });
  expect(counts).toEqual([
    series('POST', '401', '/auth/login'),
    series('POST', '404'),
    series('_OTHER', '405', '/auth/login'),
  ]);
  const bounds = new Set(samples.flatMap(({ labels }) => labels['le'] ?? []));
  const otel = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
  expect([...bounds]).toEqual([...otel.map(String), '+Inf']);
  const labels = [...families.values()].flatMap((family) => family.samples.map((sample) => sample.labels));
  expect(JSON.stringify(labels)).not.toMatch(/attack|nobody/);
});

test('Interface 14: passwords, connections, swept rows and versions are measured', async () => {
  await login(gateway, 'nobody@example.com');
  const families = await metrics();
  expect(figureOf(families, 'auth_gateway_password_hash_duration_seconds_count')).toBe(1);
  expect(figureOf(families, 'auth_gateway_password_queue_length')).toBe(0);
  expect(figureOf(families, 'auth_gateway_db_pool_connections', { state: 'idle' })).toBeGreaterThan(0);
  expect(figureOf(families, 'auth_gateway_db_pool_connections', { state: 'used' })).toBe(0);
  expect(figureOf(families, 'auth_gateway_db_pool_waiters')).toBe(0);
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const argon2 = JSON.parse(readFileSync('node_modules/argon2/package.json', 'utf8')).version;
  const labels = { version, revision: REVISION, node: process.versions.node, argon2 };
  expect(figureOf(families, 'auth_gateway_build_info', labels)).toBe(1);
});

test('Interface 14: connections that are in use and requests that wait for one are counted, those of administration too', async () => {
  const { pool, adminPool } = gateway.app.db;
  const held = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  const waiting = pool.connect();
  const alsoHeld = await adminPool.connect();
  try {
    const families = await metrics();
    expect(figureOf(families, 'auth_gateway_db_pool_connections', { state: 'used' })).toBe(held.length + 1);
    expect(figureOf(families, 'auth_gateway_db_pool_waiters')).toBe(1);
  } finally {
    alsoHeld.release();
    for (const client of held) client.release();
    (await waiting).release();
  }
});

test('Interface 14: each check of health has its figure, and follows what it finds', async () => {
  const ready = async () => {
    const families = await metrics();
    return ['database', 'clock', 'redis'].map((check) => figureOf(families, 'auth_gateway_ready', { check }));
  };
  expect(await ready()).toEqual([1, 1, undefined]); // before anybody has asked
  await whileAway(gateway.database, async () => {
    await gateway.send('GET', '/health/ready');
    expect(await ready()).toEqual([0, 0, undefined]);
  });
  await until('it is ready again', async () => (await gateway.send('GET', '/health/ready')).status === 200);
  expect(await ready()).toEqual([1, 1, undefined]);
});

test('Interface 14: the time of the last sweep is that of the start, then of each round that went through', async () => {
  const lastSweep = async () => figureOf(await metrics(), 'auth_gateway_last_sweep_timestamp_seconds');
  const seconds = () => gateway.clock.now().getTime() / 1000;
  const everything = expiringRows(gateway.config);
  const begun = seconds();
  expect(await lastSweep()).toBe(begun);
  gateway.clock.advance(100);
  await withFault(gateway, lacksColumn('signature_nonces', 'expires_at'), () => sweepRound(gateway.app, everything));
  await sweepRound(gateway.app, everything, () => false);
  await sweepRound({ ...gateway.app, clock: { ...gateway.app.clock, isSkewed: () => true } }, everything);
  expect(await lastSweep()).toBe(begun);
  await sweepRound(gateway.app, everything);
  expect(await lastSweep()).toBe(seconds());
});

test('Interface 14: when the next key expires, measured with each sweep', async () => {
  const figure = async () => {
    await sweepRound(
      gateway.app,
      [],
      () => true,
      () => measureKeyExpiry(gateway.app),
    );
    return figureOf(
      readMetrics((await gateway.send('GET', '/metrics')).text),
      'auth_gateway_key_expiry_timestamp_seconds',
    );
  };
  const inDays = (days: number) => new Date(gateway.clock.now().getTime() + days * 86_400_000);
  const seconds = (time: Date) => Math.floor(time.getTime() / 1000);
  const [soon, later, latest] = [inDays(1), inDays(2), inDays(3)];
  await newApiKey(gateway);
  expect(await figure()).toBe(0);
  for (const expiresAt of [latest, soon]) await newApiKey(gateway, [], undefined, expiresAt);
  expect(await figure()).toBe(seconds(soon));
  const { keyId } = await newCronKey(gateway, [], later);
  gateway.clock.set(soon);
  expect(await figure()).toBe(seconds(later));
  await revokeCronKey(gateway.app, COMMAND_LINE, keyId);
  expect(await figure()).toBe(seconds(latest));
});

test('Interface 14: the age of the signing key is that of its file, and after a rotation that of the key', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keyring-'));
  const file = join(folder, 'keyring.json');
  await copyFile(required(KEYRING_FILE), file);
  const rotating = await startInstance(gateway.database, { clock: gateway.clock, env: { KEYRING_FILE: file } });
  const start = async () => {
    const { text } = await rotating.send('GET', '/metrics');
    return figureOf(readMetrics(text), 'auth_gateway_signing_key_start_timestamp_seconds');
  };
  try {
    await utimes(file, 1_700_000_000, 1_700_000_000);
    expect(await start()).toBe(1_700_000_000);
    const { usedFrom } = await rotateKeyring(rotating.app);
    await until('it is read again', () => rotating.app.keyring.publicJwks().keys.length === 2);
    gateway.clock.set(usedFrom);
    expect(await start()).toBe(usedFrom.getTime() / 1000);
  } finally {
    await rotating.close();
    await rm(folder, { recursive: true });
  }
});
