/** Spec 3.1: of many presentations of one refresh token one wins, and after a theft no token of the family is alive. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Experiment, Row } from '../experiment.js';
import { refresh } from '../lab/browser.js';
import { prepareGateways } from '../lab/gateways.js';
import { inLanes } from '../lab/lanes.js';
import { mintSessions } from '../lab/minted.js';
import { startPostgres } from '../lab/postgres.js';
import { createUsers } from '../lab/users.js';

const PRESENTATIONS = 8;
const RACES = { small: 200, full: 10_000 };
const AT_ONCE = 20;
/** How far a theft and a rotation of the same session may be apart, either way: milliseconds */
const APART_MS = 4;

export const refreshRaces: Experiment = {
  name: 'refresh-races',
  isAlone: true,
  mutants: [
    {
      name: 'a rotation claims a record that is used already',
      file: 'src/auth/sessions.ts',
      from: 'where jti = :used and not revoked and expires_at >= :now',
      to: 'where jti = :used and expires_at >= :now',
      foundBy: /^winners other than one/,
    },
  ],
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    const gateways = await prepareGateways(lab, db.url);
    const instances = await Promise.all([gateways.start(), gateways.start(), gateways.start()]);
    const [email = ''] = await createUsers(gateways, db, 1);
    const trials = RACES[size];
    const present = (token: string, instance: number) => refresh(instances[instance % 3]?.url ?? '', token);

    const winners: Row = { what: 'winners other than one', trials, least: trials, violations: 0, examples: [] };
    const live: Row = { what: 'live tokens after a theft', trials, least: trials, violations: 0 };
    lab.say(`${trials} races of ${PRESENTATIONS} presentations`);
    await inLanes(await mintSessions(gateways, db, email, trials), AT_ONCE, async (token) => {
      const answers = await Promise.all(Array.from({ length: PRESENTATIONS }, (_, i) => present(token, i)));
      const won = answers.filter(({ status }) => status === 200);
      if (won.length !== 1) {
        winners.violations += 1;
        winners.examples?.push(answers.map(({ status }) => status).join());
      }
      // All but one presentation were theft: nothing of the family is alive, the winner's successor included.
      for (const { cookie = '' } of won) if ((await present(cookie, 1)).status !== 401) live.violations += 1;
    });

    const sibling: Row = { what: 'live tokens after a theft beside a rotation', trials, least: trials, violations: 0 };
    let rotated = 0;
    lab.say(`${trials} thefts beside a rotation`);
    await inLanes(await mintSessions(gateways, db, email, trials), AT_ONCE, async (used) => {
      const { cookie: newest = '' } = await present(used, 0);
      const apartMs = (2 * Math.random() - 1) * APART_MS;
      const [rotation, ...thefts] = await Promise.all([
        sleep(Math.max(apartMs, 0)).then(() => present(newest, 0)),
        sleep(Math.max(-apartMs, 0)).then(() => present(used, 1)),
        sleep(Math.max(-apartMs, 0)).then(() => present(used, 2)),
      ]);
      if (rotation.status === 200) rotated += 1;
      const left = rotation.status === 200 ? (rotation.cookie ?? '') : newest;
      const isAlive = (await present(left, 1)).status !== 401;
      if (isAlive || thefts.some(({ status }) => status !== 401)) sibling.violations += 1;
    });
    sibling.figures = { rotations_that_came_first: rotated };

    const [{ alive } = { alive: 0 }] = await db.query<{ alive: number }>(
      'select count(distinct family_id)::integer as alive from refresh_tokens where not revoked',
    );
    return [
      winners,
      live,
      sibling,
      { what: 'families with a live record after all that', trials: 2 * trials, least: 2 * trials, violations: alive },
    ];
  },
};
