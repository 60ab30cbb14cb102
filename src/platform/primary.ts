/** Interface 2, WORKERS: what several processes of one gateway have in common, asked of the one that has started them. */
import type { Counted } from './minute-counter.js';

export interface Primary {
  /** Counts one in the minute, over all workers. @throws {Outage} where it cannot be asked */
  count(key: string): Promise<Counted>;
  /** The metrics of all workers in the text format. @throws {Outage} where it cannot be asked */
  metrics(): Promise<string>;
}
