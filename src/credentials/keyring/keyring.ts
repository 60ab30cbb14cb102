/** Interface 3: the keys in use, of three kinds, picked up again when their file changes. */
import type { Clock } from '../../platform/clock.js';
import { describeError, type Logger } from '../../platform/logger.js';
import { importKeys, type KeyOf, type Keys, mayBeUsed, type PublicJwk } from './import-keys.js';
import { fileVersion, KeyringError, readKeyringFile } from './keyring-file.js';

/** How long a new key is published before it is used, so that every verifier has seen it: seconds. */
export const PUBLISH_AHEAD_SECONDS = 900;
/** How long a verifier may keep the JWKS: seconds, less than the delay above. */
export const JWKS_MAX_AGE_SECONDS = 300;
/** How often a running instance looks for a changed file: milliseconds. */
const LOOK_AGAIN_MS = 2_000;

/** The keyring of a running instance: always of the newest reading that was sound. */
export interface Keyring {
  /** The key that makes: the first of its kind whose time has come. @throws {KeyringError} where there is none */
  inUse<Kind extends keyof KeyOf>(kind: Kind, now: Date): KeyOf[Kind];
  /** The key that checks or opens what was made with it, whenever that was. */
  byKid<Kind extends keyof KeyOf>(kind: Kind, kid: string | undefined): KeyOf[Kind] | undefined;
  /** The key that writes this protected header, in base64url, before each of its tokens. */
  byHeader<Kind extends 'access' | 'refresh'>(kind: Kind, header: string): KeyOf[Kind] | undefined;
  /** Public halves of the access keys: the body of the JWKS endpoint. */
  publicJwks(): { keys: PublicJwk[] };
  /** Reads the file now, also one that has not changed. What comes of it is logged; a file that is refused changes nothing. */
  reload(): Promise<void>;
  close(): void;
}

/**
 * Reads the file, then looks every two seconds whether it has changed. A changed file that is refused leaves the
 * keys as they are and is logged.
 * @throws {KeyringError} for a file that is refused at the first reading
 */
export async function openKeyring(file: string, clock: Clock, log: Logger): Promise<Keyring> {
  const read = async (): Promise<Keys> => {
    const { jwks, warning } = await readKeyringFile(file);
    const taken = await importKeys(jwks, clock.now());
    if (warning !== undefined) log.warn(`the keyring holds secrets, and ${warning}`);
    return taken;
  };
  let version = await fileVersion(file);
  let refused = '';
  let keys = await read();
  const look = async (isAsked: boolean): Promise<void> => {
    const seen = await fileVersion(file);
    if (seen === version && !isAsked) return;
    try {
      keys = await read();
      version = seen;
      refused = '';
      log.info({ keys: keys.access.map(({ kid }) => kid) }, 'keyring read again');
    } catch (error) {
      const reason = error instanceof KeyringError ? error.message : describeError(error);
      const refusal = `${seen} ${JSON.stringify(reason)}`;
      if (refusal === refused && !isAsked) return; // it is tried again, but said once
      refused = refusal;
      log.error({ reason }, 'changed keyring refused; the keys in use stay');
    }
  };
  let looking = Promise.resolve();
  /** In turn, so that what was read last is what counts. */
  const lookInTurn = (isAsked: boolean): Promise<void> => {
    looking = looking.then(() => look(isAsked));
    return looking;
  };
  const timer = setInterval(() => lookInTurn(false), LOOK_AGAIN_MS);
  timer.unref();
  return {
    inUse: (kind, now) => {
      const key = keys[kind].find((candidate) => mayBeUsed(candidate, now));
      if (key === undefined) throw new KeyringError('no key of this kind may be used yet (nbf)');
      return key;
    },
    byKid: (kind, kid) => keys[kind].find((key) => key.kid === kid),
    byHeader: (kind, header) => keys[kind].find((key) => key.header === header),
    publicJwks: () => ({ keys: keys.access.map(({ publicJwk }) => publicJwk) }),
    reload: () => lookInTurn(true),
    close: () => clearInterval(timer),
  };
}
