/** The commands `keyring …`. (Interface 3 and 9) */
import { rotateKeyring } from '../admin/keyring.js';
import { KeyringError } from '../credentials/keyring/keyring-error.js';
import { generateKeys, writeKeyringFile } from '../credentials/keyring/keyring-file.js';
import { ACCESS_ALGS } from '../credentials/keyring/private-jwks.js';
import { type Command, command } from './command.js';
import { file as fileType, oneOf } from './parameter-types.js';
import { optional, required } from './parameters.js';
import { CliRefusal } from './refusal.js';

const ALG = optional(oneOf(ACCESS_ALGS), 'algorithm of access tokens, for verifiers without EdDSA');

export const keyringCommands: Record<string, Command> = {
  'keyring create': command({
    summary: 'create a keyring file that only its owner can read; an existing file is not replaced',
    prints: '`{file, kids}`',
    on: 'nothing',
    takes: { out: required(fileType, 'the new file'), alg: ALG },
    run: async (_context, { out: file, alg }) => {
      const keys = await generateKeys(alg);
      try {
        await writeKeyringFile(file, keys, 'create');
      } catch (error) {
        // About the folder that was named here, not about the configuration.
        throw error instanceof KeyringError ? new CliRefusal(error.reason, error.remedy) : error;
      }
      return { file, kids: keys.map(({ kid }) => kid) };
    },
  }),
  'keyring rotate': command({
    summary: 'add new keys, used from 15 minutes later, and drop keys that are no longer needed',
    prints: '`{file, used_from, added, kept, dropped, resealed}`',
    on: 'database and keyring',
    takes: { alg: ALG },
    run: async (context, { alg }) => {
      const { added, kept, dropped, resealed, usedFrom } = await rotateKeyring(context, alg);
      return { file: context.config.keyringFile, used_from: usedFrom.toISOString(), added, kept, dropped, resealed };
    },
  }),
};
