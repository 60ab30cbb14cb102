/** The command line as a shell runs it: the build in a process of its own. */
import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { commandTable, runCli } from '../../../src/cli/cli.js';
import type { Call } from '../../../src/cli/context.js';
import { type Config, readConfig } from '../../../src/config/config.js';
import { createDatabase, KEYRING_FILE, required, type TestDatabase } from '../postgres/postgres.js';
import { freePort } from '../programs/redis.js';

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  /** The whole environment but for PATH, and for a free PORT if the gateway starts and this names none */
  env?: Record<string, string>;
  /** Standard input; none: it is closed, and no terminal */
  stdin?: string;
}

export async function run(args: string[], { env = {}, stdin = '' }: RunOptions = {}): Promise<Ran> {
  const isStart = args[0] === undefined || args[0] === 'start';
  const port = isStart ? { PORT: String(await freePort()) } : {};
  const child = spawn(process.execPath, ['dist/program/main.js', ...args], {
    env: { PATH: process.env['PATH'], ...port, ...env },
  });
  const read = (stream: NodeJS.ReadableStream): { text: string } => {
    const read = { text: '' };
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      read.text += chunk;
    });
    return read;
  };
  const [out, err] = [read(child.stdout), read(child.stderr)];
  child.stdin.on('error', () => undefined); // it may end without reading
  child.stdin.end(stdin);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout: out.text, stderr: err.text }));
  });
}

/**
 * The same without a process: from words to what is printed. For tests that need nothing else of a process.
 * @throws {Error} if a field of the JSON is not in `prints` of the command, which docs/interface.md prints, or the reverse
 */
export async function runHere(
  args: string[],
  config: () => Config,
  stdin = '',
  changes: Partial<Call['terminal']> = {},
): Promise<Ran> {
  const ran: Ran = { code: null, stdout: '', stderr: '' };
  const stream = (name: 'stdout' | 'stderr'): Writable =>
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        ran[name] += chunk.toString('utf8');
        done();
      },
    });
  const terminal: Call['terminal'] = {
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    command: 'auth-gateway',
    stopSignal: () => new AbortController().signal,
    ...changes,
  };
  const serve = () => Promise.reject(new Error('a test runs its gateway by itself'));
  ran.code = await runCli(args, { readConfig: async () => config(), terminal, serve });
  if (ran.code === 0 && args.includes('--json') && !args.includes('--help'))
    await compareWithInterface(args, ran.stdout);
  return ran;
}

/** `prints` begins with the fields that are always there, in braces; it names others behind them. */
async function compareWithInterface(args: string[], stdout: string): Promise<void> {
  const rows = (await commandTable()).filter(({ name }) => args.slice(0, 2).join(' ').startsWith(name));
  const prints = rows.at(-1)?.prints ?? '';
  const value: unknown = JSON.parse(args.includes('--follow') ? stdout.split('\n', 1).join() || '[]' : stdout);
  const [object = {}] = Array.isArray(value) ? value : [value];
  const unnamed = Object.keys(object).filter((key) => !new RegExp(`\\b${key}\\b`).test(prints));
  const always = /^`\{([\w, ]+)\}`(?!; with)/.exec(prints)?.[1]?.split(', ') ?? [];
  const missing = Object.keys(object).length === 0 ? [] : always.filter((key) => !Object.hasOwn(object, key));
  if (prints.includes('…') || unnamed.length + missing.length === 0) return;
  throw new Error(`${args.join(' ')} prints ${unnamed} beyond, and not ${missing} of, ${prints}`);
}

/** `start` in a process, and any other command here. */
export function runWith(args: string[], env: Record<string, string>): Promise<Ran> {
  return args[0] === 'start' ? run(args, { env }) : runHere(args, () => readConfig(env));
}

/** Messages but for the one line that names the database. */
export function messagesOf({ stderr }: Pick<Ran, 'stderr'>): string {
  return stderr.replace(/^database: .+\n/, '');
}

export interface Cli {
  database: TestDatabase;
  /** Runs a command on this database with `--json`; fails unless it succeeds in silence. */
  json<T>(args: string[], stdin?: string): Promise<T>;
  run(args: string[], stdin?: string): Promise<Ran>;
}

/** A command line on a database of its own, in this process. */
export async function cliOnDatabase(from: 'migrated' | 'empty' = 'migrated'): Promise<Cli> {
  const database = await createDatabase(from);
  const env = { DATABASE_URL: 'postgresql://unused', KEYRING_FILE: required(KEYRING_FILE) };
  const runThere = (args: string[], stdin?: string): Promise<Ran> =>
    runHere(args, () => ({ ...readConfig(env), databaseUrl: database.url }), stdin);
  return {
    database,
    run: runThere,
    json: async (args, stdin) => {
      const ran = await runThere([...args, '--json'], stdin);
      if (ran.code !== 0 || messagesOf(ran) !== '') throw new Error(`${args.join(' ')}: ${ran.code} ${ran.stderr}`);
      return JSON.parse(ran.stdout);
    },
  };
}
