/**
 * The caller `api_key`, by a signed request (RFC 9421). Steps are in the order of the interface.
 * (Spec 2.8 and 5.3, Interface 6)
 */

import { type OpenedSecret, openSealedSecret } from '../credentials/sealed-secret.js';
import {
  macMatches,
  presentsSignature,
  type RequestSignature,
  readRequestSignature,
} from '../credentials/signatures/request-signature.js';
import { isLive } from '../db/live-key.js';
import { statement } from '../db/statement.js';
import { refused } from '../platform/refused.js';
import type { CallerDeps, CallerKind, RefusedCaller } from './caller.js';
import { admit, type Resolved } from './key-admission.js';

/** Maximum length of a signature base in a response: characters. Only a long path or query exceeds it. */
const SHOWN_BASE_CHARACTERS = 4096;

const scopesOfApiKeySql = statement('scopes_of_api_key', { key_id: 'text', now: 'timestamptz' }, { scopes: 'text[]' })`
  select scopes from api_keys where key_id = :key_id and ${isLive(':now')}`;

export const apiKey: CallerKind<'api_key'> = {
  sends: 'an HTTP message signature (RFC 9421) by `hmac-sha256`',
  scheme: 'Signature',
  challengeParameters: ({ reason }) => ({ error: reason }),
  presents: presentsSignature,

  resolve: async (deps, request) => {
    const { clock } = deps;

    // Form, coverage, times and digest need no database.
    const signature = readRequestSignature(request, clock.now());
    // A wrong clock decides neither whether `created` is in its window nor which secrets live.
    if (signature.kind === 'signature' || signature.reason === 'signature_expired') clock.requireSynced();
    if (signature.kind === 'refused') return signature;

    const resolved =
      (await byCachedSecrets(deps, signature)) ?? (await byStoredSecrets(deps, signature)) ?? otherSignature(signature);
    const { contentDigest } = signature;
    return resolved.kind === 'caller' && contentDigest !== undefined ? { ...resolved, contentDigest } : resolved;
  },

  id: ({ keyId }) => keyId,
  actor: ({ keyId }) => ({ caller_type: 'api_key', key_id: keyId }),
  scopes: ({ scopes }) => scopes,
  standing: async (db, { keyId }, now) => {
    const [key] = await db.run(scopesOfApiKeySql, { key_id: keyId, now });
    return key;
  },
  scopesNow: async (...of) => (await apiKey.standing(...of))?.scopes,
};

/** An honest caller finds its mistake by comparing. The text reveals nothing about the key. */
function otherSignature({ base }: RequestSignature): RefusedCaller {
  const refusal = refused('invalid_signature', 'The signature does not match this request and key');
  return base.length > SHOWN_BASE_CHARACTERS ? refusal : { ...refusal, signatureBase: base };
}

/**
 * Checks the MAC with cached secrets, which `admit` compares with the row. A key without cached secrets takes the same
 * work, so that timing does not reveal which keys are in use.
 * @returns undefined if no cached secret matches or is still valid
 */
async function byCachedSecrets(deps: CallerDeps, signature: RequestSignature): Promise<Resolved | undefined> {
  const { secretCache, placeholderKey } = deps;
  const cached = secretCache.get(signature.keyId) ?? placeholderKey.opened;
  const right = findRight(signature, cached);
  if (right === undefined) return undefined;
  const resolved = await admit(deps, signature, right);
  if (resolved === undefined) secretCache.delete(signature.keyId);
  return resolved;
}

/** Always returns two sealed secrets: the stand-in replaces those that the key does not have. */
const secretsOfApiKeySql = statement(
  'secrets_of_api_key',
  { key_id: 'text', now: 'timestamptz', stand_in: 'text' },
  { one: 'text', other: 'text' },
)`
  select coalesce(sealed_secret, :stand_in) as one,
    coalesce(case when previous_ends_at > :now then previous_sealed_secret end, :stand_in) as other
  from (select) as always left join api_keys on key_id = :key_id and ${isLive(':now')}`;

/**
 * Checks the MAC with the live secrets of the row. An unknown key costs as much as a wrong secret: opened secrets are
 * cached only after a match, so two are opened each time.
 * @returns undefined if no secret matches
 */
async function byStoredSecrets(deps: CallerDeps, signature: RequestSignature): Promise<Resolved | undefined> {
  const { clock, db, secretCache, keyring, placeholderKey } = deps;
  const { keyId } = signature;
  const now = clock.now();
  const standIn = await placeholderKey.sealedSecret(now);
  const rows = await db.run(secretsOfApiKeySql, { key_id: keyId, now, stand_in: standIn });
  const sealed = rows.flatMap(({ one, other }) => [one, other]);
  const opened = await Promise.all(
    sealed.map(async (text) => {
      const secret = await openSealedSecret(keyring, text === standIn ? placeholderKey.keyId : keyId, text);
      return secret === undefined ? [] : [{ sealed: text, secret }];
    }),
  );
  const secrets = opened.flat();
  const right = findRight(signature, secrets);
  if (right === undefined) return undefined;
  const resolved = await admit(deps, signature, right);
  if (resolved !== undefined) secretCache.set(keyId, secrets);
  return resolved;
}

/** Compares with every secret, so that timing does not reveal which one matched. */
function findRight(signature: RequestSignature, secrets: readonly OpenedSecret[]): OpenedSecret | undefined {
  return secrets.filter(({ secret }) => macMatches(signature, [secret]))[0];
}
