/** Interface 6: checks that a signed request is not a replay and is within the limit of its key. */

import type { OpenedSecret } from '../credentials/sealed-secret.js';
import { AHEAD_SECONDS, PAST_SECONDS, type RequestSignature } from '../credentials/signatures/request-signature.js';
import { statement } from '../db/statement.js';
import { type Expiring, expiring } from '../db/sweeper.js';
import { refused } from '../platform/refused.js';
import { consumption, countingOne } from '../rate-limits/rate-limiter.js';
import type { CallerDeps, CallerKind, RefusedCaller } from './caller.js';
import { touching } from './last-used.js';

/** How long after `created` a nonce stays used: until the request is too old by the slowest of our clocks. */
const NONCE_SECONDS = PAST_SECONDS + AHEAD_SECONDS;

/** Spec 2.8 leaves the unit of `rate_limit` open; Interface 6 says per minute. */
export const KEY_WINDOW_SECONDS = 60;
export const KEY_LIMIT_NAME = 'api_key';

export type Resolved = Awaited<ReturnType<CallerKind<'api_key'>['resolve']>>;

const touch = touching('api_keys');

const admitSql = statement(
  'admit_api_key',
  {
    key_id: 'text',
    sealed: 'text',
    nonce: 'text',
    nonce_ends_at: 'timestamptz',
    now: 'timestamptz',
    count: 'integer?',
  },
  {
    service_name: 'text',
    scopes: 'text[]',
    rate_limit: 'integer',
    last_used_at: 'timestamptz?',
    is_used: 'boolean',
    is_taken: 'boolean',
    count: 'integer',
    ms_left: 'integer',
  },
)`
  with relaxed as materialized (
    select set_config('synchronous_commit', 'off', true)
  ), live as materialized (
    select service_name, scopes, rate_limit, last_used_at,
      exists (select from signature_nonces where key_id = :key_id and nonce = :nonce) as is_used
    from api_keys, relaxed
    where key_id = :key_id and revoked_at is null
      and (sealed_secret = :sealed or (previous_sealed_secret = :sealed and previous_ends_at > :now))
  ), counted as (
    ${countingOne(`'${KEY_LIMIT_NAME}:' || :key_id`, KEY_WINDOW_SECONDS, 'live where not is_used and :count is null')}
  ), taken as (
    insert into signature_nonces (key_id, nonce, expires_at)
    select :key_id, :nonce, :nonce_ends_at from live left join counted on true
    where not is_used and coalesce(:count, points) <= rate_limit
    on conflict do nothing
    returning nonce
  )
  select service_name, scopes, rate_limit, last_used_at, is_used, exists (select from taken) as is_taken,
    coalesce(:count, points, 0) as count, coalesce(ms_left, 0) as ms_left
  from live left join counted on true`;

/**
 * If one request arrives many times at once, an instance sends one to the stores and refuses the others by itself. Redis
 * counts before the nonce is checked: a captured request repeated in a loop would keep the key over its limit.
 * @returns undefined if the secret is not a live one of the key
 */
export async function admit(
  deps: CallerDeps,
  signature: RequestSignature,
  secret: OpenedSecret,
): Promise<Resolved | undefined> {
  const { knownNonces } = deps;
  const nonceOfKey = `${signature.keyId} ${signature.nonce}`;
  if (knownNonces.has(nonceOfKey)) return nonceReused();
  knownNonces.set(nonceOfKey, true);
  let isUsed = false;
  try {
    const resolved = await take(deps, signature, secret);
    isUsed = resolved !== undefined && resolved.kind !== 'rate_limited';
    return resolved;
  } finally {
    if (!isUsed) knownNonces.delete(nonceOfKey);
  }
}

function nonceReused(): RefusedCaller {
  return refused('nonce_reused', 'The nonce was used before; sign every request with a new one');
}

/**
 * Admits a request whose MAC matches this secret, in one statement over all instances. If the secret is live, the key not
 * revoked and the nonce new, the request is counted; if it is within the limit, the nonce is used. So a stranger can use
 * up neither the nonces nor the limit of others. If Redis counts, it has counted before, and takes back what was not a
 * request of the key. The commit does not wait for the disk: a crash of PostgreSQL may lose the nonces and counts of its
 * last second, and a request signed in that second could be replayed.
 * @returns undefined if the secret is not a live one of the key
 */
async function take(
  deps: CallerDeps,
  { keyId, nonce, createdSeconds }: RequestSignature,
  { sealed }: OpenedSecret,
): Promise<Resolved | undefined> {
  const { clock, db, keyLimiter } = deps;
  const inRedis = await keyLimiter?.count(keyId);
  const [key] = await db.run(admitSql, {
    key_id: keyId,
    sealed,
    nonce,
    nonce_ends_at: new Date((createdSeconds + NONCE_SECONDS) * 1000),
    now: clock.now(),
    count: inRedis?.count ?? null,
  });
  if (key === undefined) {
    await keyLimiter?.giveBack(keyId);
    return undefined;
  }

  const { service_name: serviceName, scopes, rate_limit: rateLimit, count, ms_left: msLeft } = key;
  const { allowed, remaining, resetSeconds } = consumption(inRedis ?? { count, msLeft }, rateLimit);
  const isReused = key.is_used || (allowed && !key.is_taken); // the second, if another request took it meanwhile
  if (isReused) {
    await keyLimiter?.giveBack(keyId);
    return nonceReused();
  }
  const limit = { quota: rateLimit, remaining, resetSeconds };
  if (!allowed) return { kind: 'rate_limited', limit };

  await touch(deps, { key_id: keyId, last_used_at: key.last_used_at });
  return { kind: 'caller', caller: { callerType: 'api_key', keyId, serviceName, scopes, rateLimit }, limit };
}

export const expiredNonces: Expiring = expiring('signature_nonces', 'key_id, nonce', 'expires_at < :before');
