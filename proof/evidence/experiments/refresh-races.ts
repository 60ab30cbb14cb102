/** Of many presentations of one refresh token one wins, and after a theft no token of the family is alive. (Spec 3.1) */
import { setTimeout as sleep } from 'node:timers/promises';
import { holdNewRecords } from '../../../test/support/postgres/hold.js';
import type { Experiment, Row } from '../experiment.js';
import { login, refresh } from '../lab/browser.js';
import { mutate } from '../lab/callers.js';
import { prepareGateways } from '../lab/gateways.js';
import { inLanes } from '../lab/lanes.js';
import { mintSessions, sidOf } from '../lab/minted.js';
import { type Postgres, startPostgres } from '../lab/postgres.js';
import { createUsers, PASSWORD } from '../lab/users.js';

const PRESENTATIONS = 8;
const RACES = { small: 200, full: 5_000 };
const AT_ONCE = 20;
/** Rotations that are held between their claim and their commit */
const HELD = { small: 10, full: 250 };
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
    {
      name: 'a batch of rotations claims records that are used already',
      file: 'src/auth/sessions.ts',
      from: 'where jti = asked.used and not revoked and',
      to: 'where jti = asked.used and',
      foundBy: /^winners other than one/,
    },
    {
      name: 'a theft looks for survivors once',
      file: 'src/auth/revocations.ts',
      from: 'if (survivors.length > 0) continue;',
      to: 'if (survivors.length < 0) continue;',
      foundBy: /^live sessions after a theft during a rotation/,
    },
    {
      name: 'an administrator ends what the first look has found',
      file: 'src/auth/revocations.ts',
      from: 'if (survivors.length === 0) return [...live];',
      to: 'if (survivors.length >= 0) return [...live];',
      foundBy: /^live sessions after an administrator ended them during a rotation/,
    },
  ],
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    const gateways = await prepareGateways(lab, db.url);
    const instances = await Promise.all([gateways.start(), gateways.start(), gateways.start()]);
    const [email = '', admin = ''] = await createUsers(gateways, db, 2);
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
    lab.say(`${HELD[size]} rotations that are held, each with a theft or an administrator`);
    const held: Session[] = [];
    for (const used of await mintSessions(gateways, db, email, 2 * HELD[size]))
      held.push({ used, newest: (await present(used, 0)).cookie ?? '' });
    await db.query(`update users set role = 'admin' where email = $1`, [admin]);
    const { body } = await login(instances[0].url, admin, PASSWORD);
    const revoke = ({ used }: Session) => endSession(instances[2].url, String(body['access_token']), sidOf(used));
    const rotate = ({ newest }: Session) => present(newest, 0);
    return [
      winners,
      live,
      sibling,
      await duringRotations(db, 'after a theft', held.slice(HELD[size]), rotate, ({ used }) => present(used, 1)),
      await duringRotations(db, 'after an administrator ended them', held.slice(0, HELD[size]), rotate, revoke),
      { what: 'families with a live record after all that', trials: 2 * trials, least: 2 * trials, violations: alive },
    ];
  },
};

interface Session {
  /** Its first token, which is used, and the one after it */
  used: string;
  newest: string;
}

/** Ends each session while its rotation waits between its claim and its commit, and looks before anybody presents a token. */
async function duringRotations(
  db: Postgres,
  how: string,
  sessions: readonly Session[],
  rotate: (session: Session) => Promise<{ status: number }>,
  end: (session: Session) => Promise<unknown>,
): Promise<Row> {
  const what = `live sessions ${how} during a rotation`;
  const row: Row = { what, trials: 0, least: sessions.length, violations: 0, examples: [] };
  for (const session of sessions) {
    await using hold = await holdNewRecords({ database: db, rows: db.query });
    const rotation = rotate(session);
    await hold.waiting(1);
    const ending = end(session);
    await hold.waiting(2);
    await hold.release();
    const { status } = await rotation;
    await ending;
    const [left] = await db.query<{ count: number }>(
      'select count(*)::integer as count from refresh_tokens where family_id = $1 and not revoked',
      [sidOf(session.used)],
    );
    row.trials += 1;
    if (status === 200 && left?.count === 0) continue;
    row.violations += 1;
    row.examples?.push(`the rotation was answered ${status}, ${left?.count} records are live`);
  }
  return row;
}

/** @throws if it is refused */
async function endSession(url: string, token: string, id: string): Promise<void> {
  const query = 'mutation ($input: RevokeSessionInput!) { revokeSession(input: $input) { session { id } } }';
  const { body } = await mutate(url, token, query, { id });
  if (body['errors'] !== undefined) throw new Error(`a session could not be ended: ${JSON.stringify(body['errors'])}`);
}
