/** Interface 3 and 9: which keys of a keyring something still needs that was made with them, and how they are told apart. */
import { createHash } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import { epochSeconds } from '../../platform/clock.js';
import { type PrivateJwk, purposeOf } from './private-jwks.js';

/** A key, as one may tell of it: no secret is in it. */
export interface NeededKey {
  kid: string;
  kind: ReturnType<typeof purposeOf>;
  /** RFC 7638; of 256 random bits it gives nothing away */
  thumbprint: string;
  /** When nothing lives any more that the key has signed; null: it is needed without end */
  until: Date | null;
}

/** What is there that keys have made. */
export interface MadeWithKeys {
  now: Date;
  /** `kid`s of the keys that seal secrets */
  sealing: ReadonlySet<string>;
  /** How long tokens of a kind live: seconds */
  tokenSeconds: { access: number; refresh: number };
  /** When the last of the live refresh tokens expires; null where there is none */
  refreshUntil: Date | null;
}

/** Since when a newer key of its kind makes instead: seconds since the epoch, `Infinity` where there is none. */
export function supersededAt(jwk: PrivateJwk, all: readonly PrivateJwk[]): number {
  const newer = all.slice(0, all.indexOf(jwk)).filter((other) => purposeOf(other) === purposeOf(jwk));
  return Math.min(...newer.map(({ nbf }) => nbf ?? 0));
}

export async function neededKeys(jwks: readonly PrivateJwk[], made: MadeWithKeys): Promise<NeededKey[]> {
  const needed: NeededKey[] = [];
  for (const jwk of jwks) {
    const until = neededUntil(jwk, jwks, made);
    if (until === undefined) continue;
    needed.push({ kid: jwk.kid, kind: purposeOf(jwk), thumbprint: await calculateJwkThumbprint(jwk), until });
  }
  return needed;
}

/** @returns undefined where nothing needs it */
function neededUntil(jwk: PrivateJwk, all: readonly PrivateJwk[], made: MadeWithKeys): Date | null | undefined {
  const { now, refreshUntil, sealing, tokenSeconds } = made;
  const kind = purposeOf(jwk);
  if (kind === 'sealing') return sealing.has(jwk.kid) ? null : undefined;
  const nowSeconds = epochSeconds(now);
  if ((jwk.nbf ?? 0) > nowSeconds || (kind === 'refresh' && refreshUntil === null)) return undefined; // nothing is its
  const until = new Date((Math.min(supersededAt(jwk, all), nowSeconds) + tokenSeconds[kind]) * 1000);
  const last = kind === 'refresh' && refreshUntil !== null && refreshUntil < until ? refreshUntil : until;
  return last > now ? last : undefined;
}

/** Those that a keyring lacks, or has under the same `kid` with another content. */
export async function missingKeys(
  needed: readonly NeededKey[],
  jwks: readonly PrivateJwk[],
  now: Date,
): Promise<NeededKey[]> {
  const held = new Set(await Promise.all(jwks.map(async (jwk) => `${jwk.kid} ${await calculateJwkThumbprint(jwk)}`)));
  const isNeeded = ({ until }: NeededKey): boolean => until === null || until > now;
  return needed.filter((key) => isNeeded(key) && !held.has(`${key.kid} ${key.thumbprint}`));
}

/** Of the whole keyring, for people: SHA-256 in hex over the thumbprints, whatever their order. */
export async function keyringFingerprint(jwks: readonly PrivateJwk[]): Promise<string> {
  const thumbprints = await Promise.all(jwks.map((jwk) => calculateJwkThumbprint(jwk)));
  return createHash('sha256').update(thumbprints.toSorted().join()).digest('hex');
}
