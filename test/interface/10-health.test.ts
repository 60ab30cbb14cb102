/** Health checks. (Interface 10) */
import { runningClock } from '../support/gateway/clock.js';
import { type Answer, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { captureLog } from '../support/gateway/log.js';
import { login } from '../support/gateway/routes.js';
import { figureOf, readMetrics } from '../support/independent/prometheus.js';
import { whileAway, whileReadOnly } from '../support/postgres/faults.js';
import { until } from '../support/until.js';

const captured = captureLog();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ log: captured.log, clock: runningClock(), maxSkewSeconds: 60 });
});
beforeEach(() => skewClock(0));
afterAll(() => gateway.close());

/** The gateway's clock that many seconds ahead of the database's. */
function skewClock(seconds: number): void {
  gateway.clock.set(new Date(Date.now() + seconds * 1000));
}

const ready = (): Promise<Answer> => gateway.send('GET', '/health/ready');

/** A 503 with these words, and all that Interface 5 asks of one. */
async function expectUnready(checks: object, more: object = {}): Promise<void> {
  const answer = await ready();
  expect([answer.status, answer.json]).toEqual([
    503,
    {
      detail: 'Service temporarily unavailable, try again later',
      reason: 'unavailable',
      status: 'unavailable',
      checks,
      ...more,
    },
  ]);
  expect(answer.headers['retry-after']).toBe('5');
}

async function expectReady(): Promise<void> {
  const answer = await ready();
  expect([answer.status, answer.json]).toEqual([200, { status: 'ok', checks: { database: 'ok', clock: 'ok' } }]);
}

test('Interface 10: live and ready are 200 while the database answers', async () => {
  const live = await gateway.send('GET', '/health/live');
  expect([live.status, live.json]).toEqual([200, { status: 'ok' }]);
  await expectReady();
  expect((await ready()).headers['cache-control']).toBe('no-store');
  const head = await gateway.send('HEAD', '/health/ready');
  expect([head.status, head.text]).toEqual([200, '']);
});

test('Interface 10: without the database live stays 200, ready is 503 and comes back by itself', async () => {
  await whileAway(gateway.database, async () => {
    expect((await gateway.send('GET', '/health/live')).status).toBe(200);
    await expectUnready({ database: 'unreachable', clock: 'unknown' });
    expect((await gateway.send('HEAD', '/health/ready')).status).toBe(503);
  });
  await expectReady();
});

test('Interface 10: a database that does not answer is unreachable, before requests give up', async () => {
  const { pool } = gateway.app.db;
  const held = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  const givenUp = login(gateway, 'nobody@example.com').then(() => 'login');
  const reported = expectUnready({ database: 'unreachable', clock: 'unknown' }).then(() => 'ready');
  expect(await Promise.race([givenUp, reported])).toBe('ready');
  await givenUp;
  for (const client of held) client.release();
  await expectReady();
});

test('Interface 10: a database that takes no writes is not ready, and neither is what needs them', async () => {
  await whileReadOnly(gateway.database, async () => {
    await until('it is asked on a new connection', async () => (await ready()).json.checks.clock === 'ok');
    await expectUnready({ database: 'read_only', clock: 'ok' });
    expect((await login(gateway, 'nobody@example.com')).status).toBe(503);
  });
  await until('it takes writes again', async () => (await ready()).status === 200);
});

const aboutClocks = () => captured.lines().filter(({ clock_skew_seconds }) => clock_skew_seconds !== undefined);
const saidSince = (count: number) =>
  aboutClocks()
    .map(({ level, msg }) => `${level}: ${msg}`)
    .slice(count);

const INSTANT = expect.stringMatching(/^20\d\d-.*Z$/);
const clocksApart = (seconds: number, meaning: unknown): object => ({
  here: INSTANT,
  database: INSTANT,
  ahead_seconds: expect.closeTo(seconds, 0),
  meaning,
});

test.each([
  ['ahead', 1],
  ['behind', -1],
])(
  'Interface 10: a clock that is %s of the database is reported beyond 5 s, once a change, and not ready beyond 60 s',
  async (_, sign) => {
    await expectReady();
    const before = aboutClocks().length;
    for (const seconds of [30, 40]) {
      skewClock(sign * seconds);
      await expectReady();
    }
    expect(saidSince(before)).toEqual(['warn: the clock here and that of the database are apart']);
    skewClock(sign * 90);
    const side = sign > 0 ? 'ahead of' : 'behind';
    const meaning = expect.stringMatching(
      new RegExp(`^the clock of this host is (90|89)(\\.\\d)? s ${side} the database's; one of the two is wrong`),
    );
    for (let i = 0; i < 2; i += 1)
      await expectUnready({ database: 'ok', clock: 'skewed' }, { clocks: clocksApart(90 * sign, meaning) });
    expect(saidSince(before + 1)).toEqual(['warn: the clock here and that of the database are far apart']);
    const logged = aboutClocks().at(-1);
    expect(Number(logged?.['clock_skew_seconds']) * sign).toBeGreaterThan(80);
    expect(logged?.['meaning']).toEqual(meaning);
    const [here, database] = ['clock_here', 'clock_database'].map((name) => Date.parse(String(logged?.[name])));
    expect((Number(here) - Number(database)) / 1000).toBeCloseTo(90 * sign, 0);
    skewClock(0);
    await expectReady();
    expect(saidSince(before + 2)).toEqual(['info: the clock here and that of the database are close']);
  },
);

test('Interface 14: the clock is measured by readiness checks and by scrapes', async () => {
  const measured = async (): Promise<number> => {
    const { text } = await gateway.send('GET', '/metrics');
    return figureOf(readMetrics(text), 'auth_gateway_clock_skew_seconds') ?? 0;
  };
  skewClock(1_000);
  await ready();
  expect(await measured()).toBeGreaterThan(900);
  skewClock(-1_000);
  await until('a scrape has looked', async () => (await measured()) < -900);
});

test('Interface 10: a request id of the caller comes back where it is plain, else a new one', async () => {
  const idFor = async (given: string): Promise<unknown> =>
    (await gateway.send('GET', '/health/live', { headers: { 'x-request-id': given } })).headers['x-request-id'];
  expect(await idFor('abc-123.D_e:f')).toBe('abc-123.D_e:f');
  for (const odd of ['', 'a b', 'x"y', '<x>', 'x'.repeat(129)]) {
    expect(await idFor(odd)).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  }
});
