/**
 * The database's answer to one statement is lost, before the server has the statement or after its commit. The gateway
 * cannot know which: it answers 503, leaves the cookie, and sends nothing again. (Interface 5)
 */
import { join } from 'node:path';
import type { Experiment, Size } from '../experiment.js';
import { type Gateways, prepareGateways, ready } from '../lab/gateways.js';
import type { Lab } from '../lab/lab.js';
import { upTo } from '../lab/lanes.js';
import { type LosingProxy, type Loss, proxyInPlace, proxyTo } from '../lab/losing-proxy.js';
import { joinEmbedded, type Postgres, startPostgres } from '../lab/postgres.js';
import { createUsers } from '../lab/users.js';
import type { Act, Stand } from './lost-answers/act.js';
import { CHANGE_ACTS, signedAct } from './lost-answers/change-acts.js';
import { createJudge } from './lost-answers/judge.js';
import { PROOF_ACTS, SESSION_ACTS } from './lost-answers/session-acts.js';

/** For each kind of request, in each place; a round tries each of the ways */
const ROUNDS = { small: 1, full: 15 };
const WAYS: ReadonlyArray<Omit<Loss, 'statement'>> = [
  { when: 'unsent', cut: 'closed' },
  { when: 'executed', cut: 'reset' },
  { when: 'unsent', cut: 'reset' },
  { when: 'executed', cut: 'closed' },
];
const ACTS = [...SESSION_ACTS, ...CHANGE_ACTS];
/** One gateway has all acts with a signed request, another those with a proof of retry; the embedded one all but the signed request. */
const TRIED = 2 * (ACTS.length + PROOF_ACTS.length) + 1;

export const lostAnswers: Experiment = {
  name: 'lost-answers',
  mutants: [
    {
      name: 'a statement is tried again after a lost connection',
      file: 'src/db/run.ts',
      from: '      if (!isPlanStale(error)) throw error;',
      to: `      if (String(error).includes('Connection terminated')) return once(query);
      if (!isPlanStale(error)) throw error;`,
      foundBy: /^lost database answers/,
    },
    {
      name: 'a transaction is tried again after a lost connection',
      file: 'src/db/retry.ts',
      from: '      if (!isUndone(error) || tries === TRIES) throw error;',
      to: `      const isUndecided = String(error).includes('Connection terminated');
      if (!(isUndone(error) || isUndecided) || tries === TRIES) throw error;`,
      foundBy: /^lost database answers/,
    },
    {
      name: 'a commit that failed counts as success',
      file: 'src/db/run.ts',
      from: "await ask({ text: 'commit' });",
      to: "await ask({ text: 'commit' }).catch(() => undefined);",
      foundBy: /^lost database answers not answered 503/,
    },
    {
      name: 'a retry is answered after a logout',
      file: 'src/auth/retries.ts',
      from: ' and used.retry_ended is null',
      to: '',
      foundBy: /^lost database answers after which/,
    },
  ],
  run: async (lab, size) => {
    const judge = createJudge(TRIED * WAYS.length * ROUNDS[size]);
    const lose = async (stand: Stand, acts: readonly Act[]): Promise<void> => {
      for (const act of acts) {
        lab.say(`${stand.name}: ${act.name}`);
        for (const _round of upTo(ROUNDS[size])) for (const way of WAYS) await judge.tryOnce(stand, act, way);
      }
    };

    const db = await startPostgres(lab);
    const { proxy, url } = await proxyTo(lab, db.url);
    const gateways = await prepareGateways(lab, url);
    const [without, withProof] = [await gateways.start(), await gateways.start({ REFRESH_RETRY: 'true' })];
    const stand = { ...(await standOf(gateways, db, proxy, size)), name: 'REFRESH_RETRY=false', url: without.url };
    await lose(stand, [...ACTS, await signedAct(gateways)]);
    await lose({ ...stand, name: 'REFRESH_RETRY=true', url: withProof.url }, PROOF_ACTS);
    await lose(await startEmbedded(lab, gateways, size), [...ACTS, ...PROOF_ACTS]);
    return judge.rows;
  },
};

/** One gateway with the database in its DATA_DIR, which accepts proofs of retry as well. */
async function startEmbedded(lab: Lab, shared: Gateways, size: Size): Promise<Stand> {
  const dataDir = join(lab.folder, 'data');
  const gateways = shared.with({ DATABASE_URL: 'embedded', DATA_DIR: dataDir, REFRESH_RETRY: 'true' });
  const joined = joinEmbedded(lab, dataDir);
  const instance = await gateways.start();
  const db = await joined();
  const proxy = await proxyInPlace(lab, db);
  await ready(instance); // by new connections
  return { ...(await standOf(gateways, db, proxy, size)), name: 'embedded', url: instance.url };
}

async function standOf(
  gateways: Gateways,
  db: Postgres,
  { losing }: LosingProxy,
  size: Size,
): Promise<Omit<Stand, 'name' | 'url'>> {
  const acts = ACTS.length + PROOF_ACTS.length;
  const [admin = '', ...emails] = await createUsers(gateways, db, 1 + acts * WAYS.length * ROUNDS[size]);
  await db.query(`update users set role = 'admin' where email = $1`, [admin]);
  const newUser = (): string => {
    const email = emails.pop();
    if (email === undefined) throw new Error('each trial has one user');
    return email;
  };
  return { gateways, db, losing, admin, newUser };
}
