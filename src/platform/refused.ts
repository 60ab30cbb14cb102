/** "No", as a value: a refusal commits what was written on the way to it; only a bug is an exception. */
export interface Refused<Reason extends string> {
  kind: 'refused';
  reason: Reason;
}

export function refused<Reason extends string>(reason: Reason): Refused<Reason> {
  return { kind: 'refused', reason };
}
