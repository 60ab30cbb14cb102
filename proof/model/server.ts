/**
 * The gateway of the model: the real app on its real PostgreSQL, by the clock of the model. After each request it is
 * looked in the tables whether all is as Spec 3.1 and Interface 12 have it. Requests come one after the other; what
 * happens when they meet is tried in `test/races`.
 */
import { claimsOf, type TestGateway } from '../../test/support/gateway/gateway.js';
import type { RecordRow } from '../../test/support/gateway/rows.js';
import type { Story } from './story.js';

export interface Sent {
  by: 'owner' | 'thief';
  method: string;
  path: string;
  headers: Record<string, string>;
  cookie: string | undefined;
  body: string | undefined;
}

export interface Answered {
  status: number;
  headers: Headers;
  body: string;
  /** What the answer does to the jar: a token, '' if it clears it, undefined if it changes nothing */
  setsCookie: string | undefined;
}

/** What happened over many schedules: a model in which nothing happens proves nothing. */
export const noCounts = () => ({
  schedules: 0,
  sessions_kept: 0,
  logouts_failed: 0,
  logouts_done: 0,
  rotations: 0,
  retries: 0,
  thefts: 0,
  thefts_after_logout: 0,
  tokens_of_thieves: 0,
  half_logins: 0,
  half_given_up: 0,
  second_factors: 0,
  confirmations: 0,
});
export type Counts = ReturnType<typeof noCounts>;

/** Something that must not be. */
export class Violation extends Error {}

export interface Server {
  /** The request arrives at one of the instances, and is answered. @throws {Violation} */
  answer(sent: Sent, instance: number): Promise<Answered>;
  /** Of the sessions of this schedule. */
  records(): Promise<RecordRow[]>;
  /** Thefts reported of sessions of this schedule, and those of them after a logout */
  countThefts(): Promise<{ thefts: number; afterLogout: number }>;
  /** How many times the owner has presented a cookie to be refreshed. */
  ownersRefreshes(): number;
  /** Sessions in which the thief was given a token. */
  stolenSessions: ReadonlySet<unknown>;
}

export function createServer(
  { rows, instances }: Pick<TestGateway, 'rows' | 'instances'>,
  now: () => Date,
  story: Story,
  counts: Counts,
): Server {
  /** Of this schedule: others have had the same users */
  const sessions = new Set<unknown>();
  const began = now();
  const stolenSessions = new Set<unknown>();
  const leftSessions = new Set<unknown>();
  /** Who was given a successor of a record, and which */
  const successors = new Map<unknown, { by: Sent['by']; jti: unknown; exp: unknown }>();
  let before: RecordRow[] = [];
  let ownersRefreshes = 0;

  const records = (): Promise<RecordRow[]> =>
    rows('select * from refresh_tokens where family_id = any($1)', [[...sessions]]);
  const livingOf = (family: unknown, table: RecordRow[]): RecordRow[] =>
    table.filter(({ family_id, revoked, expires_at }) => family_id === family && !revoked && expires_at > now());

  /** What holds of the tables, whatever was asked. */
  const judgeTables = (after: RecordRow[]): void => {
    const families = Map.groupBy(after, ({ family_id }) => family_id);
    for (const [family, all] of families) {
      if (livingOf(family, all).length > 1) throw new Violation('two live records in a family');
      const rotated = all.filter(({ revoked_reason }) => revoked_reason === 'rotated').length;
      if (all.length !== rotated + 1) throw new Violation(`${all.length} records in a family, of ${rotated} rotations`);
    }
    const now = new Map(after.map((record) => [record.jti, record]));
    for (const { jti, revoked, revoked_reason, expires_at } of before) {
      const then = now.get(jti);
      if (then === undefined) throw new Violation('a record has gone');
      if (revoked && !then.revoked) throw new Violation('a record was revived');
      if (revoked && revoked_reason !== then.revoked_reason)
        throw new Violation('a record was revoked for another reason');
      if (expires_at.getTime() !== then.expires_at.getTime()) throw new Violation('a record expires at another time');
    }
  };

  /** Judges a refresh. @returns the words for the story */
  const judgeRefresh = ({ by, cookie }: Sent, { status, setsCookie }: Answered, after: RecordRow[]): string => {
    if (cookie === undefined) return '';
    if (by === 'owner') ownersRefreshes += 1;
    const { jti, sid } = claimsOf(cookie);
    const given = successors.get(jti);
    if (given !== undefined && given.by !== by) {
      // Thief and owner have both presented it: the second one ends the session for both.
      if (status === 200) throw new Violation(`a token was given out for a record that was used by the ${given.by}`);
      if (livingOf(sid, after).length > 0) throw new Violation('a live record is left after a theft');
    }
    if (status !== 200) return ' refused';
    if (setsCookie === undefined) throw new Violation('a refresh without a cookie');
    const successor = claimsOf(setsCookie);
    if (by === 'thief') {
      counts.tokens_of_thieves += 1;
      stolenSessions.add(sid);
    }
    const [live] = livingOf(sid, after);
    if (live === undefined || live.jti !== successor['jti']) throw new Violation('what was given out is not live');
    if (after.length > before.length) {
      if (given !== undefined) throw new Violation('a record has a second successor');
      successors.set(jti, { by, jti: successor['jti'], exp: successor['exp'] });
      counts.rotations += 1;
      return ' rotated';
    }
    if (by === 'thief') throw new Violation('the thief was given a token by a retry');
    if (given === undefined) throw new Violation('a retry of nothing');
    if (given.jti !== successor['jti'] || given.exp !== successor['exp'])
      throw new Violation('a retry gave another token');
    counts.retries += 1;
    return ' given again';
  };

  return {
    stolenSessions,
    ownersRefreshes: () => ownersRefreshes,
    records,
    countThefts: async () => {
      const reported = await rows<{ family: string }>(
        `select metadata ->> 'family_id' as family from audit_events
         where event_type = 'token_theft' and metadata ->> 'family_id' = any($1) and created_at >= $2`,
        [[...sessions], began],
      );
      return { thefts: reported.length, afterLogout: reported.filter(({ family }) => leftSessions.has(family)).length };
    },
    answer: async (sent, number) => {
      const { method, path, headers, cookie, body } = sent;
      const instance = instances[number % instances.length];
      if (instance === undefined) throw new Error('no instance');
      const response = await fetch(instance.url + path, {
        method,
        headers: { ...headers, ...(cookie === undefined ? {} : { cookie: `refresh_token=${cookie}` }) },
        ...(body === undefined ? {} : { body }),
      });
      const [setsCookie] = response.headers
        .getSetCookie()
        .map((field) => /^refresh_token=([^;]*)/.exec(field)?.[1])
        .filter((value) => value !== undefined);
      const answered = { status: response.status, headers: response.headers, body: await response.text(), setsCookie };
      if (setsCookie !== undefined && setsCookie !== '') sessions.add(claimsOf(setsCookie)['sid']);
      if (path === '/auth/logout' && cookie !== undefined) leftSessions.add(claimsOf(cookie)['sid']);
      const after = await records();
      judgeTables(after);
      const verdict = path === '/auth/refresh' ? judgeRefresh(sent, answered, after) : '';
      before = after;
      const jar =
        setsCookie === undefined
          ? ''
          : setsCookie === ''
            ? ', clears the cookie'
            : `, sets ${story.cookie(setsCookie)}`;
      story.add(`    server: ${path} with ${story.cookie(cookie)}${verdict}: ${answered.status}${jar}`);
      return answered;
    },
  };
}
