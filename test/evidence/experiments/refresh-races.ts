/** Spec 3.1: of many presentations of one refresh token, over several instances, exactly one wins. */
import type { Experiment, Row } from '../experiment.js';
import { login, refresh } from '../lab/browser.js';
import { prepareGateways } from '../lab/gateways.js';
import { startPostgres } from '../lab/postgres.js';
import { createUsers, PASSWORD } from '../lab/users.js';

const PRESENTATIONS = 8;
const RACES = { small: 200, full: 10_000 };
/** Rotations before a race: a login costs much more than a rotation. */
const SESSIONS = 20;

export const refreshRaces: Experiment = {
  name: 'refresh-races',
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    const gateways = await prepareGateways(lab, db.url);
    const instances = await Promise.all([gateways.start(), gateways.start(), gateways.start()]);
    const [email = ''] = await createUsers(gateways, db, 1);
    const urls = instances.map(({ url }) => url);
    const winners: Row = { what: 'winners other than one', trials: RACES[size], violations: 0, examples: [] };
    const live: Row = { what: 'live tokens after a theft', trials: RACES[size], violations: 0 };

    await Promise.all(
      Array.from({ length: SESSIONS }, async () => {
        for (let race = 0; race < RACES[size] / SESSIONS; race += 1) {
          const token = (await login(urls[0] ?? '', email, PASSWORD)).cookie ?? '';
          const answers = await Promise.all(
            Array.from({ length: PRESENTATIONS }, (_, i) => refresh(urls[i % urls.length] ?? '', token)),
          );
          const won = answers.filter(({ status }) => status === 200);
          if (won.length !== 1) {
            winners.violations += 1;
            winners.examples?.push(answers.map(({ status }) => status).join());
          }
          // All but one presentation were theft: nothing of the family is alive, the winner's successor included.
          for (const { cookie = '' } of won)
            if ((await refresh(urls[1] ?? '', cookie)).status !== 401) live.violations += 1;
        }
      }),
    );
    return [winners, live];
  },
};
