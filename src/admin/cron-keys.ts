/** Administration of cron keys. A key is returned only when it is created. (Interface 6, 9 and 11) */
import { generateKeyId, generateKeySecret, sha256Hex } from '../credentials/key-secrets.js';
import type { CronKey } from '../db/entities/cron-key.js';
import { columnsOf } from '../db/sql.js';
import type { OrderedPageRequest } from '../listing/keyset.js';
import type { Count, Page } from '../listing/page.js';
import type { Deps } from '../services.js';
import { administer, FOR_UPDATE, type Needs, type Operator } from './administer.js';
import {
  checkExpiry,
  checkServiceName,
  countKeys,
  expiry,
  grantScopes,
  type KeyFilter,
  type KeyOrder,
  LISTED,
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

/** @throws {AdminRefusal} for an invalid field, or a scope that the operator does not have */
export function createCronKey(
  deps: Deps<'clock' | 'db'>,
  operator: Operator,
  { serviceName, scopes: wanted, expiresAt = null }: NewCronKey,
): Promise<IssuedCronKey> {
  return administer(deps, operator, createCronKey.needs, async ({ em, entities, secrets, now, scopes, audit }) => {
    checkServiceName(serviceName);
    checkExpiry(expiresAt, now);
    const granted = grantScopes(scopes, wanted);
    const keyId = generateKeyId('cron');
    const secret = generateKeySecret('cron');
    const secretSha256 = sha256Hex(secret);
    const row = { keyId, serviceName, scopes: granted, secretSha256, expiresAt, createdAt: now };
    await secrets.insertInto('cron_keys').values(row).execute();
    const key = await em.findOneOrFail(entities.CronKey, { keyId });
    const metadata = { key_id: keyId, service_name: serviceName, scopes: granted, ...expiry(expiresAt) };
    await audit({ eventType: 'cron_key_created', userId: null, metadata });
    return { key, headerValue: `${keyId}.${secret}` };
  });
}
createCronKey.needs = { scope: 'keys:write' } satisfies Needs;

/** A key without the hashes of its secrets. */
export type ListedCronKey = Omit<CronKey, 'secretSha256' | 'previousSecretSha256'>;

const COLUMNS = columnsOf(LISTED satisfies Array<keyof ListedCronKey>);

/** @throws {AdminRefusal} for an invalid page, or too many ids */
export function listCronKeys(
  deps: Deps<'clock' | 'db'>,
  filter: KeyFilter,
  page: OrderedPageRequest<KeyOrder>,
): Promise<Page<ListedCronKey>> {
  return pageOfKeys(deps, 'cron_keys', COLUMNS, filter, page);
}

/** @throws {AdminRefusal} for too many ids, or if counting takes too long */
export function countCronKeys(deps: Deps<'clock' | 'db'>, filter: KeyFilter): Promise<Count> {
  return countKeys(deps, 'cron_keys', filter);
}

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
    const { em, entities, secrets } = change;
    const secret = generateKeySecret('cron');
    const secretSha256 = sha256Hex(secret);
    const found = await em.findOne(entities.CronKey, { keyId, revokedAt: null }, { lockMode: FOR_UPDATE });
    const key = await rotateKey(change, found, 'cron_key_rotated', rotation, (hasOverlap) =>
      secrets
        .updateTable('cron_keys')
        .set(({ ref }) => ({ secretSha256, previousSecretSha256: hasOverlap ? ref('secretSha256') : null }))
        .where('keyId', '=', keyId)
        .execute(),
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
