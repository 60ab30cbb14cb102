/** "No", as a value: a refusal commits what was written on the way to it; only a bug is an exception. */
export interface Refused<Reason extends string> {
  kind: 'refused';
  reason: Reason;
}

/** A refusal that tells the sender, in one sentence, what to do; it holds nothing that was sent. */
export interface Explained<Reason extends string> extends Refused<Reason> {
  detail: string;
}

export function refused<Reason extends string>(reason: Reason): Refused<Reason>;
export function refused<Reason extends string>(reason: Reason, detail: string): Explained<Reason>;
export function refused(reason: string, detail?: string): Refused<string> {
  return { kind: 'refused', reason, ...(detail !== undefined && { detail }) };
}
