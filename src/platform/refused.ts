/** A refusal is a value, so that what was written before it is committed; only a bug is an exception. */
export interface Refused<Reason extends string> {
  kind: 'refused';
  reason: Reason;
}

/** A refusal with one sentence for the sender on what to do. It repeats nothing that was sent. */
export interface Explained<Reason extends string> extends Refused<Reason> {
  detail: string;
}

export function refused<Reason extends string>(reason: Reason): Refused<Reason>;
export function refused<Reason extends string>(reason: Reason, detail: string): Explained<Reason>;
export function refused(reason: string, detail?: string): Refused<string> {
  return { kind: 'refused', reason, ...(detail !== undefined && { detail }) };
}
