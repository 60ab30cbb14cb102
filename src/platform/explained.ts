/** What is wrong and how to fix it, as values; they become text once, where they are printed or logged. */

/** The name by which this program is installed (`bin` of package.json). */
export const INSTALLED = 'auth-gateway';

/** Advice, a command of this program, or advice that ends with one. */
export type Remedy = string | { advice?: string; command: string };

export interface Explanation {
  reason: string;
  remedy?: Remedy | undefined;
}

/** An error for a person, whose text holds no secret. Tests run it by Node's type stripping, without parameter properties. */
export class ExplainedError extends Error implements Explanation {
  readonly reason: string;
  readonly remedy: Remedy | undefined;

  constructor(reason: string, remedy?: Remedy, options?: ErrorOptions) {
    super(explanationText({ reason, remedy }), options);
    this.reason = reason;
    this.remedy = remedy;
  }
}

/** @param program what is typed in front of a command */
export function explanationText({ reason, remedy }: Explanation, program?: string): string {
  return remedy === undefined ? reason : `${reason}; ${remedyText(remedy, program)}`;
}

export function remedyText(remedy: Remedy, program = INSTALLED): string {
  if (typeof remedy === 'string') return remedy;
  return `${remedy.advice === undefined ? '' : `${remedy.advice} `}run: ${program} ${remedy.command}`;
}
