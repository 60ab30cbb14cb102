/** Interface 6, 9 and 11: administration of cron keys. A key is returned only when it is created. */
import { sql } from 'kysely';
import { generateKeyId, generateKeySecret, sha256Hex } from '../credentials/key-secrets.js';
import type { CronKey } from '../db/entities/cron-key.js';
import { isLive } from '../db/live-key.js';
import { statement } from '../db/statement.js';
import type { Count, Page, PageRequest } from '../listing/page.js';
import type { Deps } from '../services.js';
import { administer, type Needs, type Operator } from './administer.js';
import {
  checkExpiry,
  checkServiceName,
  countKeys,
  expiry,
  grantScopes,
  type KeyFilter,
  pageOfKeys,
  type Rotation,
  rotateKey,
  unknownKey,
} from './key-fields.js';

export interface NewCronKey {
  serviceName: string;
  scopes: readonly string[];
  /** Null: never */
  expiresAt?: Date | null;
}

export interface IssuedCronKey {
  key: CronKey;
  /** The whole value of `X-Internal-Key`, never shown again: `KEY_ID.SECRET` */
  headerValue: string;
}

const createCronKeySql = statement(
  'create_cron_key',
  {
    key_id: 'text',
    service_name: 'text',
    scopes: 'text[]',
    secret_sha256: 'text',
    expires_at: 'timestamptz?',
    now: 'timestamptz',
  },
  {},
)`
  insert into cron_keys (key_id, service_name, scopes, secret_sha256, expires_at, created_at)
  values (:key_id, :service_name, :scopes, :secret_sha256, :expires_at, :now)`;

/** @throws {AdminRefusal} for an invalid field, or a scope that the operator does not have */
export function createCronKey(
  deps: Deps<'clock' | 'db'>,
  operator: Operator,
  { serviceName, scopes: wanted, expiresAt = null }: NewCronKey,
): Promise<IssuedCronKey> {
  return administer(deps, operator, createCronKey.needs, async ({ em, entities, db, now, scopes, audit }) => {
    checkServiceName(serviceName);
    checkExpiry(expiresAt, now);
    const granted = grantScopes(scopes, wanted);
    const keyId = generateKeyId('cron');
    const secret = generateKeySecret('cron');
    await db.run(createCronKeySql, {
      key_id: keyId,
      service_name: serviceName,
      scopes: granted,
      secret_sha256: sha256Hex(secret),
      expires_at: expiresAt,
      now,
    });
    const key = await em.findOneOrFail(entities.CronKey, { keyId });
    const metadata = { key_id: keyId, service_name: serviceName, scopes: granted, ...expiry(expiresAt) };
    await audit({ eventType: 'cron_key_created', userId: null, metadata });
    return { key, headerValue: `${keyId}.${secret}` };
  });
}
createCronKey.needs = { scope: 'keys:write' } satisfies Needs;

/** A key without the hashes of its secrets. */
export type ListedCronKey = Omit<CronKey, 'secretSha256' | 'previousSecretSha256'>;

const COLUMNS = sql<ListedCronKey>`
  key_id as "keyId", service_name as "serviceName", scopes, created_at as "createdAt", revoked_at as "revokedAt",
  expires_at as "expiresAt", last_used_at as "lastUsedAt", previous_ends_at as "previousEndsAt"`;

/** @throws {AdminRefusal} for an invalid page, or too many ids */
export function listCronKeys(
  deps: Deps<'clock' | 'db'>,
  filter: KeyFilter,
  page: PageRequest,
): Promise<Page<ListedCronKey>> {
  return pageOfKeys(deps, 'cron_keys', COLUMNS, filter, page);
}

/** @throws {AdminRefusal} for too many ids, or if counting takes too long */
export function countCronKeys(deps: Deps<'clock' | 'db'>, filter: KeyFilter): Promise<Count> {
  return countKeys(deps, 'cron_keys', filter);
}

/** As for API keys: one statement decides which of two concurrent rotations is first. */
const rotateCronKeySql = statement(
  'rotate_cron_key',
  {
    key_id: 'text',
    secret_sha256: 'text',
    previous_ends_at: 'timestamptz?',
    expires_at: 'timestamptz?',
    ends_older: 'boolean',
    now: 'timestamptz',
  },
  { key_id: 'text' },
)`
  update cron_keys
  set previous_secret_sha256 = case when :previous_ends_at is not null then secret_sha256 end,
    previous_ends_at = :previous_ends_at, secret_sha256 = :secret_sha256, expires_at = coalesce(:expires_at, expires_at)
  where key_id = :key_id and ${isLive(':now')}
    and (:ends_older or previous_ends_at is null or previous_ends_at <= :now)
  returning key_id`;

/**
 * Creates a second secret. The current one ends after `overlapSeconds`.
 * @throws {AdminRefusal} for an unknown, revoked or expired key, an invalid overlap or expiry, or `two_secrets_live`
 */
export function rotateCronKey(
  deps: Deps<'clock' | 'db'>,
  operator: Operator,
  keyId: string,
  rotation: Rotation,
): Promise<IssuedCronKey> {
  return administer(deps, operator, rotateCronKey.needs, async (change) => {
    const { em, entities, db } = change;
    const secret = generateKeySecret('cron');
    const found = await em.findOne(entities.CronKey, { keyId, revokedAt: null });
    const key = await rotateKey(change, found, 'cron_key_rotated', rotation, (asked) =>
      db.run(rotateCronKeySql, { ...asked, secret_sha256: sha256Hex(secret) }),
    );
    return { key, headerValue: `${keyId}.${secret}` };
  });
}
rotateCronKey.needs = { scope: 'keys:write' } satisfies Needs;

/** Ends a key at once, on every instance. @throws {AdminRefusal} for an unknown or already revoked key */
export function revokeCronKey(deps: Deps<'clock' | 'db'>, operator: Operator, keyId: string): Promise<CronKey> {
  return administer(deps, operator, revokeCronKey.needs, async ({ em, entities, now, audit }) => {
    const key = await em.findOne(entities.CronKey, { keyId, revokedAt: null });
    if (key === null) throw unknownKey();
    key.revokedAt = now;
    await em.flush();
    const metadata = { key_id: keyId, service_name: key.serviceName };
    await audit({ eventType: 'cron_key_revoked', userId: null, metadata });
    return key;
  });
}
revokeCronKey.needs = { scope: 'keys:write' } satisfies Needs;
