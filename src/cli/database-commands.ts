/** Interface 9: `database …`: all that a gateway knows, into a file, and back. */
import { existsSync } from 'node:fs';
import type { Header, Trailer } from '../archive/format.js';
import type { Config } from '../config/config.js';
import { KeyringError } from '../credentials/keyring/keyring-error.js';
import { readKeyringFile } from '../credentials/keyring/keyring-file.js';
import type { PrivateJwk } from '../credentials/keyring/private-jwks.js';
import { type Command, command } from './command.js';
import { file as fileKind } from './kinds.js';
import { flag, required, word } from './parameters.js';
import { type Printable, say } from './terminal.js';

export const databaseCommands: Record<string, Command> = {
  'database export': command({
    does: 'writes all tables to a new file, as they are at one moment, while gateways go on',
    example: 'database export --out gateway.export',
    on: 'database',
    takes: { out: required(fileKind, 'where to; a file that is there is left as it is') },
    run: async ({ config, db, terminal }, { out: file }) => {
      const { exportDatabase } = await import('../archive/export.js'); // which other commands need not load
      const tell = (line: string): void => say(terminal, line);
      const stopped = terminal.untilStopped();
      const { header, lostKeys, ...trailer } = await exportDatabase(db, file, { config, report: tell, stopped });
      tell('the file holds password hashes and sealed secrets: let nobody read it');
      tell(`it is of use with the keyring alone: keep a copy of ${config.keyringFile}, elsewhere than the file`);
      if (lostKeys.length > 0) tell(`the keyring lacks keys that seal secrets of API keys: ${lostKeys.join(', ')}`);
      return printable(file, header, header.authenticated_by, trailer);
    },
  }),
  'database import': command({
    does: 'fills an empty database with what database export has written, or changes nothing; makes an embedded one',
    example: 'database import gateway.export',
    on: 'database to fill',
    takes: {
      file: word(fileKind, 'what database export has written', 'name one file'),
      unauthenticated: flag(
        'also a file that no key of the keyring can verify, in which anybody may have become administrator',
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
        report: (line) => say(terminal, line),
        stopped: terminal.untilStopped(),
      });
      if (verifiedBy.length === 0) say(terminal, `the file was not verified: ${UNAUTHENTICATED}`);
      return printable(file, header, verifiedBy, trailer);
    },
  }),
};

/** A new keyring would not do, so none is proposed. */
async function readKeys({ keyringFile }: Config, needs: readonly string[]): Promise<PrivateJwk[]> {
  if (existsSync(keyringFile)) return (await readKeyringFile(keyringFile)).jwks;
  const remedy = `put the one there that was used with this database (keys: ${needs.join(', ')}), or set KEYRING_FILE to where it is`;
  throw new KeyringError(`there is no keyring ${keyringFile}`, remedy);
}

function printable(file: string, header: Header, authenticated_by: string[], { rows, sha256 }: Trailer): Printable {
  const { gateway_version, keyring_sha256, taken_at } = header;
  return { file, taken_at, gateway_version, keyring_sha256, authenticated_by, rows, sha256 };
}
