/**
 * Users with second factors, and what waits for one, by SQL: without the password check that each login costs. The requests
 * are those of a page. (Interface 20)
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { CompactEncrypt, type JWK } from 'jose';
import { toCbor } from '../../../test/support/independent/passkeys/cbor.js';
import { SoftwareAuthenticator } from '../../../test/support/independent/passkeys/software-authenticator.js';
import { type Answer, ask } from './browser.js';
import { type Gateways, PUBLIC_URL } from './gateways.js';
import type { Postgres } from './postgres.js';

type Database = Pick<Postgres, 'query'>;

/** 160 bits of base32, as an authenticator app knows them */
function newSecret(): string {
  return Array.from(randomBytes(32), (byte) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[byte & 31]).join('');
}

function newToken(): string {
  return randomBytes(32).toString('base64url');
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

export interface FactorUser {
  id: string;
  email: string;
  /** Of the authenticator app: base32 */
  secret: string;
  passkeys: SoftwareAuthenticator;
}

/**
 * Gives each of these users an authenticator app and a passkey.
 * @param isSynced whether passkeys are copied to other devices: then they do not count their uses
 */
export async function addFactors(
  { keyringFile }: Pick<Gateways, 'keyringFile'>,
  db: Database,
  emails: readonly string[],
  { isSynced = false }: { isSynced?: boolean } = {},
): Promise<FactorUser[]> {
  const { keys } = JSON.parse(readFileSync(keyringFile, 'utf8')) as { keys: Array<JWK & { k: string; kid: string }> };
  const key = keys.find(({ alg }) => alg === 'A256GCM');
  if (key === undefined) throw new Error('the keyring has no key that seals');
  const found = await db.query<{ id: string; email: string }>(
    'update users set has_factors = true where email = any ($1) returning id, email',
    [emails],
  );
  const rpId = new URL(PUBLIC_URL).hostname;
  return Promise.all(
    found.map(async ({ id, email }) => {
      const [secret, appId] = [newSecret(), randomUUID()];
      const sealed = await new CompactEncrypt(Buffer.from(secret))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: key.kid, key_id: appId })
        .encrypt(Buffer.from(key.k, 'base64url'));
      const passkeys = new SoftwareAuthenticator({ rpId, origin: PUBLIC_URL, isSynced });
      const handle = randomBytes(32);
      passkeys.create({
        rp: { name: rpId, id: rpId },
        user: { id: handle.toString('base64url'), name: email, displayName: '' },
        challenge: '',
        pubKeyCredParams: [],
      });
      const [passkey] = passkeys.passkeys;
      if (passkey === undefined) throw new Error('an authenticator has made no passkey');
      await db.query(
        `insert into factors (id, user_id, kind, name, created_at, sealed_secret,
           credential_id, user_handle, public_key, sign_count, transports, is_synced)
         values ($1, $2, 'totp', 'App', now(), $3, null, null, null, null, null, null),
           (gen_random_uuid(), $2, 'passkey', 'Key', now(), null, $4, $5, $6, 0, '{internal}', $7)`,
        [appId, id, sealed, passkey.id, handle, toCbor(passkey.publicKey), isSynced],
      );
      return { id, email, secret, passkeys };
    }),
  );
}

/** From now on every step of the apps of these users is unused. */
export async function forgetSteps(db: Database, ...users: FactorUser[]): Promise<void> {
  const ids = users.map(({ id }) => id);
  await db.query(`update factors set last_step = null where user_id = any ($1) and kind = 'totp'`, [ids]);
}

/** @returns challenges of logins whose password was right */
export function mintHalfLogins(db: Database, user: FactorUser, count: number): Promise<string[]> {
  return mintHalfLoginOfEach(
    db,
    Array.from({ length: count }, () => user),
  );
}

/** @returns the challenge of a half login of each of these users */
export async function mintHalfLoginOfEach(db: Database, users: readonly FactorUser[]): Promise<string[]> {
  const challenges = users.map(newToken);
  await db.query(
    `insert into ceremonies (token_sha256, purpose, user_id, password_version, expires_at)
     select token, 'half_login', id, password_version, now() + interval '5 minutes'
     from unnest($1::uuid[], $2::bytea[]) as half (user_id, token) join users on users.id = user_id`,
    [users.map(({ id }) => id), challenges.map(sha256)],
  );
  return challenges;
}

/** @returns challenges for passkeys, of nobody yet */
export async function mintCeremonies(db: Database, count: number): Promise<string[]> {
  const challenges = Array.from({ length: count }, newToken);
  await db.query(
    `insert into ceremonies (token_sha256, purpose, expires_at)
     select token, 'passkey_login', now() + interval '5 minutes' from unnest($1::bytea[]) as token`,
    [challenges.map(sha256)],
  );
  return challenges;
}

/** @returns more recovery codes of the user */
export async function mintRecoveryCodes(db: Database, { id }: FactorUser, count: number): Promise<string[]> {
  const codes = Array.from({ length: count }, () => randomBytes(13).toString('hex').toUpperCase());
  await db.query('insert into recovery_codes (user_id, code_sha256) select $1, unnest($2::bytea[])', [
    id,
    codes.map(sha256),
  ]);
  return codes;
}

/** What a page sends with the challenge of its half login, or to confirm */
export type Proof = Record<string, unknown>;

/** @param more headers */
function post(url: string, path: string, body: Proof, more: Record<string, string> = {}): Promise<Answer> {
  const headers = { 'content-type': 'application/json', ...more };
  return ask(url, path, { headers, body: JSON.stringify(body) });
}

/** The second step of a login. @param more headers */
export function finishLogin(
  url: string,
  challenge: string,
  proof: Proof,
  more?: Record<string, string>,
): Promise<Answer> {
  return post(url, '/auth/login/factor', { challenge, ...proof }, more);
}

/** @param more headers */
export function confirm(
  url: string,
  accessToken: string,
  proof: Proof,
  more: Record<string, string> = {},
): Promise<Answer> {
  return post(url, '/auth/confirm', proof, { authorization: `Bearer ${accessToken}`, ...more });
}

/** Begins the enrolment of an authenticator app, which only a fresh session may. */
export function beginApp(url: string, accessToken: string): Promise<Answer> {
  return post(url, '/auth/factors/totp', {}, { authorization: `Bearer ${accessToken}` });
}

/** The first code of a new app. */
export function activateApp(url: string, accessToken: string, id: string, code: string): Promise<Answer> {
  return post(url, `/auth/factors/totp/${id}`, { code }, { authorization: `Bearer ${accessToken}` });
}

/** @returns what `logInByPasskey` sends: the answer of the user's authenticator to a new challenge */
export async function signInCeremony(url: string, { passkeys }: FactorUser): Promise<Proof> {
  const { status, body } = await post(url, '/auth/login/passkey/options', {});
  if (status !== 200) throw new Error(`the options of a passkey were answered ${status}`);
  const { ceremony, publicKey } = body as { ceremony: string; publicKey: Parameters<SoftwareAuthenticator['get']>[0] };
  return { ceremony, credential: passkeys.get(publicKey) };
}

export function logInByPasskey(url: string, proof: Proof): Promise<Answer> {
  return post(url, '/auth/login/passkey', proof);
}
