/** The process: arguments, environment, streams and signals. Nothing else reads them. */
import { flushCompileCache } from 'node:module';
import { availableParallelism } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { keepCompiled } from '../platform/program-files.js';
import { notifyServiceManager } from '../platform/service-manager.js';
import { hasTerminal, STOPS } from '../platform/signals.js';
import type { Gateway } from './gateway.js';

/** npm passes on a signal that a terminal or a service manager has sent to both: they are one. */
const SAME_SIGNAL_MS = 1_000;

const [first, ...others] = process.argv.slice(2);
// Without a word this is the gateway. `cli` says that what follow are the words, even where none follow.
const words = first === undefined ? ['start'] : first === 'cli' ? others : [first, ...others];
if (words[0] === 'start') beginAnew();
keepCompiled();

const { readConfig } = await import('../config/config.js');
const { calledAs } = await import('../cli/called-as.js');
const { runCli } = await import('../cli/cli.js');
const { READ_ENOUGH, say } = await import('../cli/terminal.js');
const { createShutdown, outliveReaders } = await import('./shutdown.js');

const { stdin, stdout, stderr } = process;
outliveReaders();

process.exitCode = await runCli(words, {
  readConfig: () => readConfig(process.env),
  terminal: { stdin, stdout, stderr, command: calledAs(process.env), untilStopped },
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
  const args = [argv0, ...options, ...execArgv, ...argv.slice(1)];
  process.execve?.(execPath, args, { ...env, ...Object.fromEntries(missing) });
}

/** What V8 has set for itself, by the memory of the machine or of its container. */
function ownHeapMib(): number {
  return Math.floor(getHeapStatistics().heap_size_limit / 2 ** 20);
}

function untilStopped(): AbortSignal {
  const stopped = new AbortController();
  for (const signal of STOPS) process.on(signal, () => stopped.abort());
  stdout.once('error', () => stopped.abort(READ_ENOUGH));
  return stopped.signal;
}

async function serve(): Promise<void> {
  const config = readConfig(process.env);
  const shutdown = createShutdown();
  let gateway: Gateway | undefined;
  let firstMs: number | undefined;
  const stop = (): void => {
    if (firstMs === undefined) notify('STOPPING=1');
    firstMs ??= performance.now();
    const isSecond = performance.now() - firstMs > SAME_SIGNAL_MS;
    if (isSecond) shutdown.hurry();
    else shutdown.stop(config.shutdownDelaySeconds);
  };
  const readKeyring = (): void => void gateway?.readKeyring(); // one that is starting reads it anyway
  const isService = !hasTerminal();
  for (const signal of STOPS) process.on(signal, signal === 'SIGHUP' && isService ? readKeyring : stop);
  const start = async () => {
    const { startGateway } = await import('./gateway.js'); // which other commands need not load
    const threads = Number(process.env['UV_THREADPOOL_SIZE']) || undefined;
    gateway = await startGateway(config, threads, (line) => say(process, line));
    notify('READY=1');
    flushCompileCache(); // a gateway that is killed has not ended as others do
    const where = config.isDevelopment ? `${config.publicUrl}/, which says what to try` : config.publicUrl;
    if (stderr.isTTY) say(process, `The gateway answers at ${where}. Ctrl-C stops it.`);
    return gateway;
  };
  await shutdown.run(start);
}

/** Only where systemd has started this as a service that tells it so. */
function notify(state: 'READY=1' | 'STOPPING=1'): void {
  if (process.env['NOTIFY_SOCKET']) notifyServiceManager(state, (sentence) => say(process, sentence));
}
