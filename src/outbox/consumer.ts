/** Interface 17: what the outbox delivers, and to whom. A kind of consumer is a file of its own. */
import type { LoggedEvent } from './cursors.js';

/** What came of one attempt. `outcome` is a label of metrics and is stored as the last attempt, with the status of HTTP or SMTP. */
export type Delivery =
  | { kind: 'delivered'; outcome: string; status?: number | undefined }
  /** It will never be tried again, since no further attempt could help. */
  | { kind: 'dropped'; outcome: string; status?: number | undefined }
  | {
      kind: 'failed';
      outcome: string;
      status?: number | undefined;
      /** The receiver asks for this pause. */
      retryAfterSeconds?: number | undefined;
      /** It is this event that fails: the receiver has answered, and takes others. */
      isOfEvent?: boolean;
      /** The receiver wants nothing any more. */
      isGone?: boolean;
    };

/** One receiver, as it is configured when its turn begins. */
export interface Receiver {
  wants(event: LoggedEvent): boolean;
  /** Tries once, for at most 15 s. It never throws, unless the signal ends it. */
  deliver(event: LoggedEvent, signal: AbortSignal): Promise<Delivery>;
}

export interface Consumer {
  /** @returns undefined if there is none any more */
  open(cursorId: string): Promise<Receiver | undefined>;
  /** Reports an attempt, for logs and metrics. */
  attempted(cursorId: string, event: LoggedEvent, delivery: Delivery): void;
  close(): Promise<void>;
}
