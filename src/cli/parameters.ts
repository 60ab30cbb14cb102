/** What a command takes, declared once: its usage, its help, its completion and the typed values follow from it. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { nearest } from '../platform/did-you-mean.js';
import { type Kind, refuse, UsageError } from './kinds.js';

/** A value, and how it is given: by the option of its own name, unless `options` names others. */
export interface Parameter<Value> {
  /** What it is for: a phrase of the help */
  about: string;
  /** Of its text; undefined for a flag, which has none */
  kind: Kind<unknown> | undefined;
  usage(name: string): string;
  /** @throws {UsageError} */
  read(given: string[], name: string): Value;
  options?: readonly string[];
  multiple?: true;
  /** True where a bare word may give it */
  isWord?: true;
}

export type Takes = Record<string, Parameter<unknown>>;

export type Values<T extends Takes> = { [Name in keyof T]: ReturnType<T[Name]['read']> };

export function flag(about: string): Parameter<boolean> {
  return { about, kind: undefined, usage: (name) => `[--${name}]`, read: (given) => given.length > 0 };
}

export function required<Value>(kind: Kind<Value>, about: string): Parameter<Value> {
  return {
    about,
    kind,
    usage: (name) => `--${name} ${kind.placeholder}`,
    read: ([text], name) => kind.parse(text || refuse(`--${name} is needed`), `--${name}`),
  };
}

export function optional<Value>(kind: Kind<Value>, about: string): Parameter<Value | undefined> {
  return {
    about,
    kind,
    usage: (name) => `[--${name} ${kind.placeholder}]`,
    read: ([text], name) => (text === undefined ? undefined : kind.parse(text, `--${name}`)),
  };
}

export function repeated<Value>(kind: Kind<Value>, about: string): Parameter<Value[]> {
  return {
    about,
    kind,
    multiple: true,
    usage: (name) => `[--${name} ${kind.placeholder}…]`,
    read: (given, name) => given.map((text) => kind.parse(text, `--${name}`)),
  };
}

/** Repeated, or with commas. */
export function list(kind: Kind<string>, about: string): Parameter<string[]> {
  const read = (given: string[]): string[] => given.flatMap((texts) => texts.split(',')).filter(Boolean);
  return { ...repeated(kind, about), read };
}

/** A bare word, or in its place one of the options. @param complaint where none is given, or more than one */
export function word<Value>(
  kind: Kind<Value>,
  about: string,
  complaint: string,
  ...options: string[]
): Parameter<Value> {
  const ways = [kind.placeholder, ...options.map((name) => `--${name} ${name.toUpperCase()}`)].join(' | ');
  return {
    about,
    kind,
    options,
    isWord: true,
    usage: () => (options.length === 0 ? ways : `(${ways})`),
    read: ([text, another]) =>
      text === undefined || another !== undefined ? refuse(complaint) : kind.parse(text, kind.placeholder),
  };
}

/** A command with all that it takes, as the usage shows it. */
export function usageOf(command: string, takes: Takes): string {
  return [command, ...Object.entries(takes).map(([name, { usage }]) => usage(name))].join(' ');
}

/** @throws {UsageError} for an option that the command does not have, too many words, or what a parameter refuses */
export function readValues<T extends Takes>(args: string[], takes: T): Values<T> {
  const parameters = Object.entries<Parameter<unknown>>(takes);
  const config = parameters.flatMap(([name, { options = [name], kind, multiple = false }]) =>
    options.map((option) => [option, { type: kind === undefined ? 'boolean' : 'string', multiple }]),
  );
  const { values, positionals } = parse(args, Object.fromEntries(config));
  const given = parameters.map(([name, { options = [name], isWord = false }]) => [
    ...options.flatMap((option) => values[option] ?? []).map(String),
    ...positionals.splice(0, isWord ? 1 : 0),
  ]);
  if (positionals.length > 0) refuse('too many words');
  const read = parameters.map(([name, parameter], i) => [name, parameter.read(given[i] ?? [], name)]);
  return Object.fromEntries(read) as Values<T>;
}

function parse(args: string[], options: NonNullable<ParseArgsConfig['options']>): ReturnType<typeof parseArgs> {
  const { tokens } = parseArgs({ args, options, allowPositionals: true, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind === 'option' && !Object.hasOwn(options, token.name)) refuse(unknownOption(token.rawName, options));
  }
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? (error.message.split(/\.\s/)[0] ?? '') : 'wrong words');
  }
}

function unknownOption(given: string, options: object): string {
  const meant = nearest(
    given,
    [...Object.keys(options), 'help'].map((name) => `--${name}`),
  );
  return `unknown option: ${given}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}
