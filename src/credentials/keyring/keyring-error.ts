/**
 * The error of a keyring that is refused or missing. With a new one, every session would end and no API key would work.
 * (Interface 3)
 */
import { ExplainedError } from '../../platform/explained.js';

/** The file is missing, malformed, unsafe, or lacks a key; the message names the fault and never repeats a key. */
export class KeyringError extends ExplainedError {
  override readonly name = 'KeyringError';
}

const missing = (file: string): string => `cannot read the keyring ${file} (ENOENT)`;

/** For a database that may be new. */
export function keyringMissing(file: string): KeyringError {
  return new KeyringError(missing(file), {
    advice: 'put it there; for a new gateway',
    command: `keyring create --out ${file}`,
  });
}

/** For a database with users or API keys. It names no command, which a reader might copy and so end every session. */
export function keyringLost(file: string): KeyringError {
  return new KeyringError(
    `${missing(file)}, but this database was used with one`,
    'restore it from another instance or a backup, or correct KEYRING_FILE. With a new keyring every session would end and ' +
      'no API key would work; if there is no copy, see docs/runbook.md#a-lost-keyring',
  );
}
