/** CONTRACT 3 and 9: `keyring …`. */
import { rotateKeyring } from '../admin/keyring.js';
import { generateKeys, writeKeyring } from '../credentials/keyring-file.js';
import { type Command, command } from './command.js';
import { required, text } from './parameters.js';

export const keyringCommands: Record<string, Command> = {
  'keyring create': command({
    on: 'nothing',
    takes: { out: required('FILE', text) },
    run: async (_context, { out: file }) => {
      const keys = await generateKeys();
      await writeKeyring(file, keys, 'create');
      return { file, kids: keys.map(({ kid }) => kid) };
    },
  }),
  'keyring rotate': command({
    on: 'database and keyring',
    run: async (context) => {
      const { added, kept, dropped, resealed, usedFrom } = await rotateKeyring(context);
      return { file: context.config.keyringFile, used_from: usedFrom.toISOString(), added, kept, dropped, resealed };
    },
  }),
};
