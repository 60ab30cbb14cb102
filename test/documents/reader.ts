/** Somebody who types what the documents print, in a checkout of their own, into shells that stop at the first failure. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from '../support/programs/redis.js';

/** Of the working tree, what its commands need. What they write is the reader's own. */
const CHECKOUT = ['bin', 'client', 'node_modules', 'package.json', 'scripts'];
/** Printed by a command, and filled in by the reader later on: `key_id: …` for `KEY_ID`. */
const TO_FILL_IN = /^(password|header_value|secret|key_id): (\S+)$/gm;
const DONE = '(done)';
/** `npm test` puts its own Node first, which no shell of a reader has. */
const PATH = process.env['PATH']
  ?.split(':')
  .filter((folder) => !folder.endsWith('node_modules/.bin'))
  .join(':');

export interface Shell {
  /**
   * Types a command, and resolves to what it has printed up to `until`: its end, unless given.
   * @throws {Error} with what it has printed, when it fails
   */
  type(command: string, until?: string): Promise<string>;
}

export interface Reader extends AsyncDisposable {
  shell(): Shell;
  /** With what this reader has in the place of what is printed: a port, and words in capitals. */
  fillIn(text: string): string;
}

/** @param words what is printed, and what this reader has in its place */
export async function createReader(words: Record<string, string> = {}): Promise<Reader> {
  const folder = await mkdtemp(join(tmpdir(), 'reader-'));
  for (const name of CHECKOUT) await symlink(resolve(name), join(folder, name));
  const PORT = String(await freePort());
  const env = { PATH, HOME: folder, PORT };
  const filledIn = new Map([['3000', PORT], ...Object.entries(words)]);
  const fillIn = (text: string) => [...filledIn].reduce((all, [word, value]) => all.replaceAll(word, value), text);
  const processes: ChildProcess[] = [];

  const shell = (): Shell => {
    const bash = spawn('bash', ['-e'], { cwd: folder, env, detached: true });
    processes.push(bash);
    let [printed, hasEnded, changed] = ['', false, Promise.withResolvers<void>()];
    const notify = () => {
      changed.resolve();
      changed = Promise.withResolvers();
    };
    bash.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      notify();
    });
    bash.on('close', () => {
      hasEnded = true;
      notify();
    });
    bash.stdin.on('error', () => undefined); // it has stopped
    bash.stdin.write('exec 2>&1\n'); // as in a terminal
    return {
      type: async (command, until = DONE) => {
        printed = '';
        bash.stdin.write(`${fillIn(command)}\necho; echo '${DONE}'\n`);
        while (!printed.includes(until)) {
          if (hasEnded) throw new Error(`This failed:\n${command}\n${printed}`);
          await changed.promise;
        }
        for (const [, name = '', value = ''] of printed.matchAll(TO_FILL_IN)) filledIn.set(name.toUpperCase(), value);
        return printed.slice(0, printed.indexOf(until));
      },
    };
  };

  return {
    shell,
    fillIn,
    [Symbol.asyncDispose]: async () => {
      for (const bash of processes) {
        if (bash.pid === undefined || bash.exitCode !== null || bash.signalCode !== null) continue;
        const closed = once(bash, 'close'); // when what it has started has ended too
        process.kill(-bash.pid, 'SIGTERM');
        await closed;
      }
      await rm(folder, { recursive: true });
    },
  };
}
