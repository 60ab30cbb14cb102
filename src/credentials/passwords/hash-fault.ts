/** Reasons why a password hash, such as one of another system, is not accepted. (Interface 15) */
import type { Argon2Parameters } from '../../config/config.js';
import { type Costs, costFault, KIND_NAMES, type KnownHash, parseHash, workOf } from './hash-kinds.js';

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

/** What one verification of an imported hash may cost, in hashes of the gateway: one guess must not hold up many logins. */
const MAX_WORK = 5;

/**
 * Why a hash is not imported: also if it costs too much, or if its library refuses it. Hashes of one form are tried once, since a
 * library looks at the parameters and the lengths.
 * @param own parameters of the gateway
 * @returns a function that gives a sentence as `hashFault` does
 */
export function importFaultFinder(own: Argon2Parameters): (text: string) => Promise<string | undefined> {
  const tried = new Map<string, Promise<string | undefined>>();
  return async (text) => {
    const known = parseHash(text);
    const fault = hashFault(text);
    if (fault !== undefined || known === undefined) return fault;
    const work = workOf(known, own);
    if (work > MAX_WORK) {
      const times = (Math.ceil(work * 10) / 10).toFixed(1); // rounded up, so that it is more than the most
      return `(${known.kind.name}) costs ${times} times a hash of this gateway, and ${MAX_WORK} times is the most`;
    }
    const { prefix, salt, key } = known.hash;
    const form = [prefix, ...[salt, key].map((part) => part.replace(/[^=]/g, 'x'))].join(' ');
    const found = tried.get(form) ?? trialFault(known);
    tried.set(form, found);
    return found;
  };
}

/** Checks some password against the hash. @returns a sentence if the library of its kind refuses to */
export async function trialFault({ kind, hash }: KnownHash): Promise<string | undefined> {
  try {
    await kind.verify(hash, 'some password');
    return undefined;
  } catch {
    return `(${kind.name}) has parameters or lengths that cannot be checked`; // the error may quote the hash
  }
}
