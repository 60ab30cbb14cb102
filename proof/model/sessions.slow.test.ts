/**
 * The browser's client and the gateway together (Interface 12, 13 and 20), in random schedules of what users, browsers,
 * networks and thieves do, in virtual time. MODEL_SCHEDULES says how many of each kind and MODEL_SEED which: it is
 * printed. A schedule that fails is shrunk and printed as a story.
 */
import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { CUT_OFF_MS } from '../../client/src/refresh.js';
import { withTotp } from '../../test/support/gateway/factors.js';
import { startGateway, type TestGateway } from '../../test/support/gateway/gateway.js';
import { type Kind, type Schedule, schedules } from './acts.js';
import { NO_FAULT } from './faults.js';
import { type Run, runSchedule } from './run.js';
import { noCounts } from './server.js';

/** The same seed in each run of the tests, another one in each run of its own. */
const { MODEL_SCHEDULES, MODEL_SEED } = process.env;
const numRuns = Number(MODEL_SCHEDULES ?? 60);
const seed = Number(MODEL_SEED ?? (MODEL_SCHEDULES === undefined ? 1 : randomInt(2 ** 31)));
/** What a schedule may take on the average before the run is given up, and what comes before and after them */
const [SLOWEST_MS, SETUP_MS] = [1_000, 300_000];
const LIMIT_MS = SETUP_MS + numRuns * SLOWEST_MS;

const HONEST: Kind = {
  isHard: true,
  isFair: true,
  mayLose: false,
  hasThief: false,
  maxDelayMs: 10_000,
  kinds: ['request lost', 'answer lost', 'cut', 'unavailable', 'portal', 'limited'],
  isDoubled: true,
};

/** Every answer comes, and within what the client waits for it. */
const PROMPT: Kind = {
  hasThief: false,
  isHard: false,
  isFair: false,
  mayLose: false,
  maxDelayMs: (CUT_OFF_MS - 100) / 2,
  kinds: ['unavailable', 'portal', 'limited'],
  isDoubled: false,
};

const say = (line: string): void => void process.stderr.write(`model: ${line}\n`);
let gateway: TestGateway;
let users: Run['users'];
let owner: Run['owner'];
let counts = noCounts();
beforeAll(async () => {
  say(`MODEL_SEED=${seed} MODEL_SCHEDULES=${numRuns}`);
  gateway = await startGateway({ env: { REFRESH_RETRY: 'true' }, instances: 2 });
  users = [await gateway.user(), await gateway.user()];
  owner = (await withTotp(gateway)).user;
});
beforeEach(() => {
  counts = noCounts();
});
afterEach(() => say(`${expect.getState().currentTestName}: ${JSON.stringify(counts)}`));
afterAll(() => gateway?.close());

function property(kind: Kind, run: Partial<Run> = {}) {
  return fc.asyncProperty(schedules(kind), (schedule) =>
    runSchedule({ gateway, users, owner, counts, ...run }, schedule),
  );
}

test(
  'without a thief no session is lost',
  async () => {
    await fc.assert(property(HONEST), { numRuns, seed });
    const { retries, logouts_failed, logouts_done, second_factors, half_given_up, confirmations } = counts;
    const happened = [retries, logouts_failed, logouts_done, second_factors, half_given_up, confirmations];
    expect(Math.min(...happened)).toBeGreaterThan(0);
  },
  LIMIT_MS,
);

test(
  'a thief who has the cookie but not the key gains nothing',
  async () => {
    await fc.assert(property({ ...HONEST, hasThief: true, isFair: false, mayLose: true, maxDelayMs: 3_600_000 }), {
      numRuns,
      seed,
    });
    expect(Math.min(counts.thefts, counts.tokens_of_thieves, counts.retries)).toBeGreaterThan(0);
  },
  LIMIT_MS,
);

describe('without REFRESH_RETRY', () => {
  let run: Pick<Run, 'gateway' | 'users' | 'owner'>;
  let withoutRetry: TestGateway;
  beforeAll(async () => {
    withoutRetry = await startGateway({ instances: 2 });
    const users = [await withoutRetry.user(), await withoutRetry.user()];
    run = { gateway: withoutRetry, users, owner: (await withTotp(withoutRetry)).user };
  });
  afterAll(() => withoutRetry?.close());

  test(
    'the client alone loses no session',
    async () => {
      await fc.assert(property(PROMPT, run), { numRuns, seed });
      expect(counts.retries).toBe(0);
    },
    LIMIT_MS,
  );

  test('a login waits for the logout of a page that had its token too late and is gone', async () => {
    // As a run of 4,000 schedules found it: page 4 is given a token while another page is logged out, and logs out itself.
    const schedule: Schedule = {
      acts: [
        { afterMs: 0, act: { kind: 'reload', tab: 0, asks: 0 } },
        { afterMs: 0, act: { kind: 'open', asks: 0 } },
        { afterMs: 0, act: { kind: 'call', tab: 0, isRefused: false } },
        { afterMs: 0, act: { kind: 'reload', tab: 0, asks: 0 } },
        { afterMs: 0, act: { kind: 'logout', tab: 0 } },
        { afterMs: 0, act: { kind: 'reload', tab: 0, asks: 0 } },
        { afterMs: 0, act: { kind: 'login', tab: 3, user: 0 } },
        { afterMs: 40, act: { kind: 'reload', tab: 0, asks: 0 } },
      ],
      faults: [
        { ...NO_FAULT, thereMs: 0, backMs: 0, toldMs: undefined, isLate: false },
        { ...NO_FAULT, thereMs: 0, backMs: 0, toldMs: undefined, isLate: false },
        NO_FAULT,
        NO_FAULT,
        { ...NO_FAULT, thereMs: 0, backMs: 81, toldMs: undefined, isLate: false },
      ],
      isFair: false,
      mayLose: false,
      seed: 0,
    };
    await runSchedule({ ...run, counts }, schedule);
    expect(counts.sessions_kept).toBe(1);
  });

  test('a login waits for the answer to a page that is gone, also after a logout that did not', async () => {
    const schedule: Schedule = {
      acts: [
        { afterMs: 0, act: { kind: 'reload', tab: 0, asks: 1 } }, // asks
        { afterMs: 30, act: { kind: 'reload', tab: 0, asks: 0 } }, // and is gone; its answer deletes the cookie
        { afterMs: 0, act: { kind: 'logout', tab: 0 } },
        { afterMs: 60, act: { kind: 'login', tab: 0, user: 0 } },
      ],
      faults: [{ ...NO_FAULT, thereMs: 1_000 }],
      isFair: false,
      mayLose: false,
      seed: 0,
    };
    await runSchedule({ ...run, counts }, schedule);
    expect(counts.sessions_kept).toBe(1);
  });

  test('a page that tries again waits for the answer to a page that is gone, as a new page does', async () => {
    const schedule: Schedule = {
      acts: [
        { afterMs: 0, act: { kind: 'reload', tab: 0, asks: 1 } }, // is answered 503, and tries again after 2 s and more
        { afterMs: 2_300, act: { kind: 'open', asks: 1 } }, // asks just before
        { afterMs: 50, act: { kind: 'close', tab: 1 } }, // and is gone
      ],
      faults: [
        { ...NO_FAULT, kind: 'unavailable' },
        { ...NO_FAULT, thereMs: 1_100 },
      ],
      isFair: false,
      mayLose: false,
      seed: 0,
    };
    await runSchedule({ ...run, counts }, schedule);
    expect(counts.sessions_kept).toBe(1);
  });
});

type Fields = Record<string, string>;

/** The model has eyes: each of these is a fault that it finds. */
test.each<[fault: string, run: Partial<Run>]>([
  ['no key is sent', { withhold: ({ 'refresh-retry': _, ...fields }: Fields) => fields }],
  ['`previous` is ignored', { withhold: withoutPrevious }],
  ['the key is not stored', { keep: withoutKeys }],
  ['a logout is not stored', { keep: withoutLogout }],
])('it is found if %s', async (_fault, run) => {
  const found = await fc.check(property(HONEST, run), { numRuns: 1_500, seed, endOnFailure: true });
  expect(found.errorInstance).toMatchObject({ message: expect.stringMatching(/lost|token_theft|still logged in/) });
});

function withoutKeys(stored: string): string {
  return stored === '' ? stored : JSON.stringify({ ...JSON.parse(stored), key: undefined, previous: undefined });
}

function withoutLogout(stored: string): string {
  return stored === '' ? stored : JSON.stringify({ ...JSON.parse(stored), isLeaving: undefined });
}

function withoutPrevious({ 'refresh-retry': field, ...fields }: Fields): Fields {
  return field === undefined ? fields : { ...fields, 'refresh-retry': field.replace(/, previous=.*/, '') };
}
