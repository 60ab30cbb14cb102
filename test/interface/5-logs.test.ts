/** One line for each outcome, with the ids of its request; no secret and no e-mail in any line or span. (Interface 14 and 25, ASVS 16.2.5) */
import { randomUUID } from 'node:crypto';
import { codeAt, post } from '../support/gateway/factors.js';
import {
  type Answer,
  logIn,
  PASSWORD,
  refreshTokenOf,
  type SendOptions,
  startGateway,
  type TestGateway,
} from '../support/gateway/gateway.js';
import { type As, ask, newApiKey, newCronKey, signIn } from '../support/gateway/graphql.js';
import { captureLog } from '../support/gateway/log.js';
import { login, logout, refresh, WRONG } from '../support/gateway/routes.js';
import { userRow } from '../support/gateway/rows.js';
import { forgeRefreshToken } from '../support/independent/forge.js';
import { SoftwareAuthenticator } from '../support/independent/passkeys/software-authenticator.js';
import { lacksColumn, refusesRows, whileAway, withFault } from '../support/postgres/faults.js';
import { type Collector, startCollector, tracingEnv } from '../support/programs/collector.js';
import { until } from '../support/until.js';

const captured = captureLog();
let collector: Collector;
/** It exports spans. */
let gateway: TestGateway;
let untraced: TestGateway;
beforeAll(async () => {
  collector = await startCollector();
  gateway = await startGateway({ passwords: 'argon2', log: captured.log, env: tracingEnv(collector) });
  untraced = await startGateway({ log: captured.log });
});
afterAll(async () => {
  await gateway.close();
  await untraced.close();
  await collector[Symbol.asyncDispose]();
});

/** Everything that was exported, once no span is left here. */
async function exported(): Promise<string> {
  const before = collector.spans.length;
  await gateway.send('GET', '/last');
  await until('the last span is exported', () => collector.spans.slice(before).some(({ name }) => name === 'GET'));
  return collector.text();
}

/** Every name in a value, also further down. */
function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return [...names, ...Object.values(value).flatMap(namesIn)];
}

/** Interface 14: every line has a time and a message, and names in snake_case. */
function expectWellFormed(lines: Array<Record<string, unknown>>): void {
  for (const line of lines) {
    expect(line).toMatchObject({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      level: expect.stringMatching(/^(info|warn|error)$/),
      msg: expect.any(String),
    });
    expect(namesIn(line).filter((name) => !/^[a-z]+(_[a-z]+)*$/.test(name))).toEqual([]);
  }
}

afterEach(() => expectWellFormed(captured.lines()));

test('Interface 5, 14 and 25: no password, token, hash or e-mail is in any line or span, whatever happens', async () => {
  const { id, email } = await gateway.user({ email: 'Secret.Person@Example.com' });
  const { password_hash } = await userRow(gateway, id);
  const secrets = new Set([PASSWORD, WRONG, password_hash, email, 'Secret.Person', 'other.person', 'submitted-secret']);
  const keep = (answer: Answer): string | undefined => {
    const token = refreshTokenOf(answer);
    for (const secret of [token, answer.json?.access_token]) if (secret) secrets.add(secret);
    return token;
  };
  const first = keep((await logIn(gateway, email)).answer);
  const second = keep(await refresh(gateway, first));
  keep(await refresh(gateway, second));
  await refresh(gateway, first); // theft
  await logout(gateway, keep(await login(gateway, email)));
  const forged = await forgeRefreshToken(gateway);
  secrets.add(forged);
  await refresh(gateway, forged);
  await refresh(gateway, 'submitted-secret');
  await logout(gateway, 'submitted-secret');
  await login(gateway, email, WRONG);
  await login(gateway, 'other.person@example.com', WRONG);
  await gateway.send('POST', '/auth/login', { body: { email: 'submitted-secret', password: '' } });
  await gateway.send('POST', '/auth/login', {
    headers: { 'content-type': 'application/json' },
    body: '{submitted-secret',
  });
  await gateway.send('POST', '/auth/login?password=submitted-secret', { body: { email, password: WRONG } });
  await gateway.send('GET', '/submitted-secret');
  await gateway.send('POST', '/graphql', {
    headers: { authorization: `Bearer submitted-secret` },
    body: { query: '{ submitted_secret }', variables: { password: 'submitted-secret' } },
  });

  // Failures of ours: the driver's and the ORM's texts quote the row.
  await withFault(gateway, refusesRows('audit_events'), async () => {
    for (const password of [PASSWORD, WRONG]) expect((await login(gateway, email, password)).status).toBe(500);
  });
  const failed = await withFault(gateway, lacksColumn('users', 'password_hash'), () => login(gateway, email));
  expect(failed.status).toBe(500);

  await whileAway(gateway.database, async () => {
    await login(gateway, email);
    await refresh(gateway, first);
  });

  const [text, lines] = [captured.text() + (await exported()), captured.lines()];
  expect(lines.length).toBeGreaterThan(20);
  expect(new Set(lines.map(({ level }) => level))).toEqual(new Set(['info', 'warn', 'error']));
  const names = lines.flatMap(namesIn);
  for (const name of ['request_id', 'client_ip', 'duration_ms', 'outcome', 'error', 'code', 'at']) {
    expect(names).toContain(name);
  }
  for (const secret of secrets) {
    expect(text.toLowerCase()).not.toContain(secret.toLowerCase());
    const signature = secret.split('.')[2];
    if (secret.startsWith('ey') && signature) expect(text).not.toContain(signature);
  }
  expect(text).not.toContain('$argon2');
});

test('Interface 14, 20 and 25: no code, secret, challenge or credential is in any line or span, whatever happens', async () => {
  const secrets = new Set<string>([PASSWORD, 'submitted-secret']);
  /** Every long text in a value, also further down, except what an error says to people and programs. */
  const keep = (value: unknown): void => {
    if (typeof value === 'string' && value.length > 20) secrets.add(value);
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) if (!/^(detail|reason|errors)$/.test(name)) keep(inner);
  };
  const say: typeof post = async (on, path, body, as) => {
    const answer = await post(on, path, body, as);
    keep(body);
    keep(answer.json);
    return answer;
  };
  const session = await signIn(gateway, await gateway.user({ email: 'second.factor@example.com' }));
  const { accessToken: token } = session;
  secrets.add(session.user.email);
  const app = (await say(gateway, 'factors/totp', {}, token)).json;
  const code = codeAt(app.secret, gateway.clock.now());
  await say(gateway, `factors/totp/${app.id}`, { code: 'submitted-secret-code' }, token);
  const { recovery_codes } = (await say(gateway, `factors/totp/${app.id}`, { code }, token)).json;
  const authenticator = new SoftwareAuthenticator({ rpId: 'localhost', origin: gateway.config.publicUrl });
  const creation = (await say(gateway, 'factors/passkey/options', {}, token)).json;
  const added = { ceremony: creation.ceremony, credential: authenticator.create(creation.publicKey), name: 'Laptop' };
  await say(gateway, 'factors/passkey', added, token);
  await say(gateway, 'factors/passkey', added, token);
  const { challenge } = (await login(gateway, session.user.email)).json;
  secrets.add(challenge);
  for (const proof of [
    { code },
    { code: 'submitted-secret-code' },
    { recovery_code: 'submitted-secret-recovery-code' },
    { credential: authenticator.get({ challenge: creation.ceremony, rpId: 'localhost' }) },
    { credential: {}, code: 'submitted-secret-code' },
    { recovery_code: recovery_codes[0] },
    { recovery_code: recovery_codes[0] },
  ]) {
    await say(gateway, 'login/factor', { challenge, ...proof });
  }
  const byPasskey = async () => {
    const { ceremony, publicKey } = (await say(gateway, 'login/passkey/options')).json;
    return say(gateway, 'login/passkey', { ceremony, credential: authenticator.get(publicKey) });
  };
  expect((await byPasskey()).status).toBe(200);
  await say(gateway, 'confirm', { code: 'submitted-secret-code' }, token);
  await say(gateway, 'confirm', { ceremony: challenge, credential: added.credential }, token);
  await gateway.send('POST', `/auth/factors/totp/${app.secret}?code=submitted-secret-code`, { body: { code } });

  // Failures of ours: the driver's texts quote the row.
  const stranger = await signIn(gateway, await gateway.user());
  for (const table of ['ceremonies', 'audit_events']) {
    await withFault(gateway, refusesRows(table), async () => {
      await say(gateway, 'factors/totp', {}, stranger.accessToken);
      await say(gateway, 'factors/passkey/options', {}, stranger.accessToken);
      await say(gateway, 'login/passkey/options');
      expect((await login(gateway, session.user.email, table === 'ceremonies' ? PASSWORD : WRONG)).status).toBe(500);
    });
  }
  const waiting = (await say(gateway, 'factors/totp', {}, stranger.accessToken)).json;
  for (const table of ['factors', 'recovery_codes']) {
    await withFault(gateway, refusesRows(table), async () => {
      const first = { code: codeAt(waiting.secret, gateway.clock.now()) };
      expect((await say(gateway, `factors/totp/${waiting.id}`, first, stranger.accessToken)).status).toBe(500);
    });
  }
  await whileAway(gateway.database, async () => {
    await say(gateway, 'login/factor', { challenge, code });
    await say(gateway, 'confirm', { code }, token);
  });

  const text = (captured.text() + (await exported())).toLowerCase();
  expect(secrets.size).toBeGreaterThan(40);
  expect([...secrets].filter((secret) => text.includes(secret.toLowerCase()))).toEqual([]);
  expect(text).not.toContain(`"${code}"`);
});

test('Interface 5: each answer is one line with its request id, route, status and outcome', async () => {
  const { email } = await gateway.user();
  const headers = { 'x-request-id': 'trace-me' };
  const answer = await login(gateway, email, PASSWORD, headers);
  await login(gateway, email, WRONG, headers);
  await refresh(gateway, refreshTokenOf(answer), headers);
  await refresh(gateway, refreshTokenOf(answer), headers);
  await logout(gateway, refreshTokenOf(answer), headers);
  await logout(gateway, undefined, headers);
  await gateway.send('POST', '/nowhere', { headers });
  const lines = captured.lines().filter(({ request_id }) => request_id === 'trace-me');
  expect(lines.map(({ route, status, outcome }) => [route, status, outcome])).toEqual([
    ['/auth/login', 200, 'success'],
    ['/auth/login', 401, 'invalid_credentials'],
    ['/auth/refresh', 200, 'success'],
    ['/auth/refresh', 401, 'record_revoked'],
    ['/auth/logout', 200, 'success'],
    ['/auth/logout', 200, 'without_session'],
    [undefined, 404, 'not_found'],
  ]);
  for (const line of lines)
    expect(line).toMatchObject({ method: 'POST', client_ip: '127.0.0.1', duration_ms: expect.any(Number) });
});

test('Interface 5: the reason of an error is the outcome of its line', async () => {
  const json = { 'content-type': 'application/json' };
  const asks: Array<[method: string, path: string, options?: SendOptions]> = [
    ['POST', '/auth/login', { body: { email: 'nobody@example.com', password: WRONG } }],
    ['POST', '/auth/login', { body: {} }],
    ['POST', '/auth/login', { headers: json, body: '{' }],
    ['POST', '/auth/login', { headers: json, body: ' '.repeat(20_000) }],
    ['POST', '/auth/login', { body: 'x' }],
    ['POST', '/auth/refresh'],
    ['POST', '/auth/logout', { headers: { origin: 'https://elsewhere.example.com' } }],
    ['POST', '/auth/password'],
    ['POST', '/auth/password/redeem', { body: { token: 'x', new_password: 'eleven teal otters juggle' } }],
    ['GET', '/auth/login'],
    ['GET', '/nowhere'],
  ];
  const reasons = [];
  for (const [i, [method, path, options]] of asks.entries()) {
    const headers = { ...options?.headers, 'x-request-id': `reason-${i}` };
    const { reason } = (await gateway.send(method, path, { ...options, headers })).json;
    const line = () => captured.lines().find(({ request_id }) => request_id === `reason-${i}`);
    await until('it is logged', () => line() !== undefined);
    expect([method, path, line()?.['outcome']]).toEqual([method, path, reason]);
    reasons.push(reason);
  }
  expect(new Set(reasons).size).toBe(asks.length);
});

test('Interface 5: the line of a GraphQL request says who is calling, or why nobody is', async () => {
  const { as } = await newCronKey(gateway, []);
  const known = as('');
  const json = { 'content-type': 'application/json', 'x-request-id': 'who-calls' };
  const query = JSON.stringify({ query: '{ caller { callerType } }' });
  const post = (headers: ReturnType<As>, body = query) =>
    gateway.send('POST', '/graphql', { headers: { ...json, ...headers }, body });
  await post(known);
  await post(known, 'no JSON');
  await post({});
  await post({ 'x-internal-key': 'x' });
  await post({ ...known, 'content-type': 'text/plain' }); // nobody is asked who it is
  await whileAway(gateway.database, () => post(known));
  const lines = captured.lines().filter(({ request_id, msg }) => request_id === 'who-calls' && msg === 'request');
  expect(lines.map(({ status, caller, outcome }) => [status, caller, outcome])).toEqual([
    [200, 'cron', 'success'],
    [400, 'cron', 'success'],
    [401, 'none', 'missing_credentials'],
    [401, 'cron', 'invalid_key'],
    [415, undefined, 'unsupported_media_type'],
    [503, 'cron', 'unavailable'],
  ]);
});

test('Interface 5: (ASVS 16.4.1) nothing that a caller sends can forge a line', async () => {
  const before = captured.lines().length;
  const headers = { 'x-request-id': 'x","level":60,"msg":"forged', 'user-agent': 'x\tforged' };
  const answer = await gateway.send('POST', '/auth/logout?x=%0a{"msg":"forged"}', { headers });
  const lines = captured.lines().slice(before); // also those that an outage of another test left out, up to ten seconds later
  expect(lines.filter(({ request_id }) => request_id === answer.headers['x-request-id'])).toHaveLength(1);
  expect(JSON.stringify(lines)).not.toContain('forged');
});

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN_ID = '00f067aa0ba902b7';
const TRACEPARENT = `00-${TRACE_ID}-${SPAN_ID}-01`;

/** What the line of a request with this field has. */
async function tracedAs(traceparent: string | string[]): Promise<unknown[]> {
  const requestId = `trace-${randomUUID()}`;
  await untraced.send('POST', '/nowhere', { headers: { traceparent, 'x-request-id': requestId } });
  const [line] = captured.lines().filter(({ request_id }) => request_id === requestId);
  return [line?.['trace_id'], line?.['span_id']];
}

test.each<[string, string | string[]]>([
  ['version 00', TRACEPARENT],
  ['not sampled', `00-${TRACE_ID}-${SPAN_ID}-00`],
  ['flags that are not known', `00-${TRACE_ID}-${SPAN_ID}-fe`],
  ['a version to come', `01-${TRACE_ID}-${SPAN_ID}-01`],
  ['a version to come with more', `cc-${TRACE_ID}-${SPAN_ID}-01-what-the-future-will-be-like`],
])('Interface 14: a traceparent is taken over: %s', async (_what, traceparent) => {
  expect(await tracedAs(traceparent)).toEqual([TRACE_ID, SPAN_ID]);
});

test.each<[string, string | string[]]>([
  ['nothing', ''],
  ['two', [TRACEPARENT, TRACEPARENT]],
  ['two in one field', `${TRACEPARENT}, ${TRACEPARENT}`],
  ['two of a version to come', [`01-${TRACE_ID}-${SPAN_ID}-01-x`, TRACEPARENT]],
  ['version 00 with more', `${TRACEPARENT}-more`],
  ['version 00 with a dash more', `${TRACEPARENT}-`],
  ['a version to come without a dash', `01-${TRACE_ID}-${SPAN_ID}-01.x`],
  ['version ff', `ff-${TRACE_ID}-${SPAN_ID}-01`],
  ['upper case', TRACEPARENT.toUpperCase()],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN_ID}-01`],
  ['a span of zeros', `00-${TRACE_ID}-${'0'.repeat(16)}-01`],
  ['a short trace', `00-${TRACE_ID.slice(1)}-${SPAN_ID}-01`],
  ['a long span', `00-${TRACE_ID}-${SPAN_ID}0-01`],
  ['no hexadecimal flags', `00-${TRACE_ID}-${SPAN_ID}-0x`],
  ['no flags', `00-${TRACE_ID}-${SPAN_ID}`],
  ['a letter that is no digit', `00-${TRACE_ID.replace('4', 'g')}-${SPAN_ID}-01`],
])('Interface 14: a traceparent is left out: %s', async (_what, traceparent) => {
  expect(await tracedAs(traceparent)).toEqual([undefined, undefined]);
});

test('Interface 14: every line about a request has its ids: of outages and of bugs of ours, in REST and in GraphQL', async () => {
  const own = captureLog();
  const other = await startGateway({ log: own.log }); // to which none of these has happened before
  const user = await other.user({ role: 'admin' });
  const { as } = await signIn(other, user);
  const key = await newApiKey(other, []);
  const headers = { traceparent: TRACEPARENT, 'x-request-id': 'every-line' };
  const traced = (body: string) => ({ ...as(body), ...headers });
  const asKey = (body: string) => ({ ...key.as(body), ...headers });
  own.clear();
  const me = () => ask(other, traced, '{ me { email } }');
  await whileAway(other.database, async () => {
    await login(other, user.email, PASSWORD, headers);
    await me();
    other.app.sampling.flush(); // if the second was the same as the first
  });
  await withFault(other, lacksColumn('users', 'password_hash'), () => login(other, user.email, PASSWORD, headers));
  await withFault(other, lacksColumn('users', 'email'), me);
  await withFault(other, lacksColumn('api_keys', 'sealed_secret'), () => ask(other, asKey, '{ me { email } }'));
  await other.close();
  const lines = own.lines();
  const logged = lines.filter(({ msg }) => msg !== 'request').map(({ msg }) => msg);
  expect(logged).toEqual([
    'answered 503',
    'answered 503',
    'unexpected error',
    'unexpected error in GraphQL',
    'unexpected error in GraphQL',
  ]);
  expectWellFormed(lines);
  for (const line of lines) {
    expect(line).toMatchObject({ request_id: 'every-line', trace_id: TRACE_ID, span_id: SPAN_ID });
  }
});
