/** CONTRACT 9: the words of a command. */
import { type ParseArgsConfig, parseArgs } from 'node:util';

/** The words are wrong; exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

type Options = NonNullable<ParseArgsConfig['options']>;

export interface Words {
  /** Text of an option, or undefined. */
  option(name: string): string | undefined;
  /** Text of an option that must be there. @throws {UsageError} */
  required(name: string): string;
  /** Every text of an option that may be repeated. */
  all(name: string): string[];
  flag(name: string): boolean;
  positionals: string[];
}

/** @throws {UsageError} for an option that the command does not have, or too many words */
export function readWords(args: string[], options: Options, mostPositionals: number): Words {
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs({ args, options: { ...options, json: { type: 'boolean' } }, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? (error.message.split('. ')[0] ?? '') : 'wrong words');
  }
  const { values, positionals } = parsed;
  if (positionals.length > mostPositionals) throw new UsageError('too many words');
  const option = (name: string): string | undefined => {
    const value = values[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    option,
    required: (name) => {
      const value = option(name);
      if (value === undefined || value === '') throw new UsageError(`--${name} is needed`);
      return value;
    },
    all: (name) => {
      const value = values[name];
      return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
    },
    flag: (name) => values[name] === true,
    positionals,
  };
}
