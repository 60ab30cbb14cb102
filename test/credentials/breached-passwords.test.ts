/** BREACHED_PASSWORDS, a folder of ranges or one sorted file. (Interface 15) */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { openBreachedPasswords } from '../../src/credentials/passwords/breached-passwords.js';
import { BreachedPasswordsError } from '../../src/credentials/passwords/breached-passwords-error.js';
import { findInRanges } from '../../src/credentials/passwords/breached-ranges.js';
import { findInSortedFile } from '../../src/credentials/passwords/breached-sorted-file.js';
import { Outage } from '../../src/platform/outage.js';
import { sha1, sortedLines, writeBreached, writeRanges } from '../support/breached.js';

const PASSWORDS = Array.from({ length: 1_000 }, (_, i) => `breached password ${i}`);
const HASHES = PASSWORDS.map(sha1).sort();
const FIRST = `${'0'.repeat(39)}1`;
const LAST = 'F'.repeat(40);

const folder = mkdtempSync(join(tmpdir(), 'breached-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(text: string, name = `${createHash('md5').update(text).digest('hex')}.txt`): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** The hash that follows, which is not breached. */
const next = (hash: string): string => (BigInt(`0x${hash}`) + 1n).toString(16).toUpperCase().padStart(40, '0');

const FORMATS: Array<[string, (hashes: string[]) => string, (path: string, hash: string) => Promise<boolean>]> = [
  ['a sorted file with LF', (hashes) => fileOf(sortedLines(hashes)), findInSortedFile],
  ['a sorted file with CRLF', (hashes) => fileOf(sortedLines(hashes, '\r\n')), findInSortedFile],
  [
    'a sorted file without an end of its last line',
    (hashes) => fileOf(sortedLines(hashes).trimEnd()),
    findInSortedFile,
  ],
  ['ranges with CRLF', (hashes) => writeRanges(hashes), findInRanges],
  ['ranges with LF', (hashes) => writeRanges(hashes, { end: '\n' }), findInRanges],
  ['ranges without an extension', (hashes) => writeRanges(hashes, { extension: '' }), findInRanges],
];

describe.each(FORMATS)('Interface 15: %s', (_format, write, find) => {
  let path: string;
  beforeAll(() => {
    path = write([FIRST, ...HASHES, LAST]);
  });

  test('opens', async () => {
    const breached = await openBreachedPasswords(path);
    expect(await breached.has('breached password 0')).toBe(true);
    expect(await breached.has('breached password 999')).toBe(true);
  });

  test('has the first hash and the last, and every one between', async () => {
    for (const hash of [FIRST, LAST, ...HASHES]) expect(await find(path, hash)).toBe(true);
  });

  test('does not have the hashes next to these', async () => {
    for (const hash of [FIRST, ...HASHES]) expect(await find(path, next(hash))).toBe(false);
  });
});

test('Interface 15: finds what a search from the start finds, at every size around the parts that are read', async () => {
  const sizes = fc.integer({ min: 1, max: 1_500 });
  await fc.assert(
    fc.asyncProperty(sizes, fc.constantFrom('\n', '\r\n'), fc.nat(), async (size, end, seed) => {
      const hashes = Array.from({ length: size }, (_, i) => sha1(`${seed} ${i}`));
      const text = sortedLines(hashes, end);
      const path = fileOf(text, 'property.txt');
      const asked = [hashes[0] ?? '', hashes[size - 1] ?? '', next(hashes[seed % size] ?? ''), sha1(`${seed}`)];
      for (const hash of asked) expect(await findInSortedFile(path, hash)).toBe(text.includes(`${hash}:`));
    }),
    { numRuns: 60 },
  );
});

/** Hashes in order, of which the first 48 bits rise as far as to this part of all hashes. */
const risingTo = (part: number) =>
  Array.from({ length: 200_000 }, (_, i) => {
    const bits = Math.floor((i / 200_000) * part * 2 ** 48);
    return `${bits.toString(16).padStart(12, '0')}${'0'.repeat(28)}`.toUpperCase();
  });

test.each([
  ['spread evenly', 1],
  ['crowded at the beginning', 0.01],
])('Interface 15: finds hashes in a file of 9 MB, %s', async (_how, part) => {
  const hashes = risingTo(part);
  const path = fileOf(sortedLines(hashes), 'large.txt');
  const sample = [...hashes.slice(0, 3), ...hashes.filter((_, i) => i % 401 === 0), ...hashes.slice(-3)];
  for (const hash of sample) {
    expect(await findInSortedFile(path, hash)).toBe(true);
    expect(await findInSortedFile(path, next(hash))).toBe(false);
  }
  expect(await findInSortedFile(path, LAST)).toBe(false);
});

test('Interface 15: the padding of a range, which has a count of 0, is no password', async () => {
  const path = writeRanges([]);
  const hash = sha1('padding');
  const suffix = hash.slice(5);
  writeFileSync(join(path, `${hash.slice(0, 5)}.txt`), `${'0'.repeat(35)}:3\r\n${suffix}:0\r\n`);
  const breached = await openBreachedPasswords(path);
  expect(await breached.has('padding')).toBe(false);
});

test('Interface 15: the hash is of the password as typed, in UTF-8', async () => {
  const breached = await openBreachedPasswords(writeBreached(['naïve pässwörd 🔑']));
  expect(await breached.has('naïve pässwörd 🔑')).toBe(true);
  expect(await breached.has('naïve pässwörd 🔑'.normalize('NFD'))).toBe(false);
});

const NTLM = sha1('x').slice(0, 32);
/** How each comes about, the fault, and the file of a folder that has it */
const REFUSED: Array<[string, () => string, string, string?]> = [
  ['is missing', () => join(folder, 'missing'), 'cannot be read (ENOENT)'],
  ['is empty', () => fileOf(''), 'is not HASH:COUNT'],
  ['is an empty folder', () => mkdtempSync(join(folder, 'empty-')), 'cannot be read (ENOENT)', '00000.txt'],
  ['has NTLM hashes', () => fileOf(`${NTLM}:3\n`), 'has NTLM hashes'],
  ['has passwords', () => fileOf('correct horse battery staple\n'), 'is not HASH:COUNT'],
  ['has hashes in lower case', () => fileOf(`${sha1('x').toLowerCase()}:3\n`), 'is not HASH:COUNT'],
  ['has hashes without counts', () => fileOf(`${sha1('x')}\n`), 'is not HASH:COUNT'],
  [
    'is sorted by count',
    () =>
      fileOf(
        HASHES.toReversed()
          .map((hash) => `${hash}:9\n`)
          .join(''),
      ),
    'not sorted by hash',
  ],
  ['is a folder of NTLM ranges', ntlmRanges, 'has NTLM hashes', '00000.txt'],
  ['lacks its last range', withoutLastRange, 'cannot be read (ENOENT)', 'FFFFF.txt'],
];
test.each(REFUSED)('Interface 15: does not open if it %s', async (_what, write, fault, file = '') => {
  const path = write();
  const error = await openBreachedPasswords(path).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(BreachedPasswordsError);
  const { message } = error as BreachedPasswordsError;
  expect(message).toContain(`BREACHED_PASSWORDS: ${join(path, file)} `);
  expect(message).toContain(fault);
  expect(message).not.toContain('correct horse');
});

function ntlmRanges(): string {
  const path = mkdtempSync(join(folder, 'ntlm-'));
  for (const prefix of ['00000', 'FFFFF']) writeFileSync(join(path, `${prefix}.txt`), `${NTLM.slice(5)}:3\r\n`);
  return path;
}

function withoutLastRange(): string {
  const path = writeRanges(HASHES.slice(0, 10));
  rmSync(join(path, 'FFFFF.txt'));
  return path;
}

function becomeFolder(path: string): void {
  rmSync(path);
  mkdirSync(path);
}

const LATER: Array<[string, (path: string) => void]> = [
  ['vanishes', (path) => rmSync(path)],
  ['is emptied', (path) => truncateSync(path)],
  ['becomes a folder', becomeFolder],
  ['is overwritten', (path) => writeFileSync(path, 'other text\n'.repeat(10_000))],
];
test.each(LATER)('Interface 15: a file that %s later is an outage, not a pass', async (_what, change) => {
  const path = fileOf(sortedLines(HASHES), 'later.txt');
  const breached = await openBreachedPasswords(path);
  change(path);
  await expect(breached.has('breached password 7')).rejects.toBeInstanceOf(Outage);
  rmSync(path, { recursive: true, force: true });
});

test('Interface 15: a range that vanishes is an outage for its passwords alone', async () => {
  const path = writeRanges(HASHES);
  const breached = await openBreachedPasswords(path);
  rmSync(join(path, `${sha1('breached password 7').slice(0, 5)}.txt`));
  const outage = await breached.has('breached password 7').catch((error: unknown) => error);
  expect(outage).toEqual(new Outage(`the breached passwords: ${path} cannot be read (ENOENT)`)); // no part of the hash
  expect(await breached.has('breached password 8')).toBe(true);
});

test('Interface 15: a newer file that is moved there is read at once', async () => {
  const path = fileOf(sortedLines(HASHES), 'current.txt');
  const breached = await openBreachedPasswords(path);
  expect(await breached.has('a password of today')).toBe(false);
  renameSync(fileOf(sortedLines([...HASHES, sha1('a password of today')]), 'newer.txt'), path);
  expect(await breached.has('a password of today')).toBe(true);
});
