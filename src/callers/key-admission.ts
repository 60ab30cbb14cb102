/** Checks that a signed request is not a replay and is within the limit of its key. (Interface 6) */

import type { OpenedSecret } from '../credentials/sealed-secret.js';
import { AHEAD_SECONDS, PAST_SECONDS, type RequestSignature } from '../credentials/signatures/request-signature.js';
import { isLive } from '../db/live-key.js';
import { batched, statement } from '../db/statement.js';
import { type Expiring, expiring } from '../db/sweeper.js';
import { refused } from '../platform/refused.js';
import { COUNTER_PATIENCE_MS, consumption, counting, milliseconds } from '../rate-limits/rate-limiter.js';
import type { CallerDeps, CallerKind, RefusedCaller } from './caller.js';
import { touching } from './last-used.js';

/** How long after `created` a nonce stays used: until the request is too old by the slowest of our clocks. */
const NONCE_SECONDS = PAST_SECONDS + AHEAD_SECONDS;

/** Spec 2.8 leaves the unit of `rate_limit` open; Interface 6 says per minute. */
export const KEY_WINDOW_SECONDS = 60;
export const KEY_LIMIT_NAME = 'api_key';

export type Resolved = Awaited<ReturnType<CallerKind<'api_key'>['resolve']>>;

const touch = touching('api_keys');

/** SQL of the key of the counter, of when a window that begins `now` ends, and of `now` again, while it is counted. */
const counter = (keyId: string): string => `'${KEY_LIMIT_NAME}:' || ${keyId}`;
const windowEnd = (now: string): string => `${milliseconds(now)} + ${KEY_WINDOW_SECONDS * 1000}`;
const NOW_OF_COUNT = `excluded.expire - ${KEY_WINDOW_SECONDS * 1000}`;

const admitOneSql = statement(
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
    where key_id = :key_id and ${isLive(':now')}
      and (sealed_secret = :sealed or (previous_sealed_secret = :sealed and previous_ends_at > :now))
  ), counted as (
    ${counting(
      NOW_OF_COUNT,
      `select ${counter(':key_id')}, 1, ${windowEnd(':now')} from live where not is_used and :count is null`,
    )}
  ), taken as (
    insert into signature_nonces (key_id, nonce, expires_at)
    select :key_id, :nonce, :nonce_ends_at from live left join counted on true
    where not is_used and coalesce(:count, points) <= rate_limit
    on conflict do nothing
    returning nonce
  )
  select service_name, scopes, rate_limit, last_used_at, is_used, exists (select from taken) as is_taken,
    coalesce(:count, points, 0) as count, coalesce(expire - ${milliseconds(':now')}, 0)::integer as ms_left
  from live left join counted on true`;

/**
 * Requests of one key share its counter, which each batch locks: so there is one lane. Batches of several instances wait for
 * each other's, in the order of the keys, but not for long.
 */
const admitSql = batched(admitOneSql, { lanes: 1, identity: ({ key_id, nonce }) => `${key_id} ${nonce}` })`
  relaxed as materialized (
    select set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '${COUNTER_PATIENCE_MS}', true)
  ), live as materialized (
    select asked.*, key.*,
      (select true from signature_nonces where key_id = asked.key_id and nonce = asked.nonce) is true as is_used
    from relaxed, asked, lateral (
      select service_name, scopes, rate_limit, last_used_at from api_keys
      where key_id = asked.key_id and ${isLive('now')}
        and (sealed_secret = sealed or (previous_sealed_secret = sealed and previous_ends_at > now))
      limit 1
    ) as key
  ), numbered as materialized (
    select *, count(*) filter (where not is_used and count is null) over (partition by key_id) as total,
      count(*) filter (where not is_used and count is null) over (partition by key_id order by n) as nth
    from live
  ), counted as (
    ${counting(
      NOW_OF_COUNT,
      `select ${counter('key_id')}, total, ${windowEnd('max(now)')} from numbered where total > 0
    group by key_id, total order by key_id`,
    )}
  ), weighed as materialized (
    select numbered.*, coalesce(count, points - total + nth, 0)::integer as number,
      coalesce(expire - ${milliseconds('now')}, 0)::integer as ms_left
    from numbered left join counted on key = ${counter('key_id')}
  ), taken as (
    insert into signature_nonces (key_id, nonce, expires_at)
    select key_id, nonce, nonce_ends_at from weighed where not is_used and number <= rate_limit order by key_id, nonce
    on conflict do nothing
    returning key_id, nonce
  )
  select n, service_name, scopes, rate_limit, last_used_at, is_used,
    (key_id, nonce) in (select key_id, nonce from taken) as is_taken, number as count, ms_left
  from weighed`;

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
