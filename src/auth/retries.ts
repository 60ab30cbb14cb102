/**
 * Proof of retry. A client that proves the key of a rotation receives its successor again, until that is used.
 * (Interface 12)
 */
import { type Db, only, type RowOf, statement } from '../db/statement.js';
import type { AuthenticationMethod } from '../domain/assurance.js';
import type { RequestOrigin } from '../domain/request-origin.js';
import type { Role } from '../domain/roles.js';

/** SHA-256 of the keys that a request sent. */
export interface RetryKeys {
  current: Uint8Array;
  /** Key of the previous attempt, if there was one */
  previous: Uint8Array | null;
}

/** The member of the field that holds the rotation's key. */
export type Proof = 'this' | 'previous';

const retrySql = statement(
  'retry',
  {
    used: 'uuid',
    current_key: 'bytea',
    previous_key: 'bytea?',
    user_agent: 'text',
    ip_address: 'text',
    is_skewed: 'boolean',
    now: 'timestamptz',
  },
  {
    user_id: 'uuid',
    family_id: 'uuid',
    session_started_at: 'timestamptz',
    successor_jti: 'uuid',
    expires_at: 'timestamptz',
    amr: only<AuthenticationMethod[] | null>('text[]?'),
    proved_at: 'timestamptz?',
    role: only<Role>('text'),
    proof: only<Proof>('text'),
  },
)`
  with proven as (
    select used.jti, successor.user_id, successor.family_id, successor.session_started_at,
      successor.jti as successor_jti, successor.expires_at, successor.amr, successor.proved_at,
      case successor.retry_key_sha256 when :current_key then 'this' else 'previous' end as proof
    from refresh_tokens as used join refresh_tokens as successor
      on successor.family_id = used.family_id and successor.created_at = used.revoked_at -- by their index
        and successor.predecessor_jti = used.jti
    where used.jti = :used and used.revoked_reason = 'rotated' and used.retry_ended is null
      and successor.retry_key_sha256 in (:current_key, :previous_key)
      and not successor.revoked and successor.expires_at >= :now
    for no key update -- waits for a concurrent revocation, then checks the rows again
  ), noted as (
    update refresh_tokens
    set retries = coalesce(retries, 0) + 1, retried_at = :now, retried_ip_address = :ip_address,
      retried_user_agent = :user_agent
    from proven where refresh_tokens.jti = proven.jti and not :is_skewed
  )
  select proven.user_id, proven.family_id, proven.session_started_at, proven.successor_jti, proven.expires_at,
    proven.amr, proven.proved_at,
    coalesce(users.role, 'viewer') as role, -- as a rotation has it, Spec 4.2.9
    proven.proof
  from proven left join users on users.id = proven.user_id`;

/**
 * Finds the successor of a used record and notes the retry in the used record. It is a statement of its own, after the
 * failed rotation, so that it sees the rotation that this one waited for.
 * @param isSkewed true: the retry is not noted, since it cannot be answered
 * @returns owner, family, time of its login, current role, and the successor's `jti` and expiry; undefined if no key matches,
 *   or the successor is used, revoked or expired
 */
export async function retry(
  db: Db,
  jti: string,
  keys: RetryKeys,
  origin: RequestOrigin,
  isSkewed: boolean,
  now: Date,
): Promise<RowOf<typeof retrySql> | undefined> {
  const [retried] = await db.run(retrySql, {
    used: jti,
    current_key: keys.current,
    previous_key: keys.previous,
    user_agent: origin.userAgent,
    ip_address: origin.ipAddress,
    is_skewed: isSkewed,
    now,
  });
  return retried;
}
