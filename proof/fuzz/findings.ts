/** What a run has found, alike ones together, so that one fault does not hide another. */

export const ORACLES = {
  answered: 'every request is answered, over a connection that stays whole',
  '5xx':
    'Interface 5 and 7: no answer is a 5xx while the machine has time, and no code says that something failed inside',
  late: 'nothing keeps an answer, its own or that of others, for a second',
  echo: 'Interface 5: no submitted value comes back',
  logged: 'no submitted value is in the log, and no line reports an error',
  json: 'Interface 5 and 7: every error has a body that a program can read',
  inside: 'Interface 7: no answer has stacks, statements or files',
  passes:
    'Interface 18: a question of a proxy is answered 200 to a valid credential alone, with every field of who is calling',
  charset: 'Interface 5: a body is read as UTF-8 or not at all',
} as const;

export type Oracle = keyof typeof ORACLES;

export interface Findings {
  add(oracle: Oracle, group: string, example: () => string): void;
  /** Every group with its count and its first example; empty where there is none. */
  report(oracle: Oracle): string;
}

export function createFindings(): Findings {
  const groups = new Map<string, { oracle: Oracle; count: number; example: string }>();
  return {
    add: (oracle, group, example) => {
      const key = `${oracle}: ${group}`;
      const known = groups.get(key) ?? { oracle, count: 0, example: example() };
      known.count += 1;
      groups.set(key, known);
    },
    report: (oracle) =>
      [...groups]
        .filter(([, finding]) => finding.oracle === oracle)
        .map(([key, { count, example }]) => `${count} x ${key}\n${example}`)
        .join('\n\n'),
  };
}
