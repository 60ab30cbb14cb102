/** Interface 2: variables as they stand in the environment or in the files that it names, and what is wrong with them. */
import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { nearest } from '../platform/did-you-mean.js';

export type Environment = Record<string, string | undefined>;

export interface Reader {
  /** The variable's value by `schema`, else the fallback; a fault also yields the fallback, to go on looking. */
  read<T>(variable: string, schema: z.ZodType<T, string>, fallback: T): T;
  /** The same for what may stand in a file instead, which `VARIABLE_FILE` names. */
  readOrFile<T>(variable: string, schema: z.ZodType<T, string>, fallback: T): T;
  /** True where one of them is set. */
  isGiven(...variables: string[]): boolean;
  fault(variable: string, message: string): void;
  /** One line each; values are never repeated. */
  faults: string[];
  /** One line for each variable that nobody has asked for and that is nearly one of those that were, or names a file for one. */
  misspelt(): string[];
}

/** An empty variable counts as unset. */
export function createReader(env: Environment): Reader {
  const faults: string[] = [];
  const known = new Set<string>();
  const readFromFiles = new Set<string>();
  const fault = (variable: string, message: string): void => void faults.push(`${variable}: ${message}`);

  const textOf = (variable: string): string | undefined => {
    known.add(variable);
    return env[variable] === '' ? undefined : env[variable];
  };

  /** Without newlines at its end. */
  const textOfFile = (variable: string, path: string): string | undefined => {
    try {
      return readFileSync(path, 'utf8').replace(/[\r\n]+$/, '');
    } catch (error) {
      fault(variable, `names a file that cannot be read (${(error as NodeJS.ErrnoException).code})`);
      return undefined;
    }
  };

  const parse = <T>(variable: string, text: string | undefined, schema: z.ZodType<T, string>, fallback: T): T => {
    if (text === undefined) return fallback;
    const parsed = schema.safeParse(text);
    if (parsed.success) return parsed.data;
    for (const message of new Set(parsed.error.issues.map((issue) => issue.message))) fault(variable, message);
    return fallback;
  };

  return {
    read: (variable, schema, fallback) => parse(variable, textOf(variable), schema, fallback),
    readOrFile: (variable, schema, fallback) => {
      const inFile = `${variable}_FILE`;
      readFromFiles.add(inFile);
      const [text, path] = [textOf(variable), textOf(inFile)];
      if (path === undefined) return parse(variable, text, schema, fallback);
      if (text === undefined) return parse(inFile, textOfFile(inFile, path), schema, fallback);
      fault(inFile, `cannot be set beside ${variable}`);
      return fallback;
    },
    isGiven: (...variables) => variables.some((variable) => textOf(variable) !== undefined),
    fault,
    faults,
    misspelt: () => {
      const candidates = [...known].filter((name) => name.length > 5); // too many words are near to PORT
      const told = (name: string): string[] => {
        const ofFile = /^(.+)_FILE$/.exec(name)?.[1] ?? '';
        if (known.has(ofFile)) {
          const files = [...readFromFiles].join(' and ');
          return [`${name} has no effect: ${ofFile} is not read from a file, only ${files} name files`];
        }
        const meant = nearest(name, candidates);
        return meant === undefined ? [] : [`${name} is no variable of the gateway: was ${meant} meant?`];
      };
      return Object.keys(env)
        .filter((name) => env[name] !== '' && !known.has(name))
        .flatMap(told);
    },
  };
}
