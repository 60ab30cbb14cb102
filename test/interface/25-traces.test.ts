/** Spans of requests, callers, statements, hashes, deliveries and mails, as a collector gets them. (Interface 25) */
import fc from 'fast-check';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { createWebhook } from '../../src/admin/webhooks.js';
import { startSmtpServer } from '../mail/smtp-server.js';
import { startReceiver } from '../outbox/receiver.js';
import { askAs, FAMILIES, FORWARD_AUTH, ORIGIN } from '../support/gateway/authz.js';
import {
  type Answer,
  type Instance,
  logIn,
  startGateway,
  startInstance,
  type TestGateway,
} from '../support/gateway/gateway.js';
import { ask, newApiKey, newCronKey, newcomer, nobody, signIn } from '../support/gateway/graphql.js';
import { captureLog } from '../support/gateway/log.js';
import { login, logout, refresh, WRONG } from '../support/gateway/routes.js';
import type { ExportedSpan } from '../support/independent/otlp.js';
import { figureOf, readMetrics } from '../support/independent/prometheus.js';
import { lacksColumn, refusesRows, withFault } from '../support/postgres/faults.js';
import { type Collector, startCollector, tracingEnv, treeOf } from '../support/programs/collector.js';
import { until } from '../support/until.js';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN_ID = '00f067aa0ba902b7';
const SAMPLED = { traceparent: `00-${TRACE_ID}-${SPAN_ID}-01` };
const UNSAMPLED = { traceparent: `00-${TRACE_ID}-${SPAN_ID}-00` };

const captured = captureLog();
let collector: Collector;
let gateway: TestGateway;
beforeAll(async () => {
  collector = await startCollector();
  const env = { ...tracingEnv(collector), ...FORWARD_AUTH };
  gateway = await startGateway({ env, passwords: 'argon2', log: captured.log });
});
beforeEach(async () => {
  await settled();
  collector.spans.length = 0;
  captured.clear();
});
afterAll(async () => {
  await gateway.close();
  await collector[Symbol.asyncDispose]();
});

/** One more instance on the same database, for as long as the work lasts. */
async function withInstance(env: Record<string, string>, work: (on: Instance) => Promise<void>): Promise<void> {
  const { database, clock } = gateway;
  const instance = await startInstance(database, {
    env,
    clock,
    log: captured.log,
    passwords: 'argon2',
    outboxPollMs: 20,
  });
  await work(instance).finally(instance.close);
}

const endOf = (name: string) => collector.traceOf((span) => span.name === name);

/** Resolves once everything that has ended until now was exported. */
async function settled(on: Instance = gateway): Promise<void> {
  const before = collector.spans.length;
  await on.send('DELETE', '/last', { headers: { traceparent: `00-${'f'.repeat(32)}-${SPAN_ID}-01` } });
  await until('the last span is exported', () => collector.spans.slice(before).some(({ name }) => name === 'DELETE'));
}

const pick = ({ kind, attributes, events, status }: ExportedSpan) => ({
  kind,
  attributes,
  events,
  status: status.code,
});
const statement = (name: string) => ({ 'db.system.name': 'postgresql', 'db.query.summary': name });

test.each(['http/json', 'http/protobuf'])(
  'Interface 25: a login and a refresh are one tree each: %s',
  async (protocol) => {
    await withInstance({ ...tracingEnv(collector, protocol), OTEL_SERVICE_NAME: 'sign-in' }, async (on) => {
      const { email } = await gateway.user();
      const { refreshToken } = await logIn(on, email);
      await refresh(on, refreshToken);
      const ofRefresh = await endOf('POST /auth/refresh');
      const ofLogin = await endOf('POST /auth/login');
      expect(treeOf(ofLogin, '')).toEqual([
        ['POST /auth/login', ['rate_limit', 'active_user', 'hash password', 'start_session']],
      ]);
      expect(treeOf(ofRefresh, '')).toEqual([['POST /auth/refresh', ['rotate']]]);
      expect(ofRefresh.map(pick)).toEqual([
        { kind: 3, attributes: statement('rotate'), events: [], status: 0 },
        {
          kind: 2,
          attributes: {
            'http.request.method': 'POST',
            'http.route': '/auth/refresh',
            'http.response.status_code': 200,
            'auth_gateway.outcome': 'success',
          },
          events: [],
          status: 0,
        },
      ]);
      for (const { resource } of [...ofLogin, ...ofRefresh]) {
        expect(resource).toMatchObject({ 'service.name': 'sign-in', 'service.version': expect.stringMatching(/^\d/) });
      }
      const types = { 'http/json': 'application/json', 'http/protobuf': 'application/x-protobuf' };
      expect(collector.exports.at(-1)).toMatchObject({
        path: '/v1/traces',
        headers: { 'content-type': types[protocol as keyof typeof types] },
      });
    });
  },
);

test('Interface 25: a hash has a span with its turn, and the log has the ids of the span of the request', async () => {
  const { email } = await gateway.user();
  await login(gateway, email, WRONG, SAMPLED);
  const spans = await endOf('POST /auth/login');
  const [root] = spans.filter(({ parentSpanId }) => parentSpanId === SPAN_ID);
  expect(root).toMatchObject({ traceId: TRACE_ID, attributes: { 'auth_gateway.outcome': 'invalid_credentials' } });
  expect(treeOf(spans, root?.spanId ?? '')).toEqual([
    'rate_limit',
    'active_user',
    'hash password',
    'count_failure_in_users',
  ]);
  expect(spans.find(({ name }) => name === 'hash password')).toMatchObject({ kind: 1, events: ['turn'] });
  const [line] = captured.lines();
  expect(line).toMatchObject({ trace_id: TRACE_ID, span_id: root?.spanId });
});

/** Each kind of caller, and what its span says. */
const CALLERS: Array<
  [kind: string, headers: (body: string) => Promise<Record<string, string | string[]>>, outcome: string]
> = [
  ['user', async (body) => (await newcomer(gateway)).as(body), 'success'],
  ['api_key', async (body) => (await newApiKey(gateway, [])).as(body), 'success'],
  ['cron', async (body) => (await newCronKey(gateway, [])).as(body), 'success'],
  ['cron', async () => ({ 'x-internal-key': 'x' }), 'invalid_key'],
  ['none', async (body) => nobody(body), 'missing_credentials'],
];

test.each(CALLERS)(
  'Interface 25: the caller of a GraphQL request has a span: %s, %#',
  async (kind, headersOf, outcome) => {
    const body = JSON.stringify({ query: '{ caller { callerType } }' });
    const headers = { 'content-type': 'application/json', ...(await headersOf(body)), ...SAMPLED };
    await gateway.send('POST', '/graphql', { headers, body });
    const spans = await endOf('POST /graphql');
    const attributes = { 'auth_gateway.caller': kind, 'auth_gateway.outcome': outcome };
    expect(spans.find(({ name }) => name === 'resolve caller')).toMatchObject({ kind: 1, attributes });
    expect(spans.find(({ name }) => name === 'POST /graphql')?.attributes).toMatchObject(attributes);
  },
);

test('Interface 25: reads and changes of administration are spans below their request', async () => {
  const { as } = await signIn(gateway, await gateway.user({ role: 'admin' }));
  const traced = (body: string) => ({ ...as(body), ...SAMPLED });
  const { id: userId } = await gateway.user();
  await ask(gateway, traced, '{ users(first: 2) { edges { node { id } } } }');
  const setRole = 'mutation ($input: SetUserRoleInput!) { setUserRole(input: $input) { user { id } } }';
  const answer = await ask(gateway, traced, setRole, { input: { id: userId, role: 'analyst' } });
  expect(answer.status).toBe(200);
  await settled();
  const trees = collector.spans
    .filter(({ parentSpanId }) => parentSpanId === SPAN_ID)
    .map(({ spanId }) => JSON.stringify(treeOf(collector.spans, spanId)));
  expect(trees[0]).toMatch(/"resolve caller",.*"read"/);
  expect(trees[1]).toMatch(/"resolve caller",.*"change"/);
});

test('Interface 25: each of many refreshes that share a statement has its own span of it', async () => {
  const tokens = await Promise.all(
    Array.from({ length: 6 }, async () => (await logIn(gateway, (await gateway.user()).email)).refreshToken),
  );
  await settled();
  collector.spans.length = 0;
  await Promise.all(tokens.map((token) => refresh(gateway, token)));
  await settled();
  const roots = collector.spans.filter(({ name }) => name === 'POST /auth/refresh');
  expect(roots).toHaveLength(6);
  for (const { spanId } of roots) expect(treeOf(collector.spans, spanId)).toEqual(['rotate']);
});

test.each(FAMILIES)(
  'Interface 18 and 25: a question continues the trace of its original request: %s',
  async (family) => {
    const { accessToken } = await newcomer(gateway);
    const target = '/invoices/a-secret-of-the-path?year=2026';
    const headers = { authorization: `Bearer ${accessToken}`, ...SAMPLED };
    const answer = await askAs(gateway, family, 'caller=user', { target, headers });
    const spans = await endOf(`GET /authz/${family}`);
    const root = spans.find(({ parentSpanId }) => parentSpanId === SPAN_ID);
    expect(root).toMatchObject({ traceId: TRACE_ID, attributes: { 'http.route': `/authz/${family}` } });
    expect(treeOf(spans, root?.spanId ?? '')).toEqual(['resolve caller']);
    expect(answer.headers['traceparent']).toBe(`00-${TRACE_ID}-${root?.spanId}-01`);
    for (const hidden of ['a-secret-of-the-path', 'caller=user', ORIGIN])
      expect(collector.text()).not.toContain(hidden);
    const refused = await askAs(gateway, family, 'caller=user', { headers: SAMPLED });
    expect(refused.headers).not.toHaveProperty('traceparent');
  },
);

test('Interface 25: a webhook is a trace, which its receiver continues', async () => {
  const receiver = await startReceiver();
  receiver.reply(({ headers }) => ({ status: headers['webhook-id'] === undefined ? 400 : 503 }));
  await withInstance({ ...tracingEnv(collector), WEBHOOK_HOSTS: receiver.authority }, async ({ app }) => {
    await createWebhook(app, COMMAND_LINE, { url: `${receiver.url}/a-secret-of-the-path` });
    await receiver.reached(1);
    const [delivery] = await endOf('deliver webhook');
    receiver.reply(() => ({ status: 204 }));
    expect(delivery).toMatchObject({
      ...{ parentSpanId: '', kind: 3, status: { code: 2, message: '' } },
      attributes: {
        ...{ 'http.request.method': 'POST', 'http.request.resend_count': 0, 'http.response.status_code': 503 },
        ...{ 'server.address': '127.0.0.1', 'auth_gateway.outcome': 'http_error', 'error.type': 'http_error' },
        'auth_gateway.event.id': receiver.received[0]?.headers['webhook-id'],
      },
    });
    const { traceparent } = receiver.received[0]?.headers ?? {};
    expect(traceparent).toBe(`00-${delivery?.traceId}-${delivery?.spanId}-01`);
    gateway.clock.advance(60);
    await receiver.reached(2);
    const again = () => collector.spans.find(({ attributes }) => attributes['http.request.resend_count'] === 1);
    await until('the second attempt is exported', () => again() !== undefined);
    expect(again()?.attributes).toMatchObject({
      'http.response.status_code': 204,
      'auth_gateway.outcome': 'delivered',
    });
    expect(collector.text()).not.toContain('a-secret-of-the-path');
  });
  await receiver.close();
});

test('Interface 25: a mail is a trace with its kind, and without its address', async () => {
  await using smtp = await startSmtpServer();
  const env = { MAIL: 'smtp', SMTP_URL: smtp.url, MAIL_FROM: 'auth@example.org' };
  await withInstance({ ...tracingEnv(collector), ...env }, async (on) => {
    const { email } = await gateway.user({ email: 'mailed.person@example.com' });
    await on.send('POST', '/auth/password/forgot', { body: { email } });
    const [mail] = await endOf('send mail');
    expect(mail).toMatchObject({ parentSpanId: '', kind: 3, attributes: { 'auth_gateway.mail.kind': 'reset' } });
    expect(mail?.attributes['auth_gateway.outcome']).toBe('delivered');
    await settled(on);
    expect(collector.text()).not.toContain('mailed.person');
  });
});

test('Interface 25: a fault of ours has its class and no text, which may quote a row', async () => {
  const { email } = await gateway.user({ email: 'quoted.person@example.com' });
  await withFault(gateway, refusesRows('audit_events'), () => login(gateway, email, WRONG, SAMPLED));
  await withFault(gateway, lacksColumn('users', 'password_hash'), () => login(gateway, email, WRONG, SAMPLED));
  await settled();
  const failed = collector.spans.filter(({ status }) => status.code === 2);
  expect(failed.map(({ name, attributes, status }) => [name, attributes['error.type'], status.message])).toEqual([
    ['count_failure_in_users', 'error', ''],
    ['POST /auth/login', '500', ''],
    ['active_user', 'error', ''],
    ['POST /auth/login', '500', ''],
  ]);
  expect(collector.text()).not.toContain('quoted.person');
});

test('Interface 25: health checks and scrapes have no span, an unknown path has its method alone', async () => {
  for (const path of ['/health/live', '/health/ready', '/metrics']) await gateway.send('GET', path);
  await gateway.send('PUT', '/a-secret-of-the-path');
  await gateway.send('PROPFIND', '/nowhere');
  await settled();
  expect(collector.spans.map(({ name }) => name).toSorted()).toEqual(['DELETE', 'HTTP', 'PUT']);
  expect(collector.text()).not.toContain('a-secret-of-the-path');
});

describe('Interface 25: which traces are sampled', () => {
  const RATIO = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' };
  const PARENT_RATIO = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' };
  const TABLE: Array<[what: string, env: Record<string, string>, sampled: [none: boolean, no: boolean, yes: boolean]]> =
    [
      ['by default', {}, [true, false, true]],
      ['always_on', { OTEL_TRACES_SAMPLER: 'always_on' }, [true, true, true]],
      ['always_off', { OTEL_TRACES_SAMPLER: 'always_off' }, [false, false, false]],
      ['parentbased_always_off', { OTEL_TRACES_SAMPLER: 'parentbased_always_off' }, [false, false, true]],
      ['traceidratio of 0', RATIO, [false, false, false]],
      ['traceidratio of 1', { ...RATIO, OTEL_TRACES_SAMPLER_ARG: '1' }, [true, true, true]],
      ['parentbased_traceidratio of 0', PARENT_RATIO, [false, false, true]],
      ['parentbased_traceidratio of 1', { ...PARENT_RATIO, OTEL_TRACES_SAMPLER_ARG: '1' }, [true, false, true]],
    ];

  test.each(TABLE)('%s', async (_what, env, sampled) => {
    const { accessToken } = await newcomer(gateway);
    await withInstance({ ...tracingEnv(collector), ...FORWARD_AUTH, ...env }, async (on) => {
      const authorization = `Bearer ${accessToken}`;
      for (const [i, parent] of [{}, UNSAMPLED, SAMPLED].entries()) {
        const answer = await askAs(on, 'forward-auth', 'caller=user', { headers: { authorization, ...parent } });
        const [, traceId, , flags] = answer.headers['traceparent']?.toString().split('-') ?? [];
        expect(flags).toBe(sampled[i] ? '01' : '00');
        if (i > 0) expect(traceId).toBe(TRACE_ID);
      }
    });
    const roots = collector.spans.filter(({ name }) => name === 'GET /authz/forward-auth');
    expect(roots).toHaveLength(sampled.filter(Boolean).length); // closing has exported them
  });
});

test('Interface 25: requests of every kind, at once and in any order, have the spans that they cause and no others', async () => {
  const answerOf: Record<string, () => Promise<Answer | unknown>> = {
    'POST /auth/login': () => login(gateway, 'nobody@example.com', WRONG),
    'POST /auth/refresh': () => refresh(gateway, 'no token'),
    'POST /auth/logout': () => logout(gateway, undefined),
    'POST /graphql': () => ask(gateway, nobody, '{ me { id } }'),
    GET: () => gateway.send('GET', '/nowhere'),
  };
  const below: Record<string, unknown> = {
    'POST /auth/login': ['rate_limit', 'active_user', 'hash password', 'count_failure_in_users'],
    'POST /graphql': ['resolve caller'],
  };
  const acts = fc.array(fc.tuple(fc.constantFrom(...Object.keys(answerOf)), fc.boolean()), {
    minLength: 1,
    maxLength: 8,
  });
  await fc.assert(
    fc.asyncProperty(acts, async (asked) => {
      collector.spans.length = 0;
      const waiting: Array<Promise<unknown>> = [];
      for (const [act, isAwaited] of asked) {
        const answer = answerOf[act]?.();
        waiting.push(Promise.resolve(answer));
        if (isAwaited) await answer;
      }
      await Promise.all(waiting);
      await settled();
      const roots = collector.spans.filter(({ parentSpanId }) => parentSpanId === '');
      expect(roots.map(({ name }) => name).toSorted()).toEqual(asked.map(([act]) => act).toSorted());
      for (const { name, spanId } of roots) expect(treeOf(collector.spans, spanId)).toEqual(below[name] ?? []);
    }),
    { numRuns: 12 },
  );
});

describe('Interface 25: a collector that does not take spans', () => {
  const dropped = async (on: Instance): Promise<number | undefined> =>
    figureOf(readMetrics((await on.send('GET', '/metrics')).text), 'auth_gateway_dropped_spans_total', {});
  const said = () => captured.lines().filter(({ msg }) => /^collector/.test(String(msg)));

  test('is logged once by its state, and its spans are counted', async () => {
    await withInstance(tracingEnv(collector), async (on) => {
      collector.answer(400);
      for (const count of [1, 2, 3]) {
        await on.send('GET', '/nowhere');
        await until('it is counted', async () => (await dropped(on)) === count);
      }
      collector.answer(401);
      await on.send('GET', '/nowhere');
      await until('it is counted', async () => (await dropped(on)) === 4);
      collector.answer(200);
      await on.send('GET', '/nowhere');
      await until('it is ok', () => said().length === 3);
      expect(said().map(({ level, msg }) => [level, msg])).toEqual([
        ['error', 'collector is answering 400'],
        ['error', 'collector is answering 401'],
        ['info', 'collector is ok again'],
      ]);
    });
  });

  test('holds up no request, and the queue is bounded', async () => {
    collector.answer(0);
    await withInstance({ ...tracingEnv(collector), OTEL_BSP_MAX_QUEUE_SIZE: '3' }, async (on) => {
      for (let i = 0; i < 20; i += 1) expect((await on.send('GET', '/nowhere')).status).toBe(404);
      await until('some are counted', async () => ((await dropped(on)) ?? 0) >= 10);
    });
    collector.answer(200);
  });
});

test('Interface 25: without an endpoint, or if it is disabled, answers have no traceparent and nothing is exported', async () => {
  const { accessToken } = await newcomer(gateway);
  const headers = { authorization: `Bearer ${accessToken}`, ...SAMPLED };
  for (const env of [{}, { ...tracingEnv(collector), OTEL_SDK_DISABLED: 'true' }]) {
    await settled();
    captured.clear();
    const before = collector.exports.length;
    await withInstance({ ...FORWARD_AUTH, ...env }, async (on) => {
      const answer = await askAs(on, 'forward-auth', 'caller=user', { headers });
      expect([answer.status, answer.headers['traceparent']]).toEqual([200, undefined]);
    });
    expect(collector.exports.length).toBe(before);
    const [line] = captured.lines().filter(({ route }) => route === '/authz/forward-auth');
    expect(line).toMatchObject({ trace_id: TRACE_ID, span_id: SPAN_ID }); // of the caller, as ever
  }
});
