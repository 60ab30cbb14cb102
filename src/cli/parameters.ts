/** What a command takes, declared once: its usage, the options of parseArgs and the typed values follow from it. */
import { type ParseArgsConfig, parseArgs } from 'node:util';

/** The words are wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A value, and how it is given: by the option of its own name, unless `options` names others. */
export interface Parameter<Value> {
  usage(name: string): string;
  /** @throws {UsageError} */
  read(given: string[], name: string): Value;
  options?: readonly string[];
  type?: 'boolean';
  multiple?: true;
  /** How many bare words may give it too */
  bareWords?: number;
}

export type Takes = Record<string, Parameter<unknown>>;

/** Every command takes `--json` too. */
export type Values<T extends Takes> = { [Name in keyof T]: ReturnType<T[Name]['read']> } & { json: boolean };

/** What the text of an option means. @throws {UsageError} */
type Parse<Value> = (text: string, name: string) => Value;

export const flag: Parameter<boolean> = {
  type: 'boolean',
  usage: (name) => `[--${name}]`,
  read: (given) => given.length > 0,
};

export function required<Value>(placeholder: string, parse: Parse<Value>): Parameter<Value> {
  return {
    usage: (name) => `--${name} ${placeholder}`,
    read: ([text], name) => parse(text || refuse(`--${name} is needed`), name),
  };
}

export function optional<Value>(placeholder: string, parse: Parse<Value>): Parameter<Value | undefined> {
  return {
    usage: (name) => `[--${name} ${placeholder}]`,
    read: ([text], name) => (text === undefined ? undefined : parse(text, name)),
  };
}

export function repeated<Value>(placeholder: string, parse: Parse<Value>): Parameter<Value[]> {
  return {
    multiple: true,
    usage: (name) => `[--${name} ${placeholder}…]`,
    read: (given, name) => given.map((text) => parse(text, name)),
  };
}

/** Repeated, or with commas, or followed by more of them as bare words. */
export function list(placeholder: string): Parameter<string[]> {
  const read = (given: string[]): string[] => given.flatMap((texts) => texts.split(',')).filter(Boolean);
  return { ...repeated(placeholder, text), bareWords: 50, read };
}

/** A bare word, or in its place one of the options. @param complaint where none is given, or more than one */
export function word(placeholder: string, complaint: string, ...options: string[]): Parameter<string> {
  const ways = [placeholder, ...options.map((name) => `--${name} ${name.toUpperCase()}`)].join(' | ');
  return {
    options,
    bareWords: 1,
    usage: () => (options.length === 0 ? ways : `(${ways})`),
    read: ([text, another]) => (text === undefined || another !== undefined ? refuse(complaint) : text),
  };
}

export const text: Parse<string> = (text) => text;

export function oneOf<Choice extends string>(choices: readonly Choice[]): Parse<Choice> {
  return (text, name) =>
    choices.find((choice) => choice === text) ?? refuse(`--${name} is one of ${choices.join(', ')}`);
}

/** In decimal digits, nine at most. */
export const wholeNumber: Parse<number> = (text, name) =>
  /^\d{1,9}$/.test(text) ? Number(text) : refuse(`--${name} is a whole number`);

/** Both ends included; without leading zeros. */
export function wholeNumberIn(from: number, to: number): Parse<number> {
  const isMeant = (text: string): boolean => /^(0|[1-9]\d*)$/.test(text) && Number(text) >= from && Number(text) <= to;
  return (text, name) => (isMeant(text) ? Number(text) : refuse(`--${name} is ${from} to ${to}`));
}

function refuse(complaint: string): never {
  throw new UsageError(complaint);
}

/** A command with all that it takes, as the usage shows it. */
export function usageOf(command: string, takes: Takes): string {
  return [command, ...Object.entries(takes).map(([name, { usage }]) => usage(name))].join(' ');
}

/** @throws {UsageError} for an option that the command does not have, too many words, or what a parameter refuses */
export function readValues<T extends Takes>(args: string[], takes?: T): Values<T> {
  const parameters = Object.entries<Parameter<unknown>>({ ...takes, json: flag });
  const config = parameters.flatMap(([name, { options = [name], type = 'string', multiple = false }]) =>
    options.map((option) => [option, { type, multiple }]),
  );
  const { values, positionals } = parse(args, Object.fromEntries(config));
  const given = parameters.map(([name, { options = [name], bareWords = 0 }]) => [
    ...options.flatMap((option) => values[option] ?? []).map(String),
    ...positionals.splice(0, bareWords),
  ]);
  if (positionals.length > 0) refuse('too many words');
  const read = parameters.map(([name, parameter], i) => [name, parameter.read(given[i] ?? [], name)]);
  return Object.fromEntries(read) as Values<T>;
}

function parse(args: string[], options: NonNullable<ParseArgsConfig['options']>): ReturnType<typeof parseArgs> {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    return refuse(error instanceof Error ? (error.message.split('. ')[0] ?? '') : 'wrong words');
  }
}
