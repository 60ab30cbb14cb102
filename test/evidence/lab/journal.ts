/** The journal of honest clients: what the gateway has acknowledged to them, and whether it holds. */
import type { Row } from '../experiment.js';
import type { Answer } from './browser.js';
import { logInAt, sendCookie } from './probes.js';

interface Session {
  /** The newest token that the client was given */
  token: string;
  /** By what: a login, or a rotation */
  by: 'logins' | 'rotations';
  /** It was answered 503 when it presented that token, and presents it again. */
  isAskedAgain: boolean;
  /** The gateway itself may have had no answer then, so that nobody knows whether the token was used. */
  isInDoubt: boolean;
}

/** How often the gateway was asked to keep its word, and how often it did not. */
export interface Kept {
  logins: Count;
  rotations: Count;
  logouts: Count;
  /** Of tokens that were answered 503 and presented again: refused, as if they were stolen. */
  askedAgain: Count;
  /** The same where nobody could know: no violations, since the specification has no grace period. */
  inDoubt: Count;
  /** Clients that had no answer at all: their sessions are set aside. */
  unanswered: number;
}

interface Count {
  trials: number;
  violations: number;
}

/** Each method asks one thing for one session that no other call has in hand. */
export interface Journal {
  /** Whether what the database answers to the gateway may be lost at present */
  mayLoseAnswers: boolean;
  login(url: string, email: string): Promise<Answer>;
  /** Undefined where no session is free @throws where there is no answer */
  refresh(url: string): Promise<Answer | undefined>;
  /** The same */
  logout(url: string): Promise<Answer | undefined>;
  /** Asks for every session and every logout, when all is well, and forgets them. */
  check(url: string): Promise<void>;
  /** What was found so far, also while the clients worked */
  kept: Kept;
}

/** A row of the report for each kind of promise. @param over what happened meanwhile, such as `over failovers` */
export function rowsOf({ logins, rotations, logouts, askedAgain, inDoubt, unanswered }: Kept, over: string): Row[] {
  const doubts = {
    in_doubt: inDoubt.trials,
    lost_in_doubt: inDoubt.violations,
    unanswered,
  };
  return [
    { what: `acknowledged logins lost ${over}`, ...logins },
    { what: `acknowledged rotations lost ${over}`, ...rotations },
    { what: `acknowledged logouts undone ${over}`, ...logouts },
    { what: `false thefts ${over}`, ...askedAgain, figures: doubts },
  ];
}

export function brokenOf({ logins, rotations, logouts, askedAgain }: Kept): number {
  return [logins, rotations, logouts, askedAgain].reduce((sum, { violations }) => sum + violations, 0);
}

export function createJournal(mayLoseAnswers = false): Journal {
  let free: Session[] = [];
  /** Sessions whose logout was answered 503 */
  const leaving: Session[] = [];
  let ended: string[] = [];
  const count = (): Count => ({ trials: 0, violations: 0 });
  const kept: Kept = {
    logins: count(),
    rotations: count(),
    logouts: count(),
    askedAgain: count(),
    inDoubt: count(),
    unanswered: 0,
  };

  const asking = async (
    session: Session | undefined,
    ask: (session: Session) => Promise<Answer>,
  ): Promise<Answer | undefined> => {
    if (session === undefined) return undefined;
    try {
      return await ask(session);
    } catch (error) {
      kept.unanswered += 1;
      throw error;
    }
  };
  const refresh = async (url: string, session: Session): Promise<Answer> => {
    const answer = await sendCookie(url, '/auth/refresh', session.token);
    if (answer.status === 200 || answer.status === 401) {
      const counted = session.isInDoubt ? kept.inDoubt : session.isAskedAgain ? kept.askedAgain : kept[session.by];
      counted.trials += 1;
      if (answer.status === 401) counted.violations += 1;
    }
    if (answer.status === 200) free.push(begun(answer, 'rotations'));
    else if (answer.status !== 401)
      free.push({ ...session, isAskedAgain: true, isInDoubt: session.isInDoubt || journal.mayLoseAnswers });
    return answer;
  };
  const journal: Journal = {
    mayLoseAnswers,
    login: async (url, email) => {
      const answer = await logInAt(url, email);
      if (answer.status === 200) free.push(begun(answer, 'logins'));
      return answer;
    },
    refresh: (url) => asking(free.shift(), (session) => refresh(url, session)),
    logout: (url) =>
      asking(leaving.shift() ?? free.shift(), async (session) => {
        const answer = await sendCookie(url, '/auth/logout', session.token);
        if (answer.status === 200) ended.push(session.token);
        else leaving.push(session);
        return answer;
      }),
    check: async (url) => {
      const [sessions, tokens] = [free, ended];
      [free, ended] = [[], []];
      for (const session of sessions) await refresh(url, session);
      for (const token of tokens) {
        const { status } = await sendCookie(url, '/auth/refresh', token);
        kept.logouts.trials += 1;
        if (status !== 401) kept.logouts.violations += 1;
      }
      free = [];
    },
    kept,
  };
  return journal;
}

function begun({ cookie = '' }: Answer, by: Session['by']): Session {
  return { token: cookie, by, isAskedAgain: false, isInDoubt: false };
}
