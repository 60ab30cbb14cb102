/** CONTRACT 11: counts of the audit log by type and time bucket, for plots. */
import { startGateway, type TestGateway } from '../support/gateway.js';
import { type As, ask, dataOf, newApiKey } from '../support/graphql.js';
import { until } from '../support/until.js';

let gateway: TestGateway;
let as: As;
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
  for (const [at, type] of events) {
    await gateway.rows(
      `insert into audit_events (event_type, ip_address, metadata, created_at) values ($1, '', '{}', $2)`,
      [type, at],
    );
  }
  // What a session of the server thinks of time zones must not matter.
  await gateway.rows(`alter database ${gateway.database.name} set timezone to 'Asia/Kathmandu'`);
});
afterAll(() => gateway.close());

const COUNT = `query ($since: DateTime!, $until: DateTime!, $bucket: TimeBucket!) {
  auditCounts(since: $since, until: $until, bucket: $bucket) { bucketStart eventType count }
}`;

async function counts(since: string, until: string, bucket: string): Promise<Array<[string, string, number]>> {
  const { auditCounts } = await dataOf(gateway, as, COUNT, { since, until, bucket });
  return auditCounts.map((row: { bucketStart: string; eventType: string; count: number }) => [
    row.bucketStart,
    row.eventType,
    row.count,
  ]);
}

test('CONTRACT 11 counts by the minute, from since (inclusive) until (exclusive), oldest first', async () => {
  expect(await counts('2026-03-02T00:00:00Z', '2026-03-02T01:00:00Z', 'minute')).toEqual([
    ['2026-03-02T00:00:00.000Z', 'login_success', 1],
    ['2026-03-02T00:00:00.000Z', 'logout', 2],
    ['2026-03-02T00:01:00.000Z', 'logout', 1],
  ]);
});

test('CONTRACT 11 counts by the hour', async () => {
  expect(await counts('2026-03-01T23:00:00Z', '2026-03-02T01:00:00.001Z', 'hour')).toEqual([
    ['2026-03-01T23:00:00.000Z', 'logout', 1],
    ['2026-03-02T00:00:00.000Z', 'login_success', 1],
    ['2026-03-02T00:00:00.000Z', 'logout', 3],
    ['2026-03-02T01:00:00.000Z', 'logout', 1],
  ]);
});

test('CONTRACT 11 counts by the day of UTC, whatever the time zone of the server', async () => {
  await gateway.rows(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`);
  const span = { since: '2026-03-01T00:00:00Z', until: '2026-03-04T00:00:00Z', bucket: 'day' };
  const isBack = async () => (await ask(gateway, as, COUNT, span)).status === 200;
  await until('counts are answered on a new connection, in that time zone', isBack);
  expect(await counts(span.since, span.until, span.bucket)).toEqual([
    ['2026-03-01T00:00:00.000Z', 'logout', 1],
    ['2026-03-02T00:00:00.000Z', 'login_success', 1],
    ['2026-03-02T00:00:00.000Z', 'logout', 4],
    ['2026-03-03T00:00:00.000Z', 'logout', 1],
  ]);
});

test.each([
  ['of nothing', '2026-03-02T00:00:00Z', '2026-03-02T00:00:00Z', 'day'],
  ['that goes back', '2026-03-03T00:00:00Z', '2026-03-02T00:00:00Z', 'day'],
  ['of more than 1500 minutes', '2026-03-02T00:00:00Z', '2026-03-03T01:00:00.001Z', 'minute'],
  ['of more than 1500 hours', '2026-03-02T00:00:00Z', '2026-05-03T12:00:00.001Z', 'hour'],
  ['of more than 1500 days', '2020-01-01T00:00:00Z', '2026-03-02T00:00:00Z', 'day'],
])('CONTRACT 11 refuses a span %s', async (_what, since, until, bucket) => {
  const answer = await ask(gateway, as, COUNT, { since, until, bucket });
  expect(answer).toMatchObject({ status: 200, code: 'BAD_USER_INPUT', data: null });
});

test('CONTRACT 11 counts over the longest span', async () => {
  expect(await counts('2026-03-01T00:00:00Z', '2026-03-02T01:00:00Z', 'minute')).toHaveLength(4);
  expect(await counts('2022-03-01T00:00:00Z', '2026-04-09T00:00:00Z', 'day')).toHaveLength(4);
});

test('CONTRACT 7 a time that is none is the fault of the caller', async () => {
  const variables = { since: 'yesterday', until: '2026-03-02T00:00:00Z', bucket: 'day' };
  expect(await ask(gateway, as, COUNT, variables)).toMatchObject({ status: 400, code: 'BAD_USER_INPUT' });
});
