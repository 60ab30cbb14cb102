/** The keys of a running instance, reloaded when their file changes. (Interface 3) */
import type { Clock } from '../../platform/clock.js';
import { explanationText } from '../../platform/explained.js';
import type { Logger } from '../../platform/logger.js';
import { watchFiles } from '../../platform/watched-file.js';
import { importKeys, type Key, type KeyOf, type Keys, mayBeUsed, type PublicJwk } from './import-keys.js';
import { KeyringError } from './keyring-error.js';
import { readKeyringFile } from './keyring-file.js';
import type { KeyPurpose } from './private-jwks.js';

/** How long a new key is published before it signs, so that every verifier knows it. */
export const PUBLISH_AHEAD_SECONDS = 900;
/** How long a verifier may cache the JWKS; less than the delay above. */
export const JWKS_MAX_AGE_SECONDS = 300;
const PURPOSES: readonly KeyPurpose[] = ['access', 'refresh', 'sealing'];

/** Describes a key without its secret. */
export interface ListedKey {
  kid: string;
  purpose: KeyPurpose;
  algorithm: string;
  /** When its use began or will begin; null for a key that no rotation has added */
  usedFrom: Date | null;
  /** When a newer key takes its place, or has; null if there is none */
  usedUntil: Date | null;
  /** True for the current key of its purpose */
  isInUse: boolean;
}

/** The keys of the newest version of the file that was valid. */
export interface Keyring {
  /** The current key: the first whose `nbf` has passed. @throws {KeyringError} if there is none */
  inUse<Kind extends keyof KeyOf>(kind: Kind, now: Date): KeyOf[Kind];
  /** Verifies or opens what any key of the file has made, current or not. */
  byKid<Kind extends keyof KeyOf>(kind: Kind, kid: string | undefined): KeyOf[Kind] | undefined;
  /** The key whose tokens begin with this protected header, in base64url. */
  byHeader<Kind extends 'access' | 'refresh' | 'device' | 'gate'>(kind: Kind, header: string): KeyOf[Kind] | undefined;
  /** Every key of the file, by purpose, newest first. */
  list(now: Date): ListedKey[];
  /** Public halves of the access keys: the body of the JWKS endpoint. */
  publicJwks(): { keys: PublicJwk[] };
  /** Reads the file now, even if it has not changed, and logs the result. A refused file changes nothing. */
  reload(): Promise<void>;
  close(): void;
}

/**
 * Reads the file, then checks every two seconds whether it has changed. If a changed file is refused, that is logged
 * and the keys stay.
 * @throws {KeyringError} if the file is refused the first time
 */
export async function openKeyring(file: string, clock: Clock, log: Logger): Promise<Keyring> {
  const read = async (): Promise<Keys> => {
    const { jwks, warning } = await readKeyringFile(file);
    const taken = await importKeys(jwks, clock.now());
    if (warning !== undefined) log.warn(`the keyring holds secrets, and ${explanationText(warning)}`);
    return taken;
  };
  const watched = await watchFiles([file], read, {
    taken: ({ access }) => log.info({ keys: access.map(({ kid }) => kid) }, 'keyring read again'),
    refused: (reason) => log.error({ reason }, 'changed keyring refused; the keys in use stay'),
  });
  return {
    inUse: (kind, now) => {
      const key = watched.current()[kind].find((candidate) => mayBeUsed(candidate, now));
      if (key === undefined) throw new KeyringError('no key of this kind may be used yet (nbf)');
      return key;
    },
    byKid: (kind, kid) => watched.current()[kind].find((key) => key.kid === kid),
    byHeader: (kind, header) => watched.current()[kind].find((key) => key.header === header),
    list: (now) => PURPOSES.flatMap((purpose) => listOf(purpose, watched.current()[purpose], now)),
    publicJwks: () => ({ keys: watched.current().access.map(({ publicJwk }) => publicJwk) }),
    reload: watched.reload,
    close: watched.close,
  };
}

function listOf(purpose: KeyPurpose, ofPurpose: readonly Key[], now: Date): ListedKey[] {
  const current = ofPurpose.find((key) => mayBeUsed(key, now));
  return ofPurpose.map((key, i) => {
    const supersededAt = Math.min(...ofPurpose.slice(0, i).map(({ notBefore }) => notBefore));
    return {
      kid: key.kid,
      purpose,
      algorithm: key.alg,
      usedFrom: key.notBefore === 0 ? null : new Date(key.notBefore * 1000),
      usedUntil: supersededAt === Number.POSITIVE_INFINITY ? null : new Date(supersededAt * 1000),
      isInUse: key === current,
    };
  });
}
