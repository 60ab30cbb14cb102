/** Ten times more logins than can be hashed: memory stays bounded, clients that cannot be served get their 503 in time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Experiment, LATE_MS, type Row } from '../experiment.js';
import { login, refresh } from '../lab/browser.js';
import { type Instance, prepareGateways } from '../lab/gateways.js';
import { inLanes, upTo } from '../lab/lanes.js';
import { BESIDE_THE_LOAD, generateLoad } from '../lab/load.js';
import type { Answers, Load, Measured } from '../lab/load-generator.js';
import { mintSessions } from '../lab/minted.js';
import { startPostgres } from '../lab/postgres.js';
import { memoryOf } from '../lab/process.js';
import { percentile } from '../lab/stats.js';
import { createUsers, PASSWORD } from '../lab/users.js';

const SECONDS = { small: 7, full: 60 };
const QUIET_SECONDS = { small: 2, full: 10 };
const TIMES = 10;
const USERS = 50;
/** Logins by which is found how many can be hashed in a second */
const TO_MEASURE = 40;
const SAMPLE_MS = 200;
const MOST_MIB = 300;
/** It is normal again when a login is answered 200 within this: milliseconds. */
const NORMAL_MS = 1_000;
const MOST_SECONDS = 60;
const EXPECTED = [200, 401, 429, 503];

const BOUNDS = `MAX_EXPECTED_SECONDS = 2;
/** One that has waited this long is refused when its turn comes, so that every 503 is sent within 5 s. */
const MAX_WAIT_SECONDS = 4;
/** Waiting logins, whatever their expected wait; each takes a few KiB. */
const MAX_LOGINS = 1_024;`;

export const overload: Experiment = {
  name: 'overload',
  isAlone: true,
  mutants: [
    {
      name: 'the queue of passwords has no bound',
      file: 'src/credentials/passwords/password-queue.ts',
      from: BOUNDS,
      to: BOUNDS.replaceAll(/= ([0-9_]+);/g, '= $1 * 1_000;'),
      foundBy: /^a login answered later/,
    },
  ],
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    const gateways = await prepareGateways(lab, db.url);
    const instance = await gateways.start({}, { wrapper: BESIDE_THE_LOAD });
    const emails = await createUsers(gateways, db, USERS);
    const [first = '', second = '', third = ''] = await mintSessions(gateways, db, emails[0] ?? '', 3);
    const { body } = await refresh(instance.url, third);
    const load: Load = {
      ...{ url: instance.url, emails, password: PASSWORD, accessToken: String(body['access_token']) },
      ...{ seconds: QUIET_SECONDS[size], loginsPerSecond: 0, refreshToken: first },
    };

    const perSecond = await loginsPerSecond(instance, emails);
    const quietMib = memoryOf(instance.process.pid ?? 0).residentMib;
    const quiet = await generateLoad(lab, load);
    lab.say(`${perSecond.toFixed(1)} logins a second can be hashed; ${TIMES} times more follow for ${SECONDS[size]} s`);
    const memory = watchMemory(instance);
    const loginRate = TIMES * perSecond;
    const busy = await generateLoad(lab, {
      ...load,
      ...{ seconds: SECONDS[size], loginsPerSecond: loginRate, refreshToken: second },
    });
    const samples = await memory.stop();
    const seconds = busy.drainSeconds + (await secondsUntilNormal(instance, emails[1] ?? ''));

    const refused = busy.login.filter(([status]) => status === 503);
    const late = busy.login.filter(([, ms]) => ms > LATE_MS[size]);
    const all = [...busy.login, ...busy.refresh, ...busy.caller, ...busy.health];
    const strange = all.filter(([status]) => !EXPECTED.includes(status));
    return [
      {
        what: `more than ${MOST_MIB} MiB of memory under ${TIMES} times more logins than can be hashed`,
        trials: samples.length,
        least: SECONDS[size],
        violations: samples.filter((mib) => mib > MOST_MIB).length,
        figures: { mib_max: memoryOf(instance.process.pid ?? 0).peakMib, mib_before: quietMib },
      },
      {
        what: `a 503 later than ${LATE_MS[size] / 1000} s in overload`,
        trials: refused.length,
        least: busy.login.length / 2, // most cannot be hashed
        violations: late.filter(([status]) => status === 503).length,
        figures: { p99_ms: p99(refused), max_ms: Math.max(0, ...refused.map(([, ms]) => ms)) },
      },
      {
        what: `a login answered later than ${LATE_MS[size] / 1000} s, or not at all, in overload`,
        trials: busy.login.length,
        least: SECONDS[size] * TIMES,
        violations: late.length,
      },
      {
        what: 'answers other than 200, 401, 429 and 503 in overload',
        trials: all.length,
        least: SECONDS[size] * TIMES,
        violations: strange.length,
        figures: { logins_a_second: loginRate, hashed_a_second: perSecond },
        examples: strange.map(([status]) => `answered ${status}`),
      },
      besides(quiet, busy, seconds),
    ];
  },
};

function besides(quiet: Answers, busy: Answers, secondsUntilNormal: number): Row {
  return {
    what: 'not normal again within a minute after overload',
    trials: 1,
    least: 1,
    violations: secondsUntilNormal > MOST_SECONDS ? 1 : 0,
    figures: {
      seconds_until_normal: secondsUntilNormal,
      accepted_login_p99_ms: p99(busy.login.filter(([status]) => status === 200)),
      ...Object.fromEntries(
        (['refresh', 'caller', 'health'] as const).flatMap((kind) => [
          [`${kind}_p99_ms`, p99(busy[kind])],
          [`quiet_${kind}_p99_ms`, p99(quiet[kind])],
        ]),
      ),
    },
  };
}

function p99(answers: Measured[]): number {
  return percentile(
    answers.map(([, ms]) => ms),
    0.99,
  );
}

async function loginsPerSecond({ url }: Instance, emails: string[]): Promise<number> {
  const send = (index: number): Promise<void> =>
    login(url, emails[index % emails.length] ?? '', PASSWORD).then(({ status }) => {
      if (status !== 200) throw new Error(`a login before the overload was answered ${status}`);
    });
  const startedMs = performance.now();
  await inLanes(upTo(TO_MEASURE), 8, send);
  return TO_MEASURE / ((performance.now() - startedMs) / 1000);
}

function watchMemory({ process: { pid = 0 } }: Instance): { stop(): Promise<number[]> } {
  const samples: number[] = [];
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      samples.push(memoryOf(pid).residentMib);
      await sleep(SAMPLE_MS);
    }
    return samples;
  })();
  return {
    stop: () => {
      isOver = true;
      return watching;
    },
  };
}

/** Gives up after the time that it may take. */
async function secondsUntilNormal({ url }: Instance, email: string): Promise<number> {
  const startedMs = performance.now();
  const seconds = (): number => (performance.now() - startedMs) / 1000;
  while (seconds() < MOST_SECONDS) {
    const { status, ms } = await login(url, email, PASSWORD);
    if (status === 200 && ms < NORMAL_MS) break;
  }
  return seconds();
}
