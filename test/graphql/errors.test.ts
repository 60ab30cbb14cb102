/** Errors and what they must not reveal; introspection and the explorer. (Interface 7) */
import { getIntrospectionQuery } from 'graphql';
import { startGateway, startInstance, type TestGateway } from '../support/gateway/gateway.js';
import {
  type As,
  ask,
  internalKey,
  newApiKey,
  newCronKey,
  newcomer,
  nobody,
  signed,
} from '../support/gateway/graphql.js';
import { captureLog } from '../support/gateway/log.js';
import { lacksTable, whileAway, withFault } from '../support/postgres/faults.js';

const captured = captureLog();
let gateway: TestGateway;
let as: As;
let admin: As;
beforeAll(async () => {
  gateway = await startGateway({ passwords: 'argon2', log: captured.log });
  ({ as } = await newCronKey(gateway, ['users:read', 'audit:read', 'keys:read']));
  ({ as: admin } = await newcomer(gateway, 'admin'));
});
afterAll(() => gateway.close());

const CALLER = '{ caller { callerType } }';

async function inProduction(more: Record<string, string>, work: (on: TestGateway) => Promise<void>): Promise<void> {
  const env = { NODE_ENV: 'production', ...more };
  const instance = await startInstance(gateway.database, { env, clock: gateway.clock });
  try {
    await work({ ...gateway, ...instance });
  } finally {
    await instance.close();
  }
}

const TYPO = '{ callerr { callerType } }';
const TYPO_IN_VARIABLES = 'query ($filter: UserFilter) { users(filter: $filter) { edges { cursor } } }';

test('Interface 7: in production there is no introspection and no suggestion', async () => {
  await inProduction({}, async (on) => {
    for (const text of [
      getIntrospectionQuery(),
      '{ __schema { types { name } } }',
      '{ __type(name: "User") { name } }',
    ]) {
      const answer = await ask(on, as, text);
      expect([answer.status, answer.data]).toEqual([400, undefined]);
    }
    for (const [text, variables] of [
      [TYPO, {}],
      [TYPO_IN_VARIABLES, { filter: { serch: 'x' } }],
      [TYPO_IN_VARIABLES, { filter: { role: 'admn' } }],
    ] as const) {
      const answer = await ask(on, as, text, variables);
      expect(answer.status).toBe(400);
      expect(answer.text).not.toMatch(/did you mean|caller"|serch|admin"/i);
    }
    expect((await ask(on, as, '{ __typename }')).data).toEqual({ __typename: 'Query' });
  });
});

test('Interface 7: GRAPHQL_INTROSPECTION=true turns introspection on in production, false turns it off elsewhere', async () => {
  await inProduction({ GRAPHQL_INTROSPECTION: 'true' }, async (on) => {
    expect((await ask(on, as, getIntrospectionQuery())).data.__schema.queryType.name).toBe('Query');
  });
  await inProduction({ NODE_ENV: 'development', GRAPHQL_INTROSPECTION: 'false' }, async (on) => {
    expect((await ask(on, as, getIntrospectionQuery())).status).toBe(400);
  });
});

test('Interface 7: outside production introspection and suggestions work', async () => {
  expect((await ask(gateway, as, getIntrospectionQuery())).errors).toEqual([]);
  expect((await ask(gateway, as, TYPO)).text).toContain('Did you mean');
  expect((await ask(gateway, nobody, getIntrospectionQuery())).status).toBe(401);
});

test('Interface 7: the explorer exists only outside production, and loads nothing from other origins', async () => {
  const page = { headers: { accept: 'text/html,*/*' } };
  const answer = await gateway.send('GET', '/graphql', page);
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toContain('text/html');
  // The policy allows only its own origin, so the browser loads nothing else, whatever the page says.
  const policy = String(answer.headers['content-security-policy']);
  expect(policy).toMatch(/^default-src 'none';/);
  expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe/);
  expect(answer.text).not.toMatch(/(?:src|href|action|data|content)\s*=\s*["']?\s*(?:https?:)?\/\//i);
  expect(answer.text).not.toMatch(/<script(?![^>]* src=)/);
  await inProduction({}, async (on) => {
    const refused = await on.send('GET', '/graphql', page);
    expect([refused.status, refused.headers['content-type']]).toEqual([405, 'application/json; charset=utf-8']);
  });
});

test('Interface 7: neither an internal error nor the log has a stack or database text', async () => {
  const inResolver = await withFault(gateway, lacksTable('audit_events'), () =>
    ask(gateway, as, '{ auditEvents { edges { cursor } } }'),
  );
  const inContext = await withFault(gateway, lacksTable('cron_keys'), () => ask(gateway, as, CALLER));
  expect([inResolver.status, inContext.status]).toEqual([200, 500]);
  for (const answer of [inResolver, inContext]) {
    const { message, extensions } = answer.errors[0] ?? {};
    expect(extensions).toEqual({ code: 'INTERNAL_SERVER_ERROR', reason: 'internal_error' });
    expect(message).toBe('Internal server error');
    expect(answer.text).not.toMatch(/relation|audit_events|cron_keys|select|stack|node_modules|\.[jt]s:/i);
  }
  const lines = captured.lines().filter(({ level }) => level === 'error');
  expect(lines.length).toBeGreaterThanOrEqual(2);
  expect(JSON.stringify(lines)).not.toMatch(/select |does not exist/i);
});

test('Interface 7: an error does not reveal the row that the database refused', async () => {
  const noCarol: [breaks: string, repairs: string] = [
    `alter table users add constraint no_carol check (email <> 'carol@example.com')`,
    'alter table users drop constraint no_carol',
  ];
  const text =
    'mutation { createUser(input: { email: "carol@example.com", password: "a secret of carol", role: viewer }) { user { id } } }';
  const answer = await withFault(gateway, noCarol, () => ask(gateway, admin, text));
  expect([answer.code, answer.data]).toEqual(['INTERNAL_SERVER_ERROR', { createUser: null }]);
  expect(answer.text).not.toMatch(/carol|constraint|argon2/);
  expect(captured.text()).not.toMatch(/a secret of carol|argon2id\$|no_carol/);
});

test('Interface 7: an outage of the database is 503 with Retry-After, never a pass, and 200 again afterwards', async () => {
  const { keyId, secret } = await newApiKey(gateway, ['users:read']);
  await whileAway(gateway.database, async () => {
    for (const [caller, text] of [
      [as, CALLER],
      [internalKey(`ck_${'0'.repeat(20)}.cks_${'0'.repeat(49)}`), CALLER],
      [signed(gateway, keyId, secret), CALLER],
      [admin, '{ users { edges { cursor } } }'],
      [admin, '{ me { id } }'],
      [admin, 'mutation { revokeOtherSessions { revokedCount } }'],
    ] as const) {
      const answer = await ask(gateway, caller, text);
      expect([answer.status, answer.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      expect(Object.values(answer.data ?? {}).filter((value) => value !== null)).toEqual([]);
      expect(answer.text).not.toMatch(/terminat|connection|ECONN|database/i);
    }
  });
  expect((await ask(gateway, as, CALLER)).status).toBe(200);
  expect((await ask(gateway, signed(gateway, keyId, secret), CALLER)).status).toBe(200);
});

test('Interface 7: an unauthenticated caller learns nothing about the body: neither its form nor the schema', async () => {
  const bodies = [TYPO, '{', getIntrospectionQuery()].map((query) => JSON.stringify({ query }));
  for (const body of [...bodies, 'no JSON']) {
    const answer = await gateway.send('POST', '/graphql', { headers: { 'content-type': 'application/json' }, body });
    expect([answer.status, answer.json.errors[0].extensions.code]).toEqual([401, 'UNAUTHENTICATED']);
  }
});
