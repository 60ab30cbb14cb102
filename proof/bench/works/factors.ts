/** Second steps of logins, logins by passkeys, and confirmations. None of them hashes a password. (Interface 20) */
import { codeAt } from '../../../test/support/independent/authenticator-app.js';
import { from } from '../../evidence/lab/addresses.js';
import { refresh } from '../../evidence/lab/browser.js';
import {
  addFactors,
  type FactorUser,
  forgetSteps,
  mintCeremonies,
  mintHalfLoginOfEach,
} from '../../evidence/lab/factors.js';
import { inLanes } from '../../evidence/lab/lanes.js';
import { mintSessions } from '../../evidence/lab/minted.js';
import { addUsers } from '../../evidence/lab/users.js';
import { post } from '../requests.js';
import type { Stage } from '../stage.js';
import { LEAD_IN_MS, type Work } from '../work.js';
import { ONCE_AT, workOf } from './gateway.js';

/** A user's code is good once. So many users have one for a slice; if they run out, the time is shorter. */
const USERS = 2_000;
const CEREMONIES_PER_SECOND = 4_000;
/** Logins and refreshes that prepare the users, at a time */
const AT_ONCE = 16;

const NAMES = ['login-passkey', 'login-factor', 'confirm'];
/** From an address of its own, with a counter of its own. */
const headersOf = (user: number): Record<string, string> => ({ 'content-type': 'application/json', ...from(user) });

/** Those of `names`: without one, nobody has a factor. */
export async function factorWorks(stage: Stage, names: readonly string[]): Promise<Work[]> {
  if (!NAMES.some((name) => names.includes(name))) return [];
  const { database, gateways } = stage;
  const emails = await addUsers(database, 'factor', USERS);
  const users = await addFactors(gateways, database, emails, { isSynced: true });
  const tokens = names.includes('confirm') ? await accessTokensOf(stage, users) : [];

  const work = (name: string, make: (seconds: number) => Promise<string[]>): Work =>
    workOf(stage, name, async (seconds) => ({ kind: 'once', requests: await make(seconds) }), { numbers: ONCE_AT });
  const codes = async (): Promise<string[]> => {
    await forgetSteps(database, ...users);
    const now = new Date();
    return users.map(({ secret }) => codeAt(secret, now));
  };
  return [
    work('login-passkey', async (seconds) => {
      const count = Math.ceil(CEREMONIES_PER_SECOND * (seconds + LEAD_IN_MS / 1000));
      const ceremonies = await mintCeremonies(database, count);
      return ceremonies.map((ceremony, i) => {
        const credential = users[i % users.length]?.passkeys.get({ challenge: ceremony });
        return post('/auth/login/passkey', headersOf(i), JSON.stringify({ ceremony, credential }));
      });
    }),
    work('login-factor', async () => {
      const challenges = await mintHalfLoginOfEach(database, users);
      return (await codes()).map((code, i) =>
        post('/auth/login/factor', headersOf(i), JSON.stringify({ challenge: challenges[i], code })),
      );
    }),
    work('confirm', async () =>
      (await codes()).map((code, i) =>
        post('/auth/confirm', { ...headersOf(i), authorization: `Bearer ${tokens[i]}` }, JSON.stringify({ code })),
      ),
    ),
  ];
}

/** @returns the access token of a session of each */
async function accessTokensOf({ database, gateways, gateway }: Stage, users: readonly FactorUser[]): Promise<string[]> {
  const tokens: string[] = [];
  await inLanes(users.entries(), AT_ONCE, async ([i, { email }]) => {
    const [token = ''] = await mintSessions(gateways, database, email, 1);
    tokens[i] = String((await refresh(gateway.url, token)).body['access_token']);
  });
  return tokens;
}
