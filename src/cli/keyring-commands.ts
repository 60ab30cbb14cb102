/** Interface 3 and 9: `keyring …`. */
import { rotateKeyring } from '../admin/keyring.js';
import { KeyringError } from '../credentials/keyring/keyring-error.js';
import { generateKeys, writeKeyringFile } from '../credentials/keyring/keyring-file.js';
import { ACCESS_ALGS } from '../credentials/keyring/private-jwks.js';
import { type Command, command } from './command.js';
import { CliRefusal } from './exit.js';
import { file as fileKind, oneOf } from './kinds.js';
import { optional, required } from './parameters.js';

/** Of the key of access tokens; the other keys are the gateway's own affair. */
const ALG = optional(oneOf(ACCESS_ALGS), 'what signs access tokens, where verifiers do not know EdDSA');

export const keyringCommands: Record<string, Command> = {
  'keyring create': command({
    does: 'writes a new keyring, which only its owner may read; replaces no file',
    on: 'nothing',
    takes: { out: required(fileKind, 'where to'), alg: ALG },
    run: async (_context, { out: file, alg }) => {
      const keys = await generateKeys(alg);
      try {
        await writeKeyringFile(file, keys, 'create');
      } catch (error) {
        // Of the folder that was named here, not of the configuration.
        throw error instanceof KeyringError ? new CliRefusal(error.reason, error.remedy) : error;
      }
      return { file, kids: keys.map(({ kid }) => kid) };
    },
  }),
  'keyring rotate': command({
    does: 'puts new keys first, for use in 15 minutes, and drops those that nothing needs',
    on: 'database and keyring',
    takes: { alg: ALG },
    run: async (context, { alg }) => {
      const { added, kept, dropped, resealed, usedFrom } = await rotateKeyring(context, alg);
      return { file: context.config.keyringFile, used_from: usedFrom.toISOString(), added, kept, dropped, resealed };
    },
  }),
};
