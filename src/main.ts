/** The process: arguments, environment, streams and signals. Nothing else reads them. */
import { runCli } from './cli/cli.js';
import { exitCodeOf, explain } from './cli/exit.js';
import { say } from './cli/terminal.js';
import { readConfig } from './config.js';
import { type Gateway, startGateway } from './gateway.js';

/** npm passes on a signal that a terminal or a service manager has sent to both: they are one. */
const SAME_SIGNAL_MS = 1_000;

const args = process.argv.slice(2);
const tell = (line: string): void => say(process, line);

if (args.length > 0) {
  // `npm run cli` says so, or without further words it would start a gateway.
  process.exitCode = await runCli(args[0] === 'cli' ? args.slice(1) : args, () => readConfig(process.env), process);
} else {
  await serve();
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
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, onSignal);
  const threads = Number(process.env['UV_THREADPOOL_SIZE']) || undefined;
  let gateway: Gateway;
  try {
    gateway = await startGateway(readConfig(process.env), threads, tell);
  } catch (error) {
    return fail(error);
  }
  process.on('uncaughtException', (error) => {
    fail(error);
    void gateway.stop(AbortSignal.abort()).finally(() => process.exit());
  });
  await stopRequested.promise;
  await gateway.stop(hurry.signal);
}

function fail(error: unknown): void {
  tell(explain(error));
  process.exitCode = exitCodeOf(error);
}
