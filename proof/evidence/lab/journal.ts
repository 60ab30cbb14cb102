/** The journal of honest clients: what the gateway has acknowledged to them, answered 200, and whether it holds. */
import { decodeJwt } from 'jose';
import { until } from '../../../test/support/until.js';
import type { Row } from '../experiment.js';
import type { Acknowledged } from './audited.js';
import type { Answer } from './browser.js';
import { logInAt, sendCookie } from './probes.js';

/** Spec 7: what the 401 of a used token says. Any other 401 of a token that was issued means that its record is gone. */
export const USED = /^Session invalidated/;

/** A request that waits longer for its stores is answered 503, and may be done all the same (docs/decisions.md). */
const GIVEN_UP_MS = 4_000;

interface Session {
  /** The newest token that the client was given */
  token: string;
  /** By what: a login, or a rotation */
  by: 'logins' | 'rotations';
  /** The answer of the gateway, or that of the database to the gateway, was lost: nobody knows whether it was used. */
  isInDoubt: boolean;
}

interface Count {
  trials: number;
  violations: number;
}

/** How often the gateway was asked to keep its word, and how often it did not. */
export interface Promises {
  logins: Count;
  rotations: Count;
  logouts: Count;
  /** Of tokens that nobody had used: refused as if they were stolen. */
  thefts: Count;
  /** The same if nobody could know: no violations, since the specification has no grace period. */
  inDoubt: Count;
  /** Of refreshes and logouts in calm: answered 503, or not at all. A login may be, if too many passwords wait. */
  calm: Count & { examples: string[] };
  /** Requests that had no answer at all */
  unanswered: number;
}

/** Each method asks one thing for one session that no other call has in hand. */
export interface Journal {
  /** Whether what the database answers to the gateway may be lost at present */
  mayLoseAnswers: boolean;
  /** Whether nothing excuses a 503 at present: false unless it is set */
  isCalm: boolean;
  /** @throws if there is no answer */
  login(url: string, email: string): Promise<Answer>;
  /** Undefined if no session is free @throws the same */
  refresh(url: string): Promise<Answer | undefined>;
  /** The same */
  logout(url: string): Promise<Answer | undefined>;
  /** Asks for every session and every logout, when all is well, again after a 503, and forgets them. */
  check(url: string): Promise<void>;
  /** What the audit log must have by now, since this was last called. */
  takeAcknowledged(): Acknowledged;
  /** What was found so far, also while the clients worked */
  promises: Promises;
}

/**
 * A row of the report for each kind of promise.
 * @param over what happened meanwhile, such as `over failovers`
 * @param least how often each kind must have been asked for
 */
export function rowsOf(
  { logins, rotations, logouts, thefts, inDoubt, unanswered }: Promises,
  over: string,
  least: number,
): Row[] {
  const doubts = { in_doubt: inDoubt.trials, lost_in_doubt: inDoubt.violations, unanswered };
  return [
    { what: `acknowledged logins lost ${over}`, least, ...logins },
    { what: `acknowledged rotations lost ${over}`, least, ...rotations },
    { what: `acknowledged logouts undone ${over}`, least, ...logouts },
    { what: `false thefts ${over}`, least, ...thefts, figures: doubts },
  ];
}

export function brokenOf({ logins, rotations, logouts, thefts }: Promises): number {
  return [logins, rotations, logouts, thefts].reduce((sum, { violations }) => sum + violations, 0);
}

export function createJournal(mayLoseAnswers = false): Journal {
  let free: Session[] = [];
  /** Sessions whose logout was not acknowledged */
  const leaving: Session[] = [];
  let ended: string[] = [];
  let acknowledged: Acknowledged = { families: [], logouts: [] };
  const count = (): Count => ({ trials: 0, violations: 0 });
  const promises: Promises = {
    logins: count(),
    rotations: count(),
    logouts: count(),
    thefts: count(),
    inDoubt: count(),
    calm: { ...count(), examples: [] },
    unanswered: 0,
  };

  const send = async (what: string, request: Promise<Answer>): Promise<Answer> => {
    const wasCalm = journal.isCalm;
    const seen = await request.then(
      ({ status, ms }) => ({ isServed: status !== 503, words: `answered ${status} after ${Math.round(ms)} ms` }),
      (error: unknown) => ({ isServed: false, words: String(error) }),
    );
    if (!wasCalm || !journal.isCalm) return request;
    tally(promises.calm, !seen.isServed);
    if (!seen.isServed) promises.calm.examples.push(`${what} ${seen.words}`);
    return request;
  };
  /** @param back the list for a session whose answer did not come */
  const asking = async (
    session: Session | undefined,
    back: Session[],
    ask: (session: Session) => Promise<Answer>,
  ): Promise<Answer | undefined> => {
    if (session === undefined) return undefined;
    try {
      return await ask(session);
    } catch (error) {
      promises.unanswered += 1;
      back.push({ ...session, isInDoubt: true });
      throw error;
    }
  };
  const refresh = async (url: string, session: Session): Promise<Answer> => {
    const mightLoseAnswers = journal.mayLoseAnswers;
    const answer = await send('a refresh', sendCookie(url, '/auth/refresh', session.token));
    if (answer.status === 200) free.push(begun(answer, 'rotations'));
    if (answer.status === 200 || answer.status === 401) countAnswer(session, answer);
    else {
      const isGivenUp = mightLoseAnswers || journal.mayLoseAnswers || answer.ms >= GIVEN_UP_MS;
      free.push({ ...session, isInDoubt: session.isInDoubt || isGivenUp });
    }
    return answer;
  };
  /** A 503 may have come after the rotation: the session is asked for again, as it stands since that answer. */
  const refreshInEarnest = async (url: string, session: Session): Promise<void> => {
    let asked = session;
    await untilServed(async () => {
      const answer = await refresh(url, asked);
      if (answer.status === 503) asked = free.pop() ?? asked;
      return answer;
    });
  };
  const countAnswer = ({ by, isInDoubt }: Session, { status, body }: Answer): void => {
    const isUsed = status === 401 && USED.test(String(body['detail']));
    tally(promises[by], status === 401 && !isUsed);
    tally(isInDoubt ? promises.inDoubt : promises.thefts, isUsed);
  };
  const journal: Journal = {
    mayLoseAnswers,
    isCalm: false,
    login: async (url, email) => {
      const answer = await logInAt(url, email);
      if (answer.status === 200) {
        const session = begun(answer, 'logins');
        free.push(session);
        acknowledged.families.push(String(decodeJwt(session.token)['sid']));
      }
      return answer;
    },
    refresh: (url) => asking(free.shift(), free, (session) => refresh(url, session)),
    logout: (url) => {
      const again = leaving.shift();
      return asking(again ?? free.shift(), leaving, async (session) => {
        const answer = await send('a logout', sendCookie(url, '/auth/logout', session.token));
        if (answer.status === 200) {
          ended.push(session.token);
          acknowledged.logouts.push({ jti: String(decodeJwt(session.token).jti), wasAskedOnce: again === undefined });
        } else leaving.push(session);
        return answer;
      });
    },
    check: async (url) => {
      const [sessions, tokens] = [free, ended];
      [free, ended] = [[], []];
      for (const session of sessions) await refreshInEarnest(url, session);
      for (const token of tokens) {
        const { status } = await untilServed(() => send('a refresh', sendCookie(url, '/auth/refresh', token)));
        tally(promises.logouts, status !== 401);
      }
      free = [];
    },
    takeAcknowledged: () => {
      const taken = acknowledged;
      acknowledged = { families: [], logouts: [] };
      return taken;
    },
    promises,
  };
  return journal;
}

/** @throws if that takes more than a minute */
export async function untilServed(ask: () => Promise<Answer>): Promise<Answer> {
  let answer = await ask();
  await until('what all is well for is answered, not with 503', async () => {
    if (answer.status === 503) answer = await ask();
    return answer.status !== 503;
  });
  return answer;
}

function tally(count: Count, isViolation: boolean): void {
  count.trials += 1;
  if (isViolation) count.violations += 1;
}

function begun({ cookie = '' }: Answer, by: Session['by']): Session {
  return { token: cookie, by, isInDoubt: false };
}
