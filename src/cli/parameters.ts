/** Parameters of a command: usage, help, completion and typed values all derive from one declaration. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { nearest } from '../platform/did-you-mean.js';
import { type ParameterType, rejectUsage, UsageError } from './parameter-types.js';

export interface Parameter<Value> {
  /** A phrase for the help */
  about: string;
  /** Undefined for a flag, which has no value */
  type: ParameterType<unknown> | undefined;
  usage(name: string): string;
  /** @throws {UsageError} */
  read(given: string[], name: string): Value;
  /** Default: one option with the name of the parameter */
  options?: readonly string[];
  multiple?: true;
  /** A bare word sets it too. */
  isWord?: true;
}

export type Takes = Record<string, Parameter<unknown>>;

export type Values<T extends Takes> = { [Name in keyof T]: ReturnType<T[Name]['read']> };

export function flag(about: string): Parameter<boolean> {
  return { about, type: undefined, usage: (name) => `[--${name}]`, read: (given) => given.length > 0 };
}

export function required<Value>(type: ParameterType<Value>, about: string): Parameter<Value> {
  return {
    about,
    type,
    usage: (name) => `--${name} ${type.placeholder}`,
    read: ([text], name) => type.parse(text || rejectUsage(`--${name} is required`), `--${name}`),
  };
}

export function optional<Value>(type: ParameterType<Value>, about: string): Parameter<Value | undefined> {
  return {
    about,
    type,
    usage: (name) => `[--${name} ${type.placeholder}]`,
    read: ([text], name) => (text === undefined ? undefined : type.parse(text, `--${name}`)),
  };
}

export function repeated<Value>(type: ParameterType<Value>, about: string): Parameter<Value[]> {
  return {
    about,
    type,
    multiple: true,
    usage: (name) => `[--${name} ${type.placeholder}…]`,
    read: (given, name) => given.map((text) => type.parse(text, `--${name}`)),
  };
}

/** Repeated or separated by commas. */
export function list(type: ParameterType<string>, about: string): Parameter<string[]> {
  const read = (given: string[]): string[] => given.flatMap((texts) => texts.split(',')).filter(Boolean);
  return { ...repeated(type, about), read };
}

/** A bare word, or one of the options instead of it. @param complaint for none or more than one of them */
export function word<Value>(
  type: ParameterType<Value>,
  about: string,
  complaint: string,
  ...options: string[]
): Parameter<Value> {
  const forms = [type.placeholder, ...options.map((name) => `--${name} ${name.toUpperCase()}`)].join(' | ');
  return {
    about,
    type,
    options,
    isWord: true,
    usage: () => (options.length === 0 ? forms : `(${forms})`),
    read: ([text, another]) =>
      text === undefined || another !== undefined ? rejectUsage(complaint) : type.parse(text, type.placeholder),
  };
}

export function usageOf(command: string, takes: Takes): string {
  return [command, ...Object.entries(takes).map(([name, { usage }]) => usage(name))].join(' ');
}

/** @throws {UsageError} for an unknown option, too many words, or an invalid value */
export function readValues<T extends Takes>(args: string[], takes: T): Values<T> {
  const parameters = Object.entries<Parameter<unknown>>(takes);
  const config = parameters.flatMap(([name, { options = [name], type, multiple = false }]) =>
    options.map((option) => [option, { type: type === undefined ? 'boolean' : 'string', multiple }]),
  );
  const { values, positionals } = parse(args, Object.fromEntries(config));
  const given = parameters.map(([name, { options = [name], isWord = false }]) => [
    ...options.flatMap((option) => values[option] ?? []).map(String),
    ...positionals.splice(0, isWord ? 1 : 0),
  ]);
  if (positionals.length > 0) rejectUsage('too many arguments');
  const read = parameters.map(([name, parameter], i) => [name, parameter.read(given[i] ?? [], name)]);
  return Object.fromEntries(read) as Values<T>;
}

function parse(args: string[], options: NonNullable<ParseArgsConfig['options']>): ReturnType<typeof parseArgs> {
  const { tokens } = parseArgs({ args, options, allowPositionals: true, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind === 'option' && !Object.hasOwn(options, token.name))
      rejectUsage(unknownOption(token.rawName, options));
  }
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? (error.message.split(/\.\s/)[0] ?? '') : 'usage error');
  }
}

function unknownOption(given: string, options: object): string {
  const meant = nearest(
    given,
    [...Object.keys(options), 'help'].map((name) => `--${name}`),
  );
  return `unknown option: ${given}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}
