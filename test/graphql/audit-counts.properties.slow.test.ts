/** Buckets of counts follow the local time of the time zone, also when its clocks change. (Interface 11) */
import fc from 'fast-check';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type As, dataOf, newApiKey } from '../support/gateway/graphql.js';

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const LENGTH = { minute: MINUTE, hour: HOUR, day: DAY };
type Bucket = keyof typeof LENGTH;

/** Time zones, each with an instant near which its clocks change, or do not. */
const PLACES = [
  ['UTC', '2026-03-29T00:00:00Z'],
  ['Asia/Kolkata', '2026-03-29T00:00:00Z'], // + 5:30
  ['Europe/Berlin', '2026-03-29T01:00:00Z'], // an hour forward
  ['Europe/Berlin', '2026-10-25T01:00:00Z'], // an hour back
  ['America/St_Johns', '2026-03-08T05:30:00Z'], // - 3:30, an hour forward
  ['America/St_Johns', '2006-10-29T02:31:00Z'], // an hour back, a minute after midnight
  ['Australia/Lord_Howe', '2026-04-04T15:00:00Z'], // half an hour back
  ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'], // half an hour forward
  ['America/Sao_Paulo', '2018-11-04T03:00:00Z'], // forward at midnight: that day has no midnight
  ['America/Sao_Paulo', '2018-02-18T02:00:00Z'], // back at midnight
  ['America/Caracas', '2016-05-01T07:00:00Z'], // half an hour forward
  ['Pacific/Apia', '2011-12-30T10:00:00Z'], // a day is skipped
] as const;

/** The tests count the days before and after. There is an event at each multiple of this time since the epoch. */
const REACH = 4 * DAY;
const APART = 17 * MINUTE;

let gateway: TestGateway;
let as: As;
beforeAll(async () => {
  gateway = await startGateway({ env: { AUDIT_RETENTION_DAYS: '10000' } });
  ({ as } = await newApiKey(gateway, ['audit:read']));
  await gateway.rows('delete from audit_events');
  const times = PLACES.flatMap(([, instant]) => {
    const first = Math.ceil((Date.parse(instant) - REACH) / APART);
    return Array.from({ length: Math.ceil((2 * REACH) / APART) }, (_, i) => (first + i) * APART);
  });
  await gateway.rows(
    `insert into audit_events (event_type, ip_address, metadata, created_at)
     select 'logout', '', '{}', time from unnest($1::timestamptz[]) as time`,
    [[...new Set(times)].map((time) => new Date(time))],
  );
});
afterAll(() => gateway.close());

/** The local time of the zone at an instant, as if it were UTC. */
function clockIn(timeZone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    ...({ timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' } as const),
    ...({ hour: 'numeric', minute: 'numeric' } as const),
  });
  return onceEach((at) => {
    const shown = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 0, day = 0, hour, minute } = shown;
    return Date.UTC(year, month - 1, day, hour, minute);
  });
}

/** The same function, with a cache. */
function onceEach(work: (at: number) => number): (at: number) => number {
  const known = new Map<number, number>();
  return (at) => {
    const answer = known.get(at) ?? work(at);
    known.set(at, answer);
    return answer;
  };
}

/** Looks at the clock every minute. A new date starts a day; a full hour, or a later hour, starts an hour. */
function* startsByTheClock(clock: (at: number) => number, bucket: Bucket, from: number, to: number): Generator<number> {
  const shownAt = (at: number) => Math.floor(clock(at) / LENGTH[bucket]);
  let latest = shownAt(from - MINUTE);
  for (let at = from; at < to; at += MINUTE) {
    const [shown, isWhole] = [shownAt(at), clock(at) % LENGTH[bucket] === 0];
    if (shown > latest || (isWhole && bucket !== 'day')) {
      latest = shown;
      yield at;
    }
  }
}

const COUNT = `query ($bucket: TimeBucket!, $timeZone: String, $filter: AuditCountFilter!) {
  auditCounts(bucket: $bucket, timeZone: $timeZone, filter: $filter) { bucketStart count }
}`;

test.each(PLACES)('Interface 11: buckets follow the local time of %s near %s', async (timeZone, instant) => {
  const middle = Date.parse(instant);
  const [from, to] = [middle - REACH, middle + REACH];
  const clock = clockIn(timeZone);
  const starts = { day: [] as number[], hour: [] as number[], minute: [] as number[] };
  for (const bucket of ['day', 'hour', 'minute'] as const) {
    starts[bucket] = [...startsByTheClock(clock, bucket, from, to)];
  }
  const span = fc.record({
    bucket: fc.constantFrom<Bucket[]>('day', 'hour', 'minute'),
    since: fc.integer({ min: -2 * DAY, max: 2 * DAY }),
    milliseconds: fc.integer({ min: 1, max: 2 * DAY }),
  });
  await fc.assert(
    fc.asyncProperty(span, async ({ bucket, since, milliseconds }) => {
      const first = middle + since;
      const until = first + (bucket === 'minute' ? Math.ceil(milliseconds / 3) : milliseconds);
      const expected = starts[bucket].flatMap((start, i) => {
        const end = starts[bucket][i + 1] ?? to;
        if (end <= first || start >= until) return [];
        const [begin, stop] = [Math.max(start, first), Math.min(end, until)];
        const before = (at: number) => Math.ceil(at / APART); // events before an instant
        return [{ bucketStart: new Date(start).toISOString(), count: before(stop) - before(begin) }];
      });
      const filter = { since: new Date(first), until: new Date(until), eventTypes: ['logout'] };
      const { auditCounts } = await dataOf(gateway, as, COUNT, { bucket, timeZone, filter });
      expect(auditCounts).toEqual(expected);
    }),
    { numRuns: 20 },
  );
});

test.each([
  ['Europe/Berlin', '2026-03-28T12:00:00Z', [24, 23, 24]],
  ['Europe/Berlin', '2026-10-24T12:00:00Z', [24, 25, 24]],
  ['America/St_Johns', '2006-10-28T12:00:00Z', [24, 25, 24]],
  ['Australia/Lord_Howe', '2026-04-04T00:00:00Z', [24, 24.5, 24]],
  ['America/Sao_Paulo', '2018-11-03T12:00:00Z', [24, 23, 24]],
  ['Pacific/Apia', '2011-12-29T00:00:00Z', [24, 24, 24]], // the 28th, the 29th, and then the 31st
])('Interface 11: days of %s from %s on last %j hours', async (timeZone, since, hours) => {
  const until = new Date(Date.parse(since) + 4 * DAY);
  const filter = { since, until, eventTypes: ['logout'] };
  const { auditCounts } = await dataOf(gateway, as, COUNT, { bucket: 'day', timeZone, filter });
  const starts = auditCounts.map(({ bucketStart }: { bucketStart: string }) => Date.parse(bucketStart));
  expect(hours.map((_, i) => (starts[i + 1] - starts[i]) / HOUR)).toEqual(hours);
  expect(starts[0]).toBeLessThanOrEqual(Date.parse(since));
});
