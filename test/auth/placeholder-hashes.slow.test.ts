/** If nobody has the e-mail, the work is the same as for a user drawn by lot. (Spec 4.1.3) */
import argon2 from 'argon2';
import { hashFault } from '../../src/credentials/passwords/hash-fault.js';
import { startGateway, startInstance, type TestGateway } from '../support/gateway/gateway.js';
import { quickPasswords } from '../support/gateway/quick-passwords.js';

const TODAYS = '$argon2id$v=19$m=19456,t=2,p=1$';
const FORMER = '$argon2id$v=19$m=12288,t=3,p=1$';
const INACTIVE = '$argon2id$v=19$m=20000,t=2,p=1$';
const TRIES = 400;
/** Enough that one of each kind is among them */
const SOME = 50;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterEach(() => gateway.rows('delete from users'));
afterAll(() => gateway.close());

async function addUsers(name: string, parameters: string, count: number, isActive = true): Promise<void> {
  await gateway.rows(
    `insert into users (id, email, password_hash, role, is_active, created_at)
     select gen_random_uuid(), $1 || number || '@example.com', $2, 'viewer', $4, now() from generate_series(1, $3) as number`,
    [name, `${parameters}c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2g`, count, isActive],
  );
}

/** What an instance that starts now checks a guess for each e-mail against. */
async function checkedBy(emails: string[]): Promise<string[]> {
  const checked: string[] = [];
  const verify = async (storedHash: string) => {
    checked.push(storedHash);
    return { matches: false };
  };
  const instance = await startInstance(gateway.database, { passwords: { ...quickPasswords(), verify } });
  try {
    for (const email of emails) await instance.send('POST', '/auth/login', { body: { email, password: 'guess' } });
  } finally {
    await instance.close();
  }
  return checked;
}

const parametersOf = (hash: string): string => hash.replace(/[^$]+[$][^$]+$/, '');
const numbered = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${name}${index + 1}@example.com`);

test('Spec 4.1.3: unknown e-mails are checked by parameters as often as users have them, and each keeps its own', async () => {
  await addUsers('former', FORMER, 30);
  await addUsers('todays', TODAYS, 10);
  await addUsers('inactive', INACTIVE, 40, false);
  const nobody = numbered('nobody', TRIES);
  const drawn = (await checkedBy(nobody)).map(parametersOf);
  expect(new Set(drawn)).toEqual(new Set([FORMER, TODAYS]));
  const former = drawn.filter((parameters) => parameters === FORMER).length / TRIES;
  expect(former).toBeGreaterThan(0.6); // three quarters; the bounds are seven standard deviations away
  expect(former).toBeLessThan(0.9);

  const again = await checkedBy(nobody.slice(0, SOME)); // by another instance, after a restart
  expect(again.map(parametersOf)).toEqual(drawn.slice(0, SOME));
  expect((await checkedBy(['former7@example.com', 'todays7@example.com'])).map(parametersOf)).toEqual([FORMER, TODAYS]);
  expect((await checkedBy(numbered('inactive', 40))).map(parametersOf)).not.toContain(INACTIVE);

  await gateway.rows('update users set password_hash = replace(password_hash, $1, $2)', [FORMER, TODAYS]);
  expect(new Set((await checkedBy(nobody.slice(0, SOME))).map(parametersOf))).toEqual(new Set([TODAYS]));
});

test('Interface 15: unknown e-mails are checked by kinds and lengths of keys as often as users have them', async () => {
  const bcrypt = '$2b$04$';
  const pbkdf2 = '$pbkdf2-sha256$1000$';
  const key = (characters: number) => `c2FsdHNhbHRzYWx0$${'A'.repeat(characters)}`;
  for (const [name, hash] of [
    ['short', pbkdf2 + key(43)],
    ['long', `${pbkdf2 + key(86)}==`],
    ['bcrypt', `${bcrypt}${'A'.repeat(53)}`],
    ['django', `pbkdf2_sha256$1000$salt$${'A'.repeat(43)}=`],
  ]) {
    await gateway.rows(
      `insert into users (email, password_hash, role)
       select $1 || number || '@example.com', $2, 'viewer' from generate_series(1, 10) as number`,
      [name, hash],
    );
  }
  const drawn = await checkedBy(numbered('nobody', TRIES));
  const kindOf = (hash: string): string => {
    if (hash.startsWith(bcrypt)) return 'bcrypt';
    return hash.startsWith('pbkdf2_sha256$1000$') ? 'django' : `${hash.split('$').at(-1)?.length}`;
  };
  for (const kind of ['bcrypt', 'django', '43', '86']) {
    const share = drawn.filter((hash) => kindOf(hash) === kind).length / TRIES;
    expect(share).toBeGreaterThan(0.1); // a quarter; the bounds are seven standard deviations away
    expect(share).toBeLessThan(0.4);
  }
  expect(drawn.every((hash) => hashFault(hash) === undefined)).toBe(true);
});

test('Spec 4.1.3: users without a password, and unknown e-mails, are checked as those who have one', async () => {
  await addUsers('former', FORMER, 10);
  await gateway.rows(
    `insert into users (email, role) select 'invited' || number || '@example.com', 'viewer' from generate_series(1, 90) as number`,
  );
  const drawn = await checkedBy([...numbered('nobody', 40), ...numbered('invited', 10)]);
  expect(drawn.map(parametersOf)).toEqual(Array(50).fill(FORMER));
});

test('Spec 4.1.3: a placeholder is a hash that argon2 works on, and that no password matches', async () => {
  await addUsers('former', FORMER, 1);
  const [hash = ''] = await checkedBy(['nobody@example.com']);
  expect(argon2.needsRehash(hash, { memoryCost: 12_288, timeCost: 3, parallelism: 1 })).toBe(false);
  expect(await argon2.verify(hash, 'guess')).toBe(false);
});

test('Spec 4.1.3: without any user the answer is the same', async () => {
  const instance = await startInstance(gateway.database, { passwords: 'argon2' });
  try {
    const body = { email: 'nobody@example.com', password: 'guess' };
    const answer = await instance.send('POST', '/auth/login', { body });
    expect([answer.status, answer.json]).toEqual([
      401,
      { detail: 'Invalid credentials', reason: 'invalid_credentials' },
    ]);
  } finally {
    await instance.close();
  }
});
