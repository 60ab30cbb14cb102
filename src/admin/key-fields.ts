/** Shared by API keys, cron keys and in part webhooks: checks of fields and granted scopes, and the listing. */
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../db/database.js';
import { isScope, MAX_SCOPES, type Scopes } from '../domain/scopes.js';
import { checkedIds, type IdFilter } from '../listing/ids.js';
import {
  allOf,
  type Count,
  countRows,
  decodeTimeCursor,
  encodeCursor,
  exactTime,
  type Page,
  type PageRequest,
  readPage,
} from '../listing/page.js';
import { AdminRefusal } from '../listing/refusal.js';
import { requireScope } from './administer.js';

const SERVICE_NAME = /^[^\p{C}\s](?:[^\p{C}]{0,98}[^\p{C}\s])?$/u;

/** @throws {AdminRefusal} */
export function checkServiceName(serviceName: string): void {
  if (!SERVICE_NAME.test(serviceName)) {
    throw new AdminRefusal(
      'invalid_service_name',
      'The service name must be 1 to 100 printable characters without leading or trailing spaces',
      { argument: 'serviceName' },
    );
  }
}

/** Nobody can grant a scope that they do not have. @returns the scopes without duplicates @throws {AdminRefusal} */
export function grantScopes(own: Scopes, scopes: readonly string[]): string[] {
  if (scopes.length > MAX_SCOPES || !scopes.every(isScope)) {
    throw new AdminRefusal(
      'invalid_scope',
      `Scopes must be at most ${MAX_SCOPES} names of the form resource:action in lower case`,
      {
        argument: 'scopes',
      },
    );
  }
  for (const scope of scopes) requireScope(own, scope);
  return [...new Set(scopes)];
}

/** Default time for which the previous secret of a key or webhook stays valid after a rotation: seconds. */
export const OVERLAP_SECONDS = 86_400;
const MAX_OVERLAP_SECONDS = 30 * 86_400;

/** @throws {AdminRefusal} */
export function checkOverlap(overlapSeconds: number): void {
  if (!Number.isInteger(overlapSeconds) || overlapSeconds < 0 || overlapSeconds > MAX_OVERLAP_SECONDS) {
    throw new AdminRefusal('invalid_overlap', `The overlap must be 0 to ${MAX_OVERLAP_SECONDS} seconds`, {
      argument: 'overlapSeconds',
    });
  }
}

export function unknownKey(): AdminRefusal {
  return new AdminRefusal('key_unknown', 'There is no active key with this ID');
}

export interface KeyFilter extends IdFilter {
  /** Only keys that work, or only revoked ones; both if undefined. */
  live?: boolean | null | undefined;
  /** Exactly this name */
  serviceName?: string | null | undefined;
}

type KeyTable = 'api_keys' | 'cron_keys';

/**
 * A page of keys, including revoked ones, oldest first, without secrets.
 * @param columns a select list with the names of the entity
 * @throws {AdminRefusal} for an invalid page, or too many ids
 */
export function pageOfKeys<Key extends { keyId: string }>(
  db: Database,
  table: KeyTable,
  columns: RawBuilder<Key>,
  filter: KeyFilter,
  page: PageRequest,
): Promise<Page<Key>> {
  return readPage(
    db,
    page,
    sql<Key & { exactly: string }>`
      select ${columns}, ${exactTime('created_at')} as exactly from ${sql.table(table)}
      where ${allOf(matches(filter), page.after != null && afterCursor(page.after))}
      order by created_at, key_id limit ${page.first + 1}`,
    ({ exactly, keyId }) => encodeCursor(exactly, keyId),
  );
}

/** @throws {AdminRefusal} for too many ids, or if counting takes too long */
export function countKeys(db: Database, table: KeyTable, filter: KeyFilter): Promise<Count> {
  return countRows(db, sql`select from ${sql.table(table)} where ${matches(filter)}`);
}

/** @throws {AdminRefusal} */
function matches({ ids, live, serviceName }: KeyFilter): RawBuilder<unknown> {
  return allOf(
    ids != null && sql`key_id = any(${checkedIds(ids)}::text[])`,
    live != null && sql`(revoked_at is null) = ${live}`,
    serviceName != null && sql`service_name = ${serviceName}`,
  );
}

/** @throws {AdminRefusal} for an invalid cursor */
function afterCursor(cursor: string): RawBuilder<unknown> {
  const { exactly, rest } = decodeTimeCursor(cursor, () => true);
  return sql`(created_at, key_id) > (${exactly}::timestamptz, ${rest[0]})`;
}
