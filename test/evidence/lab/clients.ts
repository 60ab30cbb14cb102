/**
 * Honest clients under faults. Each has one session, only ever presents its newest acknowledged token, and keeps a
 * journal of what was acknowledged: answered 200. A request whose answer was lost, or was an outage, leaves the client
 * in doubt: it presents the token again, and a session that is refused then is nobody's fault.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../support/until.js';
import { type Answer, login, logout, refresh } from './browser.js';
import { PASSWORD } from './users.js';

const LOGOUT_SHARE = 0.1;
/** After an outage, before the next try: milliseconds */
const PAUSE_MS = 50;
/** Between two requests, at most, so that at any moment some clients wait for nothing and are sure of their token. */
const THINK_MS = 20;
/** Spec 7: what the 401 of a used token says. Any other 401 of a token that was issued means that its record is gone. */
const USED = /^Session invalidated/;

export interface Journal {
  /** Acknowledged */
  logins: number;
  rotations: number;
  logouts: number;
  /** Answers that did not come, or were an outage */
  lostAnswers: number;
  /** Sessions that were refused after a lost answer */
  lostInDoubt: number;
  /** Violations, each told in words */
  lost: string[];
  undone: string[];
  falseThefts: string[];
  unexpected: string[];
}

export interface Clients {
  journal: Journal;
  /** Lets what is in flight end, then presents every session and every token that was logged out; then goes on. */
  check(): Promise<void>;
  /** Waits until so many more requests have been acknowledged. */
  work(requests: number): Promise<void>;
  stop(): Promise<void>;
}

interface Session {
  token: string;
  /** What was acknowledged last */
  last: 'login' | 'rotation';
  isInDoubt: boolean;
}

/** Starts a client for each user. @param urls of the instances, any of which is asked */
export function startClients(urls: readonly string[], emails: readonly string[]): Clients {
  const journal: Journal = {
    ...{ logins: 0, rotations: 0, logouts: 0, lostAnswers: 0, lostInDoubt: 0 },
    ...{ lost: [], undone: [], falseThefts: [], unexpected: [] },
  };
  const sessions = new Map<string, Session>();
  const loggedOut = new Set<string>();
  const anyUrl = (): string => urls[randomInt(urls.length)] ?? '';

  /** @returns undefined where the answer is unknown */
  const ask = async (request: (url: string) => Promise<Answer>): Promise<Answer | undefined> => {
    const answer = await request(anyUrl()).catch(() => undefined);
    if (answer !== undefined && [200, 401].includes(answer.status)) return answer;
    if (answer !== undefined && answer.status !== 503) journal.unexpected.push(`answered ${answer.status}`);
    journal.lostAnswers += 1;
    await sleep(PAUSE_MS);
    return undefined;
  };

  const begin = async (email: string): Promise<void> => {
    const answer = await ask((url) => login(url, email, PASSWORD));
    if (answer?.status === 401) journal.unexpected.push('a right password was answered 401');
    if (answer?.status !== 200 || !answer.cookie) return;
    journal.logins += 1;
    sessions.set(email, { token: answer.cookie, last: 'login', isInDoubt: false });
  };

  const rotate = async (email: string, session: Session): Promise<void> => {
    const answer = await ask((url) => refresh(url, session.token));
    if (answer === undefined) session.isInDoubt = true;
    else if (answer.status === 200 && answer.cookie) {
      journal.rotations += 1;
      sessions.set(email, { token: answer.cookie, last: 'rotation', isInDoubt: false });
    } else {
      sessions.delete(email);
      const detail = String(answer.body['detail']);
      if (!USED.test(detail)) journal.lost.push(`after an acknowledged ${session.last}: ${detail}`);
      else if (session.isInDoubt) journal.lostInDoubt += 1;
      else journal.falseThefts.push(`after an acknowledged ${session.last}: ${detail}`);
    }
  };

  const end = async (email: string, session: Session): Promise<void> => {
    const answer = await ask((url) => logout(url, session.token));
    if (answer === undefined) session.isInDoubt = true;
    else {
      journal.logouts += 1;
      loggedOut.add(session.token);
      sessions.delete(email);
    }
  };

  /** A token that was logged out is refused, and whoever cannot be asked is asked again. */
  const lookAt = async (token: string): Promise<void> => {
    const answer = await ask((url) => refresh(url, token));
    if (answer === undefined) return;
    loggedOut.delete(token);
    if (answer.status === 200) journal.undone.push('a token works after its acknowledged logout');
  };

  let isPaused = false;
  let isOver = false;
  const busy = new Set<string>();
  const client = async (email: string): Promise<void> => {
    while (!isOver) {
      if (isPaused) {
        await sleep(5);
        continue;
      }
      busy.add(email);
      const session = sessions.get(email);
      if (session === undefined) await begin(email);
      else if (Math.random() < LOGOUT_SHARE) await end(email, session);
      else await rotate(email, session);
      busy.delete(email);
      await sleep(Math.random() * THINK_MS);
    }
  };
  const running = Promise.all(emails.map(client));

  return {
    journal,
    check: async () => {
      isPaused = true;
      await until('the clients pause', () => busy.size === 0);
      // Also what is in doubt is settled, so that the next fault finds every client sure of its token.
      const unsettled = new Set(sessions.keys());
      await until('every session is told of', async () => {
        for (const email of unsettled) {
          const session = sessions.get(email);
          if (session !== undefined) await rotate(email, session);
          if (sessions.get(email)?.isInDoubt !== true) unsettled.delete(email);
        }
        for (const token of loggedOut) await lookAt(token);
        return unsettled.size + loggedOut.size === 0;
      });
      isPaused = false;
    },
    work: async (requests) => {
      const done = (): number => journal.logins + journal.rotations + journal.logouts;
      const before = done();
      await until(`${requests} more requests are acknowledged`, () => done() >= before + requests);
    },
    stop: async () => {
      isOver = true;
      await running;
    },
  };
}
