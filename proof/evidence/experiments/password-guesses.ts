/** Guesses at a change of the password, over three instances, count with those at the login. (Interface 15) */
import type { Experiment, Row } from '../experiment.js';
import { from, TRUSTED } from '../lab/addresses.js';
import { login } from '../lab/browser.js';
import { prepareGateways } from '../lab/gateways.js';
import { inLanes, upTo } from '../lab/lanes.js';
import { changePassword } from '../lab/passwords.js';
import { startPostgres } from '../lab/postgres.js';
import { createUsers, PASSWORD } from '../lab/users.js';

const THRESHOLD = 5;
const USERS = { small: 2, full: 20 };
/** For each user, each from an address of its own */
const GUESSES = 100;
/** Of them: so many are checked at once before the lock exists */
const AT_ONCE = 48;
const RIGHT_WHILE_LOCKED = 12;
const CHOSEN = 'eleven teal otters juggle';
/** How a wrong password is answered: by the login, and by the change of a password */
const WRONG = ['login 401', 'change 403'];
/** Locked, or on a slow machine not checked, because too many passwords are waiting */
const REFUSED = ['login 429', 'change 429', 'login 503', 'change 503'];

export const passwordGuesses: Experiment = {
  name: 'password-guesses',
  isAlone: true,
  mutants: [
    {
      name: 'a wrong password at the change is not counted',
      file: 'src/auth/change-password.ts',
      from: 'if (await countFailure(deps, failure, checkedAt)) return',
      to: 'if (checkedAt.getTime() > 0 || (await countFailure(deps, failure, checkedAt))) return',
      foundBy: /^guesses answered past the threshold/,
    },
  ],
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    const gateways = await prepareGateways(lab, db.url, { ...TRUSTED, LOGIN_MAX_FAILURES: String(THRESHOLD) });
    const instances = await Promise.all([gateways.start(), gateways.start(), gateways.start()]);
    const urlOf = (index: number): string => instances[index % 3]?.url ?? '';

    const past: Row = {
      what: 'guesses answered past the threshold',
      trials: 0,
      least: USERS[size] * GUESSES,
      violations: 0,
      examples: [],
    };
    const locked: Row = {
      what: 'right passwords accepted while locked',
      trials: 0,
      least: USERS[size] * RIGHT_WHILE_LOCKED,
      violations: 0,
      examples: [],
    };
    const checked = { at_the_login: 0, at_the_change: 0 };
    for (const email of await createUsers(gateways, db, USERS[size])) {
      const { body } = await login(urlOf(0), email, PASSWORD);
      /** At the login or at the change in turn. @returns which, and the status */
      const present = async (index: number, password: string): Promise<string> => {
        const [url, address] = [urlOf(index), from(index)];
        if (index % 2 === 0) return `login ${(await login(url, email, password, address)).status}`;
        const answer = await changePassword(url, String(body['access_token']), [password, CHOSEN], address);
        return `change ${answer.status}`;
      };

      const counts: Record<string, number> = {};
      await inLanes(upTo(GUESSES), AT_ONCE, async (index) => {
        const answer = await present(index, `guess ${index}`);
        counts[answer] = (counts[answer] ?? 0) + 1;
      });
      const [atLogin = 0, atChange = 0] = WRONG.map((answer) => counts[answer]);
      const known = [...WRONG, ...REFUSED].reduce((sum, answer) => sum + (counts[answer] ?? 0), 0);
      past.trials += GUESSES;
      // Fewer than the threshold would be wrong too: nobody is locked before it.
      past.violations += Math.abs(atLogin + atChange - THRESHOLD) + GUESSES - known;
      past.examples?.push(JSON.stringify(counts));
      checked.at_the_login += atLogin;
      checked.at_the_change += atChange;

      const answers = await Promise.all(upTo(RIGHT_WHILE_LOCKED).map((index) => present(index, PASSWORD)));
      const accepted = answers.filter((answer) => !answer.endsWith('429'));
      locked.trials += answers.length;
      locked.violations += accepted.length;
      locked.examples?.push(...accepted);
    }
    return [{ ...past, figures: checked }, locked];
  },
};
