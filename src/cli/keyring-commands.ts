/** CONTRACT 3 and 9: `keyring …`. */
import { rotateKeyring } from '../admin/keyring.js';
import { generateKeys, writeKeyring } from '../credentials/keyring-file.js';
import { ACCESS_ALGS } from '../credentials/private-jwks.js';
import { type Command, command } from './command.js';
import { oneOf, optional, required, text } from './parameters.js';

/** Of the key of access tokens; the other keys are the gateway's own affair. */
const ALG = optional(ACCESS_ALGS.join('|'), oneOf(ACCESS_ALGS));

export const keyringCommands: Record<string, Command> = {
  'keyring create': command({
    on: 'nothing',
    takes: { out: required('FILE', text), alg: ALG },
    run: async (_context, { out: file, alg }) => {
      const keys = await generateKeys(alg);
      await writeKeyring(file, keys, 'create');
      return { file, kids: keys.map(({ kid }) => kid) };
    },
  }),
  'keyring rotate': command({
    on: 'database and keyring',
    takes: { alg: ALG },
    run: async (context, { alg }) => {
      const { added, kept, dropped, resealed, usedFrom } = await rotateKeyring(context, alg);
      return { file: context.config.keyringFile, used_from: usedFrom.toISOString(), added, kept, dropped, resealed };
    },
  }),
};
