/** Steady mixed work: memory, descriptors and connections stay flat, and sweeps delete nothing that is needed. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Experiment, Mutant } from '../experiment.js';
import { type Answer, ask, login, logout, refresh } from '../lab/browser.js';
import { askAs, createApiKey, createCronKey, sendSigned, signAs } from '../lab/callers.js';
import { type Gateways, prepareGateways, QUICK_TIMERS } from '../lab/gateways.js';
import { upTo } from '../lab/lanes.js';
import { startPostgres } from '../lab/postgres.js';
import { judgeRise, type Sampled, startSamples } from '../lab/samples.js';
import { beginOldSessions } from '../lab/swept.js';
import { createUsers, PASSWORD } from '../lab/users.js';

const SECONDS = { small: 12, full: 600 };
const WORKERS = 6;
const ROTATIONS = 8;
/** Between two requests of a worker: milliseconds */
const BETWEEN_MS = 40;

/** Begun before the work, and asked for after it */
const OLD_SESSIONS = 20;

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
    const sampled = startSamples(process.pid ?? 0, db);
    const strange = await work(gateways, url, emails, SECONDS[size]);
    const samples = await sampled.stop();

    // In a few seconds the heap of Node only grows: so the small size measures no memory.
    const judged: Sampled[] = size === 'full' ? ['mib', 'descriptors', 'connections'] : ['descriptors', 'connections'];
    return [
      ...judged.map((what) => judgeRise(what, 'under steady work', samples, SECONDS[size])),
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

/** Each worker logs in, refreshes, asks as each kind of caller, and logs out. */
async function work(
  gateways: Gateways,
  url: string,
  emails: string[],
  seconds: number,
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
  const endMs = performance.now() + seconds * 1_000;
  const worker = async (email: string): Promise<void> => {
    while (performance.now() < endMs) {
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
