/**
 * The kinds of password hashes that are accepted: our own, and those that users bring from other systems. A hash is a
 * prefix with its parameters, then salt and key. (Interface 15)
 */
import { createCipheriv, pbkdf2, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Argon2Parameters } from '../../config/config.js';

/** The numbers in a prefix: `m` memory, `t` passes, `ln` log2 of N, `i` iterations, as their formats name them. */
export type Costs = Readonly<Record<string, number>>;

interface ParsedHash {
  /** The whole text */
  text: string;
  prefix: string;
  /** The texts in the prefix, by the names of Costs */
  parameters: Readonly<Record<string, string>>;
  salt: string;
  key: string;
}

interface HashKind {
  name: string;
  /** Regular expression that JavaScript and PostgreSQL read alike: up to the salt. It has no capturing groups. */
  prefix: string;
  /** What follows: the groups `salt` and `key` */
  rest: RegExp;
  /** Texts in a prefix. A parameter that is missing here is not a number. */
  parametersOf(prefix: string): Record<string, string>;
  /** Largest value of each number. Each is at least 1. */
  bounds: Costs;
  /** A sentence about costs that are within the bounds each, and too much together */
  excess?(costs: Costs): string | undefined;
  /** Work of one verification, in hashes of the gateway with its default parameters; docs/import-users.md has what was measured */
  work(hash: ParsedHash, costs: Costs): number;
  /** Bytes of a password that are compared; undefined: all of them */
  comparedBytes?: number;
  verify(hash: ParsedHash, password: string): Promise<boolean>;
}

const BASE64 = '[A-Za-z0-9+/.]{4,128}={0,2}';
const SALT_AND_KEY = new RegExp(`^(?<salt>${BASE64})[$](?<key>[A-Za-z0-9+/.]{22,172}={0,2})$`);

/** `m=19456,t=2,p=1` */
function named(list: string): Record<string, string> {
  return Object.fromEntries(list.split(',').map((pair) => pair.split(/=(.*)/s, 2)));
}

/** What stands between the second and the third `$`, or behind `$name$`. */
function lastField(prefix: string): string {
  return prefix.split('$').at(-2) ?? '';
}

/** A larger memory is in fewer caches, and lanes are threads that are started anew four times a pass. */
function argon2Work({ m = 0, t = 0, p = 0 }: Costs): number {
  const ofLanes = p > 1 ? 1.3 : 1;
  return (m / 19_456) ** 1.3 * (t / 2) * ofLanes;
}

const ARGON2: HashKind = {
  name: 'argon2',
  prefix: '[$]argon2id?[$]v=19[$][^$]+[$]',
  rest: SALT_AND_KEY,
  parametersOf: (prefix) => named(lastField(prefix)),
  bounds: { m: 262_144, t: 16, p: 16 },
  work: (_hash, costs) => argon2Work(costs),
  verify: async ({ text }, password) => (await import('./argon2.js')).matchesArgon2(text, password),
};

const BCRYPT: HashKind = {
  name: 'bcrypt',
  prefix: '[$]2[aby][$][0-9]{2}[$]',
  rest: /^(?<salt>[A-Za-z0-9./]{22})(?<key>[A-Za-z0-9./]{31})$/,
  parametersOf: (prefix) => ({ cost: lastField(prefix) }),
  bounds: { cost: 15 },
  excess: ({ cost = 0 }) => (cost < 4 ? 'has cost below 4' : undefined), // which no bcrypt knows, and no password matches
  work: (_hash, { cost = 0 }) => (5 * 2 ** cost) / 2 ** 11,
  comparedBytes: 72, // as in the systems that made the hash
  verify: async ({ text }, password) => (await import('./bcrypt.js')).matchesBcrypt(text, password),
};

/** N·r of scrypt in KiB: 128 bytes each */
const MAX_SCRYPT_KIB = 262_144;
/** N·r·p: about two seconds */
const MAX_SCRYPT_WORK = 2 ** 22;

function scryptExcess({ ln = 0, r = 0, p = 0 }: Costs): string | undefined {
  if ((2 ** ln * r) / 8 > MAX_SCRYPT_KIB) return `takes more than ${MAX_SCRYPT_KIB} KiB of memory`;
  return 2 ** ln * r * p > MAX_SCRYPT_WORK ? 'takes too long' : undefined;
}

function scryptWork({ ln = 0, r = 0, p = 0 }: Costs): number {
  return (2 ** ln * r * p) / 82_000;
}

const deriveByScrypt = promisify<string, Uint8Array, number, object, Buffer>(scrypt);

function runScrypt(password: string, salt: Uint8Array, keyBytes: number, { ln = 0, r = 0, p = 0 }: Costs) {
  const N = 2 ** ln;
  return deriveByScrypt(password, salt, keyBytes, { N, r, p, maxmem: 256 * r * (N + p) });
}

const SCRYPT: HashKind = {
  name: 'scrypt',
  prefix: '[$]scrypt[$]ln=[0-9]+,r=[0-9]+,p=[0-9]+[$]',
  rest: SALT_AND_KEY,
  parametersOf: (prefix) => named(lastField(prefix)),
  bounds: { ln: 20, r: 64, p: 16 },
  excess: scryptExcess,
  work: (_hash, costs) => scryptWork(costs),
  verify: async ({ parameters, salt, key }, password) => {
    const expected = bytesOf(key);
    return isSame(expected, await runScrypt(password, bytesOf(salt), expected.length, numbersOf(parameters)));
  },
};

const deriveByPbkdf2 = promisify(pbkdf2);

/** SHA-256 and SHA-512 make 32 and 64 bytes in all their iterations, so a longer key takes them again. */
function pbkdf2Work(digest: 'sha256' | 'sha512', { i = 0 }: Costs, keyBytes = 32): number {
  return digest === 'sha256' ? (i * Math.ceil(keyBytes / 32)) / 200_000 : (i * Math.ceil(keyBytes / 64)) / 55_000;
}

const PBKDF2: HashKind = {
  name: 'PBKDF2',
  prefix: '[$]pbkdf2-sha(?:256|512)[$]i?=?[0-9]+(?:,l=[0-9]+)?[$]',
  rest: SALT_AND_KEY,
  parametersOf: (prefix) => ({ i: /(\d+)(?:,l=\d+)?\$$/.exec(prefix)?.[1] ?? '' }),
  bounds: { i: 5_000_000 },
  work: (hash, costs) => pbkdf2Work(digestOf(hash), costs, bytesOf(hash.key).length),
  verify: async (hash, password) => {
    const expected = bytesOf(hash.key);
    const iterations = Number(hash.parameters['i']);
    const salt = bytesOf(hash.salt);
    return isSame(expected, await deriveByPbkdf2(password, salt, iterations, expected.length, digestOf(hash)));
  },
};

function digestOf({ prefix }: ParsedHash): 'sha256' | 'sha512' {
  return prefix.startsWith('$pbkdf2-sha512') ? 'sha512' : 'sha256';
}

const DJANGO: HashKind = {
  name: "Django's PBKDF2",
  prefix: 'pbkdf2_sha256[$][0-9]+[$]',
  rest: /^(?<salt>[^$]{1,128})[$](?<key>[A-Za-z0-9+/]{43}=)$/,
  parametersOf: (prefix) => ({ i: lastField(prefix) }),
  bounds: { i: 5_000_000 },
  work: (_hash, costs) => pbkdf2Work('sha256', costs),
  verify: async ({ parameters, salt, key }, password) => {
    const derived = await deriveByPbkdf2(password, salt, Number(parameters['i']), 32, 'sha256');
    return isSame(bytesOf(key), derived);
  },
};

/** scrypt makes a key that encrypts the project's signer key (https://github.com/firebase/scrypt). */
const FIREBASE: HashKind = {
  name: "Firebase's scrypt",
  prefix: '[$]fbscrypt[$]v=1,n=[0-9]+,r=[0-9]+,p=[0-9]+,ss=[A-Za-z0-9+/=]*,sk=[A-Za-z0-9+/=]+[$]',
  rest: SALT_AND_KEY,
  parametersOf: (prefix) => {
    const { n = '', r = '', p = '', ss = '', sk = '' } = named(lastField(prefix));
    return { ln: n, r, p, ss, sk };
  },
  bounds: { ln: 20, r: 64, p: 16 },
  excess: scryptExcess,
  work: (_hash, costs) => scryptWork(costs),
  verify: async ({ parameters, salt, key }, password) => {
    const { ss = '', sk = '' } = parameters;
    const saltAndSeparator = Buffer.concat([bytesOf(salt), bytesOf(ss)]);
    const cipherKey = await runScrypt(password, saltAndSeparator, 32, numbersOf(parameters));
    const cipher = createCipheriv('aes-256-ctr', cipherKey, Buffer.alloc(16));
    return isSame(bytesOf(key), Buffer.concat([cipher.update(bytesOf(sk)), cipher.final()]));
  },
};

const KINDS = [ARGON2, BCRYPT, SCRYPT, PBKDF2, DJANGO, FIREBASE];

/** SQL and JavaScript: the prefix of a hash of any kind. */
export const ANY_PREFIX = `^(?:${KINDS.map(({ prefix }) => prefix).join('|')})`;

export const KIND_NAMES: readonly string[] = KINDS.map(({ name }) => name);

export interface KnownHash {
  kind: HashKind;
  hash: ParsedHash;
  costs: Costs;
}

/** The hash if its form is of a known kind, whatever its costs. */
export function parseHash(text: string): KnownHash | undefined {
  for (const kind of KINDS) {
    const [prefix] = new RegExp(`^${kind.prefix}`).exec(text) ?? [];
    if (prefix === undefined) continue;
    const { salt, key } = kind.rest.exec(text.slice(prefix.length))?.groups ?? {};
    if (salt === undefined || key === undefined) return undefined;
    const parameters = kind.parametersOf(prefix);
    return { kind, hash: { text, prefix, parameters, salt, key }, costs: numbersOf(parameters) };
  }
  return undefined;
}

/**
 * What is wrong with the costs of a hash: one row must not exhaust the machine.
 * @param live costs that are accepted whatever the bounds, by the names of argon2
 */
export function costFault({ kind, costs }: KnownHash, live: Costs = {}): string | undefined {
  for (const [name, bound] of Object.entries(kind.bounds)) {
    const most = Math.max(bound, (kind === ARGON2 && live[name]) || 0);
    const cost = costs[name] ?? 0;
    if (!(Number.isSafeInteger(cost) && cost >= 1 && cost <= most)) return `has ${name} outside 1 to ${most}`;
  }
  return kind.excess?.(costs);
}

/** How many hashes of a gateway with these parameters one verification takes, by what was measured. */
export function workOf({ kind, hash, costs }: KnownHash, { memoryKib, passes, lanes }: Argon2Parameters): number {
  return kind.work(hash, costs) / argon2Work({ m: memoryKib, t: passes, p: lanes });
}

/** True for the kind that new hashes have. */
export function isArgon2id({ hash }: KnownHash): boolean {
  return hash.text.startsWith('$argon2id$');
}

/** A `salt` and `key` that no password is known for, in the form of this prefix. @param keyLength of its base64 */
export function placeholderFor(prefix: string, keyLength: number, randomText: (length: number) => string): string {
  if (new RegExp(`^${BCRYPT.prefix}$`).test(prefix)) return `${prefix}${randomText(21)}u${randomText(30)}u`;
  if (new RegExp(`^${DJANGO.prefix}$`).test(prefix)) return `${prefix}${randomText(22)}$${randomText(42)}A=`;
  return `${prefix}${randomText(22)}$${randomText(keyLength)}`;
}

function numbersOf(parameters: Readonly<Record<string, string>>): Costs {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, text]) => [name, /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN]),
  );
}

/** Base64 with or without padding; `.` is the `+` of passlib. */
function bytesOf(base64: string): Buffer {
  return Buffer.from(base64.replaceAll('.', '+'), 'base64');
}

function isSame(expected: Buffer, derived: Buffer): boolean {
  return expected.length === derived.length && timingSafeEqual(expected, derived);
}
