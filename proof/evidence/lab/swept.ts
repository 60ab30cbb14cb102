/** What the sweeper of a gateway must leave: sessions that live, and used tokens, whose return is a theft. */
import { until } from '../../../test/support/until.js';
import type { Row } from '../experiment.js';
import type { Gateways } from './gateways.js';
import { USED, untilServed } from './journal.js';
import { mintSessions, newJti } from './minted.js';
import type { Postgres } from './postgres.js';
import { sendCookie } from './probes.js';

export interface OldSessions {
  /** Waits for a sweep, then asks for every session and presents every used token. */
  row(over: string): Promise<Row>;
}

/** Each has been rotated once. @param email of their user */
export async function beginOldSessions(
  gateways: Gateways,
  db: Pick<Postgres, 'query'>,
  url: string,
  email: string,
  count: number,
): Promise<OldSessions> {
  const sessions: Array<{ used: string; live: string }> = [];
  for (const used of await mintSessions(gateways, db, email, count)) {
    const { status, cookie } = await sendCookie(url, '/auth/refresh', used);
    if (status === 200 && cookie !== undefined) sessions.push({ used, live: cookie }); // else there are too few trials
  }
  const expired = await plantExpired(db);
  return {
    row: async (over) => {
      const left = () => db.query('select from refresh_tokens where jti = $1', [expired]);
      await until('a sweep deletes an expired record', async () => (await left()).length === 0);
      const row = { what: `sessions and used tokens forgotten ${over}`, trials: 0, least: 2 * count, violations: 0 };
      const examples: string[] = [];
      const note = (isKnown: boolean, example: string): void => {
        row.trials += 1;
        if (isKnown) return;
        row.violations += 1;
        examples.push(example);
      };
      for (const { used, live } of sessions) {
        const { status } = await untilServed(() => sendCookie(url, '/auth/refresh', live));
        note(status === 200, `a live session was answered ${status}`);
        const { body } = await untilServed(() => sendCookie(url, '/auth/refresh', used));
        note(USED.test(String(body['detail'])), 'a used token is unknown');
      }
      return { ...row, examples };
    },
  };
}

/** @returns its `jti`, the next one: a sweep that deletes it has read every record of before. */
async function plantExpired(db: Pick<Postgres, 'query'>): Promise<string> {
  const [planted] = await db.query<{ jti: string }>(
    `insert into refresh_tokens (jti, user_id, family_id, user_agent, ip_address, created_at, expires_at)
     select $1, id, gen_random_uuid(), '', '', now() - interval '90 days', now() - interval '60 days'
     from users limit 1 returning jti`,
    [newJti()],
  );
  if (planted === undefined) throw new Error('there is no user');
  return planted.jti;
}
