/** Sessions of an honest client through a fault: what it was told, and whether that holds. */
import type { Answer } from '../../lab/browser.js';
import { logInAt, type People, sendCookie } from '../../lab/probes.js';

const KEPT = 3;
const TO_END = 6;

interface Session {
  /** The newest that the client was given */
  token: string;
  /** It was answered 503 when it presented that token, and presents it again. */
  isAskedAgain: boolean;
}

/** How often the gateway was asked to keep its word, and did not. */
export interface Kept {
  acknowledged: number;
  /** The newest acknowledged token of a session is refused. */
  lost: number;
  askedAgain: number;
  /** A token that was answered 503 is refused when it is presented again. */
  falseThefts: number;
  logouts: number;
  /** A token still works after an acknowledged logout. */
  undone: number;
}

export interface Sessions {
  /** Undefined where no session is left */
  refresh(url: string): Promise<Answer | undefined>;
  logout(url: string): Promise<Answer | undefined>;
  /** A session that a login has begun meanwhile */
  add(token: string): void;
  /** Asks for every session and every logout, when all is well again. */
  check(url: string): Promise<Kept>;
}

/** @param url of an instance that is well */
export async function startSessions(url: string, { other }: People): Promise<Sessions> {
  const begin = async (): Promise<Session> => ({
    token: (await logInAt(url, other)).cookie ?? '',
    isAskedAgain: false,
  });
  let live = await Promise.all(Array.from({ length: KEPT }, begin));
  const toEnd = (await Promise.all(Array.from({ length: TO_END }, begin))).map(({ token }) => token);
  const ended: string[] = [];
  const kept: Kept = { acknowledged: 0, lost: 0, askedAgain: 0, falseThefts: 0, logouts: 0, undone: 0 };

  const refresh = async (session: Session, at: string): Promise<Answer> => {
    const wasAskedAgain = session.isAskedAgain;
    const answer = await sendCookie(at, '/auth/refresh', session.token);
    session.isAskedAgain = answer.status === 503;
    if (answer.status === 200) session.token = answer.cookie ?? '';
    if (answer.status === 200 || answer.status === 401) kept[wasAskedAgain ? 'askedAgain' : 'acknowledged'] += 1;
    if (answer.status === 401) {
      kept[wasAskedAgain ? 'falseThefts' : 'lost'] += 1;
      live = live.filter((each) => each !== session);
    }
    return answer;
  };
  return {
    refresh: async (at) => {
      const [next, ...others] = live;
      if (next === undefined) return undefined;
      live = [...others, next];
      return refresh(next, at);
    },
    logout: async (at) => {
      const token = toEnd.shift();
      if (token === undefined) return undefined;
      const answer = await sendCookie(at, '/auth/logout', token);
      if (answer.status === 200) ended.push(token);
      else toEnd.unshift(token);
      return answer;
    },
    add: (token) => {
      if (toEnd.length < TO_END) toEnd.push(token);
      else live.push({ token, isAskedAgain: false });
    },
    check: async (at) => {
      for (const session of live) await refresh(session, at);
      for (const token of ended) {
        kept.logouts += 1;
        if ((await sendCookie(at, '/auth/refresh', token)).status !== 401) kept.undone += 1;
      }
      return kept;
    },
  };
}
