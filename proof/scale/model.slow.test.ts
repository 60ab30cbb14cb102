/** docs/scale.md: what the model says, held against values worked out by hand, and what the simulation has found. */
import {
  readCluster,
  readCosts,
  readSimulation,
  readSizes,
  scaleNeeds,
} from '../../test/support/documents/scale-tables.js';
import {
  type Costs,
  deviationOf,
  extrapolate,
  holds,
  levelAt,
  medianStep,
  needOf,
  type Size,
  type Step,
} from './model.js';

/** Round figures */
const COSTS: Costs = {
  cpu: {
    date: '2026-01-01',
    commit: '0000000',
    gateway_us_refresh: 100,
    postgres_us_refresh: 50,
    gateway_us_logout: 100,
    postgres_us_logout: 100,
    gateway_us_login: 20_000,
    postgres_us_login: 400,
  },
  disk: {
    date: '2026-01-01',
    commit: '0000000',
    wal_bytes_refresh: 500,
    wal_bytes_login: 2_000,
    wal_bytes_logout: 1_000,
    bytes_record: 400,
    bytes_session: 200,
    bytes_event: 600,
  },
};

test('9 million people for 8 hours a day: 10,000 refreshes and 2,500 logins a second', () => {
  expect(needOf({ users: 9e6, hoursADay: 8 }, COSTS)).toEqual({
    refreshesASecond: 10_000,
    loginsASecond: 2_500,
    gatewayCores: 2 * (1 + 50 + 0.25), // half busy
    postgresCores: 2 * (0.5 + 1 + 0.25),
    walBytesASecond: 5e6 + 5e6 + 2.5e6,
    records: 9e6 * 16 * 33, // a login and 32 refreshes a day, for 16 days
    sessionBytes: 9e6 * 16 * (200 + 33 * 400),
    auditBytes: 9e6 * 365 * 2 * 600,
  });
});

test('with 24 hours a day logins are spread over the day, and refreshes are as many', () => {
  const need = needOf({ users: 864_000, hoursADay: 24 }, COSTS);
  expect(need.loginsASecond).toBe(10);
  expect(need.refreshesASecond).toBe(960);
  expect(need.records).toBe(864_000 * 16 * 97);
});

test.each([
  [109, 0.1, true],
  [91, 0.1, true],
  [111, 0.1, false],
  [89, 0.1, false],
])('%p measured where 100 were expected, %p apart at most: %p', (measured, tolerance, expected) => {
  const checked = { what: 'a figure', expected: 100, measured, tolerance };
  expect(deviationOf(checked)).toBeCloseTo(measured / 100 - 1);
  expect(holds(checked)).toBe(expected);
});

test('the simulation that the page quotes has checked three figures, and they hold', () => {
  const { checked, records } = readSimulation();
  expect(records).toBeGreaterThan(5_000_000);
  expect(checked.map(({ what }) => what)).toEqual([
    'disk of the sessions of a user, kB',
    'log of a refresh, bytes',
    'PostgreSQL of a refresh, µs',
  ]);
  expect(checked.filter((each) => !holds(each))).toEqual([]);
});

test('the page has a row for each of four numbers of people, for 8 and for 24 hours a day', () => {
  expect(scaleNeeds().match(/^\| [\d,]+ \| \d+ \|/gm)).toHaveLength(8);
  expect(Object.values({ ...readCosts().cpu, ...readCosts().disk })).not.toContain(null);
});

test('what a decade of records adds, the next one adds too', () => {
  const size = (records: number, bytesOfRecord: number): Size => ({ records, bytesOfRecord }) as Size;
  const bytes = (each: Size): number => each.bytesOfRecord;
  expect(extrapolate(bytes, [size(1e6, 20), size(1e7, 23)], 10)).toBe(26);
  expect(extrapolate(bytes, [size(1e5, 20), size(1e7, 24)], 100)).toBe(28);
});

test.each([
  // 100 children a page: a root above 100 leaves, one level more above 101
  [{ name: 'i', level: 1, leaves: 100, inner: 1 }, 1, 1],
  [{ name: 'i', level: 1, leaves: 100, inner: 1 }, 100, 2],
  [{ name: 'i', level: 1, leaves: 100, inner: 1 }, 101, 3],
])('an index %p with %p times the leaves has its root at level %p', (index, times, expected) => {
  expect(levelAt(index, times)).toBe(expected);
});

test('of several rounds each figure has its median, and the most lag of all', () => {
  const step = (figure: number): Step => ({
    ...{ what: 'a step', gateways: 1, connections: 64, between: 'all' },
    ...{ rate: figure, medianMs: figure, walBytes: figure, statements: figure, pages: figure },
    cpuUs: { gateways: figure, haproxy: 0, pgbouncer: 0, primary: 10 - figure, replica: 0, redis: 0 },
    lagBytes: { median: figure, most: figure },
    lagMs: { median: figure, most: figure },
  });
  expect(medianStep([step(3), step(1), step(2)])).toEqual({
    ...step(2),
    lagBytes: { median: 2, most: 3 },
    lagMs: { median: 2, most: 3 },
  });
});

test('nothing that the page quotes was lost in a promotion, of thousands that were checked', () => {
  const { promotions } = readCluster();
  expect(promotions.map(({ how, lost }) => [how, lost])).toEqual([
    ['promoted', 0],
    ['power loss', 0],
  ]);
  for (const { checked } of promotions) expect(checked).toBeGreaterThan(5_000);
});

test('both sizes that the page quotes were measured, during a vacuum', () => {
  const { sizes } = readSizes();
  expect(sizes.map(({ records }) => records)).toEqual([1_000_000, 10_000_000]);
  for (const { vacuums } of sizes) expect(vacuums).toBeGreaterThan(0);
});
