/** Interface 3: messages about a missing keyring. With a new one, every session would end and no API key would work. */

const missing = (file: string): string => `cannot read the keyring ${file} (ENOENT)`;

/** For a database that may be new. */
export function missingKeyringRemedy(file: string): string {
  return `put it there; for a new gateway run: auth-gateway keyring create --out ${file}`;
}

export function missingKeyringMessage(file: string): string {
  return `${missing(file)}; ${missingKeyringRemedy(file)}`;
}

/** For a database with users or API keys. It names no command: whoever copied it would end every session. */
export function lostKeyringMessage(file: string): string {
  return (
    `${missing(file)}, but this database was used with one: restore it from another instance or a backup, or correct KEYRING_FILE. ` +
    'With a new keyring every session would end and no API key would work; if there is no copy, see A lost keyring in ' +
    'docs/at-three-in-the-morning.md'
  );
}
