/**
 * Rotates the keyring. It does not use `administer`, because its changes must be committed before the file drops a key, but it
 * takes the same lock. (Interface 3)
 */
import { writeAudit } from '../audit/write.js';
import type { Config } from '../config/config.js';
import { importKeys } from '../credentials/keyring/import-keys.js';
import { type ListedKey, PUBLISH_AHEAD_SECONDS } from '../credentials/keyring/keyring.js';
import { generateKeys, readKeyringFile, writeKeyringFile } from '../credentials/keyring/keyring-file.js';
import { supersededAt } from '../credentials/keyring/needed-keys.js';
import {
  type AccessAlg,
  accessAlg,
  type KeyPurpose,
  type PrivateJwk,
  purposeOf,
} from '../credentials/keyring/private-jwks.js';
import { lockChangesSql } from '../db/locks.js';
import { addSeconds, epochSeconds } from '../platform/clock.js';
import type { Deps } from '../services.js';
import { COMMAND_LINE } from './administer.js';
import { reseal } from './reseal.js';

export interface KeyringRotation {
  /** `kid`s, newest first */
  added: string[];
  kept: string[];
  dropped: string[];
  /** Number of stored secrets that were sealed again with the current key */
  resealed: number;
  /** Until then the new keys are only published. */
  usedFrom: Date;
}

/**
 * Adds a new key of each kind, used after `PUBLISH_AHEAD_SECONDS`; seals stored secrets again with the current key; and
 * drops keys that have signed no live token and seal nothing. The file is replaced atomically, and running
 * instances reload it.
 * @param alg of the new access key; default: that of the newest access key
 * @throws {KeyringError}
 */
export function rotateKeyring(
  deps: Deps<'clock' | 'config' | 'db' | 'keyring'>,
  alg?: AccessAlg,
): Promise<KeyringRotation> {
  const { clock, config, db, keyring } = deps;
  return db.transaction(async (turn) => {
    await turn.run(lockChangesSql, {}); // no API key or webhook is created or rotated in the meantime
    const now = clock.now();
    const usedFrom = addSeconds(now, PUBLISH_AHEAD_SECONDS);
    const { jwks: old } = await readKeyringFile(config.keyringFile);
    // Committed before the file drops a key.
    const { resealed, sealing } = await reseal(db, keyring, now, () => turn.run(lockChangesSql, {}));

    const added = await generateKeys(alg ?? newestAccessAlg(old), epochSeconds(usedFrom));
    const kept = old.filter((jwk) => isCurrentOrFuture(jwk, old, now) || isNeeded(jwk, old, sealing, config, now));
    await importKeys([...added, ...kept], now); // a keyring with which no gateway can start must not be written
    const dropped = old.filter((jwk) => !kept.includes(jwk));
    const { actor, origin } = COMMAND_LINE; // only the command line can write the file
    const metadata = { actor, added: kids(added), dropped: kids(dropped) };
    await writeAudit(turn, [{ eventType: 'keyring_rotated', userId: null, ...origin, metadata }], now);
    await writeKeyringFile(config.keyringFile, [...added, ...kept], 'replace');
    return { added: kids(added), kept: kids(kept), dropped: kids(dropped), resealed, usedFrom };
  });
}

/** Of the newest key, not the current one, so that an immediate second rotation does not undo a change of algorithm. */
function newestAccessAlg(jwks: readonly PrivateJwk[]): AccessAlg | undefined {
  const newest = jwks.find((jwk) => jwk.kty !== 'oct');
  return newest && accessAlg(newest);
}

function kids(jwks: readonly PrivateJwk[]): string[] {
  return jwks.map(({ kid }) => kid);
}

/** True for the current key and for those to come. */
function isCurrentOrFuture(jwk: PrivateJwk, all: readonly PrivateJwk[], now: Date): boolean {
  return supersededAt(jwk, all) > epochSeconds(now);
}

/** True while a token or secret that the key has signed or sealed may still be used. */
function isNeeded(
  jwk: PrivateJwk,
  all: readonly PrivateJwk[],
  sealing: ReadonlySet<string>,
  config: Config,
  now: Date,
): boolean {
  const kind = purposeOf(jwk);
  if (kind === 'sealing') return sealing.has(jwk.kid);
  return supersededAt(jwk, all) + tokenSecondsOf(kind, config) >= epochSeconds(now);
}

/** How long after its use a key is needed. Secrets are sealed again before a sealing key is dropped. */
function tokenSecondsOf(purpose: KeyPurpose, { accessTokenSeconds, refreshTokenSeconds }: Config): number {
  return { access: accessTokenSeconds, refresh: refreshTokenSeconds, sealing: 0 }[purpose];
}

export interface TimetableKey extends ListedKey {
  /** A later rotation drops it; null while no newer key takes its place */
  neededUntil: Date | null;
}

/** What is used until when, and what the next rotation drops. */
export function keyringTimetable({ clock, config, keyring }: Deps<'clock' | 'config' | 'keyring'>): TimetableKey[] {
  return keyring.list(clock.now()).map((key) => {
    const { purpose, usedUntil } = key;
    return { ...key, neededUntil: usedUntil && addSeconds(usedUntil, tokenSecondsOf(purpose, config)) };
  });
}
