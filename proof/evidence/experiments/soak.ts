/** Steady mixed work: memory, descriptors and connections stay flat, and sweeps delete nothing that is needed. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Experiment, Mutant, Row } from '../experiment.js';
import { type Answer, ask, login, logout, refresh } from '../lab/browser.js';
import { askAs, createApiKey, createCronKey, sendSigned, signAs } from '../lab/callers.js';
import { type Gateways, prepareGateways, QUICK_TIMERS } from '../lab/gateways.js';
import { upTo } from '../lab/lanes.js';
import { type Postgres, startPostgres } from '../lab/postgres.js';
import { descriptorsOf, memoryOf } from '../lab/process.js';
import { slope } from '../lab/stats.js';
import { beginOldSessions } from '../lab/swept.js';
import { createUsers, PASSWORD } from '../lab/users.js';

const SECONDS = { small: 20, full: 600 };
/** At the beginning pools and caches fill: that is not judged. */
const WARM_UP_SHARE = 1 / 3;
const WORKERS = 6;
const ROTATIONS = 8;
/** Between two requests of a worker: milliseconds */
const BETWEEN_MS = 40;
/** What a line fitted through the samples may rise by in the time that is judged */
const MOST = { mib: 20, descriptors: 20, connections: 20 };

/** Begun before the work, and asked for after it */
const OLD_SESSIONS = 20;

type What = keyof typeof MOST;

function sweeps(what: string, condition: string): Mutant {
  const [file, from] = ['src/auth/sessions.ts', "'expires_at < :before'"];
  return { name: `the sweeper deletes ${what} records`, file, from, to: `'${condition}'`, foundBy: /forgotten/ };
}

/** @param opens an expression that opens what is never closed */
function leaks(what: string, opens: string): Mutant {
  const [file, from] = ['src/auth/refresh.ts', 'const now = clock.now();'];
  const foundBy = new RegExp(`rise of more than \\d+ ${what}`);
  return { name: `each refresh leaks ${what}`, file, from, to: `${from}\n  ${opens};`, foundBy };
}

export const soak: Experiment = {
  name: 'soak',
  isAlone: true,
  mutants: [
    leaks('descriptors', "process.getBuiltinModule('node:fs').openSync('/dev/null', 'r')"),
    sweeps('used', 'expires_at < :before or revoked'),
    sweeps('live', 'expires_at < :before or not revoked'),
  ],
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    const gateways = await prepareGateways(lab, db.url);
    const { url, process } = await gateways.start(size === 'small' ? QUICK_TIMERS : {});
    const emails = await createUsers(gateways, db, WORKERS);
    const old = await beginOldSessions(gateways, db, url, emails[0] ?? '', OLD_SESSIONS);
    const sampled = sample(process.pid ?? 0, db, SECONDS[size]);
    const strange = await work(gateways, url, emails, sampled.isOver);
    const samples = await sampled.done;

    // In a few seconds the heap of Node only grows: so the small size measures no memory.
    const judged: What[] = size === 'full' ? ['mib', 'descriptors', 'connections'] : ['descriptors', 'connections'];
    return [
      ...judged.map((what) => judge(what, samples, SECONDS[size])),
      {
        what: 'answers other than 200 in the soak',
        trials: strange.asked,
        least: SECONDS[size] * WORKERS,
        violations: strange.not200,
      },
      await old.row('by the sweeper'),
    ];
  },
};

interface Sample extends Record<What, number> {
  second: number;
}

function judge(what: What, samples: Sample[], expectedSeconds: number): Row {
  const judged = samples.slice(Math.floor(samples.length * WARM_UP_SHARE));
  const perSecond = slope(judged.map((sample) => [sample.second, sample[what]]));
  const seconds = (judged.at(-1)?.second ?? 0) - (judged[0]?.second ?? 0);
  return {
    what: `a rise of more than ${MOST[what]} ${what} under steady work`,
    trials: judged.length,
    least: expectedSeconds / 3, // a machine that is busy looks less often
    violations: perSecond * seconds > MOST[what] ? 1 : 0,
    figures: { rise_per_minute: perSecond * 60, last: judged.at(-1)?.[what] ?? 0, seconds },
  };
}

/** Looks every second. */
function sample(pid: number, db: Postgres, seconds: number): { isOver: () => boolean; done: Promise<Sample[]> } {
  const startedMs = performance.now();
  const second = (): number => (performance.now() - startedMs) / 1000;
  const isOver = (): boolean => second() >= seconds;
  const looking = async (): Promise<Sample[]> => {
    const samples: Sample[] = [];
    while (!isOver()) {
      const [{ connections } = { connections: 0 }] = await db.query<{ connections: number }>(
        "select count(*)::integer as connections from pg_stat_activity where backend_type = 'client backend'",
      );
      const mib = memoryOf(pid).residentMib;
      samples.push({ second: second(), mib, descriptors: descriptorsOf(pid), connections });
      await sleep(1_000);
    }
    return samples;
  };
  return { isOver, done: looking() };
}

/** Each worker logs in, refreshes, asks as each kind of caller, and logs out. */
async function work(
  gateways: Gateways,
  url: string,
  emails: string[],
  isOver: () => boolean,
): Promise<{ asked: number; not200: number }> {
  const apiKey = await createApiKey(gateways, 1_000_000);
  const cronKey = await createCronKey(gateways);
  const counts = { asked: 0, not200: 0 };
  const count = async (request: Promise<Answer>): Promise<Answer> => {
    const answer = await request;
    counts.asked += 1;
    if (answer.status !== 200) counts.not200 += 1;
    await sleep(BETWEEN_MS);
    return answer;
  };
  const worker = async (email: string): Promise<void> => {
    while (!isOver()) {
      let { cookie = '', body } = await count(login(url, email, PASSWORD));
      for (const _ of upTo(ROTATIONS)) {
        ({ cookie = '', body } = await count(refresh(url, cookie)));
        await count(askAs(url, { authorization: `Bearer ${body['access_token']}` }));
        await count(askAs(url, { 'x-internal-key': cronKey }));
        await count(sendSigned(url, signAs(apiKey)));
      }
      await count(logout(url, cookie));
      await count(ask(url, '/health/ready', { method: 'GET' }));
    }
  };
  await Promise.all(emails.map(worker));
  return counts;
}
