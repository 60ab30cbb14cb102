/** CONTRACT 9: the commands that are about the program itself. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Command, command } from './command.js';
import { readValues } from './parameters.js';

export const programCommands: Record<string, Command> = {
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
};

/** Of the package that this file, or its build, is in. */
function packageVersion(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return String(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version);
}
