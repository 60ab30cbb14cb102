/** Spec 2.8 and CONTRACT 6: `api_key`, by a signed request (RFC 9421). Steps are in the order of the contract. */
import {
  AHEAD_SECONDS,
  macMatches,
  PAST_SECONDS,
  presentsSignature,
  type RequestSignature,
  readRequestSignature,
} from '../credentials/request-signature.js';
import { openSealedSecret } from '../credentials/sealed-secret.js';
import { type RowOf, statement } from '../db/statement.js';
import { type Expiring, expiring } from '../db/sweeper.js';
import type { Deps } from '../parts.js';
import { refused } from '../platform/refused.js';
import type { CallerKind } from './caller.js';
import { touching } from './last-used.js';

/** How long after `created` a nonce stays used up: until the request is too old, by the slowest of our clocks. */
const NONCE_SECONDS = PAST_SECONDS + AHEAD_SECONDS;

/** Spec 2.8 leaves the unit of `rate_limit` open; CONTRACT 6 says per minute. */
export const KEY_WINDOW_SECONDS = 60;

const findApiKeySql = statement(
  'find_api_key',
  { key_id: 'text' },
  {
    key_id: 'text',
    service_name: 'text',
    scopes: 'text[]',
    rate_limit: 'integer',
    sealed_secret: 'text',
    previous_sealed_secret: 'text?',
    previous_ends_at: 'timestamptz?',
    last_used_at: 'timestamptz?',
  },
)`
  select key_id, service_name, scopes, rate_limit, sealed_secret, previous_sealed_secret, previous_ends_at, last_used_at
  from api_keys where key_id = :key_id and revoked_at is null`;

const touch = touching('api_keys');

export const apiKey: CallerKind<'api_key'> = {
  scheme: 'Signature',
  challengeParameters: ({ reason }) => ({ error: reason }),
  presents: presentsSignature,

  resolve: async (deps, request) => {
    const { clock, config, keyLimiter } = deps;

    // Form, coverage, times and digest: nothing is asked of the database.
    const signature = readRequestSignature({ ...request, authority: config.publicAuthority }, clock.now());
    // A wrong clock decides neither whether `created` is in its window nor which secrets live.
    if (signature.kind === 'signature' || signature.reason === 'signature_expired') clock.mustAgree();
    if (signature.kind === 'refused') return signature;

    // The MAC, with each live secret of the key. An unknown key costs what a wrong secret does.
    const [key] = await deps.db.run(findApiKeySql, { key_id: signature.keyId });
    const secrets = await liveSecrets(deps, key);
    if (!macMatches(signature, secrets) || key === undefined) {
      return refused('invalid_signature', 'The signature is not one of this key over this request');
    }

    // Only now is the nonce used up, so that a stranger cannot use up those of others.
    if (!(await useUpNonce(deps, signature))) {
      return refused('nonce_reused', 'The nonce was used before; sign every request with a fresh one');
    }

    const { key_id: keyId, service_name: serviceName, scopes, rate_limit: rateLimit } = key;
    const { allowed, remaining, resetSeconds } = await keyLimiter.consume(keyId, rateLimit);
    const limit = { quota: rateLimit, remaining, resetSeconds };
    if (!allowed) return { kind: 'rate_limited', limit };

    await touch(deps, key);
    return { kind: 'caller', caller: { callerType: 'api_key', keyId, serviceName, scopes, rateLimit }, limit };
  },

  id: ({ keyId }) => keyId,
  actor: ({ keyId }) => ({ caller_type: 'api_key', key_id: keyId }),
  scopes: ({ scopes }) => scopes,
  scopesNow: async (db, { keyId }) => {
    const [key] = await db.run(findApiKeySql, { key_id: keyId });
    return key?.scopes;
  },
};

/** Always two secrets, those of the placeholder where the key has none or one, so that the work is the same. */
async function liveSecrets(
  { clock, placeholder, keyring }: Deps<'clock' | 'keyring' | 'placeholder'>,
  key: RowOf<typeof findApiKeySql> | undefined,
): Promise<string[]> {
  const now = clock.now();
  const previousLives = key?.previous_ends_at != null && key.previous_ends_at > now;
  const standIn = { keyId: placeholder.keyId, sealed: await placeholder.sealedSecret(now) };
  const secrets = [key?.sealed_secret, previousLives ? key.previous_sealed_secret : undefined].map((sealed) =>
    key === undefined || sealed == null ? standIn : { keyId: key.key_id, sealed },
  );
  const opened = await Promise.all(secrets.map(({ keyId, sealed }) => openSealedSecret(keyring, keyId, sealed)));
  return opened.filter((secret) => secret !== undefined);
}

const useUpNonceSql = statement(
  'use_up_nonce',
  { key_id: 'text', nonce: 'text', expires_at: 'timestamptz' },
  { nonce: 'text' },
)`
  with relaxed as materialized (select set_config('synchronous_commit', 'off', true))
  insert into signature_nonces (key_id, nonce, expires_at)
  select :key_id, :nonce, :expires_at from relaxed
  on conflict do nothing
  returning nonce`;

/**
 * Takes the nonce for this key, over all instances. The row is not waited for on its way to the disk: a crash of
 * PostgreSQL may forget the nonces of its last second, and a request signed in that second could be replayed.
 * @returns false where it was taken before
 */
async function useUpNonce({ db }: Deps<'db'>, { keyId, nonce, createdSeconds }: RequestSignature): Promise<boolean> {
  const expiresAt = new Date((createdSeconds + NONCE_SECONDS) * 1000);
  const taken = await db.run(useUpNonceSql, { key_id: keyId, nonce, expires_at: expiresAt });
  return taken.length > 0;
}

export const expiredNonces: Expiring = expiring('signature_nonces', 'key_id, nonce', 'expires_at < :before');
