/** The consumers of the outbox: what is delivered, and to whom. Each kind has a file of its own. (Interface 17) */
import type { LoggedEvent } from '../audit/order.js';
import { SPAN_ERROR, type Span } from '../platform/tracing.js';

/** The result of one attempt. `outcome` is a label of metrics and is stored as the last attempt, with the status of HTTP or SMTP. */
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

/** Interface 25: how an attempt has ended. */
export function showOutcome(span: Span | undefined, { kind, outcome }: Delivery): void {
  span?.setAttribute('auth_gateway.outcome', outcome);
  if (kind !== 'failed') return;
  span?.setAttribute('error.type', outcome).setStatus({ code: SPAN_ERROR });
}

/** One receiver, as it is configured when its turn begins. */
export interface Receiver {
  /** `host:port`, of which few turns are taken at once; absent: it is the only one of its kind */
  host?: string;
  wants(event: LoggedEvent): boolean;
  /**
   * Tries once, for at most 15 s unless the consumer is `patient`. It never throws, unless the signal ends it.
   * @param attempts that have failed before
   */
  deliver(event: LoggedEvent, signal: AbortSignal, attempts: number): Promise<Delivery>;
}

/** For receivers that may be slow in their own right, and to which the order of events does not matter. */
export interface Patience {
  /** Longest attempt: seconds */
  attemptSeconds: number;
  /** Attempts at once that are younger than `slowSeconds`. Older ones hold up nobody. */
  atOnce: number;
  slowSeconds: number;
  /** Attempts at once, whatever their age */
  most: number;
}

export interface Consumer {
  /**
   * Several attempts are made at once, but one at a time for a user. Each is stored before it is made, so one whose fate
   * is unknown is tried again when it is due. Absent: events are sent one at a time, in the order of the log.
   */
  patience?: Patience;
  /** @returns undefined if there is none any more */
  open(cursorId: string): Promise<Receiver | undefined>;
  /** Reports an attempt, for logs and metrics. */
  attempted(cursorId: string, event: LoggedEvent, delivery: Delivery): void;
  close(): Promise<void>;
}
