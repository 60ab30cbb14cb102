/** Counts of the audit log by type and time bucket, for plots. (Interface 11) */
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, dataOf, newApiKey } from '../support/gateway/graphql.js';
import { countWork } from '../support/gateway/work.js';
import { until as eventually } from '../support/until.js';

let gateway: TestGateway;
let as: As;
const BOB = '00000000-0000-7000-8000-00000000000b';
beforeAll(async () => {
  gateway = await startGateway();
  ({ as } = await newApiKey(gateway, ['audit:read']));
  await gateway.rows('delete from audit_events');
  const events: Array<[string, string]> = [
    ['2026-03-01T23:59:59.999999Z', 'logout'],
    ['2026-03-02T00:00:00Z', 'logout'],
    ['2026-03-02T00:00:59.999999Z', 'logout'],
    ['2026-03-02T00:00:30Z', 'login_success'],
    ['2026-03-02T00:01:00Z', 'logout'],
    ['2026-03-02T01:00:00Z', 'logout'],
    ['2026-03-03T00:00:00Z', 'logout'],
  ];
  for (const [at, type] of events) await insert(type, at);
  // The time zone of the database session must not matter.
  await gateway.rows(`alter database ${gateway.database.name} set timezone to 'Asia/Kathmandu'`);
});
afterAll(() => gateway.close());

function insert(type: string, at: string, { ip = '', user = null as string | null, metadata = {} } = {}) {
  return gateway.rows(
    `insert into audit_events (event_type, ip_address, user_id, metadata, created_at) values ($1, $2, $3, $4, $5)`,
    [type, ip, user, metadata, at],
  );
}

const COUNT = `query ($bucket: TimeBucket!, $timeZone: String, $filter: AuditCountFilter!) {
  auditCounts(bucket: $bucket, timeZone: $timeZone, filter: $filter) { bucketStart eventType count }
}`;

type Count = [bucketStart: string, eventType: string, count: number];

async function counts(since: string, until: string, bucket: string, more: object = {}, timeZone?: string) {
  const filter = { since, until, ...more };
  const { auditCounts } = await dataOf(gateway, as, COUNT, { bucket, timeZone, filter });
  return auditCounts.map((row: { bucketStart: string; eventType: string; count: number }): Count => {
    return [row.bucketStart, row.eventType, row.count];
  }) as Count[];
}

test('Interface 11: counts by the minute, from `since` (inclusive) to `until` (exclusive), oldest first', async () => {
  expect(await counts('2026-03-02T00:00:00Z', '2026-03-02T01:00:00Z', 'minute')).toEqual([
    ['2026-03-02T00:00:00.000Z', 'login_success', 1],
    ['2026-03-02T00:00:00.000Z', 'logout', 2],
    ['2026-03-02T00:01:00.000Z', 'logout', 1],
  ]);
});

test('Interface 11: counts by the hour', async () => {
  expect(await counts('2026-03-01T23:00:00Z', '2026-03-02T01:00:00.001Z', 'hour')).toEqual([
    ['2026-03-01T23:00:00.000Z', 'logout', 1],
    ['2026-03-02T00:00:00.000Z', 'login_success', 1],
    ['2026-03-02T00:00:00.000Z', 'logout', 3],
    ['2026-03-02T01:00:00.000Z', 'logout', 1],
  ]);
});

test('Interface 11: counts by the day in UTC, independent of the time zone of the server', async () => {
  await gateway.rows(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`);
  const span = ['2026-03-01T00:00:00Z', '2026-03-04T00:00:00Z'] as const;
  const filter = { since: span[0], until: span[1] };
  const isBack = async () => (await ask(gateway, as, COUNT, { bucket: 'day', filter })).status === 200;
  await eventually('counts are answered on a new connection, in that time zone', isBack);
  const days: Count[] = [
    ['2026-03-01T00:00:00.000Z', 'logout', 1],
    ['2026-03-02T00:00:00.000Z', 'login_success', 1],
    ['2026-03-02T00:00:00.000Z', 'logout', 4],
    ['2026-03-03T00:00:00.000Z', 'logout', 1],
  ];
  expect(await counts(...span, 'day')).toEqual(days);
  expect(await counts(...span, 'day', {}, 'utc')).toEqual(days);
  const { auditCounts } = await dataOf(gateway, as, COUNT, { bucket: 'day', timeZone: null, filter });
  expect(auditCounts).toHaveLength(days.length);
});

test('Interface 11: counts by the day of a time zone', async () => {
  expect(await counts('2026-03-01T23:30:00Z', '2026-03-03T23:00:00Z', 'day', {}, 'Europe/Berlin')).toEqual([
    ['2026-03-01T23:00:00.000Z', 'login_success', 1],
    ['2026-03-01T23:00:00.000Z', 'logout', 5],
    ['2026-03-02T23:00:00.000Z', 'logout', 1],
  ]);
});

test('Interface 11: requested types also have zeros; the first bucket is the one that contains `since`', async () => {
  const eventTypes = ['logout', 'token_theft', 'logout'];
  expect(await counts('2026-03-02T00:00:01Z', '2026-03-02T02:00:00Z', 'hour', { eventTypes })).toEqual([
    ['2026-03-02T00:00:00.000Z', 'logout', 2],
    ['2026-03-02T00:00:00.000Z', 'token_theft', 0],
    ['2026-03-02T01:00:00.000Z', 'logout', 1],
    ['2026-03-02T01:00:00.000Z', 'token_theft', 0],
  ]);
  expect(await counts('2026-03-02T00:00:00Z', '2026-03-02T02:00:00Z', 'hour', { eventTypes: [] })).toEqual([]);
  expect(await counts('2026-03-02T00:00:00Z', '2026-03-02T02:00:00Z', 'hour', { eventTypes: null })).toHaveLength(3);
});

test('Interface 11: counts the events that match the filter of auditEvents, each once', async () => {
  const { id, email } = await gateway.user();
  const at = '2026-02-01T10:00:00Z';
  await insert('login_failure', at, { user: id, metadata: { email } }); // by its user and by its e-mail
  await insert('login_failure', at, { metadata: { email } });
  await insert('logout', at, { user: id, ip: '192.0.2.9' });
  await insert('logout', at, { user: BOB });
  const day = async (filter: object) => {
    const counted = await counts('2026-02-01T00:00:00Z', '2026-02-02T00:00:00Z', 'day', filter);
    return counted.map(([, eventType, count]) => `${eventType} ${count}`);
  };
  expect(await day({})).toEqual(['login_failure 2', 'logout 2']);
  expect(await day({ email })).toEqual(['login_failure 2', 'logout 1']);
  expect(await day({ email, eventTypes: ['logout', 'login_failure'] })).toEqual(['login_failure 2', 'logout 1']);
  expect(await day({ userId: BOB })).toEqual(['logout 1']);
  expect(await day({ userId: 'no-uuid' })).toEqual([]);
  expect(await day({ ipAddress: '192.0.2.9' })).toEqual(['logout 1']);
});

const A_DAY = { since: '2026-03-02T00:00:00Z', until: '2026-03-03T00:00:00Z' };

async function refusal(bucket: string, filter: object, timeZone?: string) {
  const work = countWork();
  await work.watch(gateway.app.db);
  const [answer, { statements }] = await work.during(() => ask(gateway, as, COUNT, { bucket, timeZone, filter }));
  expect(statements.filter((sql) => sql.includes('audit_events'))).toEqual([]);
  return answer;
}

test.each([
  ['of nothing', '2026-03-02T00:00:00Z', '2026-03-02T00:00:00Z', 'day', 'until'],
  ['that goes back', '2026-03-03T00:00:00Z', '2026-03-02T00:00:00Z', 'day', 'until'],
  ['of more than 1500 minutes', '2026-03-02T00:00:00Z', '2026-03-03T01:00:00.001Z', 'minute', 'bucket'],
  ['of more than 1500 hours', '2026-03-02T00:00:00Z', '2026-05-03T12:00:00.001Z', 'hour', 'bucket'],
  ['of more than 1500 days', '2020-01-01T00:00:00Z', '2026-03-02T00:00:00Z', 'day', 'bucket'],
])('Interface 11: refuses a span %s, and reads nothing', async (_what, since, until, bucket, argument) => {
  const answer = await refusal(bucket, { since, until });
  expect(answer).toMatchObject({ status: 200, code: 'BAD_USER_INPUT', reason: 'invalid_span' });
  expect([answer.data, answer.errors[0]?.extensions['argument']]).toEqual([{ auditCounts: null }, argument]);
});

test('Interface 11: refuses more than 1,500 points if types are requested, and reads nothing', async () => {
  const until = '2026-03-02T12:30:00Z'; // 750 minutes
  const two = { since: A_DAY.since, until, eventTypes: ['logout', 'token_theft', 'logout'] };
  expect(await counts(A_DAY.since, until, 'minute', two)).toHaveLength(1_500);
  const three = { ...two, eventTypes: ['logout', 'token_theft', 'login_success'] };
  expect(await refusal('minute', three)).toMatchObject({ code: 'BAD_USER_INPUT', reason: 'invalid_span' });
});

test('Interface 11: refuses an answer of more than 1,500 counts', async () => {
  await gateway.rows(
    `insert into audit_events (event_type, ip_address, metadata, created_at)
     select type, '', '{}', timestamptz '2026-01-10' + i * interval '1 min'
     from generate_series(0, 750) as i, unnest(array['logout', 'login_success']) as type`,
  );
  const filter = { since: '2026-01-10T00:00:00Z', until: '2026-01-10T12:31:00Z' };
  const answer = await ask(gateway, as, COUNT, { bucket: 'minute', filter });
  expect(answer).toMatchObject({ code: 'BAD_USER_INPUT', reason: 'invalid_span' });
  expect(await counts(filter.since, '2026-01-10T12:30:00Z', 'minute')).toHaveLength(1_500);
});

test.each(['', 'Nowhere/Town', '+03:00', '-8', 'foo bar', 'localtime', 'posixrules', "UTC'", 'Europe/Berlin\n'])(
  'Interface 11: refuses %j, which is not a time zone, and reads nothing',
  async (timeZone) => {
    const answer = await refusal('day', A_DAY, timeZone);
    expect(answer).toMatchObject({ status: 200, code: 'BAD_USER_INPUT', reason: 'invalid_time_zone' });
    expect(answer.errors[0]?.extensions['argument']).toBe('timeZone');
  },
);

test('Interface 11: counts over the longest span', async () => {
  expect(await counts('2026-03-01T00:00:00Z', '2026-03-02T01:00:00Z', 'minute')).toHaveLength(4);
  await insert('logout', '2022-03-01T00:00:00Z');
  await insert('token_theft', '2026-01-31T23:59:59.999Z');
  const days = await counts('2022-03-01T00:00:00Z', '2026-02-01T00:00:00Z', 'day');
  expect([days.at(0), days.at(-1)]).toEqual([
    ['2022-03-01T00:00:00.000Z', 'logout', 1],
    ['2026-01-31T00:00:00.000Z', 'token_theft', 1],
  ]);
});

test('Interface 11: the earliest and latest times are not an error', async () => {
  expect(await counts('0000-01-01T00:00:00Z', '0000-02-01T00:00:00Z', 'day', {}, 'Europe/Berlin')).toEqual([]);
  expect(await counts('9999-12-30T00:00:00Z', '9999-12-31T23:59:59.999Z', 'hour', {}, 'Asia/Kolkata')).toEqual([]);
});

test('Interface 7: an invalid time is the caller’s error', async () => {
  const filter = { since: 'yesterday', until: '2026-03-02T00:00:00Z' };
  expect(await ask(gateway, as, COUNT, { bucket: 'day', filter })).toMatchObject({
    status: 400,
    code: 'BAD_USER_INPUT',
  });
});
