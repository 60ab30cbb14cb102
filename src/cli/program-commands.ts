/** Commands about the program itself. (Interface 9) */
import { GATEWAY_VERSION, REVISION } from '../platform/versions.js';
import { type Command, command } from './command.js';
import { completionOf, SHELLS } from './completion.js';
import type { Commands } from './help.js';
import { oneOf } from './parameter-types.js';
import { readValues, word } from './parameters.js';

/** @param all every command, including these */
export function programCommands(all: () => Promise<Commands>): Record<string, Command> {
  const shells = { shell: word(oneOf(SHELLS, 'SHELL'), 'the shell', `name a shell: ${SHELLS.join(', ')}`) };
  return {
    start: {
      summary: 'run the gateway until Ctrl-C or SIGTERM',
      takes: {},
      run: async (args, { serve }) => {
        readValues(args, {});
        await serve();
      },
    },
    version: command({
      summary: 'print the version and commit of this program, and the version of Node',
      prints: '`{version, node, revision}`',
      on: 'nothing',
      run: async () => ({ version: GATEWAY_VERSION, node: process.versions.node, revision: REVISION }),
    }),
    completion: {
      summary: 'print a shell completion script',
      example: 'completion bash > ~/.local/share/bash-completion/completions/auth-gateway',
      takes: shells,
      run: async (args, { terminal }) => {
        const { shell } = readValues(args, shells);
        terminal.stdout.write(completionOf(shell, await all()));
      },
    },
  };
}
