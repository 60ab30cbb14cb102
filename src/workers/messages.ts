/** Interface 2, WORKERS: what the primary and its workers ask each other, and how a worker ends. */
import type { Config } from '../config/config.js';
import type { DataDir } from '../db/open/data-dir.js';
import type { MetricsOfProcess } from '../platform/metrics.js';
import type { Counted } from '../platform/minute-counter.js';

/** What a worker needs to begin. */
export interface Order {
  /** From 1; one that takes the place of another has its number. */
  number: number;
  config: Config;
  database: Pick<DataDir, 'databaseUrl' | 'embedded'>;
  /** Size of libuv's thread pool, where it is not Node's own */
  threads: number | undefined;
}

/** What the primary asks. */
export interface WorkerAnswers {
  /** Answered when it serves. */
  start(order: Order): Promise<void>;
  /** @param delaySeconds how long it goes on to take connections */
  stop(delaySeconds: number): void;
  /** Ends the wait of `stop`. */
  hurry(nothing: undefined): void;
  readKeyring(nothing: undefined): Promise<void>;
  measure(nothing: undefined): Promise<MetricsOfProcess>;
}

/** What a worker asks. */
export interface PrimaryAnswers {
  count(key: string): Counted;
  metrics(nothing: undefined): Promise<string>;
}

/** A worker has not started, or not ended well. It has said itself what was wrong. */
export class WorkerEnded extends Error {
  override readonly name = 'WorkerEnded';

  constructor(readonly exitCode: number) {
    super('a worker has ended');
  }
}
