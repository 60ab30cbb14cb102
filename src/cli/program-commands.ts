/** CONTRACT 9: the commands that are about the program itself. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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
      run: async () => ({ version: packageVersion(), node: process.versions.node }),
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

/** Of the package that this file, or its build, is in. */
function packageVersion(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return String(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version);
}
