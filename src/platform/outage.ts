/** An outage: a store that an answer needs does not work at present. */

/** Seconds after which a caller may try again: `Retry-After` of a 503. */
export const RETRY_AFTER_SECONDS = 5;

export const OUTAGE_DETAIL = 'Service temporarily unavailable, try again later';

/** Something that an answer needs is down or overloaded. Answered 503, never a pass. Its text is logged. */
export class Outage extends Error {
  override readonly name: string = 'Outage';
}
