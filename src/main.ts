/** The process: arguments, environment, streams and signals. Nothing else reads them. */
import { enableCompileCache, flushCompileCache } from 'node:module';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import type { Gateway } from './gateway.js';

const STOPS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** npm passes on a signal that a terminal or a service manager has sent to both: they are one. */
const SAME_SIGNAL_MS = 1_000;
/** For the requests in flight, 20 s as the listener has it, and for what is closed after them. */
const STOP_MS = 25_000;
/** The same after a second signal, or after an error that nobody caught. */
const HURRY_MS = 5_000;

const [first, ...others] = process.argv.slice(2);
// Without a word this is the gateway. `cli` says that what follow are the words, even where none follow.
const words = first === undefined ? ['start'] : first === 'cli' ? others : [first, ...others];
if (words[0] === 'start') beginAnew();
// What Node has compiled is kept beside the program, where nobody may write who may not write the program. Elsewhere, as
// in a common temporary folder, code could be planted. Where it cannot be written nothing is kept.
enableCompileCache(join(import.meta.dirname, '../compiled'));

const { readConfig } = await import('./config.js');
const { runCli } = await import('./cli/cli.js');
const { exitCodeOf, explain } = await import('./cli/exit.js');
const { say } = await import('./cli/terminal.js');

const { stdin, stdout, stderr } = process;
// Whoever reads, such as `head`, may have read enough.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

process.exitCode = await runCli(words, {
  readConfig: () => readConfig(process.env),
  terminal: { stdin, stdout, stderr, untilStopped },
  serve,
});

/**
 * Sets what libuv, glibc and V8 read once, before any JavaScript runs, by putting this program in the place of itself:
 * the process stays the same to whoever started it. What an operator has set is kept.
 */
function beginAnew(): void {
  const { argv, argv0, env, execArgv, execPath } = process;
  const wanted = {
    // As many hash as there are cores; of the rest DNS takes half at most, and so one is left to files and WebCrypto.
    UV_THREADPOOL_SIZE: String(2 * availableParallelism() + 2),
    // Each further arena keeps the memory of the largest hash that was made in it.
    MALLOC_ARENA_MAX: '1',
  };
  const missing = Object.entries(wanted).filter(([name]) => !env[name]);
  // MiB. With much memory V8 lets the heap grow to four times what is in use; with this, to less than twice.
  const heap = { '--max-old-space-size': Math.min(1_024, ownHeapMib()), '--max-semi-space-size': 8 };
  const given = [...execArgv, env['NODE_OPTIONS']].join(' ').replaceAll('_', '-');
  const options = Object.entries(heap).flatMap(([name, size]) => (given.includes(name) ? [] : [`${name}=${size}`]));
  if (missing.length + options.length === 0) return;
  const args = [argv0, ...options, ...execArgv, import.meta.filename, ...argv.slice(2)];
  process.execve?.(execPath, args, { ...env, ...Object.fromEntries(missing) });
}

/** What V8 has set for itself, by the memory of the machine or of its container. */
function ownHeapMib(): number {
  return Math.floor(getHeapStatistics().heap_size_limit / 2 ** 20);
}

function untilStopped(): AbortSignal {
  const stopped = new AbortController();
  for (const signal of STOPS) process.on(signal, () => stopped.abort());
  stdout.once('error', () => stopped.abort());
  return stopped.signal;
}

async function serve(): Promise<void> {
  const config = readConfig(process.env);
  const stopRequested = Promise.withResolvers<void>();
  const hurry = new AbortController();
  let gateway: Gateway | undefined;
  let firstMs: number | undefined;
  const onSignal = (): void => {
    firstMs ??= performance.now();
    stopRequested.resolve();
    const isSecond = performance.now() - firstMs > SAME_SIGNAL_MS;
    if (isSecond) hurry.abort();
    endWithin(isSecond ? HURRY_MS : config.shutdownDelaySeconds * 1000 + STOP_MS);
  };
  for (const signal of STOPS) process.on(signal, onSignal);
  let isFailing = false;
  // Also of promises that nobody waits for.
  process.on('uncaughtException', (error) => {
    if (isFailing) return; // such as standard error, which cannot be told then
    isFailing = true;
    say(process, explain(error));
    process.exitCode = exitCodeOf(error);
    endWithin(HURRY_MS);
    const stopped = gateway?.stop(AbortSignal.abort()) ?? Promise.resolve();
    void stopped.finally(() => process.exit());
  });
  const { startGateway } = await import('./gateway.js'); // which other commands need not load
  const threads = Number(process.env['UV_THREADPOOL_SIZE']) || undefined;
  gateway = await startGateway(config, threads, (line) => say(process, line));
  flushCompileCache(); // a gateway that is killed has not ended as others do
  if (stderr.isTTY) say(process, `The gateway answers at ${config.publicUrl}. Ctrl-C stops it.`);
  await stopRequested.promise;
  await gateway.stop(hurry.signal);
  endWithin(HURRY_MS); // a connection may be left to a database that does not answer
}

/** Ends the process by then at the latest, whatever hangs: a database that does not answer, a disk that is full. */
function endWithin(ms: number): void {
  setTimeout(() => process.exit(), ms).unref();
}
