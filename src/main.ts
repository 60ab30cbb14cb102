/** The process: arguments, environment, streams and signals. Nothing else reads them. */
import { runCli } from './cli/cli.js';
import { exitCodeOf, explain } from './cli/exit.js';
import { say } from './cli/terminal.js';
import { readConfig } from './config.js';

const STOPS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** npm passes on a signal that a terminal or a service manager has sent to both: they are one. */
const SAME_SIGNAL_MS = 1_000;

const { stdin, stdout, stderr } = process;
// Whoever reads, such as `head`, may have read enough.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

const [first, ...others] = process.argv.slice(2);
// Without a word this is the gateway. `cli` says that what follow are the words, even where none follow.
const words = first === undefined ? ['start'] : first === 'cli' ? others : [first, ...others];
process.exitCode = await runCli(words, {
  readConfig: () => readConfig(process.env),
  terminal: { stdin, stdout, stderr, untilStopped },
  serve,
});

function untilStopped(): AbortSignal {
  const stopped = new AbortController();
  for (const signal of STOPS) process.on(signal, () => stopped.abort());
  stdout.once('error', () => stopped.abort());
  return stopped.signal;
}

async function serve(): Promise<void> {
  const stopRequested = Promise.withResolvers<void>();
  const hurry = new AbortController();
  let firstMs: number | undefined;
  const onSignal = (): void => {
    firstMs ??= performance.now();
    stopRequested.resolve();
    if (performance.now() - firstMs > SAME_SIGNAL_MS) hurry.abort();
  };
  for (const signal of STOPS) process.on(signal, onSignal);
  const { startGateway } = await import('./gateway.js'); // which other commands need not load
  const threads = Number(process.env['UV_THREADPOOL_SIZE']) || undefined;
  const config = readConfig(process.env);
  const gateway = await startGateway(config, threads, (line) => say(process, line));
  process.on('uncaughtException', (error) => {
    say(process, explain(error));
    process.exitCode = exitCodeOf(error);
    void gateway.stop(AbortSignal.abort()).finally(() => process.exit());
  });
  if (stderr.isTTY) say(process, `The gateway answers at ${config.publicUrl}. Ctrl-C stops it.`);
  await stopRequested.promise;
  await gateway.stop(hurry.signal);
}
