/**
 * Interface 3: rotation of the keyring. Not in the frame of `administer`: what it commits must be on disk before the file
 * lets a key go. But in turn with it.
 */
import { writeAudit } from '../audit/write.js';
import type { Config } from '../config/config.js';
import { importKeys } from '../credentials/keyring/import-keys.js';
import { type Keyring, PUBLISH_AHEAD_SECONDS } from '../credentials/keyring/keyring.js';
import { generateKeys, readKeyringFile, writeKeyringFile } from '../credentials/keyring/keyring-file.js';
import { supersededAt } from '../credentials/keyring/needed-keys.js';
import { type AccessAlg, accessAlg, type PrivateJwk, purposeOf } from '../credentials/keyring/private-jwks.js';
import { openSealedSecret, sealedBy, sealSecret } from '../credentials/sealed-secret.js';
import { takeTurnSql } from '../db/locks.js';
import { type Db, statement } from '../db/statement.js';
import { addSeconds, epochSeconds } from '../platform/clock.js';
import type { Deps } from '../services.js';
import { COMMAND_LINE } from './administer.js';

export interface KeyringRotation {
  /** `kid`s, newest first */
  added: string[];
  kept: string[];
  dropped: string[];
  /** Secrets of API keys that were sealed again, by the key in use */
  resealed: number;
  /** When the new keys begin to be used; until then they are published only. */
  usedFrom: Date;
}

/**
 * Puts a new key of each kind first, to be used after `PUBLISH_AHEAD_SECONDS`; seals the secrets of API keys again with
 * the key in use; and drops keys that no live token was signed with and that seal nothing. The file is replaced whole,
 * and running instances pick it up.
 * @param alg of the new access key; unless given, that of the newest
 * @throws {KeyringError}
 */
export function rotateKeyring(
  deps: Deps<'clock' | 'config' | 'db' | 'keyring'>,
  alg?: AccessAlg,
): Promise<KeyringRotation> {
  const { clock, config, db, keyring } = deps;
  return db.transaction(async (turn) => {
    await turn.run(takeTurnSql, {}); // no key is made or rotated meanwhile
    const now = clock.now();
    const usedFrom = addSeconds(now, PUBLISH_AHEAD_SECONDS);
    const { jwks: old } = await readKeyringFile(config.keyringFile);
    // Committed before the file lets a key go.
    const { resealed, sealing } = await db.transaction((tx) => reseal(tx, keyring, now));

    const added = await generateKeys(alg ?? newestAccessAlg(old), epochSeconds(usedFrom));
    const kept = old.filter((jwk) => isFirstInUse(jwk, old, now) || isNeeded(jwk, old, sealing, config, now));
    await importKeys([...added, ...kept], now); // what could not start must not be written
    const dropped = old.filter((jwk) => !kept.includes(jwk));
    const { actor, client } = COMMAND_LINE; // the one that can write the file
    const metadata = { actor, added: kids(added), dropped: kids(dropped) };
    await writeAudit(turn, [{ eventType: 'keyring_rotated', userId: null, ...client, metadata }], now);
    await writeKeyringFile(config.keyringFile, [...added, ...kept], 'replace');
    return { added: kids(added), kept: kids(kept), dropped: kids(dropped), resealed, usedFrom };
  });
}

/** Of the newest key, not of the one in use: a change of the algorithm outlasts a rotation that follows it at once. */
function newestAccessAlg(jwks: readonly PrivateJwk[]): AccessAlg | undefined {
  const newest = jwks.find((jwk) => jwk.kty !== 'oct');
  return newest && accessAlg(newest);
}

function kids(jwks: readonly PrivateJwk[]): string[] {
  return jwks.map(({ kid }) => kid);
}

/** True for the key that makes now, and those that will. */
function isFirstInUse(jwk: PrivateJwk, all: readonly PrivateJwk[], now: Date): boolean {
  return supersededAt(jwk, all) > epochSeconds(now);
}

/** True while something that the key made may have to be checked or opened. */
function isNeeded(
  jwk: PrivateJwk,
  all: readonly PrivateJwk[],
  sealing: ReadonlySet<string>,
  config: Config,
  now: Date,
): boolean {
  const kind = purposeOf(jwk);
  if (kind === 'sealing') return sealing.has(jwk.kid);
  const tokenSeconds = kind === 'access' ? config.accessTokenSeconds : config.refreshTokenSeconds;
  return supersededAt(jwk, all) + tokenSeconds >= epochSeconds(now);
}

const sealedSecretsSql = statement(
  'sealed_secrets',
  {},
  { key_id: 'text', sealed_secret: 'text', previous_sealed_secret: 'text?' },
)`
  select key_id, sealed_secret, previous_sealed_secret from api_keys for update`;

const resealSql = statement('reseal', { key_id: 'text', sealed_secret: 'text', previous_sealed_secret: 'text?' }, {})`
  update api_keys set sealed_secret = :sealed_secret, previous_sealed_secret = :previous_sealed_secret
  where key_id = :key_id`;

/** Seals with the key in use what older keys sealed. @returns how many, and the `kid`s that seal something now */
async function reseal(db: Db, keyring: Keyring, now: Date): Promise<{ resealed: number; sealing: Set<string> }> {
  const { kid: current } = keyring.inUse('sealing', now);
  const sealing = new Set<string>();
  let resealed = 0;
  for (const { key_id, sealed_secret, previous_sealed_secret } of await db.run(sealedSecretsSql, {})) {
    const again = async (sealed: string): Promise<string> => {
      const by = sealedBy(sealed);
      const secret = by === current ? undefined : await openSealedSecret(keyring, key_id, sealed);
      if (secret !== undefined) resealed += 1;
      sealing.add(secret === undefined && by !== undefined ? by : current);
      return secret === undefined ? sealed : sealSecret(keyring, key_id, secret, now);
    };
    const fresh = {
      sealed_secret: await again(sealed_secret),
      previous_sealed_secret: previous_sealed_secret === null ? null : await again(previous_sealed_secret),
    };
    const isFresh = fresh.sealed_secret !== sealed_secret || fresh.previous_sealed_secret !== previous_sealed_secret;
    if (isFresh) await db.run(resealSql, { key_id, ...fresh });
  }
  return { resealed, sealing };
}
