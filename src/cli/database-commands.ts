/** The commands `database …`. (Interface 9) */
import { existsSync } from 'node:fs';
import type { Header, Trailer } from '../archive/format.js';
import type { Config } from '../config/config.js';
import { KeyringError } from '../credentials/keyring/keyring-error.js';
import { readKeyringFile } from '../credentials/keyring/keyring-file.js';
import type { PrivateJwk } from '../credentials/keyring/private-jwks.js';
import { type Command, command } from './command.js';
import { file as fileType } from './parameter-types.js';
import { flag, required, word } from './parameters.js';
import { type Printable, printMessage } from './terminal.js';

const FILE_JSON = '`{file, taken_at, gateway_version, keyring_sha256, authenticated_by, rows, sha256}`';

export const databaseCommands: Record<string, Command> = {
  'database export': command({
    summary: 'export all tables to a new file, as one snapshot, while gateways keep running',
    example: 'database export --out gateway.export',
    prints: FILE_JSON,
    on: 'database',
    takes: { out: required(fileType, 'the new file; an existing file is not replaced') },
    run: async ({ config, db, terminal }, { out: file }) => {
      const { exportDatabase } = await import('../archive/export.js'); // other commands do not load it
      const report = (line: string): void => printMessage(terminal, line);
      const stopped = terminal.stopSignal();
      const { header, lostKeys, ...trailer } = await exportDatabase(db, file, { config, report, stopped });
      report('the file contains password hashes and sealed secrets; keep it private');
      report(`it is useless without the keyring; keep a copy of ${config.keyringFile} in another place`);
      if (lostKeys.length > 0)
        report(`the keyring lacks keys that are needed to open stored secrets: ${lostKeys.join(', ')}`);
      return printable(file, header, header.authenticated_by, trailer);
    },
  }),
  'database import': command({
    summary:
      'import a file of database export into an empty database, or create the embedded one; on failure nothing changes',
    example: 'database import gateway.export',
    prints: FILE_JSON,
    on: 'database to fill',
    takes: {
      file: word(fileType, 'a file of database export', 'name one file'),
      unauthenticated: flag(
        'accept a file that no key of the keyring can verify; whoever wrote it may have added administrators',
      ),
    },
    run: async ({ clock, config, openServer, terminal }, { file, unauthenticated }) => {
      const { importDatabase } = await import('../archive/import.js');
      const { UNAUTHENTICATED } = await import('../archive/authenticity.js');
      const { header, verifiedBy, ...trailer } = await importDatabase(file, {
        open: async () => ({ url: (await openServer()).databaseUrl, pooler: config.databasePooler }),
        readKeys: (needs) => readKeys(config, needs),
        now: clock.now(),
        unauthenticated,
        report: (line) => printMessage(terminal, line),
        stopped: terminal.stopSignal(),
      });
      if (verifiedBy.length === 0) printMessage(terminal, `the file was not verified: ${UNAUTHENTICATED}`);
      return printable(file, header, verifiedBy, trailer);
    },
  }),
};

/** A new keyring would not fit, so the message does not suggest one. */
async function readKeys({ keyringFile }: Config, needs: readonly string[]): Promise<PrivateJwk[]> {
  if (existsSync(keyringFile)) return (await readKeyringFile(keyringFile)).jwks;
  const remedy = `restore the one that was used with this database (keys: ${needs.join(', ')}), or set KEYRING_FILE to its path`;
  throw new KeyringError(`there is no keyring ${keyringFile}`, remedy);
}

function printable(file: string, header: Header, authenticated_by: string[], { rows, sha256 }: Trailer): Printable {
  const { gateway_version, keyring_sha256, taken_at } = header;
  return { file, taken_at, gateway_version, keyring_sha256, authenticated_by, rows, sha256 };
}
