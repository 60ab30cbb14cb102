/** One failure that repeats has a few lines in the log, which give the number of repetitions. (Interface 14) */

import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { ask, newApiKey } from '../support/gateway/graphql.js';
import { captureLog } from '../support/gateway/log.js';
import { login } from '../support/gateway/routes.js';
import { figureOf, readMetrics } from '../support/independent/prometheus.js';
import { lacksColumn, refusesRows, whileAway, withFault } from '../support/postgres/faults.js';

const captured = captureLog();
let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startGateway({ log: captured.log });
});
afterEach(() => gateway.close());

const TIMES = 40;

type Line = Record<string, unknown>;

/** The lines of so many requests, by their message, and those that the end of ten seconds would add. */
async function linesOf(work: () => Promise<unknown>): Promise<(msg: string) => Line[]> {
  const before = captured.lines().length;
  for (let i = 0; i < TIMES; i += 1) await work();
  gateway.app.sampling.flush();
  const lines = captured.lines().slice(before);
  return (msg) => lines.filter((line) => line['msg'] === msg);
}

const standFor = (lines: Line[]): number => lines.reduce((sum, { repeated = 0 }) => sum + 1 + Number(repeated), 0);

test('Interface 14: an outage: why, and the answers', async () => {
  const { email } = await gateway.user();
  const logged = await whileAway(gateway.database, () => linesOf(() => login(gateway, email)));
  const reasons = logged('answered 503');
  expect(standFor(reasons)).toBe(TIMES);
  expect(reasons.length).toBeLessThan(TIMES / 2);
  for (const { error, level } of reasons) {
    expect([level, JSON.stringify(error)]).toEqual(['warn', expect.stringMatching(/"(code|text)":"/)]);
    expect(JSON.stringify(error)).not.toContain('"at":');
  }
  const answers = logged('request');
  expect(standFor(answers)).toBe(TIMES);
  expect(answers.length).toBeLessThan(TIMES / 2);
  for (const line of answers) {
    expect(line).toMatchObject({ route: '/auth/login', status: 503, outcome: 'unavailable', level: 'error' });
  }
  const metrics = readMetrics((await gateway.send('GET', '/metrics')).text);
  expect(figureOf(metrics, 'auth_gateway_logins_total', { outcome: 'unavailable' })).toBe(TIMES);
});

test('Interface 14: an outage in GraphQL', async () => {
  const { as } = await newApiKey(gateway, [], 1_000_000);
  const logged = await whileAway(gateway.database, () => linesOf(() => ask(gateway, as, '{ me { email } }')));
  for (const msg of ['answered 503', 'request']) {
    expect(standFor(logged(msg))).toBe(TIMES);
    expect(logged(msg).length).toBeLessThan(TIMES / 2);
  }
});

test('Interface 14: a bug: its place now and then, and each answer', async () => {
  const { email } = await gateway.user();
  const logged = await withFault(gateway, lacksColumn('users', 'password_hash'), () =>
    linesOf(() => login(gateway, email)),
  );
  const bugs = logged('unexpected error');
  expect(standFor(bugs)).toBe(TIMES);
  expect(bugs.length).toBeLessThan(TIMES / 2);
  for (const { error } of bugs) expect(error).toMatchObject({ code: '42703', at: expect.any(Array) });
  expect(logged('request')).toHaveLength(TIMES);
});

test('Interface 14: a bug in GraphQL, and another bug', async () => {
  const { as } = await newApiKey(gateway, ['keys:write'], 1_000_000);
  const key = 'mutation { createCronKey(input: { serviceName: "x", scopes: ["keys:write"] }) { headerValue } }';
  const logged = await withFault(gateway, refusesRows('audit_events'), () => linesOf(() => ask(gateway, as, key)));
  const bugs = logged('unexpected error in GraphQL');
  expect(standFor(bugs)).toBe(TIMES);
  expect(bugs.length).toBeLessThan(TIMES / 2);
  const before = captured.lines().length;
  await withFault(gateway, lacksColumn('api_keys', 'sealed_secret'), () => ask(gateway, as, key));
  const other = captured.lines().slice(before);
  expect(other).toContainEqual(expect.objectContaining({ msg: 'unexpected error in GraphQL' }));
});
