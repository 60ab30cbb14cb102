/** Interface 9: what a word may be: how the usage shows it, what completes it, and what it means. */
import * as z from 'zod';

/** The words are wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function refuse(complaint: string): never {
  throw new UsageError(complaint);
}

/** @template Value what a text of this kind means */
export interface Kind<Value> {
  /** As the usage shows it, such as `FILE` */
  placeholder: string;
  /** Every text of the kind, where they are few */
  choices?: readonly string[];
  isFile?: true;
  /** @param name how a message calls it @throws {UsageError} which does not repeat the text */
  parse(text: string, name: string): Value;
}

export function text(placeholder: string): Kind<string> {
  return { placeholder, parse: (text) => text };
}

export const file: Kind<string> = { ...text('FILE'), isFile: true };

export function oneOf<Choice extends string>(
  choices: readonly Choice[],
  placeholder: string = choices.join('|'),
): Kind<Choice> {
  const parse = (text: string, name: string): Choice =>
    choices.find((choice) => choice === text) ?? refuse(`${name} is one of ${choices.join(', ')}`);
  return { placeholder, choices, parse };
}

/** In decimal digits, nine at most. */
export const wholeNumber: Kind<number> = {
  placeholder: 'N',
  parse: (text, name) => (/^\d{1,9}$/.test(text) ? Number(text) : refuse(`${name} is a whole number`)),
};

/** Both ends included; without leading zeros. */
export function wholeNumberIn(from: number, to: number): Kind<number> {
  const isMeant = (text: string): boolean => /^(0|[1-9]\d*)$/.test(text) && Number(text) >= from && Number(text) <= to;
  const parse = (text: string, name: string): number =>
    isMeant(text) ? Number(text) : refuse(`${name} is ${from} to ${to}`);
  return { placeholder: 'N', parse };
}

const UNIT_SECONDS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };
/** A hundred years: seconds. Further back than that there are no dates. */
const LONGEST_SECONDS = 36_500 * 86_400;

/** Seconds, of `90s`, `15m`, `24h`, `7d` or a bare number of them. */
export const duration: Kind<number> = {
  placeholder: 'DURATION',
  parse: (text, name) => secondsOf(text) ?? refuse(`${name} is a time such as 90s, 15m, 24h, 7d, or seconds`),
};

function secondsOf(text: string): number | undefined {
  const [, number, unit = 's'] = /^(\d{1,10})([smhd])?$/.exec(text) ?? [];
  if (number === undefined) return undefined;
  const seconds = Number(number) * (UNIT_SECONDS[unit] ?? 1);
  return seconds <= LONGEST_SECONDS ? seconds : undefined;
}

/** An instant: so long ago, or a date and time of RFC 3339. */
export const since: Kind<(now: Date) => Date> = {
  placeholder: 'TIME',
  parse: (text, name) => {
    const ago = secondsOf(text);
    if (ago !== undefined) return (now) => new Date(now.getTime() - ago * 1000);
    const instant = new Date(z.iso.datetime({ offset: true }).safeParse(text).data ?? Number.NaN);
    if (Number.isNaN(instant.getTime()) || instant.getUTCFullYear() < 1) {
      refuse(`${name} is a time ago such as 15m, 24h, 7d, or an instant such as 2026-01-31T09:00:00Z`);
    }
    return () => instant;
  },
};
