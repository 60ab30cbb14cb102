/** Concurrent reads of dashboards are limited, for one caller and for all, and no login waits for them. (Interface 7) */
import { PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, newApiKey, newcomer, signIn } from '../support/gateway/graphql.js';
import { login, refresh } from '../support/gateway/routes.js';
import { readMetrics } from '../support/independent/prometheus.js';
import { whileReadsTake, whileReadsWait, wholeTable, withLock } from '../support/postgres/locks.js';
import { until } from '../support/until.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const COUNT =
  'auditCounts(bucket: day, filter: { since: "2026-01-01T00:00:00Z", until: "2026-01-02T00:00:00Z" }) { count }';
/** Answers of 503 so far */
async function outages(): Promise<number> {
  const { text } = await gateway.send('GET', '/metrics');
  const { samples = [] } = readMetrics(text).get('http_server_request_duration_seconds') ?? {};
  const counts = samples.filter(
    ({ name, labels }) => name.endsWith('_count') && labels['http_response_status_code'] === '503',
  );
  return counts.reduce((sum, { value }) => sum + value, 0);
}

const three = `{ a: ${COUNT} b: ${COUNT} c: ${COUNT} }`;

test('Interface 7: counts run two at once over all callers; the others wait, and all are answered', async () => {
  const callers = await Promise.all([1, 2, 3].map(() => newApiKey(gateway, ['audit:read'])));
  let asked: ReturnType<typeof ask>[] = [];
  await whileReadsWait(gateway, 'audit_events', async (waiting) => {
    asked = callers.flatMap(({ as }) => [ask(gateway, as, three), ask(gateway, as, three)]);
    await until('counts have begun', async () => (await waiting()) > 0);
    for (let i = 0; i < 20; i += 1) expect(await waiting()).toBeLessThanOrEqual(2);
  });
  for (const { status } of await Promise.all(asked)) expect(status).toBe(200);
});

test('Interface 7: stories are read two at once, over all pages of sessions', async () => {
  const callers = await Promise.all([1, 2, 3].map(() => newcomer(gateway)));
  for (const { user } of callers) await signIn(gateway, user);
  const stories = '{ me { sessions(first: 2) { nodes { events(first: 1) { nodes { id } } } } } }';
  let asked: ReturnType<typeof ask>[] = [];
  await whileReadsWait(gateway, 'audit_events', async (waiting) => {
    asked = callers.map(({ as }) => ask(gateway, as, stories));
    await until('two are being read', async () => (await waiting()) === 2);
    for (let i = 0; i < 20; i += 1) expect(await waiting()).toBeLessThanOrEqual(2);
  });
  for (const { data } of await Promise.all(asked)) expect(data.me.sessions.nodes).toHaveLength(2);
});

test('Interface 7: one caller may have two fields at work and a hundred waiting; one more is 429', async () => {
  const { as } = await newApiKey(gateway, ['users:read']);
  const { as: other } = await newApiKey(gateway, ['users:read']);
  const users = (on: As, aliases: number) =>
    ask(
      gateway,
      on,
      `{ ${Array.from({ length: aliases }, (_, i) => `a${i}: users(first: 1) { edges { cursor } }`).join(' ')} }`,
    );
  const asked: ReturnType<typeof ask>[] = [];
  await whileReadsWait(gateway, 'users', async (waiting) => {
    let over: Awaited<ReturnType<typeof ask>> | undefined;
    const askAgain = async () => {
      const answer = await users(as, 10);
      if (answer.status === 429) over ??= answer;
      return answer;
    };
    await until('there is one too many', () => {
      asked.push(askAgain());
      return over !== undefined;
    });
    expect([over?.code, over?.headers['retry-after']]).toEqual(['RATE_LIMITED', '1']);
    expect(await waiting()).toBeLessThanOrEqual(2);
    asked.push(users(other, 1));
    await until('another caller has its turn', async () => (await waiting()) === 3);
  });
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(10); // 2 at once, and 98 waited
  expect((await users(as, 10)).errors).toEqual([]); // all its turns are free again
});

test.each([
  ['reads', 'users', '{ a: users(first: 1) { nodes { id } } b: users(first: 1) { nodes { id } } }'],
  ['counts of the log', 'audit_events', `{ ${COUNT} }`],
])(
  'Interface 7: %s that wait behind others of their caller until their time is up are 429, and no outage',
  async (_, table, text) => {
    const { as } = await newcomer(gateway, 'analyst');
    const before = await outages();
    await whileReadsTake(gateway, table, 0.3, async () => {
      const answers = await Promise.all(Array.from({ length: 40 }, () => ask(gateway, as, text)));
      const late = answers.filter(({ status }) => status !== 200);
      expect(late.length).toBeGreaterThan(0);
      for (const { status, code, reason, headers } of late) {
        expect([status, code, reason, headers['retry-after']]).toEqual([429, 'RATE_LIMITED', 'too_many_waiting', '1']);
      }
      expect(new Set(answers.map(({ reason }) => reason))).toEqual(new Set([undefined, 'too_many_waiting']));
    });
    expect(await outages()).toBe(before); // which the alert AuthGatewayUnavailable counts
    expect((await ask(gateway, as, text)).errors).toEqual([]); // all its turns are free again
  },
);

test('Interface 10: logins, refreshes and callers have separate connections, which dashboards cannot use up', async () => {
  const { user, as, refreshToken } = await newcomer(gateway);
  const { as: key } = await newApiKey(gateway);
  const callers = await Promise.all(Array.from({ length: 8 }, () => newcomer(gateway)));
  let asked: ReturnType<typeof ask>[] = [];
  // Administrative changes wait for this lock. Each waiting mutation holds a connection.
  await withLock(gateway, 'select pg_advisory_lock(7241093519)', async () => {
    asked = callers.flatMap((caller) =>
      [1, 2, 3].map(() => ask(gateway, caller.as, 'mutation { revokeOtherSessions { revokedCount } }')),
    );
    const blocked = `select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event = 'advisory'`;
    await until(
      'all connections of administration are taken',
      async () => (await gateway.rows(blocked))[0]?.['count'] === 4,
    );
    expect((await login(gateway, user.email, PASSWORD)).status).toBe(200);
    expect((await refresh(gateway, refreshToken)).status).toBe(200);
    expect((await ask(gateway, as, '{ caller { callerType } }')).errors).toEqual([]);
    expect((await ask(gateway, key, '{ caller { callerType } }')).errors).toEqual([]);
  });
  for (const answer of await Promise.all(asked)) expect([200, 503]).toContain(answer.status);
  expect((await ask(gateway, as, '{ me { id } }')).data.me.id).toBe(user.id);
});

test('Interface 11: counts that exceed the statement timeout are too much to read, not an outage', async () => {
  const { as } = await newApiKey(gateway, ['audit:read']);
  await whileReadsWait(gateway, 'audit_events', async () => {
    const answer = await ask(gateway, as, `{ ${COUNT} }`);
    expect(answer).toMatchObject({ status: 200, code: 'OPERATION_TOO_COSTLY', reason: 'too_much_to_read' });
    expect(answer.errors[0]?.message).toBe('This takes too long to read; ask for less');
  });
});

test('Interface 10: changes whose connections are cut return them, every time', async () => {
  const { as } = await newcomer(gateway, 'admin');
  const { id } = await gateway.user();
  const unlock = `mutation { unlockUser(input: { id: "${id}" }) { user { id } } }`;
  for (let i = 0; i < 6; i += 1) {
    let cut: ReturnType<typeof ask> | undefined;
    await withLock(gateway, wholeTable('users'), async (waiting) => {
      cut = ask(gateway, as, unlock);
      await until('the change waits for the table', async () => (await waiting()) === 1);
      await gateway.rows(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`);
      expect((await cut).status).toBe(503);
    });
  }
  expect((await ask(gateway, as, unlock)).errors).toEqual([]);
  expect((await ask(gateway, as, '{ me { id } }')).errors).toEqual([]);
});

test('Interface 11: a statement of a change may take longer than one of a listing, since a change cannot be made smaller', async () => {
  const { as } = await newcomer(gateway, 'admin');
  const { id } = await gateway.user();
  await gateway.rows('create table seen (statement_timeout text)');
  await gateway.rows(`create function note() returns trigger language plpgsql security definer as
    'begin insert into seen values (current_setting(''statement_timeout'')); return new; end'`);
  await gateway.rows('create trigger note before update on users for each row execute function note()');
  try {
    await ask(gateway, as, `mutation { setUserRole(input: { id: "${id}", role: analyst }) { user { id } } }`);
  } finally {
    await gateway.rows('drop trigger note on users');
  }
  expect(await gateway.rows('select * from seen')).toEqual([{ statement_timeout: '20s' }]);
});
