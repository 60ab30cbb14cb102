/** Hashes of other systems: which are accepted, which are refused, and at what cost. (Interface 15) */
import { pbkdf2Sync, scryptSync } from 'node:crypto';
import bcrypt from '@node-rs/bcrypt';
import { hashFault, importFaultFinder } from '../../src/credentials/passwords/hash-fault.js';
import { ANY_PREFIX, parseHash, placeholderFor } from '../../src/credentials/passwords/hash-kinds.js';
import { createPasswords } from '../../src/credentials/passwords/passwords.js';
import { randomBase62 } from '../../src/platform/ids.js';
import { FOREIGN_HASHES } from '../support/independent/foreign-hashes.js';

/** Cheaper than any that the configuration accepts: most of the work here would be our own hashes. */
const OWN = { memoryKib: 1_024, passes: 1, lanes: 1 };
const passwords = createPasswords(OWN, 4);
const b64 = (bytes: string | Buffer): string => Buffer.from(bytes).toString('base64').replace(/=+$/, '');

test.each(FOREIGN_HASHES)(
  'Interface 15: $of matches its password alone, and is renewed',
  async ({ hash, password }) => {
    const { verify } = await passwords;
    expect(hashFault(hash)).toBeUndefined();
    const right = await verify(hash, password);
    expect(right).toEqual({ matches: true, renewedHash: expect.stringMatching(/^\$argon2id\$v=19\$m=1024,/) });
    expect(await verify(right?.renewedHash ?? '', password)).toEqual({ matches: true });
    for (const wrong of [`${password} `, password.slice(1), password.toUpperCase(), '', hash]) {
      expect(await verify(hash, wrong)).toEqual({ matches: false });
    }
  },
);

test.each(FOREIGN_HASHES)(
  'Interface 15: $of with another salt, key or end matches nothing',
  async ({ hash, password }) => {
    const { verify } = await passwords;
    const place = hash.lastIndexOf('$') + 25;
    const other = hash[place] === 'A' ? 'B' : 'A';
    for (const altered of [
      hash.slice(0, place) + other + hash.slice(place + 1),
      hash.slice(0, hash.lastIndexOf('$') + 21),
      hash.slice(0, hash.lastIndexOf('$')),
      `${hash}$`,
      ` ${hash}`,
    ]) {
      expect(await verify(altered, password)).toEqual({ matches: false });
    }
  },
);

// Python's bcrypt 5.0, which refuses longer ones, for 72 times "x"
const BCRYPT_OF_72 = '$2b$04$9ik4/q3YTurgc1ZCgjmSNee0IDfSUauKriH4rGckkfNq6y/54SBXa';

test.each(['', 'y', ' slip behind byte 72', 'ü'.repeat(400)])(
  'ASVS 6.2.8: bcrypt compares 72 bytes, so it is not renewed from what may be more or less than the password: 72 bytes and %j',
  async (rest) => {
    const { verify } = await passwords;
    expect(await verify(BCRYPT_OF_72, 'x'.repeat(72) + rest)).toEqual({ matches: true });
    expect(await verify(BCRYPT_OF_72, `${'x'.repeat(71)}y${rest}`)).toEqual({ matches: false });
  },
);

/** Every kind but argon2i, whose library makes it, and Firebase's, which is scrypt. */
const MADE_BY: Array<[of: string, longest: number, hash: (password: string) => string]> = [
  ['bcrypt', 71, (password) => bcrypt.hashSync(password, 4)],
  [
    'scrypt',
    1_024,
    (password) => `$scrypt$ln=4,r=8,p=1$${b64('salt')}$${b64(scryptSync(password, 'salt', 32, { N: 16 }))}`,
  ],
  [
    'PBKDF2-SHA256',
    1_024,
    (password) => `$pbkdf2-sha256$9$${b64('salt')}$${b64(pbkdf2Sync(password, 'salt', 9, 32, 'sha256'))}`,
  ],
  [
    'PBKDF2-SHA512',
    1_024,
    (password) => `$pbkdf2-sha512$9$${b64('salt')}$${b64(pbkdf2Sync(password, 'salt', 9, 64, 'sha512'))}`,
  ],
  [
    'Django',
    1_024,
    (password) => `pbkdf2_sha256$9$salt$${pbkdf2Sync(password, 'salt', 9, 32, 'sha256').toString('base64')}`,
  ],
];

test.each(MADE_BY)(
  'ASVS 6.2.8: %s is renewed from a password of up to %i bytes, all of which count',
  async (_of, longest, hashOf) => {
    const { verify } = await passwords;
    for (const bytes of new Set([1, 64, 65, 71, longest].filter((length) => length <= longest))) {
      const password = 'é'.repeat(Math.floor(bytes / 2)) + 'x'.repeat(bytes % 2);
      const { matches, renewedHash = '' } = (await verify(hashOf(password), password)) ?? {};
      expect([bytes, matches]).toEqual([bytes, true]);
      expect(await verify(renewedHash, password)).toEqual({ matches: true });
      expect(await verify(hashOf(password), `${password.slice(0, -1)}?`)).toEqual({ matches: false });
    }
  },
);

const SALT = 'c29tZXNhbHRzb21lc2FsdA';
const KEY = 'A'.repeat(43);
test.each([
  ['$2b$16$abcdefghijklmnopqrstuuAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 'cost outside 1 to 15'],
  ['$2b$00$abcdefghijklmnopqrstuuAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 'cost outside 1 to 15'],
  [`$scrypt$ln=21,r=8,p=1$${SALT}$${KEY}`, 'ln outside 1 to 20'],
  [`$scrypt$ln=20,r=8,p=1$${SALT}$${KEY}`, 'memory'],
  [`$scrypt$ln=18,r=8,p=16$${SALT}$${KEY}`, 'too long'],
  [`$scrypt$ln=14,r=0,p=1$${SALT}$${KEY}`, 'r outside 1 to 64'],
  [`$pbkdf2-sha256$i=5000001$${SALT}$${KEY}`, 'i outside 1 to 5000000'],
  [`$pbkdf2-sha512$99999999999$${SALT}$${KEY}`, 'i outside'],
  [`pbkdf2_sha256$5000001$salt$${KEY}=`, 'i outside'],
  [`$argon2id$v=19$m=262145,t=1,p=1$${SALT}$${KEY}`, 'm outside'],
  [`$argon2i$v=19$m=1024,t=17,p=1$${SALT}$${KEY}`, 't outside'],
  [`$argon2id$v=19$m=1024,p=1$${SALT}$${KEY}`, 't outside'],
  [`$fbscrypt$v=1,n=20,r=8,p=1,ss=Bw==,sk=AAAA$${SALT}$${KEY}`, 'memory'],
])('Interface 15: %s would exhaust the machine: refused, and never worked on', async (hash, why) => {
  expect(hashFault(hash)).toContain(why);
  const { verify } = await passwords;
  const began = process.cpuUsage();
  expect(await verify(hash, 'password')).toEqual({ matches: false });
  const { user, system } = process.cpuUsage(began);
  expect((user + system) / 1e6).toBeLessThan(1); // that of the placeholder: the refused ones take many seconds
});

/** Of a known form, and refused by the library, or by no bcrypt made. */
const REFUSED = [
  `$argon2id$v=19$m=1024,t=1,p=1$AAAA$${KEY}`,
  `$argon2id$v=19$m=8,t=1,p=16$${SALT}$${KEY}`,
  `$argon2i$v=19$m=1024,t=1,p=1$${SALT}==$${KEY}=`,
  `$argon2id$v=19$m=1024,t=1,p=1,Odd=1$${SALT}$${KEY}`,
  `$2b$03$abcdefghijklmnopqrstuu${'A'.repeat(31)}`,
];

test.each(REFUSED)(
  'Interface 15: %s, which no library checks, is not imported, and is a refusal at one cost',
  async (hash) => {
    const fault = await importFaultFinder(OWN)(hash);
    expect(fault).toMatch(/^\((argon2|bcrypt)\) has /);
    expect(fault).not.toContain(hash.slice(-12));
    const refused: unknown[] = [];
    const hashed: number[] = [];
    const { verify } = await createPasswords(
      OWN,
      4,
      (seconds) => hashed.push(seconds),
      (kind) => refused.push(kind),
    );
    expect(await verify(hash, 'password')).toEqual({ matches: false });
    expect(hashed).toHaveLength(1);
    expect(refused).toEqual(hash.startsWith('$argon2') ? ['argon2'] : []);
  },
);

test.each([
  ['5f4dcc3b5aa765d61d8327deb882cf99', 'MD5'],
  ['$1$abcdefgh$G/d3jc6N4Z4cX1Z5mWJ4G1', 'MD5'],
  ['$apr1$abcdefgh$G/d3jc6N4Z4cX1Z5mWJ4G1', 'MD5'],
  ['md5$salt$5f4dcc3b5aa765d61d8327deb882cf99', 'MD5'],
  ['5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8', 'SHA-1'],
  ['{SSHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=', 'SHA-1'],
  ['pbkdf2_sha1$260000$salt$W6ph5Mm5Pz8GgiULbPgzG37mj9g=', 'SHA-1'],
  ['$pbkdf2$131000$c2FsdA$W6ph5Mm5Pz8GgiULbPgzG37mj9g', 'SHA-1'],
  [`$argon2d$v=19$m=1024,t=1,p=1$${SALT}$${KEY}`, 'argon2d'],
  ['$6$rounds=5000$salt$hash', 'SHA-512'],
  ['$2x$10$abcdefghijklmnopqrstuuAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 'none of the supported kinds'],
  ['correct horse', 'none of the supported kinds'],
  ['', 'none of the supported kinds'],
])('Interface 15: %s is refused by name, and matches nothing', async (hash, name) => {
  const fault = hashFault(hash) ?? '';
  expect(fault).toContain(name);
  if (hash.length > 20) expect(fault).not.toContain(hash.slice(-12));
  expect(await (await passwords).verify(hash, 'password')).toEqual({ matches: false });
});

test.each(FOREIGN_HASHES)('Interface 15: a placeholder like $of is of its kind and its cost', ({ hash }) => {
  const [prefix = ''] = new RegExp(ANY_PREFIX).exec(hash) ?? [];
  const keyLength = hash.slice(hash.lastIndexOf('$') + 1).replace(/=+$/, '').length;
  const [real, placeholder] = [parseHash(hash), parseHash(placeholderFor(prefix, keyLength, randomBase62))];
  expect(placeholder?.kind).toBe(real?.kind);
  expect(placeholder?.costs).toEqual(real?.costs);
  const lengthOf = (key = '') => key.replace(/=+$/, '').length;
  expect(lengthOf(placeholder?.hash.key)).toBe(lengthOf(real?.hash.key));
});

test('Interface 15: no password matches a placeholder of any kind', async () => {
  const { verify } = await passwords;
  for (const { hash, password } of FOREIGN_HASHES) {
    const [prefix = ''] = new RegExp(ANY_PREFIX).exec(hash) ?? [];
    expect(await verify(placeholderFor(prefix, 43, randomBase62), password)).toEqual({ matches: false });
  }
});
