/** The time of a refusal does not reveal whether the e-mail or the key exists. (Spec 4.1 step 3 and Interface 6) */
import { randomInt } from 'node:crypto';
import argon2 from 'argon2';
import { freshNonce } from '../../../test/support/independent/signer.js';
import type { Experiment } from '../experiment.js';
import { createApiKey, createCronKey, signAs } from '../lab/callers.js';
import { addFactors } from '../lab/factors.js';
import { type Gateways, prepareGateways } from '../lab/gateways.js';
import type { Lab } from '../lab/lab.js';
import { openOneConnection, type Timed } from '../lab/one-connection.js';
import { type Postgres, startPostgres } from '../lab/postgres.js';
import { judge, measure, wrongPassword } from '../lab/told-apart.js';
import { createUsers, PASSWORD } from '../lab/users.js';

const PAIRS = { small: { logins: 28, keys: 300 }, full: { logins: 1_000, keys: 5_000 } };
/** Another choice of the OWASP cheat sheet than the gateway's own, as a hash that came from elsewhere may have */
const OLD_PARAMETERS = { memoryCost: 12_288, timeCost: 3, parallelism: 1 };
/** Of other systems, at their usual costs; nobody logs in by them */
const SALT_AND_KEY = `c2FsdHNhbHRzYWx0c2FsdA$${'A'.repeat(43)}`;
const IMPORTED = [
  `$2b$10$${'A'.repeat(21)}u${'A'.repeat(30)}u`,
  `$scrypt$ln=14,r=8,p=1$${SALT_AND_KEY}`,
  `$pbkdf2-sha256$i=27500$${SALT_AND_KEY}`,
  `$pbkdf2-sha512$i=210000$${SALT_AND_KEY}${'A'.repeat(43)}`,
  `pbkdf2_sha256$260000$${SALT_AND_KEY}=`,
];

/** With native and imported hashes in equal parts */
const MIXED_USERS = 210;
/**
 * Users without a password are asked once each: an e-mail gets the same kind of hash every time, and few would be a small
 * sample. So many more than pairs, for what comes before the first pair
 */
const SPARE_USERS = 100;

export const timing: Experiment = {
  name: 'timing',
  isAlone: true,
  mutants: [
    {
      name: 'an unknown e-mail is refused before its password is hashed',
      file: 'src/auth/login.ts',
      from: 'const verdict = await passwords.verify(user?.password_hash ?? placeholderHash, password, slot);',
      to: `if (user === undefined) return refused('invalid_credentials');
  const verdict = await passwords.verify(user.password_hash ?? placeholderHash, password, slot);`,
      foundBy: /^known and unknown e-mails told apart/,
    },
    {
      name: 'a password is checked twice for users with a factor',
      file: 'src/auth/login.ts',
      from: 'const verdict = await passwords.verify(user?.password_hash ?? placeholderHash, password, slot);',
      to: `if (user?.has_factors) await passwords.verify(user.password_hash ?? placeholderHash, password, slot);
  const verdict = await passwords.verify(user?.password_hash ?? placeholderHash, password, slot);`,
      foundBy: /^users with (and without )?a second factor/,
    },
  ],
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    const gateways = await prepareGateways(lab, db.url);
    const { url } = await gateways.start();
    const [known = '', inactive = '', enrolled = ''] = await createUsers(gateways, db, 3);
    await addFactors(gateways, db, [enrolled]);
    await db.query('update users set is_active = false where email = $1', [inactive]);
    const apiKey = await createApiKey(gateways, 1_000_000);
    const [cronKeyId = ''] = (await createCronKey(gateways)).split('.');

    const connection = openOneConnection(url);
    lab.defer(connection.close);
    const { logins, keys } = PAIRS[size];
    lab.say(`${logins} refused logins of each of four kinds`);
    const loginMs = await measure(connection, logins, {
      known: () => wrongPassword(known),
      unknown: () => wrongPassword('userx@example.com'), // of the same length
      inactive: () => wrongPassword(inactive),
      enrolled: () => wrongPassword(enrolled),
    });
    lab.say(`${keys} refused calls of each of four kinds`);
    const keyMs = await measure(connection, keys, {
      apiKey: () => wrongSignature(apiKey.key_id),
      noApiKey: () => wrongSignature(`ak_${randomText(20)}`),
      cronKey: () => wrongInternalKey(cronKeyId),
      noCronKey: () => wrongInternalKey(`ck_${randomText(20)}`),
    });

    const { users = [], invited = [], nobody = [] } = await measureMixed(lab, gateways, db, logins);

    const { known: ofKnown = [], unknown = [], inactive: ofInactive = [], enrolled: ofEnrolled = [] } = loginMs;
    const { apiKey: ofApiKey = [], noApiKey = [], cronKey = [], noCronKey = [] } = keyMs;
    return [
      judge('known and unknown e-mails', ofKnown, unknown, logins),
      judge('inactive and unknown e-mails', ofInactive, unknown, logins),
      judge('users with and without a second factor', ofEnrolled, ofKnown, logins),
      judge('users with a second factor, and unknown e-mails,', ofEnrolled, unknown, logins),
      judge('users with native, old and imported hashes, and unknown e-mails,', users, nobody, logins),
      judge('users without a password, and unknown e-mails,', invited, nobody, logins),
      judge('known and unknown ids of API keys', ofApiKey, noApiKey, keys),
      judge('known and unknown ids of cron keys', cronKey, noCronKey, keys),
    ];
  },
};

/** To an instance that starts while users have hashes of every kind. */
async function measureMixed(
  lab: Lab,
  gateways: Gateways,
  db: Postgres,
  pairs: number,
): Promise<Record<string, number[]>> {
  const hashes = [await argon2.hash(PASSWORD, OLD_PARAMETERS), ...IMPORTED];
  const add = (name: string, count: number, hash: string, more: unknown[] = []): Promise<unknown> =>
    db.query(
      `insert into users (id, email, password_hash, role, created_at)
       select gen_random_uuid(), $1 || number || '@example.com', ${hash}, role, created_at
       from users, generate_series(1000, 999 + $2::integer) as number where email = 'user0@example.com'`,
      [name, count, ...more],
    );
  await add('user', MIXED_USERS, 'coalesce(($3::text[])[number % $4::integer], password_hash)', [
    hashes,
    hashes.length + 1,
  ]);
  await add('none', pairs + SPARE_USERS, 'null');
  const connection = openOneConnection((await gateways.start()).url);
  lab.defer(connection.close);
  let next = 1000;
  lab.say(`${pairs} refused logins of each of three kinds, with hashes of ${hashes.length + 1} kinds`);
  return measure(connection, pairs, {
    users: () => wrongPassword(`user${1000 + randomInt(MIXED_USERS)}@example.com`),
    invited: () => wrongPassword(`none${next++}@example.com`),
    nobody: () => wrongPassword(`${randomText(8)}@example.com`), // of the same length
  });
}

function wrongSignature(keyId: string): Timed {
  const { target: path, headers, body } = signAs({ key_id: keyId, secret: freshNonce() });
  return { path, headers: Object.fromEntries(headers), body };
}

function wrongInternalKey(keyId: string): Timed {
  const headers = { 'content-type': 'application/json', 'x-internal-key': `${keyId}.cks_${randomText(49)}` };
  return { path: '/graphql', headers, body: Buffer.from('{"query":"{ caller { callerType } }"}') };
}

function randomText(length: number): string {
  return Array.from({ length }, () => 'abcdefghijklmnopqrstuvwxyz'[randomInt(26)]).join('');
}
