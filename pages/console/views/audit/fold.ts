/** Steps of a session, of which many equal ones are shown as one. */

interface Step {
  kind: string;
  ipAddress: string;
  userAgent: string | null;
}

export interface Folded<Of> {
  first: Of;
  last: Of;
  /** Number of steps from `first` to `last` */
  count: number;
}

/** Refreshes in a row, from one address and one device, from three on. */
const LEAST = 3;

export function foldSteps<Of extends Step>(steps: readonly Of[]): Array<Folded<Of>> {
  const runs: Of[][] = [];
  for (const step of steps) {
    const run = runs.at(-1);
    if (run?.[0] !== undefined && isSame(run[0], step)) run.push(step);
    else runs.push([step]);
  }
  return runs.flatMap((run) => {
    const [first] = run;
    const last = run.at(-1);
    if (first !== undefined && last !== undefined && run.length >= LEAST) return [{ first, last, count: run.length }];
    return run.map((step) => ({ first: step, last: step, count: 1 }));
  });
}

function isSame(one: Step, other: Step): boolean {
  return (
    one.kind === 'rotated' &&
    other.kind === 'rotated' &&
    one.ipAddress === other.ipAddress &&
    one.userAgent === other.userAgent
  );
}
