/** The three routes of Spec 4, and refreshes with proof of retry (Interface 12). */
import { randomBytes } from 'node:crypto';
import { decodeJwt } from 'jose';
import { type Answer, ask, login, logout, refresh } from '../../lab/browser.js';
import { mintSessions } from '../../lab/minted.js';
import { PASSWORD } from '../../lab/users.js';
import type { Act, Stand, Step, Trial } from './act.js';

const granted = (answer: Answer): Step => [answer, answer.status === 200 && Boolean(answer.cookie)];
const refused = (answer: Answer): Step => [answer, answer.status === 401 && answer.cookie === undefined];
/** As Spec 7 answers a used token */
const theft = (answer: Answer): Step => [
  answer,
  answer.status === 401 && answer.body['reason'] === 'record_revoked' && answer.cookie === '',
];

/** The token of a new session. */
async function sessionOf({ gateways, db, newUser }: Stand): Promise<string> {
  const [token = ''] = await mintSessions(gateways, db, newUser(), 1);
  return token;
}

export const SESSION_ACTS: readonly Act[] = [
  {
    name: 'login',
    statement: /^start_session$/,
    once: { records: 1, live: 1, login_success: 1 },
    prepare: async ({ url, newUser }) => {
      const email = newUser();
      const attempt = () => login(url, email, PASSWORD);
      return { ask: attempt, next: async () => [granted(await attempt())] };
    },
  },
  {
    name: 'wrong password',
    statement: /^count_failure_in_users$/,
    once: { failures: 1, login_failure: 1 },
    prepare: async ({ url, newUser }) => {
      const email = newUser();
      const guess = () => login(url, email, 'not the password at all');
      return {
        ask: guess,
        next: async () => [refused(await guess()), granted(await login(url, email, PASSWORD))],
      };
    },
  },
  {
    name: 'refresh',
    statement: /^rotate(_batch)?$/,
    once: { records: 1 },
    prepare: async (stand) => {
      const token = await sessionOf(stand);
      const attempt = () => refresh(stand.url, token);
      return { ask: attempt, next: async (isDone) => [(isDone ? theft : granted)(await attempt())] };
    },
  },
  {
    name: 'refresh of a stolen token',
    statement: /^classify_unrotated$/,
    once: { live: -1, token_theft: 1 },
    prepare: async (stand) => {
      const token = await sessionOf(stand);
      const attempt = () => refresh(stand.url, token);
      const { cookie = '' } = await attempt();
      return {
        ask: attempt,
        next: async () => [theft(await attempt()), theft(await refresh(stand.url, cookie))],
      };
    },
  },
  {
    name: 'logout',
    statement: /^revoke_record(_batch)?$/,
    once: { live: -1, logout: 1 },
    prepare: async (stand) => {
      const token = await sessionOf(stand);
      const attempt = () => logout(stand.url, token);
      return {
        ask: attempt,
        next: async () => {
          const answer = await attempt();
          return [[answer, answer.status === 200 && answer.cookie === ''], theft(await refresh(stand.url, token))];
        },
      };
    },
  },
];

/** The same successor for each attempt with the key of the first, until that is used. */
async function withProof(stand: Stand): Promise<Trial> {
  const { ask: attempt } = await refreshWithProof(stand);
  return {
    ask: attempt,
    next: async () => {
      const [first, second] = [await attempt(), await attempt()];
      const isSame = jtiOf(first) === jtiOf(second);
      return [granted(first), [second, isSame], granted(await refresh(stand.url, second.cookie ?? ''))];
    },
  };
}

/** Each attempt presents the token of a new session with the same key. */
async function refreshWithProof(stand: Stand): Promise<{ token: string; ask(): Promise<Answer> }> {
  const token = await sessionOf(stand);
  const proof = `this=:${randomBytes(32).toString('base64')}:`;
  const headers = { cookie: `refresh_token=${token}`, 'refresh-retry': proof };
  return { token, ask: () => ask(stand.url, '/auth/refresh', { headers }) };
}

/** Undefined without a token */
function jtiOf({ cookie }: Answer): unknown {
  return cookie ? decodeJwt(cookie).jti : undefined;
}

/** A client that never saw the answer to its refresh logs out: by the token that is used already. */
async function logoutAfterRefresh(stand: Stand): Promise<Trial> {
  const { ask: attempt, token } = await refreshWithProof(stand);
  await attempt();
  const leave = () => logout(stand.url, token);
  return {
    ask: leave,
    next: async () => {
      const answer = await leave();
      return [[answer, answer.status === 200 && answer.cookie === ''], theft(await attempt())];
    },
  };
}

/** For a gateway with REFRESH_RETRY */
export const PROOF_ACTS: readonly Act[] = [
  { name: 'refresh with proof', statement: /^rotate(_batch)?$/, once: { records: 1 }, prepare: withProof },
  {
    name: 'retry of a refresh',
    statement: /^retry$/,
    once: { retries: 1 },
    prepare: async (stand) => {
      const trial = await withProof(stand);
      await trial.ask();
      return trial;
    },
  },
  {
    name: 'logout after a refresh',
    statement: /^revoke_record(_batch)?$/,
    once: { logout: 1 },
    prepare: logoutAfterRefresh,
  },
];
