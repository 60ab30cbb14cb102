/** Interface 15: why a password hash, such as one of another system, is not accepted. */
import { type Costs, costFault, KIND_NAMES, parseHash } from './hash-kinds.js';

/** Forms that are refused by name, because a graphics card tries billions of passwords a second against them. */
const WEAK: ReadonlyArray<[name: string, form: RegExp]> = [
  ['MD5', /^(?:\$1\$|\$apr1\$|md5\$|\{S?MD5\}|[0-9a-f]{32}$)/i],
  ['SHA-1', /^(?:sha1\$|\$sha1\$|\{S?SHA\}|\$pbkdf2\$|\$pbkdf2-sha1\$|pbkdf2_sha1\$|[0-9a-f]{40}$)/i],
];
const KNOWN_BUT_REFUSED: ReadonlyArray<[name: string, form: RegExp]> = [
  ['argon2d', /^\$argon2d\$/],
  ['crypt with SHA-256', /^\$5\$/],
  ['crypt with SHA-512', /^\$6\$/],
  ['plain SHA-256', /^[0-9a-f]{64}$/i],
];

/** Costs of argon2 that no bound refuses, as if the gateway itself had such */
export const ANY_COSTS: Costs = { m: Number.MAX_SAFE_INTEGER, t: Number.MAX_SAFE_INTEGER, p: Number.MAX_SAFE_INTEGER };

/**
 * @param live costs that are accepted whatever the bounds, by the names of argon2
 * @returns a sentence without its subject for a person, such as "is MD5, which …"; undefined if the hash is accepted
 */
export function hashFault(text: string, live: Costs = {}): string | undefined {
  const known = parseHash(text);
  if (known !== undefined) {
    const fault = costFault(known, live);
    return fault && `(${known.kind.name}) ${fault}`;
  }
  for (const [name, form] of WEAK) {
    if (form.test(text)) return `is ${name}, which protects no password`;
  }
  for (const [name, form] of KNOWN_BUT_REFUSED) if (form.test(text)) return `is ${name}, which is not supported`;
  return `is malformed, or of none of the supported kinds: ${KIND_NAMES.join(', ')}`;
}
