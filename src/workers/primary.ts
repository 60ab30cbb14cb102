/** Interface 2, WORKERS: the process that has the workers: it serves nothing itself, and has what they have in common. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.js';
import type { DataDir } from '../db/open/data-dir.js';
import { systemClock } from '../platform/clock.js';
import type { Logger } from '../platform/logger.js';
import type { Metrics, MetricsOfProcess } from '../platform/metrics.js';
import { createMinuteCounter } from '../platform/minute-counter.js';
import { createCrew, type Member } from './crew.js';
import type { PrimaryAnswers } from './messages.js';
import { countedBy, ofPrimary, sum } from './sum.js';

/** How long a worker may take to tell its metrics; then it has those that it told last: milliseconds. */
const MEASURED_WITHIN_MS = 2_000;

/**
 * Starts as many as the configuration says, the first before the others: it migrates.
 * @throws {WorkerEnded} where one of them cannot start; then none is left
 */
export async function startWorkers(
  config: Config,
  { databaseUrl, embedded }: DataDir,
  { log, metrics, threads }: { log: Logger; metrics: Metrics; threads: number | undefined },
): Promise<{ readKeyring(): Promise<void>; stop(hurry: AbortSignal): Promise<void> }> {
  const { workers } = config;
  const sessions = createMinuteCounter(systemClock);
  /** What each worker has told last, and what those had counted that have ended */
  const told = new Map<Member, MetricsOfProcess>();
  let past: Promise<MetricsOfProcess> = Promise.resolve([]);
  const answers: PrimaryAnswers = {
    count: (key) => sessions.count(key),
    metrics: async () => {
      await Promise.all(crew.members().map(measure));
      const own = await ofPrimary(metrics);
      return sum([own, ...told.values(), await past]).metrics();
    },
  };
  const measure = async (member: Member): Promise<void> => {
    const late = sleep(MEASURED_WITHIN_MS, undefined, { ref: false });
    const measured = await Promise.race([member.ask('measure', undefined), late]).catch(() => undefined);
    if (measured !== undefined && crew.members().includes(member)) told.set(member, measured);
  };
  const keepCounted = (member: Member): void => {
    const last = told.get(member) ?? [];
    past = past.then((before) => countedBy([before, last]));
    told.delete(member);
  };
  const orderOf = (number: number) => ({ number, config, database: { databaseUrl, embedded }, threads });
  const crew = createCrew(orderOf, answers, log, keepCounted);
  try {
    await crew.start(1);
    await Promise.all(Array.from({ length: workers - 1 }, (_, i) => crew.start(i + 2)));
  } catch (error) {
    await crew.kill();
    throw error;
  }
  return {
    readKeyring: async () => {
      const read = ({ ask }: Member) => ask('readKeyring', undefined).catch(() => undefined); // another takes its place then
      await Promise.all(crew.members().map(read));
    },
    stop: (hurry) => crew.stop(config.shutdownDelaySeconds, hurry),
  };
}
