/** CONTRACT 3 and 9: `keyring …`. */
import { rotateKeyring } from '../admin/keyring.js';
import { generateKeys, writeKeyring } from '../credentials/keyring.js';
import type { Command } from './command.js';

export const keyringCommands: Record<string, Command> = {
  'keyring create': {
    usage: '--out FILE',
    options: { out: { type: 'string' } },
    plain: async (words) => {
      const file = words.required('out');
      const keys = await generateKeys();
      await writeKeyring(file, keys, 'create');
      return { file, kids: keys.map(({ kid }) => kid) };
    },
  },
  'keyring rotate': {
    usage: '',
    run: async (context) => {
      const { added, kept, dropped, resealed, usedFrom } = await rotateKeyring({
        ...context,
        keyring: await context.openKeyring(),
      });
      return { file: context.config.keyringFile, used_from: usedFrom.toISOString(), added, kept, dropped, resealed };
    },
  },
};
