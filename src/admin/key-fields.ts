/** What API keys, cron keys and in part webhooks share: checks of fields and granted scopes, rotation and listing. */
import type { ApiKey } from '../db/entities/api-key.js';
import type { CronKey } from '../db/entities/cron-key.js';
import { type RawBuilder, sql } from '../db/sql.js';
import { isScope, MAX_SCOPES, type Scopes } from '../domain/scopes.js';
import { checkedIds, type IdFilter } from '../listing/ids.js';
import { column, type OrderedPageRequest, type Orders, walkBy } from '../listing/keyset.js';
import { allOf, type Count, countRows, type Keyed, type Page, readPage } from '../listing/page.js';
import { AdminRefusal } from '../listing/refusal.js';
import { addSeconds, hasFourDigitYear } from '../platform/clock.js';
import type { Deps } from '../services.js';
import { type Change, requireScope } from './administer.js';

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

/** @throws {AdminRefusal} */
export function checkExpiry(expiresAt: Date | null, now: Date): void {
  if (expiresAt === null) return;
  const fault = expiresAt <= now ? 'in the future' : hasFourDigitYear(expiresAt) ? undefined : 'before the year 10000';
  if (fault !== undefined)
    throw new AdminRefusal('invalid_expiry', `The key must expire ${fault}`, { argument: 'expiresAt' });
}

/** For the metadata of an event */
export function expiry(expiresAt: Date | null): { expires_at?: string } {
  return expiresAt === null ? {} : { expires_at: expiresAt.toISOString() };
}

/** How a key gets a new secret. */
export interface Rotation {
  /** How long the current secret stays valid; with 0 only the new one is valid */
  overlapSeconds: number;
  /** Rotates even if two secrets are valid, and ends the older one at once */
  force?: boolean;
  /** Null: as before */
  expiresAt?: Date | null;
}

/** Of a key of either kind */
export type KeyState = Pick<ApiKey, 'revokedAt' | 'expiresAt' | 'previousEndsAt'>;

export function isLiveKey({ revokedAt, expiresAt }: KeyState, now: Date): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now);
}

/** When the previous secret ends; null if there is none, or it has ended. */
export function previousSecretEndsAt(key: KeyState, now: Date): Date | null {
  const { previousEndsAt } = key;
  return isLiveKey(key, now) && previousEndsAt !== null && previousEndsAt > now ? previousEndsAt : null;
}

/** Number of valid secrets: 0 if the key is revoked or expired, otherwise 1 or 2. */
export function liveSecretCount(key: KeyState, now: Date): number {
  if (!isLiveKey(key, now)) return 0;
  return previousSecretEndsAt(key, now) === null ? 1 : 2;
}

/**
 * Gives a key of either kind a second secret. The current one ends after `overlapSeconds`.
 * @param found its locked row, so that of two concurrent rotations the second finds two secrets; null: it is unknown or revoked
 * @param replaceSecret stores the new secret, and the current one as the previous one if there is an overlap
 * @throws {AdminRefusal} also for an expired key, an invalid overlap or expiry, or `two_secrets_live`
 */
export async function rotateKey<Key extends ApiKey | CronKey>(
  { em, now, scopes, audit }: Change,
  found: Key | null,
  eventType: 'api_key_rotated' | 'cron_key_rotated',
  { overlapSeconds, force = false, expiresAt = null }: Rotation,
  replaceSecret: (hasOverlap: boolean) => Promise<unknown>,
): Promise<Key> {
  checkOverlap(overlapSeconds);
  checkExpiry(expiresAt, now);
  if (found === null) throw unknownKey();
  grantScopes(scopes, found.scopes); // the receiver of the new secret receives the scopes
  if (!isLiveKey(found, now)) throw unknownKey();
  const olderEndsAt = previousSecretEndsAt(found, now);
  const hasOverlap = overlapSeconds > 0;
  if (olderEndsAt !== null && hasOverlap && !force) throw twoSecretsLive(olderEndsAt);
  await replaceSecret(hasOverlap);
  found.previousEndsAt = hasOverlap ? addSeconds(now, overlapSeconds) : null;
  found.expiresAt = expiresAt ?? found.expiresAt;
  await em.flush();
  const metadata = { key_id: found.keyId, overlap_seconds: overlapSeconds, ...expiry(expiresAt) };
  await audit({ eventType, userId: null, metadata });
  return found;
}

/** After a double click or a lost response, the running service still has the older secret. */
function twoSecretsLive(olderEndsAt: Date): AdminRefusal {
  return new AdminRefusal(
    'two_secrets_live',
    `The key has two valid secrets and cannot be rotated before the older one ends; it is valid until ${olderEndsAt.toISOString()}. ` +
      'If the newer secret was lost, rotate with --overlap 0 (overlapSeconds: 0) to end both, or with --force (force: true) ' +
      'to end the older one. Either cuts off a service that uses the older secret, until it has the new one',
  );
}

export function unknownKey(): AdminRefusal {
  return new AdminRefusal('key_unknown', 'There is no active key with this ID');
}

export interface KeyFilter extends IdFilter {
  /** Only keys that work, or only revoked and expired ones; both if undefined. */
  live?: boolean | null | undefined;
  /** Exactly this name */
  serviceName?: string | null | undefined;
}

type KeyTable = 'api_keys' | 'cron_keys';

/** Properties that keys of both kinds list. */
export const LISTED: Array<keyof ApiKey & keyof CronKey> = [
  'keyId',
  'serviceName',
  'scopes',
  'createdAt',
  'revokedAt',
  'expiresAt',
  'lastUsedAt',
  'previousEndsAt',
];

export type KeyOrder = 'created_at' | 'service_name' | 'last_used_at';

const ID = column('key_id', 'text');

/** Keys are few: no index is needed to sort them. */
const ORDERS: Orders<KeyOrder> = {
  created_at: { columns: [column('created_at', 'timestamptz'), ID], direction: 'asc' },
  service_name: { columns: [column('service_name', 'text'), ID], direction: 'asc', name: 'service_name' },
  last_used_at: { columns: [column('last_used_at', 'timestamptz', true), ID], direction: 'desc', name: 'last_used_at' },
};

/**
 * A page of keys, including revoked ones, oldest first unless asked otherwise, without secrets.
 * @param columns the select list
 * @throws {AdminRefusal} for an invalid page, or too many ids
 */
export function pageOfKeys<Key>(
  { clock, db }: Deps<'clock' | 'db'>,
  table: KeyTable,
  columns: RawBuilder<unknown>,
  filter: KeyFilter,
  page: OrderedPageRequest<KeyOrder>,
): Promise<Page<Key>> {
  const walk = walkBy(ORDERS, 'created_at', page);
  const query = sql<Key & Keyed>`
    select ${columns}, ${walk.key} as key from ${sql.table(table)}
    where ${allOf(matches(filter, clock.now()), walk.beyond())} order by ${walk.rows()} limit ${walk.limit}`;
  return readPage(db, walk, query);
}

/** @throws {AdminRefusal} for too many ids, or if counting takes too long */
export function countKeys({ clock, db }: Deps<'clock' | 'db'>, table: KeyTable, filter: KeyFilter): Promise<Count> {
  return countRows(db, sql`select from ${sql.table(table)} where ${matches(filter, clock.now())}`);
}

/** @throws {AdminRefusal} */
function matches({ ids, live, serviceName }: KeyFilter, now: Date): RawBuilder<unknown> {
  return allOf(
    ids != null && sql`key_id = any(${checkedIds(ids)}::text[])`,
    live != null &&
      sql`(revoked_at is null and (expires_at is null or expires_at > ${now.toISOString()}::timestamptz)) = ${live}`,
    serviceName != null && sql`service_name = ${serviceName}`,
  );
}
