/** A request of an honest client, one of whose statements loses its answer. */
import type { Answer } from '../../lab/browser.js';
import type { Gateways } from '../../lab/gateways.js';
import type { LosingProxy } from '../../lab/losing-proxy.js';
import type { Postgres } from '../../lab/postgres.js';

/** Where it is tried. */
export interface Stand {
  /** For the report of a violation */
  name: string;
  url: string;
  gateways: Gateways;
  db: Pick<Postgres, 'query'>;
  losing: LosingProxy['losing'];
  /** E-mail of a user that no other trial has */
  newUser(): string;
  /** E-mail of an administrator */
  admin: string;
}

export interface Act {
  name: string;
  /** Name of the statement, or its text if it has none */
  statement: RegExp;
  /** What the tables have more, or less, after it was executed, under the names of `countRows` */
  once: Record<string, number>;
  prepare(stand: Stand): Promise<Trial>;
}

export interface Trial {
  ask(): Promise<Answer>;
  /**
   * What the client does next, when all is well.
   * @param isDone whether the statement was executed
   */
  next(isDone: boolean): Promise<Step[]>;
}

/** An answer, and whether it is as documented */
export type Step = [answer: Answer, isRight: boolean];

/** Numbers of rows and sums of counters in the whole database; events by their types. */
export async function countRows({ query }: Stand['db']): Promise<Record<string, number>> {
  const counts = await query<{ what: string; count: number }>(
    `select 'records' as what, count(*)::integer as count from refresh_tokens
     union all select 'live', count(*)::integer from refresh_tokens where not revoked
     union all select 'retries', coalesce(sum(retries), 0)::integer from refresh_tokens
     union all select 'failures', sum(failed_login_attempts)::integer from users
     union all select 'passwords', sum(password_version)::integer from users
     union all select 'analysts', count(*)::integer from users where role = 'analyst'
     union all select 'links', count(*)::integer from password_links
     union all select 'api_keys', count(*)::integer from api_keys
     union all select event_type, count(*)::integer from audit_events group by 1`,
  );
  return Object.fromEntries(counts.map(({ what, count }) => [what, count]));
}

/** What has changed, without what has not. */
export function changesBetween(before: Record<string, number>, after: Record<string, number>): Record<string, number> {
  const changes = Object.entries(after).map(([what, count]) => [what, count - (before[what] ?? 0)] as const);
  return Object.fromEntries(changes.filter(([, change]) => change !== 0));
}
