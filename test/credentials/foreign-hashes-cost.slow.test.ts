/** The cost of the costliest hashes of other systems that are imported, measured. (Interface 15) */
import { importFaultFinder } from '../../src/credentials/passwords/hash-fault.js';
import { createPasswords } from '../../src/credentials/passwords/passwords.js';
import { randomBase62 } from '../../src/platform/ids.js';

const OWN = { memoryKib: 19_456, passes: 2, lanes: 1 };
const passwords = createPasswords(OWN, 4);
let own: number;
beforeAll(async () => {
  const { verify } = await passwords;
  own = await cpuSecondsOf(() => verify('', 'password'));
});

const SALT = 'c29tZXNhbHRzb21lc2FsdA';
const KEY = 'A'.repeat(43);
const LONG_KEY = 'A'.repeat(86); // 64 bytes
/** The costliest that is imported, and the next that is not. */
const DEAREST: Array<[accepted: string, refused: string]> = [
  [`$argon2id$v=19$m=65536,t=2,p=1$${SALT}$${KEY}`, `$argon2id$v=19$m=65536,t=3,p=4$${SALT}$${KEY}`],
  [`$argon2i$v=19$m=19456,t=10,p=1$${SALT}$${KEY}`, `$argon2i$v=19$m=19456,t=11,p=1$${SALT}$${KEY}`],
  [`$argon2id$v=19$m=12160,t=13,p=16$${SALT}$${KEY}`, `$argon2id$v=19$m=12160,t=16,p=16$${SALT}$${KEY}`],
  [`$2b$11$abcdefghijklmnopqrstuu${'A'.repeat(31)}`, `$2b$12$abcdefghijklmnopqrstuu${'A'.repeat(31)}`],
  [`$scrypt$ln=15,r=8,p=1$${SALT}$${KEY}`, `$scrypt$ln=16,r=8,p=1$${SALT}$${KEY}`],
  [`$scrypt$ln=10,r=8,p=16$${SALT}$${KEY}`, `$scrypt$ln=12,r=8,p=16$${SALT}$${KEY}`],
  [`$pbkdf2-sha256$i=1000000$${SALT}$${KEY}`, `$pbkdf2-sha256$i=1000001$${SALT}$${KEY}`],
  [`$pbkdf2-sha256$i=500000$${SALT}$${LONG_KEY}`, `$pbkdf2-sha256$i=500001$${SALT}$${LONG_KEY}`],
  [`$pbkdf2-sha512$i=275000$${SALT}$${LONG_KEY}`, `$pbkdf2-sha512$i=275001$${SALT}$${LONG_KEY}`],
  [`pbkdf2_sha256$1000000$salt$${KEY}=`, `pbkdf2_sha256$1200000$salt$${KEY}=`],
  [
    `$fbscrypt$v=1,n=15,r=8,p=1,ss=Bw==,sk=AAAA$${SALT}$${KEY}`,
    `$fbscrypt$v=1,n=16,r=8,p=1,ss=Bw==,sk=AAAA$${SALT}$${KEY}`,
  ],
];

/** The least of three measurements; the first that is less than `enough` ends them. */
async function cpuSecondsOf(work: () => Promise<unknown>, enough = 0): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3 && least >= enough; i += 1) {
    const began = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(began);
    least = Math.min(least, (user + system) / 1e6);
  }
  return least;
}

test.each(DEAREST)(
  'Interface 15: %s is imported, and costs about five of our own at most; %s is not',
  async (accepted, refused) => {
    const faultOf = importFaultFinder(OWN);
    expect(await faultOf(accepted)).toBeUndefined();
    expect(await faultOf(refused)).toMatch(/costs [\d.]+ times a hash of this gateway, and 5 times is the most$/);
    expect(await importFaultFinder({ ...OWN, passes: 4 })(refused)).toBeUndefined();
    const { verify } = await passwords;
    const most = 8 * own; // busy machines measure badly
    expect(await cpuSecondsOf(() => verify(accepted, 'password'), most)).toBeLessThan(most);
  },
);

test('Interface 15: hashes of one form are tried once', async () => {
  const faultOf = importFaultFinder(OWN);
  const hashes = Array.from({ length: 50 }, () => `$2b$11$${randomBase62(21)}u${randomBase62(30)}u`);
  const one = await cpuSecondsOf(() => importFaultFinder(OWN)(hashes[0] ?? ''));
  const many = await cpuSecondsOf(() => Promise.all(hashes.map(faultOf)), 5 * one);
  expect(many).toBeLessThan(5 * one);
});
