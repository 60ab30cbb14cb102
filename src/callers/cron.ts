/** The caller `cron`, by the static key in `X-Internal-Key`. (Spec 2.8 and 5.3, Interface 6) */

import { parseInternalKey, secretMatches } from '../credentials/key-secrets.js';
import { fieldValues, onlyFieldValue } from '../credentials/signatures/http-fields.js';
import { isLive } from '../db/live-key.js';
import { statement } from '../db/statement.js';
import { refused } from '../platform/refused.js';
import type { CallerKind } from './caller.js';
import { touching } from './last-used.js';

const findCronKeySql = statement(
  'find_cron_key',
  { key_id: 'text', now: 'timestamptz' },
  {
    key_id: 'text',
    service_name: 'text',
    scopes: 'text[]',
    secret_sha256: 'text',
    previous_secret_sha256: 'text?',
    last_used_at: 'timestamptz?',
  },
)`
  select key_id, service_name, scopes, secret_sha256, last_used_at,
    case when previous_ends_at > :now then previous_secret_sha256 end as previous_secret_sha256
  from cron_keys where key_id = :key_id and ${isLive(':now')}`;

const touch = touching('cron_keys');

const REFUSED = refused('invalid_key', 'Send one X-Internal-Key field: KEY_ID.SECRET of a valid key');

export const cron: CallerKind<'cron'> = {
  sends: '`X-Internal-Key: KEY_ID.SECRET`',
  scheme: 'InternalKey',
  challengeParameters: ({ reason }) => ({ error: reason }),
  presents: (rawHeaders) => fieldValues(rawHeaders, 'x-internal-key').length > 0,

  // A key that is unknown, revoked or expired takes as long as a wrong secret, and each has two to compare with.
  resolve: async (deps, { rawHeaders }) => {
    const presented = parseInternalKey(onlyFieldValue(rawHeaders, 'x-internal-key') ?? '');
    if (presented === undefined) return REFUSED;

    const [key] = await deps.db.run(findCronKeySql, { key_id: presented.keyId, now: deps.clock.now() });
    const matches = [key?.secret_sha256, key?.previous_secret_sha256].map((stored) =>
      secretMatches(presented.secret, stored ?? deps.placeholderKey.secretSha256),
    );
    if (key === undefined || !matches.includes(true)) return REFUSED;

    await touch(deps, key);
    const { key_id: keyId, service_name: serviceName, scopes } = key;
    return { kind: 'caller', caller: { callerType: 'cron', keyId, serviceName, scopes } };
  },

  id: ({ keyId }) => keyId,
  actor: ({ keyId }) => ({ caller_type: 'cron', key_id: keyId }),
  scopes: ({ scopes }) => scopes,
  standing: async (db, { keyId }, now) => {
    const [key] = await db.run(findCronKeySql, { key_id: keyId, now });
    return key && { scopes: key.scopes };
  },
  scopesNow: async (...of) => (await cron.standing(...of))?.scopes,
};
