/** A gateway of its own, which notices by itself that its clock or its database is faulty. (Interface 10) */
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Instance, logIn, send, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { ask, newcomer } from '../support/gateway/graphql.js';
import { login, refresh } from '../support/gateway/routes.js';
import { wholeState } from '../support/gateway/rows.js';
import { type ServerProcess, startProcess } from '../support/gateway/server-process.js';
import { whileAway } from '../support/postgres/faults.js';
import { until } from '../support/until.js';

const DAY_MS = 86_400_000;

let gateway: TestGateway;
let folder: string;
let clockFile: string;
beforeAll(async () => {
  gateway = await startGateway({ passwords: 'argon2' });
  folder = await mkdtemp(join(tmpdir(), 'gateway-clock-'));
  clockFile = join(folder, 'ahead');
});
afterAll(async () => {
  await gateway.close();
  await rm(folder, { recursive: true });
});

/** At once, so that nobody reads half of it. */
async function moveClock(aheadMs: number): Promise<void> {
  await writeFile(`${clockFile}.new`, String(aheadMs / 1000));
  await rename(`${clockFile}.new`, clockFile);
}

interface Watched extends Instance {
  server: ServerProcess;
  /** What it has logged of the database and of the clocks, in turn */
  reported(): string[];
}

async function startWatched(): Promise<Watched> {
  const server = await startProcess(gateway, {
    LOGIN_RATE_LIMIT: '1000000',
    MOVED_CLOCK_FILE: clockFile,
    NODE_OPTIONS: `--import=${new URL('../../proof/evidence/lab/moved-clock.ts', import.meta.url).href}`,
  });
  const reported: string[] = [];
  if (server.process.stdout === null) throw new Error('its log is not read');
  createInterface({ input: server.process.stdout }).on('line', (line) => {
    const { msg } = JSON.parse(line);
    if (/^(database is|the clock)/.test(msg)) reported.push(msg);
  });
  const { url } = server;
  const instance = { ...gateway, url, send: (...request: Parameters<Instance['send']>) => send(url, ...request) };
  await until('it listens', async () => (await statusOf(url, '/health/live')) === 200);
  return { ...instance, server, reported: () => [...reported] };
}

const statusOf = async (url: string, path: string): Promise<number | undefined> =>
  (await send(url, 'GET', path).catch(() => undefined))?.status;

const FAR = 'the clock here and that of the database are far apart';
const CLOSE = 'the clock here and that of the database are close';

test('Interface 10: an instance at +400 and at -400 days issues nothing and undoes nothing, and comes back by itself', async () => {
  const { email } = await gateway.user();
  const user = await newcomer(gateway);
  await moveClock(400 * DAY_MS);
  const watched = await startWatched();
  await using _ = watched.server;

  const isWrong = async (): Promise<void> => {
    const ready = await watched.send('GET', '/health/ready');
    expect([ready.status, ready.json.checks]).toEqual([503, { database: 'ok', clock: 'skewed' }]);
    const before = await wholeState(gateway);
    const { refreshToken } = user;
    const answers = [
      await login(watched, email),
      await refresh(watched, refreshToken),
      await ask(watched, user.as, '{ caller { callerType } }'),
    ];
    expect(answers.map(({ status, cookies }) => [status, cookies])).toEqual(answers.map(() => [503, []]));
    expect(await wholeState(gateway)).toEqual(before);
  };
  const isRightAgain = async (): Promise<void> => {
    await until('it is ready', async () => (await statusOf(watched.url, '/health/ready')) === 200);
    const { refreshToken } = await logIn(watched, email);
    expect((await refresh(watched, refreshToken)).status).toBe(200);
  };

  await isWrong();
  await moveClock(0);
  await isRightAgain();
  await until('both are reported', () => watched.reported().length === 2);
  await moveClock(-400 * DAY_MS);
  await until('a login finds it', async () => (await login(watched, email)).status === 503);
  await isWrong();
  await moveClock(0);
  await isRightAgain();
  await until('all are reported', () => watched.reported().length >= 4);
  expect(watched.reported()).toEqual([FAR, CLOSE, FAR, CLOSE]);
});

test('Interface 10: a clock that goes wrong is reported without a request', async () => {
  await moveClock(0);
  const watched = await startWatched();
  await using _ = watched.server;
  await moveClock(-400 * DAY_MS);
  await until('it is reported', () => watched.reported().includes(FAR));
  await moveClock(0);
  await until('so is the end', () => watched.reported().includes(CLOSE));
});

test('Interface 14: a database that goes away is reported once, and so is its return without a request', async () => {
  await moveClock(0);
  const watched = await startWatched();
  await using _ = watched.server;
  await whileAway(gateway.database, () =>
    until('it is reported', () => watched.reported().includes('database is unreachable')),
  );
  await until('so is its return', () => watched.reported().includes('database is ok again'));
  expect(watched.reported()).toEqual(['database is unreachable', 'database is ok again']);
});
