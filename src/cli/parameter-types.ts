/** Types of parameters: their placeholder in the usage, their choices for completion, and their parser. (Interface 9) */

/** Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function rejectUsage(complaint: string): never {
  throw new UsageError(complaint);
}

/** @template Value the parsed value */
export interface ParameterType<Value> {
  /** In the usage, such as `FILE` */
  placeholder: string;
  /** All allowed texts, if they are few */
  choices?: readonly string[];
  isFile?: true;
  /** @param name for the message @throws {UsageError} that does not repeat the text, which may be a secret */
  parse(text: string, name: string): Value;
}

export function text(placeholder: string): ParameterType<string> {
  return { placeholder, parse: (text) => text };
}

export const file: ParameterType<string> = { ...text('FILE'), isFile: true };

export function oneOf<Choice extends string>(
  choices: readonly Choice[],
  placeholder: string = choices.join('|'),
): ParameterType<Choice> {
  const parse = (text: string, name: string): Choice =>
    choices.find((choice) => choice === text) ?? rejectUsage(`${name} must be one of ${choices.join(', ')}`);
  return { placeholder, choices, parse };
}

/** At most nine decimal digits. */
export const wholeNumber: ParameterType<number> = {
  placeholder: 'N',
  parse: (text, name) => (/^\d{1,9}$/.test(text) ? Number(text) : rejectUsage(`${name} must be a whole number`)),
};

/** Both ends included; without leading zeros. */
export function wholeNumberIn(from: number, to: number): ParameterType<number> {
  const isInRange = (text: string): boolean =>
    /^(0|[1-9]\d*)$/.test(text) && Number(text) >= from && Number(text) <= to;
  const parse = (text: string, name: string): number =>
    isInRange(text) ? Number(text) : rejectUsage(`${name} must be ${from} to ${to}`);
  return { placeholder: 'N', parse };
}

const UNIT_SECONDS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };
/** A hundred years: seconds. Dates further back may be invalid. */
const LONGEST_SECONDS = 36_500 * 86_400;

/** `90s`, `15m`, `24h`, `7d` or a bare number of seconds, as seconds. */
export const duration: ParameterType<number> = {
  placeholder: 'DURATION',
  parse: (text, name) =>
    secondsOf(text) ?? rejectUsage(`${name} must be a duration such as 90s, 15m, 24h or 7d, or a number of seconds`),
};

/** @returns undefined if it is no duration */
export function secondsOf(text: string): number | undefined {
  const [, number, unit = 's'] = /^(\d{1,10})([smhd])?$/.exec(text) ?? [];
  if (number === undefined) return undefined;
  const seconds = Number(number) * (UNIT_SECONDS[unit] ?? 1);
  return seconds <= LONGEST_SECONDS ? seconds : undefined;
}
