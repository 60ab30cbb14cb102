/** Interface 2, WORKERS: a worker process. What it is to do it is told by the process that has started it. */
import type { Primary } from './platform/primary.js';
import { keepCompiled } from './platform/program-files.js';
import { STOPS } from './platform/signals.js';
import type { Serving } from './start/serve.js';
import type { Order, PrimaryAnswers, WorkerAnswers } from './workers/messages.js';

// A terminal or a service manager sends them to every process; the primary has them too, and asks what is to be done.
for (const signal of STOPS) process.on(signal, () => undefined);
keepCompiled();

const { exitCodeOf, explain } = await import('./cli/exit.js');
const { say } = await import('./cli/terminal.js');
const { createShutdown, outliveReaders } = await import('./start/shutdown.js');
const { converse } = await import('./platform/channel.js');
const { createLogDestination, PIPE_BUF } = await import('./platform/log-destination.js');
const { createLogger } = await import('./platform/logger.js');
const { createMetrics } = await import('./platform/metrics.js');
const { serve } = await import('./start/serve.js');

outliveReaders();
const shutdown = createShutdown();
let serving: Serving | undefined;

const answers: WorkerAnswers = {
  start: (order) =>
    new Promise((serves) => {
      const run = async (): Promise<Serving> => {
        serving = await open(order);
        serves();
        return serving;
      };
      shutdown.run(run).then(leave, fail);
    }),
  stop: shutdown.stop,
  hurry: shutdown.hurry,
  readKeyring: async () => serving?.readKeyring(),
  measure: async () => (await serving?.measure())?.getMetricsAsJSON() ?? [],
};
const ask = converse<PrimaryAnswers>(process, answers);
process.once('disconnect', shutdown.hurry); // nobody is left to ask

async function open({ number, config, database, threads }: Order): Promise<Serving> {
  const metrics = createMetrics();
  const destination = createLogDestination(process.stdout, () => metrics.droppedLogLines.inc(), PIPE_BUF);
  const log = createLogger(config.logLevel, destination).child({ worker: number });
  const primary: Primary = { count: (key) => ask('count', key), metrics: () => ask('metrics', undefined) };
  const overrides = { log, metrics, threads, worker: { number, primary } };
  return serve(config, database, overrides, (line) => say(process, line));
}

/** The channel would keep the process. */
function leave(): void {
  if (process.connected) process.disconnect();
}

function fail(error: unknown): void {
  say(process, explain(error));
  process.exit(exitCodeOf(error));
}
