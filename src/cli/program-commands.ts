/** Interface 9: the commands that are about the program itself. */
import { GATEWAY_VERSION } from '../platform/versions.js';
import { type Command, command } from './command.js';
import { completionOf, SHELLS } from './completion.js';
import type { Commands } from './help.js';
import { oneOf } from './kinds.js';
import { readValues, word } from './parameters.js';

/** @param all every command, these too */
export function programCommands(all: () => Commands): Record<string, Command> {
  const shells = { shell: word(oneOf(SHELLS, 'SHELL'), 'for which shell', `name a shell: ${SHELLS.join(', ')}`) };
  return {
    start: {
      does: 'runs the gateway until Ctrl-C or SIGTERM',
      takes: {},
      run: async (args, { serve }) => {
        readValues(args, {});
        await serve();
      },
    },
    version: command({
      does: 'prints the version of this program, and of the Node that it runs on',
      on: 'nothing',
      run: async () => ({ version: GATEWAY_VERSION, node: process.versions.node }),
    }),
    completion: {
      does: 'prints a script by which a shell completes the words of this program',
      example: 'completion bash > ~/.local/share/bash-completion/completions/auth-gateway',
      takes: shells,
      run: async (args, { terminal }) => {
        terminal.stdout.write(completionOf(readValues(args, shells).shell, all()));
      },
    },
  };
}
