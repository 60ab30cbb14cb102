/** Interface 3: what is said if there is no keyring: with another than the one before every login ends, and no API key works. */

const missing = (file: string): string => `cannot read the keyring ${file} (ENOENT)`;

/** What helps if nobody knows whether the database was used with one. */
export function missingKeyringRemedy(file: string): string {
  return `put it there; for a new gateway run: auth-gateway keyring create --out ${file}`;
}

export function missingKeyringMessage(file: string): string {
  return `${missing(file)}; ${missingKeyringRemedy(file)}`;
}

/** Of a database with users or API keys. It names no command that makes one: who copies it ends every login. */
export function lostKeyringMessage(file: string): string {
  return (
    `${missing(file)}, and the database was used with one: put it back from another instance or a backup, or set KEYRING_FILE ` +
    'to where it is. With a new one every login ends and no API key works; docs/at-three-in-the-morning.md, A lost keyring, ' +
    'says what to do if there is no copy'
  );
}
