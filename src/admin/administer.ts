/** Runs administrative changes one at a time, each in one transaction, with the current scopes of the operator. */
import type { LockMode } from '@mikro-orm/postgresql';
import type { Actor, AdminEvent, ChangeEvent } from '../audit/events.js';
import { writeAudit } from '../audit/write.js';
import type { Manager } from '../db/orm.js';
import type { Reads } from '../db/sql.js';
import type { Db } from '../db/statement.js';
import type { RequestOrigin } from '../domain/request-origin.js';
import { hasScope, type OwnScope, type Scopes } from '../domain/scopes.js';
import type { Standing } from '../domain/standing.js';
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
  /** Reads what the caller may do now, which may differ from what its token says (Interface 11). */
  standing(db: Db): Promise<Standing>;
}

/** The command line has every scope, and no address to record. */
export const COMMAND_LINE: Operator = {
  actor: { caller_type: 'cli' },
  origin: { ipAddress: 'cli', userAgent: '' },
  standing: async () => ({ scopes: 'all' }),
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
 * @throws {AdminRefusal} as `authorize` does, or what `work` throws; then nothing is changed
 */
export async function administer<T>(
  { clock, db }: Deps<'clock' | 'db'>,
  operator: Operator,
  needs: Needs | undefined,
  work: (change: Change) => Promise<T>,
): Promise<T> {
  return db.change(async (made) => {
    const { actor, origin } = operator;
    const scopes = await authorize(made.db, operator, needs);
    const now = clock.now();
    const audit = (...events: ChangeEvent[]): Promise<void> => {
      const rows = events.map((event) => ({ ...event, ...origin, metadata: { actor, ...event.metadata } }));
      return writeAudit(made.db, rows as AdminEvent[], now); // each keeps the metadata of its type
    };
    return work({ ...made, now, scopes, audit });
  });
}

/**
 * Scopes come first: who may not make the change at all is not asked to confirm who they are.
 * @param needs undefined if no scope is required
 * @returns the scopes of the operator
 * @throws {AdminRefusal} `scope_missing`, `second_factor_required` or `confirmation_required`
 */
export async function authorize(db: Db, operator: Operator, needs: Needs | undefined): Promise<Scopes> {
  const { scopes, needs: neededProof } = await operator.standing(db);
  if (needs !== undefined && !needs.exceptOwn) requireScope(scopes, needs.scope, ...(needs.also ?? []));
  if (neededProof === undefined) return scopes;
  const wanted = neededProof.acrValues === undefined ? 'the password' : 'a second factor';
  throw new AdminRefusal('confirmation_required', `Confirm who you are: this requires ${wanted} again`, neededProof);
}

/** Locks the row that is read. A number, because importing the enumeration would load the ORM. */
export const FOR_UPDATE: LockMode.PESSIMISTIC_WRITE = 3;

/** @throws {AdminRefusal} */
export function requireScope(scopes: Scopes, ...required: string[]): void {
  const missing = required.find((scope) => !hasScope(scopes, scope));
  if (missing === undefined) return;
  const [reason, after] =
    scopes === 'after_factor'
      ? (['second_factor_required', ', which this user has only after a second factor'] as const)
      : (['scope_missing', ''] as const);
  throw new AdminRefusal(reason, `This requires the scope ${missing}${after}`, { requiredScope: missing });
}
