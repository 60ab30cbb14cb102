/** Examples and queries of docs/ run against a real gateway. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { COMMAND_LINE } from '../src/admin/administer.js';
import { createApiKey } from '../src/admin/api-keys.js';
import { testedBlock } from './documents/printed.js';
import { runningClock } from './support/gateway/clock.js';
import { claimsOf, startGateway, type TestGateway } from './support/gateway/gateway.js';
import { ask, dataOf, newApiKey, newcomer } from './support/gateway/graphql.js';
import { testWith } from './support/programs/with-programs.js';

const run = promisify(execFile);
const DASHBOARDS = 'docs/dashboards.md';

let gateway: TestGateway;
let env: Record<string, string>;
beforeAll(async () => {
  gateway = await startGateway({ clock: runningClock() }); // recipes sign by the time of the machine
  const fields = { serviceName: 'billing', scopes: ['invoices:read'], rateLimit: 60 };
  const { key, secret } = await createApiKey(gateway.app, COMMAND_LINE, fields);
  env = {
    PATH: process.env['PATH'] ?? '',
    GATEWAY_URL: gateway.url,
    AUTHORITY: gateway.config.publicAuthority,
    KEY_ID: key.keyId,
    SECRET: secret,
  };
});
afterAll(() => gateway.close());

const BILLING = { callerType: 'api_key', serviceName: 'billing', scopes: ['invoices:read'], rateLimit: 60 };

testWith(
  ['curl', 'openssl'],
  'examples/services/signed.sh: is answered as the key, and refused with another secret',
  async () => {
    const script = 'examples/services/signed.sh';
    const { stdout } = await run('sh', [script], { env });
    expect(JSON.parse(stdout).data.caller).toMatchObject(BILLING);
    const refused = await run('sh', [script], { env: { ...env, SECRET: 'aks_other' } }).catch((error) => error);
    expect(refused.code).toBe(22);
    expect(refused.stdout).toContain('invalid_signature');
  },
);

testWith(
  ['python3'],
  'examples/services/signed.py: is answered as the key, and refused with another secret',
  async () => {
    const script = 'examples/services/signed.py';
    const { stdout } = await run('python3', [script], { env });
    expect(JSON.parse(stdout).data.caller).toMatchObject(BILLING);
    const refused = await run('python3', [script], { env: { ...env, SECRET: 'aks_other' } }).catch((error) => error);
    expect(refused.stderr).toContain('invalid_signature');
  },
);

test('docs/dashboards.md: the query is answered, and costs 20 and 77 for each user', async () => {
  const { as } = await newApiKey(gateway, ['users:read']);
  const query = testedBlock(DASHBOARDS, 'overview');
  expect((await ask(gateway, as, query)).errors).toEqual([]);
  const costly = await ask(gateway, as, query.replace('first: 5,', 'first: 50,'));
  const message = `The operation costs ${20 + 50 * (77 + 45 * 9)}; at most 10000 is allowed. The dearest part is users.`;
  expect(costly.errors[0]?.message.startsWith(message)).toBe(true);
});

test('docs/dashboards.md: of a page of more than 100 rows that is said, and not what it costs', async () => {
  const { as } = await newApiKey(gateway, ['users:read']);
  const query = testedBlock(DASHBOARDS, 'overview');
  const pages = 'query ($n: Int) { users(first: 1) { nodes { sessions(first: $n) { nodes { id userAgent } } } } }';
  for (const [text, variables] of [
    [query.replace('first: 50', 'first: 500'), {}],
    [query.replace('first: 5,', 'first: 500,'), {}],
    [pages, { n: 5_000 }],
  ] as const) {
    const { status, code, reason, errors, data } = await ask(gateway, as, text, variables);
    expect([status, code, reason, data]).toEqual([400, 'BAD_USER_INPUT', 'invalid_page', undefined]);
    expect(errors).toMatchObject([{ message: 'first must be 1 to 100', extensions: { argument: 'first' } }]);
  }
  const cheap = await ask(gateway, as, '{ users(first: 101) { nodes { id } } caller { callerType } }');
  expect([cheap.status, cheap.reason, cheap.data]).toEqual([
    200,
    'invalid_page',
    { users: null, caller: { callerType: 'api_key' } },
  ]);
});

test('docs/dashboards.md: what an administrator did, the history of a key, and the session of a login', async () => {
  const admin = await newcomer(gateway, 'admin');
  const make = 'mutation { createApiKey(input: { serviceName: "s", scopes: [], rateLimit: 5 }) { apiKey { id } } }';
  const { createApiKey } = await dataOf(gateway, admin.as, make);
  const { sid } = claimsOf(admin.accessToken);
  const answers: unknown[] = [];
  for (const filter of [{ actorId: admin.user.id }, { entityId: createApiKey.apiKey.id }, { sessionId: sid }]) {
    const { auditEvents } = await dataOf(gateway, admin.as, testedBlock(DASHBOARDS, 'history'), { filter });
    answers.push(auditEvents.nodes);
  }
  const { id, email } = admin.user;
  expect(answers).toMatchObject([
    [{ eventType: 'api_key_created', entityType: 'api_key', entityId: createApiKey.apiKey.id, user: null }],
    [{ eventType: 'api_key_created', actor: { callerType: 'user', id, user: { email } } }],
    [{ eventType: 'login_success', ipAddress: '127.0.0.1' }],
  ]);
});

test('docs/dashboards.md: the counts of a week are those of seven days, of which one has 23 hours', async () => {
  const { as } = await newApiKey(gateway, ['audit:read']);
  const { data, errors } = await ask(gateway, as, testedBlock(DASHBOARDS, 'week'));
  expect([errors, data.auditCounts.length]).toEqual([[], 7 * 2]);
  expect(data.auditCounts.at(-1)).toEqual({
    bucketStart: '2026-03-29T22:00:00.000Z',
    eventType: 'login_failure',
    count: 0,
  });
});
