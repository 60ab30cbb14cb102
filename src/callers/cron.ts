/** Spec 2.8 and Interface 6: `cron`, by the static key in `X-Internal-Key`. */

import { parseInternalKey, secretMatches } from '../credentials/key-secrets.js';
import { fieldValues, onlyFieldValue } from '../credentials/signatures/http-fields.js';
import { statement } from '../db/statement.js';
import { refused } from '../platform/refused.js';
import type { CallerKind } from './caller.js';
import { touching } from './last-used.js';

const findCronKeySql = statement(
  'find_cron_key',
  { key_id: 'text' },
  { key_id: 'text', service_name: 'text', scopes: 'text[]', secret_sha256: 'text', last_used_at: 'timestamptz?' },
)`
  select key_id, service_name, scopes, secret_sha256, last_used_at
  from cron_keys where key_id = :key_id and revoked_at is null`;

const touch = touching('cron_keys');

const REFUSED = refused('invalid_key', 'Send one X-Internal-Key field: KEY_ID.SECRET of a valid key');

export const cron: CallerKind<'cron'> = {
  scheme: 'InternalKey',
  challengeParameters: ({ reason }) => ({ error: reason }),
  presents: (rawHeaders) => fieldValues(rawHeaders, 'x-internal-key').length > 0,

  // An unknown or revoked key takes as long as a wrong secret.
  resolve: async (deps, { rawHeaders }) => {
    const presented = parseInternalKey(onlyFieldValue(rawHeaders, 'x-internal-key') ?? '');
    if (presented === undefined) return REFUSED;

    const [key] = await deps.db.run(findCronKeySql, { key_id: presented.keyId });
    const matches = secretMatches(presented.secret, key?.secret_sha256 ?? deps.placeholderKey.secretSha256);
    if (key === undefined || !matches) return REFUSED;

    await touch(deps, key);
    const { key_id: keyId, service_name: serviceName, scopes } = key;
    return { kind: 'caller', caller: { callerType: 'cron', keyId, serviceName, scopes } };
  },

  id: ({ keyId }) => keyId,
  actor: ({ keyId }) => ({ caller_type: 'cron', key_id: keyId }),
  scopes: ({ scopes }) => scopes,
  scopesNow: async (db, { keyId }) => {
    const [key] = await db.run(findCronKeySql, { key_id: keyId });
    return key?.scopes;
  },
};
