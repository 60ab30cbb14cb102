/** Interface 3 and 9, `doctor`: the keyring: its file, which keys are in use, and how old they are. */
import { realpath, stat } from 'node:fs/promises';
import { importKeys } from '../credentials/keyring/import-keys.js';
import { KeyringError } from '../credentials/keyring/keyring-error.js';
import { readKeyringFile } from '../credentials/keyring/keyring-file.js';
import { type PrivateJwk, purposeOf } from '../credentials/keyring/private-jwks.js';
import { epochSeconds } from '../platform/clock.js';
import { numberOf } from '../platform/number-of.js';
import { type Finding, fault, ok, warning } from './finding.js';
import type { Surroundings } from './surroundings.js';

/**
 * When a rotation is due, in days. A stolen key is useful until it is rotated out, a rotation logs nobody out, and
 * whoever rotates four times a year can do it in an emergency.
 */
const ROTATE_AFTER_DAYS = 90;
const DAY_SECONDS = 86_400;

export async function checkKeyring({ clock, config: { keyringFile }, machine }: Surroundings): Promise<Finding[]> {
  const now = clock.now();
  let read: Awaited<ReturnType<typeof readKeyringFile>>;
  try {
    read = await readKeyringFile(keyringFile);
    await importKeys(read.jwks, now); // as a start would
  } catch (error) {
    if (!(error instanceof KeyringError)) throw error;
    const backup = `put the keyring of your backup at ${keyringFile}, or set KEYRING_FILE to where it is`;
    return [fault('keyring', error.reason, error.remedy ?? backup)];
  }
  const { jwks, warning: readable } = read;
  const file = await realpath(keyringFile);
  const { mode, mtimeMs, uid } = await stat(file);
  const owned = `${file} is of user ${uid}, mode ${(mode & 0o777).toString(8).padStart(4, '0')}`;
  const isForeign = machine.uid !== 0 && uid !== 0 && uid !== machine.uid;
  const owner = `${owned}: its owner, neither this user (${machine.uid}) nor root, can replace the keys`;
  return [
    ok('keyring', KINDS.map((kind) => keysInUse(jwks, kind, epochSeconds(now))).join('; ')),
    readable === undefined
      ? ok('keyring_readable', owned)
      : warning('keyring_readable', `${owned}: it holds secrets, and others may read it`, readable.remedy),
    isForeign ? warning('keyring_owner', owner, `run: chown ${machine.uid} ${file}`) : ok('keyring_owner', owned),
    rotation(newestSince(jwks) ?? mtimeMs / 1000, epochSeconds(now), file),
  ];
}

const KINDS = ['access', 'refresh', 'sealing'] as const;

function keysInUse(jwks: readonly PrivateJwk[], kind: (typeof KINDS)[number], now: number): string {
  const ofKind = jwks.filter((jwk) => purposeOf(jwk) === kind);
  const at = ofKind.findIndex(({ nbf = 0 }) => nbf <= now);
  const [current, next] = [ofKind[at], ofKind[at - 1]];
  const follows = next === undefined ? '' : `, then ${next.kid} from ${isoTime(next.nbf ?? 0)} on`;
  return `${kind}: ${current?.kid} (${current?.alg})${follows}, ${ofKind.length} in all`;
}

/** Since when the newest access key is used: seconds since the epoch. Only keys of a rotation have it. */
function newestSince(jwks: readonly PrivateJwk[]): number | undefined {
  return jwks.find((jwk) => purposeOf(jwk) === 'access')?.nbf;
}

function rotation(since: number, now: number, file: string): Finding {
  const days = Math.max(0, Math.floor((now - since) / DAY_SECONDS));
  const seen = `the newest keys of ${file} are ${numberOf(days, 'day')} old`;
  if (days <= ROTATE_AFTER_DAYS) return ok('keyring_rotation', seen);
  const what = `${seen}; a rotation is due after ${ROTATE_AFTER_DAYS}`;
  return warning('keyring_rotation', what, { command: 'keyring rotate' });
}

function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
