/** Spec 3.2 over three instances: guesses beyond the threshold, right passwords while locked, and right ones at once. */
import type { Experiment, Row } from '../experiment.js';
import { from, TRUSTED } from '../lab/addresses.js';
import { login } from '../lab/browser.js';
import { prepareGateways } from '../lab/gateways.js';
import { inLanes, upTo } from '../lab/lanes.js';
import { startPostgres } from '../lab/postgres.js';
import { createUsers, PASSWORD } from '../lab/users.js';

const THRESHOLD = 5;
const USERS = { small: 1, full: 40 };
/** For each user, each from an address of its own */
const GUESSES = 500;
/** Of them: so many are checked at once before the lock exists */
const AT_ONCE = 48;
const RIGHT_WHILE_LOCKED = 12;
const RIGHT_AT_ONCE = 24;

export const lockout: Experiment = {
  name: 'lockout',
  isAlone: true,
  mutants: [],
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    const gateways = await prepareGateways(lab, db.url, { ...TRUSTED, LOGIN_MAX_FAILURES: String(THRESHOLD) });
    const instances = await Promise.all([gateways.start(), gateways.start(), gateways.start()]);
    const emails = await createUsers(gateways, db, 2 * USERS[size]);
    const [guessed, honest] = [emails.slice(0, USERS[size]), emails.slice(USERS[size])];
    const statusOf = async (index: number, email: string, password: string): Promise<number> =>
      (await login(instances[index % 3]?.url ?? '', email, password, from(index))).status;

    const past: Row = {
      what: 'guesses answered past the threshold',
      trials: 0,
      least: USERS[size] * GUESSES,
      violations: 0,
      examples: [],
    };
    const locked: Row = {
      what: 'right passwords let in while locked',
      trials: 0,
      least: USERS[size] * RIGHT_WHILE_LOCKED,
      violations: 0,
      examples: [],
    };
    for (const email of guessed) {
      const counts: Record<number, number> = {};
      await inLanes(upTo(GUESSES), AT_ONCE, async (index) => {
        const status = await statusOf(index, email, `guess ${index}`);
        counts[status] = (counts[status] ?? 0) + 1;
      });
      past.trials += GUESSES;
      // Fewer than the threshold would be wrong too: nobody is locked before it.
      past.violations += Math.abs((counts[401] ?? 0) - THRESHOLD) + (counts[200] ?? 0);
      past.examples?.push(JSON.stringify(counts));
      const statuses = await Promise.all(upTo(RIGHT_WHILE_LOCKED).map((index) => statusOf(index, email, PASSWORD)));
      locked.trials += statuses.length;
      locked.violations += statuses.filter((status) => status !== 429).length;
    }

    const refused: Row = {
      what: 'right passwords refused beside each other',
      trials: 0,
      least: USERS[size] * RIGHT_AT_ONCE,
      violations: 0,
      examples: [],
    };
    for (const email of honest) {
      const statuses = await Promise.all(upTo(RIGHT_AT_ONCE).map((index) => statusOf(index, email, PASSWORD)));
      refused.trials += statuses.length;
      refused.violations += statuses.filter((status) => status !== 200).length;
      if (statuses.some((status) => status !== 200)) refused.examples?.push(statuses.join());
    }
    return [past, locked, refused];
  },
};
