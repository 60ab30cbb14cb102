/** The process: arguments, environment, streams and signals. Nothing else reads them. */
import { enableCompileCache, flushCompileCache, registerHooks } from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { Config } from '../config/config.js';
import type { Gateway } from './gateway.js';
import { notifyServiceManager } from './service-manager.js';
import { hasTerminal, STOPS } from './signals.js';

/** A terminal or a service manager signals npm and this process, and npm passes its signal on: the two count as one. */
const SAME_SIGNAL_MS = 1_000;

// Compiled code is cached next to the program, where only those may write who may write the program: in a shared
// temporary folder others could plant code. If the folder cannot be written, nothing is cached.
enableCompileCache(join(import.meta.dirname, '../compiled'));

// The files of the bundle name each other exactly. Node itself would look for the real path and the package of each of the six
// hundred imports, which is a tenth of a start.
const program = new URL('.', import.meta.url).href;
registerHooks({
  resolve: (name, context, next) =>
    name.startsWith('./') && context.parentURL?.startsWith(program)
      ? { url: new URL(name, context.parentURL).href, format: 'module', shortCircuit: true }
      : next(name, context),
});

const { programName } = await import('../cli/program-name.js');
const { runCli } = await import('../cli/cli.js');
const { READER_CLOSED, printMessage } = await import('../cli/terminal.js');

const [first, ...others] = process.argv.slice(2);
// Without a word the program is the gateway. bin/auth-gateway puts `cli` in front of its words, and without one prints help.
const words = first === undefined ? ['start'] : first === 'cli' ? others : [first, ...others];
const { stdin, stdout, stderr } = process;
outliveReaders();

process.exitCode = await runCli(words, {
  readConfig,
  terminal: { stdin, stdout, stderr, command: programName(process.env), stopSignal },
  serve,
});

/** A reader such as `head` may close its end of the pipe. Any other error, such as a full disk, ends a command with one line. */
function outliveReaders(): void {
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') return;
      if (process.listenerCount('uncaughtException') > 0) throw error; // a gateway, which has more to close
      void endBy(error);
    });
  }
}

async function endBy(error: Error): Promise<never> {
  const { exitCodeOf, explain } = await import('../cli/exit.js');
  printMessage(process, explain(error));
  process.exit(exitCodeOf(error));
}

function stopSignal(): AbortSignal {
  const stopped = new AbortController();
  for (const signal of STOPS) process.on(signal, () => stopped.abort());
  stdout.once('error', () => stopped.abort(READER_CLOSED));
  return stopped.signal;
}

/** What follows is loaded by those commands alone that need it. */
async function readConfig(): Promise<Config> {
  return (await import('../config/config.js')).readConfig(process.env);
}

async function serve(): Promise<void> {
  const config = await readConfig();
  const { createShutdown } = await import('./shutdown.js');
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
  const readFiles = (): void => void gateway?.readFiles(); // a start reads it anyway
  const isService = !hasTerminal();
  for (const signal of STOPS) process.on(signal, signal === 'SIGHUP' && isService ? readFiles : stop);
  const start = async () => {
    const { startGateway } = await import('./gateway.js');
    // At its first collections V8 sees few requests, nearly all of them under way. In a third of the starts it concludes that
    // objects of requests live long, and makes them in the old generation from then on, where each keeps its whole request.
    // Not earlier, nor on the command line: V8 refuses what was compiled without the option, such as Node's own modules.
    setFlagsFromString('--no-allocation-site-pretenuring');
    const threads = Number(process.env['UV_THREADPOOL_SIZE']) || undefined;
    gateway = await startGateway(config, threads, (line) => printMessage(process, line));
    notify('READY=1');
    flushCompileCache(); // now, because a killed gateway cannot
    const page = (await import('./start-page.js')).startPageOf(config);
    const where = page === undefined ? config.publicUrl : `${page}, which says what to try`;
    if (stderr.isTTY) printMessage(process, `The gateway answers at ${where}. Ctrl-C stops it.`);
    return gateway;
  };
  await shutdown.run(start);
}

/** Reports to systemd if it started this process as a service of `Type=notify`. */
function notify(state: 'READY=1' | 'STOPPING=1'): void {
  if (process.env['NOTIFY_SOCKET']) notifyServiceManager(state, (sentence) => printMessage(process, sentence));
}
