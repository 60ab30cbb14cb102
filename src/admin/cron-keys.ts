/** Interface 6, 9 and 11: administration of cron keys. A key is returned only when it is created. */
import { sql } from 'kysely';
import { generateKeyId, generateKeySecret, sha256Hex } from '../credentials/key-secrets.js';
import type { CronKey } from '../db/entities/cron-key.js';
import { statement } from '../db/statement.js';
import type { Count, Page, PageRequest } from '../listing/page.js';
import type { Deps } from '../services.js';
import { administer, type Needs, type Operator } from './administer.js';
import { checkServiceName, countKeys, grantScopes, type KeyFilter, pageOfKeys, unknownKey } from './key-fields.js';

export interface IssuedCronKey {
  key: CronKey;
  /** The whole value of `X-Internal-Key`, never shown again */
  headerValue: string;
}

const createCronKeySql = statement(
  'create_cron_key',
  { key_id: 'text', service_name: 'text', scopes: 'text[]', secret_sha256: 'text', now: 'timestamptz' },
  {},
)`
  insert into cron_keys (key_id, service_name, scopes, secret_sha256, created_at)
  values (:key_id, :service_name, :scopes, :secret_sha256, :now)`;

/** @throws {AdminRefusal} for an invalid field, or a scope that the operator does not have */
export function createCronKey(
  deps: Deps<'clock' | 'db'>,
  operator: Operator,
  { serviceName, scopes: wanted }: { serviceName: string; scopes: readonly string[] },
): Promise<IssuedCronKey> {
  return administer(deps, operator, createCronKey.needs, async ({ em, entities, db, now, scopes, audit }) => {
    checkServiceName(serviceName);
    const granted = grantScopes(scopes, wanted);
    const keyId = generateKeyId('cron');
    const secret = generateKeySecret('cron');
    await db.run(createCronKeySql, {
      key_id: keyId,
      service_name: serviceName,
      scopes: granted,
      secret_sha256: sha256Hex(secret),
      now,
    });
    const key = await em.findOneOrFail(entities.CronKey, { keyId });
    const metadata = { key_id: keyId, service_name: serviceName, scopes: granted };
    await audit({ eventType: 'cron_key_created', userId: null, metadata });
    return { key, headerValue: `${keyId}.${secret}` };
  });
}
createCronKey.needs = { scope: 'keys:write' } satisfies Needs;

/** A key without the hash of its secret. */
export type ListedCronKey = Omit<CronKey, 'secretSha256'>;

const COLUMNS = sql<ListedCronKey>`
  key_id as "keyId", service_name as "serviceName", scopes, created_at as "createdAt", revoked_at as "revokedAt",
  last_used_at as "lastUsedAt"`;

/** @throws {AdminRefusal} for an invalid page, or too many ids */
export function listCronKeys({ db }: Deps<'db'>, filter: KeyFilter, page: PageRequest): Promise<Page<ListedCronKey>> {
  return pageOfKeys(db, 'cron_keys', COLUMNS, filter, page);
}

/** @throws {AdminRefusal} for too many ids, or if counting takes too long */
export function countCronKeys({ db }: Deps<'db'>, filter: KeyFilter): Promise<Count> {
  return countKeys(db, 'cron_keys', filter);
}

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
