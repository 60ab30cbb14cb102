/** Spec 2.8 and Interface 6: `api_key`, by a signed request (RFC 9421). Steps are in the order of Interface 6. */
import {
  AHEAD_SECONDS,
  macMatches,
  PAST_SECONDS,
  presentsSignature,
  type RequestSignature,
  readRequestSignature,
} from '../credentials/request-signature.js';
import { type OpenedSecret, openSealedSecret } from '../credentials/sealed-secret.js';
import { statement } from '../db/statement.js';
import { type Expiring, expiring } from '../db/sweeper.js';
import { consumption, countingOne } from '../limits/rate-limiter.js';
import { refused } from '../platform/refused.js';
import type { CallerDeps, CallerKind, RefusedCaller } from './caller.js';
import { touching } from './last-used.js';

/** How long after `created` a nonce stays used up: until the request is too old, by the slowest of our clocks. */
const NONCE_SECONDS = PAST_SECONDS + AHEAD_SECONDS;

/** Up to here an answer gives the signature base back: characters. Only a long path or query makes it longer. */
const SHOWN_BASE_CHARACTERS = 4096;

/** Spec 2.8 leaves the unit of `rate_limit` open; Interface 6 says per minute. */
export const KEY_WINDOW_SECONDS = 60;
export const KEY_LIMIT_NAME = 'api_key';

const scopesOfApiKeySql = statement('scopes_of_api_key', { key_id: 'text' }, { scopes: 'text[]' })`
  select scopes from api_keys where key_id = :key_id and revoked_at is null`;

const touch = touching('api_keys');

export const apiKey: CallerKind<'api_key'> = {
  scheme: 'Signature',
  challengeParameters: ({ reason }) => ({ error: reason }),
  presents: presentsSignature,

  resolve: async (deps, request) => {
    const { clock, config } = deps;

    // Form, coverage, times and digest: nothing is asked of the database.
    const signature = readRequestSignature({ ...request, authority: config.publicAuthority }, clock.now());
    // A wrong clock decides neither whether `created` is in its window nor which secrets live.
    if (signature.kind === 'signature' || signature.reason === 'signature_expired') clock.mustAgree();
    if (signature.kind === 'refused') return signature;

    return (
      (await byKeptSecrets(deps, signature)) ?? (await byStoredSecrets(deps, signature)) ?? otherSignature(signature)
    );
  },

  id: ({ keyId }) => keyId,
  actor: ({ keyId }) => ({ caller_type: 'api_key', key_id: keyId }),
  scopes: ({ scopes }) => scopes,
  scopesNow: async (db, { keyId }) => {
    const [key] = await db.run(scopesOfApiKeySql, { key_id: keyId });
    return key?.scopes;
  },
};

/** An honest caller finds its mistake by comparing; the text says nothing of the key. */
function otherSignature({ base }: RequestSignature): RefusedCaller {
  const refusal = refused('invalid_signature', 'The signature is not one of this key over this request');
  return base.length > SHOWN_BASE_CHARACTERS ? refusal : { ...refusal, signatureBase: base };
}

type Resolved = Awaited<ReturnType<typeof apiKey.resolve>>;

/**
 * The MAC by the secrets that were right a few seconds ago; what they are worth now, the row says. Of a key without
 * kept ones the work is the same, so that nobody can tell which keys are in use.
 * @returns undefined where none is right, or right no longer
 */
async function byKeptSecrets(deps: CallerDeps, signature: RequestSignature): Promise<Resolved | undefined> {
  const { keptSecrets, placeholder } = deps;
  const kept = keptSecrets.get(signature.keyId) ?? placeholder.opened;
  const right = findRight(signature, kept);
  if (right === undefined) return undefined;
  const resolved = await admit(deps, signature, right);
  if (resolved === undefined) keptSecrets.delete(signature.keyId);
  return resolved;
}

/** Always a row of two sealed secrets: the stand-in takes the place of those that the key does not have. */
const secretsOfApiKeySql = statement(
  'secrets_of_api_key',
  { key_id: 'text', now: 'timestamptz', stand_in: 'text' },
  { one: 'text', other: 'text' },
)`
  select coalesce(sealed_secret, :stand_in) as one,
    coalesce(case when previous_ends_at > :now then previous_sealed_secret end, :stand_in) as other
  from (select) as always left join api_keys on key_id = :key_id and revoked_at is null`;

/**
 * The MAC by the live secrets of the row. An unknown key costs what a wrong secret does: nothing of what is opened here
 * is kept before it was right, so two secrets are opened each time.
 * @returns undefined where none is right
 */
async function byStoredSecrets(deps: CallerDeps, signature: RequestSignature): Promise<Resolved | undefined> {
  const { clock, db, keptSecrets, keyring, placeholder } = deps;
  const { keyId } = signature;
  const now = clock.now();
  const standIn = await placeholder.sealedSecret(now);
  const rows = await db.run(secretsOfApiKeySql, { key_id: keyId, now, stand_in: standIn });
  const sealed = rows.flatMap(({ one, other }) => [one, other]);
  const opened = await Promise.all(
    sealed.map(async (text) => {
      const secret = await openSealedSecret(keyring, text === standIn ? placeholder.keyId : keyId, text);
      return secret === undefined ? [] : [{ sealed: text, secret }];
    }),
  );
  const secrets = opened.flat();
  const right = findRight(signature, secrets);
  if (right === undefined) return undefined;
  const resolved = await admit(deps, signature, right);
  if (resolved !== undefined) keptSecrets.set(keyId, secrets);
  return resolved;
}

/** Compares with each secret, so that the time tells nothing of which it was. */
function findRight(signature: RequestSignature, secrets: readonly OpenedSecret[]): OpenedSecret | undefined {
  return secrets.filter(({ secret }) => macMatches(signature, [secret]))[0];
}

const admitSql = statement(
  'admit_api_key',
  {
    key_id: 'text',
    sealed: 'text',
    nonce: 'text',
    nonce_ends_at: 'timestamptz',
    now: 'timestamptz',
    is_counted: 'boolean',
  },
  {
    service_name: 'text',
    scopes: 'text[]',
    rate_limit: 'integer',
    last_used_at: 'timestamptz?',
    is_fresh: 'boolean',
    count: 'integer',
    ms_left: 'integer',
  },
)`
  with relaxed as materialized (
    select set_config('synchronous_commit', 'off', true)
  ), live as materialized (
    select service_name, scopes, rate_limit, last_used_at from api_keys, relaxed
    where key_id = :key_id and revoked_at is null
      and (sealed_secret = :sealed or (previous_sealed_secret = :sealed and previous_ends_at > :now))
  ), taken as (
    insert into signature_nonces (key_id, nonce, expires_at)
    select :key_id, :nonce, :nonce_ends_at from live
    on conflict do nothing
    returning nonce
  ), counted as (
    ${countingOne(`'${KEY_LIMIT_NAME}:' || :key_id`, KEY_WINDOW_SECONDS, 'taken where :is_counted')}
  )
  select service_name, scopes, rate_limit, last_used_at, exists (select from taken) as is_fresh,
    coalesce(points, 0) as count, coalesce(ms_left, 0) as ms_left
  from live left join counted on true`;

/**
 * Takes a request whose MAC is by this secret, in one statement over all instances: the secret is a live one of a key
 * that is not revoked; then the nonce is used up, so that a stranger cannot use up those of others; then the request is
 * counted, unless Redis does that. Neither row is waited for on its way to the disk: a crash of PostgreSQL may forget
 * the nonces and the counts of its last second, and a request signed in that second could be replayed.
 * @returns undefined where the secret is none of the key, or no longer
 */
async function admit(
  deps: CallerDeps,
  { keyId, nonce, createdSeconds }: RequestSignature,
  { sealed }: OpenedSecret,
): Promise<Resolved | undefined> {
  const { clock, db, keyLimiter } = deps;
  const [key] = await db.run(admitSql, {
    key_id: keyId,
    sealed,
    nonce,
    nonce_ends_at: new Date((createdSeconds + NONCE_SECONDS) * 1000),
    now: clock.now(),
    is_counted: keyLimiter === undefined,
  });
  if (key === undefined) return undefined;
  if (!key.is_fresh) {
    return refused('nonce_reused', 'The nonce was used before; sign every request with a fresh one');
  }

  const { service_name: serviceName, scopes, rate_limit: rateLimit, count, ms_left: msLeft } = key;
  const { allowed, remaining, resetSeconds } =
    keyLimiter === undefined ? consumption(count, msLeft, rateLimit) : await keyLimiter.consume(keyId, rateLimit);
  const limit = { quota: rateLimit, remaining, resetSeconds };
  if (!allowed) return { kind: 'rate_limited', limit };

  await touch(deps, { key_id: keyId, last_used_at: key.last_used_at });
  return { kind: 'caller', caller: { callerType: 'api_key', keyId, serviceName, scopes, rateLimit }, limit };
}

export const expiredNonces: Expiring = expiring('signature_nonces', 'key_id, nonce', 'expires_at < :before');
