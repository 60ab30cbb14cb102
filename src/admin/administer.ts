/** The frame of administrative changes: one transaction, one at a time, with the operator's power read anew. */
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Actor, AdminEvent, ChangeEvent } from '../audit/events.js';
import { writeAudit } from '../audit/write.js';
import type { Entities } from '../db/orm.js';
import type { Db } from '../db/statement.js';
import type { Client } from '../domain/request-origin.js';
import { hasScope, type OwnScope, type Scopes } from '../domain/scopes.js';
import { AdminRefusal } from '../listing/refusal.js';
import type { Deps } from '../services.js';

/** What a function checks of its operator; whoever describes the function reads it here. */
export interface Needs {
  readonly scope: OwnScope;
  /** Nobody needs it for what is their own: the function looks whose it is. */
  readonly exceptOwn?: true;
}

/** Who asks for a change, and from where. */
export interface Operator {
  actor: Actor;
  client: Client;
  /** Reads what the caller may do now, whatever its token says (Interface 11). */
  scopesNow(db: Db): Promise<Scopes>;
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
  entities: Entities;
  db: Db;
  now: Date;
  /** Of the operator */
  scopes: Scopes;
  /** Writes the events of the change beside it, as the operator's. */
  audit(...events: ChangeEvent[]): Promise<void>;
}

/**
 * @param work is done again where a deadlock has undone it: what it keeps outside of the database is to begin anew
 * @param needs what the operator must have; undefined where nothing is needed
 * @throws {AdminRefusal} `scope_missing`, or what `work` throws; then nothing is changed
 */
export async function administer<T>(
  { clock, db }: Deps<'clock' | 'db'>,
  { actor, client, scopesNow }: Operator,
  needs: Needs | undefined,
  work: (change: Change) => Promise<T>,
): Promise<T> {
  return db.change(async (tx, em, entities) => {
    const scopes = await scopesNow(tx);
    if (needs !== undefined && !needs.exceptOwn) requireScope(scopes, needs.scope);
    const now = clock.now();
    const audit = (...events: ChangeEvent[]): Promise<void> => {
      const made = events.map((event) => ({ ...event, ...client, metadata: { actor, ...event.metadata } }));
      return writeAudit(tx, made as AdminEvent[], now); // each keeps the metadata of its type
    };
    return work({ em, entities, db: tx, now, scopes, audit });
  });
}

/** @throws {AdminRefusal} */
export function requireScope(scopes: Scopes, scope: string): void {
  if (!hasScope(scopes, scope))
    throw new AdminRefusal('scope_missing', `This needs the scope ${scope}`, { requiredScope: scope });
}
