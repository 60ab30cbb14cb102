/** The frame of every administrative change: one transaction, one at a time, with the caller's power read anew. */
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { type Actor, type AdminEvent, writeAudit } from '../audit/events.js';
import type { Passwords } from '../credentials/passwords.js';
import { CHANGE_TIMEOUT_MS, type Database, type Sql } from '../db/database.js';
import type { Clock } from '../platform/clock.js';
import type { Client } from '../remote-client.js';
import { hasScope, type OwnScope, type Scopes } from '../scopes.js';
import { AdminRefusal } from './refusal.js';

export interface AdminDependencies {
  clock: Clock;
  db: Database;
  passwords: Passwords;
}

/** Who asks for a change, and from where. */
export interface Operator {
  actor: Actor;
  client: Client;
  /** Reads what the caller may do now, whatever its token says (CONTRACT 11). */
  scopesNow(db: Sql): Promise<Scopes>;
}

/** Changes from the command line are made by whoever may run it; there is no address to record. */
export const COMMAND_LINE: Operator = {
  actor: { caller_type: 'cli' },
  client: { ipAddress: 'cli', userAgent: '' },
  scopesNow: async () => 'all',
};

/** What a change works with, inside its transaction. */
export interface Change {
  em: SqlEntityManager;
  sql: Sql;
  now: Date;
  /** Of the operator */
  scopes: Scopes;
  /** Writes the events of the change beside it. */
  audit(...events: AdminEvent[]): Promise<void>;
}

/** Key of the advisory lock under which changes take turns, so that "the last administrator" is exact. */
const TAKE_TURNS_LOCK = 7_241_093_519;

/**
 * @param scope what the caller must hold; undefined where `work` decides by itself
 * @throws {AdminRefusal} `forbidden`, or what `work` throws; then nothing is changed
 */
export async function administer<T>(
  { clock, db }: AdminDependencies,
  operator: Operator,
  scope: OwnScope | undefined,
  work: (change: Change) => Promise<T>,
): Promise<T> {
  return db.change(async (tx, em) => {
    await takeTurn(tx);
    await sql`select set_config('statement_timeout', ${String(CHANGE_TIMEOUT_MS)}, true)`.execute(tx);
    const scopes = await operator.scopesNow(tx);
    if (scope !== undefined) requireScope(scopes, scope);
    const now = clock.now();
    return work({ em, sql: tx, now, scopes, audit: (...events) => writeAudit(tx, events, now) });
  });
}

/** Waits until no other administrative change is under way, and keeps others waiting until the transaction ends. */
export async function takeTurn(db: Sql): Promise<void> {
  await sql`select pg_advisory_xact_lock(${TAKE_TURNS_LOCK}::bigint)`.execute(db);
}

/** @throws {AdminRefusal} */
export function requireScope(scopes: Scopes, scope: string): void {
  if (!hasScope(scopes, scope)) throw new AdminRefusal('forbidden', `This needs the scope ${scope}`);
}
