/** Runs administrative changes one at a time, each in one transaction, with the current scopes of the operator. */
import type { LockMode } from '@mikro-orm/postgresql';
import type { Actor, AdminEvent, ChangeEvent } from '../audit/events.js';
import { writeAudit } from '../audit/write.js';
import type { Manager } from '../db/orm.js';
import type { Reads } from '../db/sql.js';
import type { Db } from '../db/statement.js';
import type { RequestOrigin } from '../domain/request-origin.js';
import { hasScope, type OwnScope, type Scopes } from '../domain/scopes.js';
import { AdminRefusal } from '../listing/refusal.js';
import type { Deps } from '../services.js';

/** The scopes that a function requires of its operator; descriptions of the function are made from it. */
export interface Needs {
  readonly scope: OwnScope;
  /** Further scopes, for what the effect of the function reads */
  readonly also?: readonly OwnScope[];
  /** Callers do not need it for their own data; the function checks the owner. */
  readonly exceptOwn?: true;
}

/** Who makes a change, and from where. */
export interface Operator {
  actor: Actor;
  origin: RequestOrigin;
  /** Reads the current scopes of the caller, which may differ from those in its token (Interface 11). */
  scopesNow(db: Db): Promise<Scopes>;
}

/** The command line has every scope, and no address to record. */
export const COMMAND_LINE: Operator = {
  actor: { caller_type: 'cli' },
  origin: { ipAddress: 'cli', userAgent: '' },
  scopesNow: async () => 'all',
};

export interface Change extends Manager {
  db: Db & Reads;
  now: Date;
  /** Scopes of the operator */
  scopes: Scopes;
  /** Writes audit events of the operator in the same transaction. */
  audit(...events: ChangeEvent[]): Promise<void>;
}

/**
 * @param needs undefined if no scope is required
 * @param work is repeated after a deadlock, and must then reset any state outside the database
 * @throws {AdminRefusal} `scope_missing`, or what `work` throws; then nothing is changed
 */
export async function administer<T>(
  { clock, db }: Deps<'clock' | 'db'>,
  { actor, origin, scopesNow }: Operator,
  needs: Needs | undefined,
  work: (change: Change) => Promise<T>,
): Promise<T> {
  return db.change(async (made) => {
    const scopes = await scopesNow(made.db);
    if (needs !== undefined && !needs.exceptOwn) requireScope(scopes, needs.scope, ...(needs.also ?? []));
    const now = clock.now();
    const audit = (...events: ChangeEvent[]): Promise<void> => {
      const rows = events.map((event) => ({ ...event, ...origin, metadata: { actor, ...event.metadata } }));
      return writeAudit(made.db, rows as AdminEvent[], now); // each keeps the metadata of its type
    };
    return work({ ...made, now, scopes, audit });
  });
}

/** Locks the row that is read. A number, because importing the enumeration would load the ORM. */
export const FOR_UPDATE: LockMode.PESSIMISTIC_WRITE = 3;

/** @throws {AdminRefusal} */
export function requireScope(scopes: Scopes, ...required: string[]): void {
  const missing = required.find((scope) => !hasScope(scopes, scope));
  if (missing !== undefined)
    throw new AdminRefusal('scope_missing', `This requires the scope ${missing}`, { requiredScope: missing });
}
