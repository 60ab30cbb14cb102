/** Administration of API keys. A secret is returned only when it is created. (Interface 6, 9 and 11) */
import { generateKeyId, generateKeySecret } from '../credentials/key-secrets.js';
import { sealSecret } from '../credentials/sealed-secret.js';
import type { ApiKey } from '../db/entities/api-key.js';
import { columnsOf } from '../db/sql.js';
import type { OrderedPageRequest } from '../listing/keyset.js';
import type { Count, Page } from '../listing/page.js';
import { AdminRefusal } from '../listing/refusal.js';
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

export interface NewApiKey {
  serviceName: string;
  scopes: readonly string[];
  /** Requests per minute */
  rateLimit: number;
  /** Null: never */
  expiresAt?: Date | null;
}

export interface IssuedApiKey {
  key: ApiKey;
  /** `aks_…`, never shown again */
  secret: string;
}

const MAX_RATE_LIMIT = 1_000_000;

/** @throws {AdminRefusal} for an invalid field, or a scope that the operator does not have */
export function createApiKey(
  deps: Deps<'clock' | 'db' | 'keyring'>,
  operator: Operator,
  { serviceName, scopes: wanted, rateLimit, expiresAt = null }: NewApiKey,
): Promise<IssuedApiKey> {
  return administer(deps, operator, createApiKey.needs, async ({ em, entities, secrets, now, scopes, audit }) => {
    checkServiceName(serviceName);
    if (!Number.isInteger(rateLimit) || rateLimit < 1 || rateLimit > MAX_RATE_LIMIT) {
      throw new AdminRefusal(
        'invalid_rate_limit',
        `The rate limit must be 1 to ${MAX_RATE_LIMIT} requests per minute`,
        {
          argument: 'rateLimit',
        },
      );
    }
    checkExpiry(expiresAt, now);
    const granted = grantScopes(scopes, wanted);
    const keyId = generateKeyId('api');
    const secret = generateKeySecret('api');
    const sealedSecret = await sealSecret(deps.keyring, keyId, secret, now);
    const row = { keyId, serviceName, scopes: granted, rateLimit, sealedSecret, expiresAt, createdAt: now };
    await secrets.insertInto('api_keys').values(row).execute();
    const key = await em.findOneOrFail(entities.ApiKey, { keyId });
    const metadata = {
      key_id: keyId,
      service_name: serviceName,
      scopes: granted,
      rate_limit: rateLimit,
      ...expiry(expiresAt),
    };
    await audit({ eventType: 'api_key_created', userId: null, metadata });
    return { key, secret };
  });
}
createApiKey.needs = { scope: 'keys:write' } satisfies Needs;

/** A key without its secrets. */
export type ListedApiKey = Omit<ApiKey, 'sealedSecret' | 'previousSealedSecret'>;

const COLUMNS = columnsOf([...LISTED, 'rateLimit'] satisfies Array<keyof ListedApiKey>);

/** @throws {AdminRefusal} for an invalid page, or too many ids */
export function listApiKeys(
  deps: Deps<'clock' | 'db'>,
  filter: KeyFilter,
  page: OrderedPageRequest<KeyOrder>,
): Promise<Page<ListedApiKey>> {
  return pageOfKeys(deps, 'api_keys', COLUMNS, filter, page);
}

/** @throws {AdminRefusal} for too many ids, or if counting takes too long */
export function countApiKeys(deps: Deps<'clock' | 'db'>, filter: KeyFilter): Promise<Count> {
  return countKeys(deps, 'api_keys', filter);
}

/**
 * Creates a second secret. The current one ends after `overlapSeconds`.
 * @throws {AdminRefusal} for an unknown, revoked or expired key, an invalid overlap or expiry, or `two_secrets_live`
 */
export function rotateApiKey(
  deps: Deps<'clock' | 'db' | 'keyring'>,
  operator: Operator,
  keyId: string,
  rotation: Rotation,
): Promise<IssuedApiKey> {
  return administer(deps, operator, rotateApiKey.needs, async (change) => {
    const { em, entities, now, secrets } = change;
    const secret = generateKeySecret('api');
    const found = await em.findOne(entities.ApiKey, { keyId, revokedAt: null }, { lockMode: FOR_UPDATE });
    const key = await rotateKey(change, found, 'api_key_rotated', rotation, async (hasOverlap) => {
      const sealedSecret = await sealSecret(deps.keyring, keyId, secret, now);
      await secrets
        .updateTable('api_keys')
        .set(({ ref }) => ({ sealedSecret, previousSealedSecret: hasOverlap ? ref('sealedSecret') : null }))
        .where('keyId', '=', keyId)
        .execute();
    });
    return { key, secret };
  });
}
rotateApiKey.needs = { scope: 'keys:write' } satisfies Needs;

/** Ends a key at once, on every instance. @throws {AdminRefusal} for an unknown or already revoked key */
export function revokeApiKey(deps: Deps<'clock' | 'db'>, operator: Operator, keyId: string): Promise<ApiKey> {
  return administer(deps, operator, revokeApiKey.needs, async ({ em, entities, now, audit }) => {
    const key = await em.findOne(entities.ApiKey, { keyId, revokedAt: null });
    if (key === null) throw unknownKey();
    key.revokedAt = now;
    await em.flush();
    const metadata = { key_id: keyId, service_name: key.serviceName };
    await audit({ eventType: 'api_key_revoked', userId: null, metadata });
    return key;
  });
}
revokeApiKey.needs = { scope: 'keys:write' } satisfies Needs;
