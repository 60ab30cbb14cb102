/** The view of an operator on questions of proxies: counts, lines of the log, outages. (Interface 14 and 18) */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { AUTHZ_ERRORS } from '../../src/http/refusals.js';
import {
  askAs,
  FAMILIES,
  FORWARD_AUTH,
  identityOf,
  ORIGIN,
  questionOf,
  signedOriginal,
} from '../support/gateway/authz.js';
import { runningClock } from '../support/gateway/clock.js';
import { type Answer, startGateway, startInstance, type TestGateway } from '../support/gateway/gateway.js';
import { newApiKey, newCronKey, newcomer } from '../support/gateway/graphql.js';
import { captureLog } from '../support/gateway/log.js';
import { open } from '../support/gateway/raw.js';
import { wholeState } from '../support/gateway/rows.js';
import { type Family, figureOf, readMetrics } from '../support/independent/prometheus.js';
import { lacksColumn, whileAway, withFault } from '../support/postgres/faults.js';
import { until } from '../support/until.js';

const CHECKS = 'auth_gateway_authz_checks_total';
const ANYBODY = 'caller=user,api_key,cron';

const captured = captureLog();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ log: captured.log, env: FORWARD_AUTH, clock: runningClock(), maxSkewSeconds: 60 });
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.app.sampling.flush();
  captured.clear();
});
afterEach(() => gateway.clock.set(new Date()));

const metrics = async (): Promise<Map<string, Family>> => readMetrics((await gateway.send('GET', '/metrics')).text);

/** What some work has counted: outcomes of routes that are not 0. */
async function counted(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const figures = async (): Promise<Array<[string, number]>> =>
    ((await metrics()).get(CHECKS)?.samples ?? []).map(({ labels, value }) => [
      `${labels['route']} ${labels['outcome']}`,
      value,
    ]);
  const before = Object.fromEntries(await figures());
  await work();
  const gains = (await figures()).map(([what, value]) => [what, value - (before[what] ?? 0)] as const);
  return Object.fromEntries(gains.filter(([, gain]) => gain !== 0));
}

const requestLines = () => captured.lines().filter(({ msg }) => msg === 'request');

test('Interface 14: every outcome of each route is there from 0, and no label has the rule', async () => {
  const fresh = await startInstance(gateway.database, { env: FORWARD_AUTH });
  try {
    const samples = readMetrics((await fresh.send('GET', '/metrics')).text).get(CHECKS)?.samples ?? [];
    expect(samples.filter(({ value }) => value !== 0)).toEqual([]);
    const ofCallers = [
      ...['multiple_credentials', 'unsupported_scheme', 'invalid_request', 'invalid_token'],
      ...['malformed_signature', 'insufficient_coverage', 'signature_expired', 'content_digest_mismatch'],
      ...['invalid_signature', 'nonce_reused', 'invalid_key'],
    ];
    const expected = [
      'success',
      'preflight',
      'gate_redirected',
      'gate_entered',
      'gate_left',
      'gate_state_missing',
      'internal_error',
      'client_closed',
      ...Object.keys(AUTHZ_ERRORS),
      ...ofCallers,
    ];
    for (const route of FAMILIES) {
      const outcomes = samples.filter(({ labels }) => labels['route'] === route).map(({ labels }) => labels['outcome']);
      expect(outcomes.toSorted()).toEqual(expected.toSorted());
    }
    expect(samples.length).toBe(FAMILIES.length * expected.length);
  } finally {
    await fresh.close();
  }
});

describe.each(FAMILIES)('Interface 14: %s', (family) => {
  test('each answer is counted once, by its outcome', async () => {
    const { accessToken } = await newcomer(gateway, 'analyst');
    const user = { headers: { authorization: `Bearer ${accessToken}` } };
    const key = await newApiKey(gateway);
    const signed = signedOriginal(gateway, key);
    const stranger = await startInstance(gateway.database, {
      env: { ...FORWARD_AUTH, FORWARD_AUTH_PROXIES: '192.0.2.1' },
    });
    const before = await metrics();
    const questions: Record<string, () => Promise<Answer>> = {
      success: () => askAs(gateway, family, ANYBODY, user),
      preflight: () =>
        askAs(gateway, family, `${ANYBODY};preflight=allow`, {
          method: 'OPTIONS',
          headers: { origin: 'https://x.example', 'access-control-request-method': 'GET' },
        }),
      rule_invalid: () => askAs(gateway, family, 'secret-rule', user),
      identity_field: () => askAs(gateway, family, ANYBODY, { headers: { x_auth_role: 'secret-role' } }),
      original_request_invalid: () => askAs(gateway, family, ANYBODY, { method: 'GET', target: '/a\\b' }),
      origin_not_listed: () => askAs(gateway, family, ANYBODY, { origin: 'https://secret.example' }),
      caller_not_allowed: () => askAs(gateway, family, 'caller=cron', user),
      role_missing: () => askAs(gateway, family, 'caller=user;role=admin', user),
      scope_missing: () => askAs(gateway, family, 'caller=user;scope=invoices:read', user),
      missing_credentials: () => askAs(gateway, family, ANYBODY),
      invalid_token: () => askAs(gateway, family, ANYBODY, { headers: { authorization: 'Bearer x' } }),
      invalid_key: () => askAs(gateway, family, ANYBODY, { headers: { 'x-internal-key': 'x' } }),
      multiple_credentials: () =>
        askAs(gateway, family, ANYBODY, { headers: { ...user.headers, 'x-internal-key': 'x' } }),
      invalid_signature: () => askAs(gateway, family, ANYBODY, { ...signed, target: '/other' }),
    };
    try {
      const state = await wholeState(gateway);
      const asked = async () => {
        for (const question of Object.values(questions)) await question();
      };
      expect(await counted(asked)).toEqual(
        Object.fromEntries(Object.keys(questions).map((outcome) => [`${family} ${outcome}`, 1])),
      );
      expect((await askAs(stranger, family, ANYBODY, user)).json.reason).toBe('proxy_not_listed');
      expect(await wholeState(gateway)).toEqual(state); // only a signed request that passes writes a row
      const there = readMetrics((await stranger.send('GET', '/metrics')).text);
      expect(figureOf(there, CHECKS, { route: family, outcome: 'proxy_not_listed' })).toBe(1);
    } finally {
      await stranger.close();
    }
    // Nothing but the question of a proxy has been counted, and the requests have no other route.
    const after = await metrics();
    const callers = 'auth_gateway_caller_checks_total';
    expect(figureOf(after, callers)).toBe(figureOf(before, callers));
    const routes = after.get('http_server_request_duration_seconds')?.samples.map(({ labels }) => labels['http_route']);
    expect([...new Set(routes)].filter((route) => route?.startsWith('/authz'))).toContain(`/authz/${family}`);
    expect(JSON.stringify([...after])).not.toMatch(/secret|caller=/);
  });

  test('a line has service, caller and outcome; neither the rule nor a credential is in any line', async () => {
    const { accessToken } = await newcomer(gateway);
    const key = await newApiKey(gateway);
    const cron = await newCronKey(gateway);
    const original = signedOriginal(gateway, key, { target: '/invoices?token=secret-query' });
    captured.clear();
    const answer = await askAs(gateway, family, `${ANYBODY};scope=secret-rule:x`, {
      headers: { authorization: `Bearer ${accessToken}`, 'x-request-id': `one-${family}` },
    });
    expect(answer.status).toBe(403);
    const passed = await askAs(gateway, family, ANYBODY, original);
    await askAs(gateway, family, ANYBODY, { headers: { 'x-internal-key': cron.secret } });
    await askAs(gateway, family, ANYBODY, { origin: 'https://secret.example' });
    await until('four lines', () => requestLines().length === 4);
    const line = { route: `/authz/${family}`, service: ORIGIN, level: 'info' };
    expect(requestLines()).toMatchObject([
      { ...line, request_id: `one-${family}`, status: 403, caller: 'user', outcome: 'scope_missing' },
      { ...line, status: 200, caller: 'api_key', outcome: 'success' },
      { ...line, status: 200, caller: 'cron', outcome: 'success' },
      { route: line.route, status: 403, outcome: 'origin_not_listed', origin: 'https://secret.example' },
    ]);
    expect(requestLines()[3]).not.toHaveProperty('service');
    const assertion = String(identityOf(passed)['x-auth-assertion']);
    for (const secret of [accessToken, assertion, key.secret, cron.secret, cron.secret.split('.')[1], 'secret-']) {
      expect(captured.text()).not.toContain(secret);
    }
    for (const [name, value] of Object.entries(original.headers)) {
      if (/^signature/i.test(name)) expect(captured.text()).not.toContain(value);
    }
  });

  const shown = { 'auth-request': 403, 'forward-auth': 503, 'ext-authz': 503 }[family];

  /** As a proxy gets 429 and 503: nginx knows neither. */
  function expectStatus(answer: Answer, status: number): void {
    const isPassedOn = family !== 'auth-request';
    expect([answer.status, answer.headers['x-auth-status'], answer.cookies]).toEqual([
      isPassedOn ? status : 403,
      isPassedOn ? undefined : String(status),
      [],
    ]);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(answer.headers).not.toHaveProperty('x-auth-caller-type');
  }

  test('an outage is 503, counted each time and logged a few times', async () => {
    const key = await newApiKey(gateway);
    captured.clear();
    const TIMES = 30;
    const gains = await counted(() =>
      whileAway(gateway.database, async () => {
        for (let i = 0; i < TIMES; i += 1) {
          const answer = await askAs(gateway, family, ANYBODY, signedOriginal(gateway, key));
          expectStatus(answer, 503);
          expect(answer.json.reason).toBe('unavailable');
        }
      }),
    );
    expect(gains).toEqual({ [`${family} unavailable`]: TIMES });
    gateway.app.sampling.flush();
    const lines = captured.lines();
    const standFor = (msg: string) =>
      lines
        .filter((line) => line['msg'] === msg && (msg !== 'request' || line['route'] === `/authz/${family}`))
        .map(({ repeated = 0 }) => 1 + Number(repeated));
    for (const [msg, most] of [
      ['answered 503', 4],
      ['request', 11],
    ] as const) {
      expect(standFor(msg).reduce((sum, one) => sum + one, 0)).toBe(TIMES);
      expect(standFor(msg).length).toBeLessThanOrEqual(most);
    }
    const answers = lines.filter(({ msg, route }) => msg === 'request' && route === `/authz/${family}`);
    for (const line of answers) expect(line).toMatchObject({ level: 'error', status: shown, outcome: 'unavailable' });
    await until('it works again', async () => {
      return (await askAs(gateway, family, ANYBODY, signedOriginal(gateway, key))).status === 200;
    });
  });

  test('a clock that is wrong is 503, for tokens and signatures', async () => {
    const { accessToken } = await newcomer(gateway);
    const key = await newApiKey(gateway);
    gateway.clock.advance(61);
    const user = { headers: { authorization: `Bearer ${accessToken}` } };
    const gains = await counted(async () => {
      expectStatus(await askAs(gateway, family, ANYBODY, user), 503);
      expectStatus(await askAs(gateway, family, ANYBODY, signedOriginal(gateway, key)), 503);
      expect((await askAs(gateway, family, ANYBODY)).status).toBe(401); // which rests on no time
    });
    expect(gains).toEqual({ [`${family} unavailable`]: 2, [`${family} missing_credentials`]: 1 });
    gateway.clock.advance(-61);
    expect((await askAs(gateway, family, ANYBODY, user)).status).toBe(200);
  });

  test('the limit of a key is 429', async () => {
    const key = await newApiKey(gateway, [], 2);
    const question = () => askAs(gateway, family, ANYBODY, signedOriginal(gateway, key));
    const gains = await counted(async () => {
      for (const status of [200, 200]) expect((await question()).status).toBe(status);
      const refused = await question();
      expectStatus(refused, 429);
      expect(refused.json.reason).toBe('rate_limited');
      expect(refused.headers['ratelimit-policy']).toBe('"key";q=2;w=60');
    });
    expect(gains).toEqual({ [`${family} success`]: 2, [`${family} rate_limited`]: 1 });
    await until('it is logged', () => requestLines().some(({ outcome }) => outcome === 'rate_limited'));
    const line = requestLines().find(({ outcome }) => outcome === 'rate_limited');
    expect(line).toMatchObject({ level: 'info', caller: 'api_key', service: ORIGIN });
  });

  test('a bug is 500, counted as such, and not taken for one of GraphQL', async () => {
    const { keyId } = await newCronKey(gateway);
    const unknown = { headers: { 'x-internal-key': `${keyId}.cks_${'x'.repeat(49)}` } };
    captured.clear();
    const gains = await counted(() =>
      withFault(gateway, lacksColumn('cron_keys', 'scopes'), async () => {
        const answer = await askAs(gateway, family, ANYBODY, unknown);
        expect([answer.status, answer.json.detail]).toEqual([500, 'Internal server error']);
        expect(identityOf(answer)).toEqual({});
      }),
    );
    expect(gains).toEqual({ [`${family} internal_error`]: 1 });
    gateway.app.sampling.flush();
    expect(captured.lines().map(({ msg }) => msg)).toContain('unexpected error');
    expect(captured.text()).not.toContain('GraphQL');
  });
});

test('Interface 14: a proxy that disconnects before its answer is counted', async () => {
  const original = signedOriginal(gateway, await newApiKey(gateway));
  const { path, headers } = questionOf('forward-auth', ANYBODY, original);
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const holder = new pg.Client({ connectionString: gateway.database.url });
  await holder.connect();
  const gains = await counted(async () => {
    await holder.query('begin');
    await holder.query('lock table api_keys in access exclusive mode'); // so that the secret of the key is waited for
    const socket = await open(gateway, `GET ${path} HTTP/1.1\r\nHost: x\r\n${fields.join('')}\r\n`);
    const before = figureOf(await metrics(), CHECKS, { outcome: 'client_closed' }) ?? 0;
    socket.resetAndDestroy();
    const isCounted = async () => figureOf(await metrics(), CHECKS, { outcome: 'client_closed' }) === before + 1;
    await until('it is counted', isCounted);
  }).finally(() => holder.end());
  expect(gains).toEqual({ 'forward-auth client_closed': 1 });
});

test('Interface 18: a peer that is not listed is named in a warning, once in ten seconds, with its request', async () => {
  const log = captureLog();
  const env = { ...FORWARD_AUTH, FORWARD_AUTH_PROXIES: '192.0.2.0/24' };
  const elsewhere = await startInstance(gateway.database, { env, log: log.log });
  try {
    const forwarded = { 'x-forwarded-for': '192.0.2.9', 'x-request-id': `id-${randomUUID()}` };
    for (let i = 0; i < 20; i += 1) {
      const answer = await askAs(elsewhere, 'forward-auth', 'caller=user', { headers: forwarded });
      expect([answer.status, answer.json.reason]).toEqual([403, 'proxy_not_listed']);
    }
    elsewhere.app.sampling.flush();
    const warnings = log.lines().filter(({ level, msg }) => level === 'warn' && String(msg).includes('FORWARD_AUTH'));
    expect(warnings).toMatchObject([
      { peer_ip: '127.0.0.1', request_id: forwarded['x-request-id'] },
      { peer_ip: '127.0.0.1', repeated: 18 },
    ]);
    const figures = readMetrics((await elsewhere.send('GET', '/metrics')).text);
    expect(figureOf(figures, CHECKS, { route: 'forward-auth', outcome: 'proxy_not_listed' })).toBe(20);
  } finally {
    await elsewhere.close();
  }
});
