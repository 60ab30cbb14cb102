/** Interface 3 and 9, `doctor`: the keyring: its file, how old its keys are, and which of them makes what, and when. */
import { realpath, stat } from 'node:fs/promises';
import { importKeys } from '../credentials/keyring/import-keys.js';
import { KeyringError, readKeyringFile } from '../credentials/keyring/keyring-file.js';
import { missingKeyringMessage, missingKeyringRemedy } from '../credentials/keyring/missing-keyring.js';
import { type PrivateJwk, purposeOf } from '../credentials/keyring/private-jwks.js';
import { epochSeconds } from '../platform/clock.js';
import { numberOf } from '../platform/number-of.js';
import { type Finding, fault, ok, warning } from './finding.js';
import type { Surroundings } from './surroundings.js';

/**
 * When a rotation is due, in days: a stolen key is worth something until it is rotated out, a rotation logs nobody out,
 * and who rotates four times a year can do it in an emergency.
 */
const ROTATE_AFTER_DAYS = 90;
const DAY_SECONDS = 86_400;

export async function checkKeyring({ clock, config: { keyringFile }, machine }: Surroundings): Promise<Finding[]> {
  const now = clock.now();
  const read = await readKeyringFile(keyringFile)
    .then(async (keyring) => {
      await importKeys(keyring.jwks, now); // as a start would
      return keyring;
    })
    .catch(refusalOf);
  if (typeof read === 'string') return [refused(read, keyringFile)];
  const { jwks, warning: readable } = read;
  const file = await realpath(keyringFile);
  const { mode, mtimeMs, uid } = await stat(file);
  const owned = `${file} is of user ${uid}, mode ${(mode & 0o777).toString(8).padStart(4, '0')}`;
  const isOfStranger = machine.uid !== 0 && uid !== 0 && uid !== machine.uid;
  const owner = `${owned}: who is neither this user (${machine.uid}) nor root can replace the keys`;
  return [
    ok('keyring', KINDS.map((kind) => keysInUse(jwks, kind, epochSeconds(now))).join('; ')),
    readable === undefined
      ? ok('keyring_readable', owned)
      : warning('keyring_readable', `${owned}: it holds secrets, and others may read it`, commandIn(readable)),
    isOfStranger ? warning('keyring_owner', owner, `chown ${machine.uid} ${file}`) : ok('keyring_owner', owned),
    rotation(newestSince(jwks) ?? mtimeMs / 1000, epochSeconds(now), file),
  ];
}

/** @throws what is no refusal of the keyring */
function refusalOf(error: unknown): string {
  if (error instanceof KeyringError) return error.message;
  throw error;
}

function refused(message: string, file: string): Finding {
  const cure = message === missingKeyringMessage(file) ? missingKeyringRemedy(file) : cureOf(message, file);
  return fault('keyring', message.replace(`; ${cure}`, '').replace(/; run: .*$/s, ''), cure);
}

function cureOf(refusal: string, file: string): string {
  if (refusal.includes('(EACCES)')) return `give it to the user that the gateway runs as: chown USER ${file}`;
  if (refusal.includes('; run: ') || refusal.includes(': others may')) return commandIn(refusal);
  if (refusal.includes('may be used now'))
    return 'set the clock right (timedatectl set-ntp true), or put the keyring back that was used before';
  return `put the keyring of your backup at ${file}, or set KEYRING_FILE to where it is`;
}

/** The command that a message ends with. */
function commandIn(message: string): string {
  return message.replace(/^.*?\brun: /s, '');
}

const KINDS = ['access', 'refresh', 'sealing'] as const;

function keysInUse(jwks: readonly PrivateJwk[], kind: (typeof KINDS)[number], now: number): string {
  const ofKind = jwks.filter((jwk) => purposeOf(jwk) === kind);
  const at = ofKind.findIndex(({ nbf = 0 }) => nbf <= now);
  const [used, next] = [ofKind[at], ofKind[at - 1]];
  const follows = next === undefined ? '' : `, then ${next.kid} from ${isoTime(next.nbf ?? 0)} on`;
  return `${kind}: ${used?.kid} (${used?.alg})${follows}, ${ofKind.length} in all`;
}

/** From when on the newest key of access tokens is used: seconds since the epoch. Only keys of a rotation say it. */
function newestSince(jwks: readonly PrivateJwk[]): number | undefined {
  return jwks.find((jwk) => purposeOf(jwk) === 'access')?.nbf;
}

function rotation(since: number, now: number, file: string): Finding {
  const days = Math.max(0, Math.floor((now - since) / DAY_SECONDS));
  const seen = `the newest keys of ${file} are ${numberOf(days, 'day')} old`;
  if (days <= ROTATE_AFTER_DAYS) return ok('keyring_rotation', seen);
  const what = `${seen}, and a rotation is due after ${ROTATE_AFTER_DAYS}`;
  return warning('keyring_rotation', what, 'run: auth-gateway keyring rotate');
}

function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
