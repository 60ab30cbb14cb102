/** CONTRACT 3 and 9: `keyring …`. */
import { rotateKeyring } from '../admin/keyring.js';
import { generateKeys, writeKeyring } from '../credentials/keyring.js';
import { type Command, command } from './command.js';

export const keyringCommands: Record<string, Command> = {
  'keyring create': command({
    on: 'nothing',
    usage: '--out FILE',
    options: { out: { type: 'string' } },
    run: async (_context, words) => {
      const file = words.required('out');
      const keys = await generateKeys();
      await writeKeyring(file, keys, 'create');
      return { file, kids: keys.map(({ kid }) => kid) };
    },
  }),
  'keyring rotate': command({
    on: 'database and keyring',
    usage: '',
    run: async (context) => {
      const { added, kept, dropped, resealed, usedFrom } = await rotateKeyring(context);
      return { file: context.config.keyringFile, used_from: usedFrom.toISOString(), added, kept, dropped, resealed };
    },
  }),
};
