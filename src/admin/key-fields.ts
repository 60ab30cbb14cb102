/** What API keys and cron keys have in common: the checks of their fields, who may grant which scope, the listing. */
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../db/database.js';
import { isScope, type Scopes } from '../domain/scopes.js';
import {
  allOf,
  decodeTimeCursor,
  encodeCursor,
  exactTime,
  type Page,
  type PageRequest,
  readPage,
} from '../listing/page.js';
import { AdminRefusal } from '../listing/refusal.js';
import { requireScope } from './administer.js';

const MAX_SCOPES = 50;
const SERVICE_NAME = /^[^\p{C}\s](?:[^\p{C}]{0,98}[^\p{C}\s])?$/u;

/** @throws {AdminRefusal} */
export function checkServiceName(serviceName: string): void {
  if (!SERVICE_NAME.test(serviceName)) {
    throw new AdminRefusal(
      'invalid_service_name',
      'A service name is 1 to 100 printable characters, no space at its ends',
      { argument: 'serviceName' },
    );
  }
}

/** The scopes, each once. Nobody grants a scope that they do not have. @throws {AdminRefusal} */
export function grantScopes(own: Scopes, scopes: readonly string[]): string[] {
  if (scopes.length > MAX_SCOPES || !scopes.every(isScope)) {
    throw new AdminRefusal('invalid_scope', `Scopes are resource:action in lower case, at most ${MAX_SCOPES}`, {
      argument: 'scopes',
    });
  }
  for (const scope of scopes) requireScope(own, scope);
  return [...new Set(scopes)];
}

export function unknownKey(): AdminRefusal {
  return new AdminRefusal('key_unknown', 'There is no such key that is not revoked');
}

/**
 * A page of keys, revoked ones too, oldest first; no secret is read.
 * @param columns a select list, under the names of the entity
 * @throws {AdminRefusal} for a bad page
 */
export function pageOfKeys<Key extends { keyId: string }>(
  db: Database,
  table: 'api_keys' | 'cron_keys',
  columns: RawBuilder<Key>,
  page: PageRequest,
): Promise<Page<Key>> {
  return readPage(
    db,
    page,
    sql<Key & { exactly: string }>`
      select ${columns}, ${exactTime('created_at')} as exactly from ${sql.table(table)}
      where ${allOf(page.after != null && behindCursor(page.after))}
      order by created_at, key_id limit ${page.first + 1}`,
    ({ exactly, keyId }) => encodeCursor(exactly, keyId),
  );
}

/** @throws {AdminRefusal} for a text that is no cursor */
function behindCursor(cursor: string): RawBuilder<unknown> {
  const { exactly, rest } = decodeTimeCursor(cursor, () => true);
  return sql`(created_at, key_id) > (${exactly}::timestamptz, ${rest[0]})`;
}
