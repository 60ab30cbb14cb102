/** Finds the keys of a keyring that tokens and sealed secrets still need. (Interface 3 and 9) */
import { createHash } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import { epochSeconds } from '../../platform/clock.js';
import { type KeyPurpose, type PrivateJwk, purposeOf } from './private-jwks.js';

/** Describes a key without its secret. */
export interface NeededKey {
  kid: string;
  kind: KeyPurpose;
  /** RFC 7638; reveals nothing about 256 random bits */
  thumbprint: string;
  /** When the last token that it signed expires; null: needed for ever */
  until: Date | null;
}

/** Tokens and secrets that depend on the keys. */
export interface KeyDependents {
  now: Date;
  /** `kid`s of the keys that sealed stored secrets */
  sealing: ReadonlySet<string>;
  /** Lifetimes in seconds */
  tokenSeconds: { access: number; refresh: number };
  /** When the last live refresh token expires; null if there is none */
  refreshUntil: Date | null;
}

/** When a newer key of the same purpose took over: seconds since the epoch, `Infinity` if there is none. */
export function supersededAt(jwk: PrivateJwk, all: readonly PrivateJwk[]): number {
  const newer = all.slice(0, all.indexOf(jwk)).filter((other) => purposeOf(other) === purposeOf(jwk));
  return Math.min(...newer.map(({ nbf }) => nbf ?? 0));
}

export async function neededKeys(jwks: readonly PrivateJwk[], dependents: KeyDependents): Promise<NeededKey[]> {
  const needed: NeededKey[] = [];
  for (const jwk of jwks) {
    const until = neededUntil(jwk, jwks, dependents);
    if (until === undefined) continue;
    needed.push({ kid: jwk.kid, kind: purposeOf(jwk), thumbprint: await calculateJwkThumbprint(jwk), until });
  }
  return needed;
}

/** @returns undefined if nothing needs it */
function neededUntil(jwk: PrivateJwk, all: readonly PrivateJwk[], dependents: KeyDependents): Date | null | undefined {
  const { now, refreshUntil, sealing, tokenSeconds } = dependents;
  const purpose = purposeOf(jwk);
  if (purpose === 'sealing') return sealing.has(jwk.kid) ? null : undefined;
  const nowSeconds = epochSeconds(now);
  if ((jwk.nbf ?? 0) > nowSeconds || (purpose === 'refresh' && refreshUntil === null)) return undefined; // signed nothing
  const until = new Date((Math.min(supersededAt(jwk, all), nowSeconds) + tokenSeconds[purpose]) * 1000);
  const last = purpose === 'refresh' && refreshUntil !== null && refreshUntil < until ? refreshUntil : until;
  return last > now ? last : undefined;
}

/** Needed keys that a keyring lacks, or holds with other content under the same `kid`. */
export async function missingKeys(
  needed: readonly NeededKey[],
  jwks: readonly PrivateJwk[],
  now: Date,
): Promise<NeededKey[]> {
  const held = new Set(await Promise.all(jwks.map(async (jwk) => `${jwk.kid} ${await calculateJwkThumbprint(jwk)}`)));
  const isNeeded = ({ until }: NeededKey): boolean => until === null || until > now;
  return needed.filter((key) => isNeeded(key) && !held.has(`${key.kid} ${key.thumbprint}`));
}

/** SHA-256 in hex over the thumbprints of all keys, in any order: for people to compare. */
export async function keyringFingerprint(jwks: readonly PrivateJwk[]): Promise<string> {
  const thumbprints = await Promise.all(jwks.map((jwk) => calculateJwkThumbprint(jwk)));
  return createHash('sha256').update(thumbprints.toSorted().join()).digest('hex');
}
