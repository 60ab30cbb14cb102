/** Reads variables from the environment, or from the files that it names, and reports what is wrong with them. (Interface 2) */
import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { nearest } from '../platform/did-you-mean.js';
import type { Explanation } from '../platform/explained.js';

export type Environment = Record<string, string | undefined>;

/** Never repeats the value. */
export interface ConfigFault extends Explanation {
  variable: string;
}

/** OpenTelemetry's, for logs: two letters away from those for traces. */
const FOREIGN = /^OTEL_BLRP_/;

export type Slip = Explanation & { remedy: string };

/** A variable, as `read` was asked for it. */
export interface Variable {
  name: string;
  /** Its value if it is unset, in the environment that was read */
  fallback: unknown;
  /** What its values look like, such as `a whole number from 1 to 65535`; undefined: any text */
  check: string | undefined;
  /** True if `NAME_FILE` may name a file that holds the value. */
  fileToo: boolean;
}

/** A variable as it counts now, for people who read the settings. */
export interface Setting {
  name: string;
  /** As it was set, otherwise the default; null if there is none, and if it may hold a password */
  value: string | null;
  /** Null if there is none */
  default: string | null;
  isSet: boolean;
}

/** Variables with passwords, as well as those that may be in files. Other URLs refuse credentials. */
const SECRET = /^OTEL_.*(HEADERS|ATTRIBUTES)$/;

/** @returns null if a variable with this fallback is unset by default */
function textOfFallback(fallback: unknown): string | null {
  if (fallback === undefined || (Array.isArray(fallback) && fallback.length === 0)) return null;
  return fallback instanceof URL ? fallback.origin : String(fallback);
}

export interface Reader {
  /** The variable's value by `schema`, or the fallback. A fault also yields the fallback, so that reading continues. */
  read<T>(name: string, schema: z.ZodType<T, string>, fallback: T): T;
  /** The same, for a variable whose value may be in the file that `NAME_FILE` names. */
  readOrFile<T>(name: string, schema: z.ZodType<T, string>, fallback: T): T;
  /** True if at least one of them is set. */
  isGiven(...variables: string[]): boolean;
  fault(variable: string, reason: string, remedy?: string): void;
  faults: ConfigFault[];
  /** Every variable that was read, in that order */
  variables: Variable[];
  /** The same as they count now, without secrets, by name */
  settings(): Setting[];
  /** Variables that nothing reads, but whose name is close to one that is read, or is one plus `_FILE`. */
  findMisspelt(): Slip[];
}

/** An empty variable counts as unset. */
export function createReader(env: Environment): Reader {
  const faults: ConfigFault[] = [];
  const variables: Variable[] = [];
  const fault: Reader['fault'] = (variable, reason, remedy) => void faults.push({ variable, reason, remedy });
  const textOf = (name: string): string | undefined => (env[name] === '' ? undefined : env[name]);

  /** Without newlines at its end, and without the byte order mark that some editors write. */
  const textOfFile = (variable: string, path: string): string | undefined => {
    try {
      return readFileSync(path, 'utf8').replace(/^\uFEFF|[\r\n]+$/g, '');
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
    read: (name, schema, fallback) => {
      variables.push({ name, fallback, check: schema.description, fileToo: false });
      return parse(name, textOf(name), schema, fallback);
    },
    readOrFile: (name, schema, fallback) => {
      variables.push({ name, fallback, check: schema.description, fileToo: true });
      const inFile = `${name}_FILE`;
      const [text, path] = [textOf(name), textOf(inFile)];
      if (path === undefined) return parse(name, text, schema, fallback);
      if (text === undefined) return parse(inFile, textOfFile(inFile, path), schema, fallback);
      fault(inFile, `cannot be set together with ${name}`);
      return fallback;
    },
    isGiven: (...names) => names.some((name) => textOf(name) !== undefined),
    fault,
    faults,
    variables,
    settings: () =>
      variables
        .map(({ name, fallback, fileToo }) => {
          const text = textOf(name);
          const isSet = text !== undefined || (fileToo && textOf(`${name}_FILE`) !== undefined);
          const isHidden = isSet && (fileToo || SECRET.test(name));
          const standard = textOfFallback(fallback);
          return { name, value: isHidden ? null : (text ?? standard), default: standard, isSet };
        })
        .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    findMisspelt: () => {
      const fileVariables = variables.filter(({ fileToo }) => fileToo).map(({ name }) => `${name}_FILE`);
      const known = [...variables.map(({ name }) => name), ...fileVariables];
      const candidates = known.filter((name) => name.length > 5); // too many words are close to PORT
      const explain = (name: string): Slip[] => {
        const base = name.replace(/_FILE$/, '');
        if (known.includes(base)) {
          const reason = `${name}: no effect, because only ${new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(fileVariables)} name files`;
          return [{ reason, remedy: `remove it, and set ${base} itself` }];
        }
        const meant = nearest(name, candidates);
        const remedy = `did you mean ${meant}? Rename it, or remove it`;
        return meant === undefined ? [] : [{ reason: `${name}: unknown variable`, remedy }];
      };
      return Object.keys(env)
        .filter((name) => env[name] !== '' && !known.includes(name) && !FOREIGN.test(name))
        .flatMap(explain);
    },
  };
}
