/** Users with sessions and links by SQL, and what they do with their own account. (Interface 21) */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { compactDecrypt, decodeJwt, type JWK } from 'jose';
import { type Answer, ask, login } from './browser.js';
import { type Gateways, PASSWORD } from './gateways.js';
import { newJti, signerOfAccessTokens, signRefreshTokens } from './minted.js';
import type { Timed } from './one-connection.js';
import type { Postgres } from './postgres.js';
import { createUsers } from './users.js';

/** Nobody takes a mail, so that the tokens of links stay sealed in the tables. */
export const ACCOUNT_ENV = {
  ACCOUNT: 'on',
  MAIL: 'smtp',
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'auth@example.com',
};

/** Longer than an experiment: the tokens of all users are copies of one */
const LIFETIME_SECONDS = 86_400;

export interface Owner {
  id: string;
  email: string;
  /** Of a session that has just begun */
  accessToken: string;
  refreshToken: string;
  /** Of the link to `wants` */
  changeToken: string;
  /** Of the link that gives `had` back */
  undoToken: string;
  /** Of the link for a new password, if the user `forgot` theirs */
  resetToken: string;
}

/** What a new user has in addition to a session. */
interface More {
  wants?: string;
  had?: string;
  forgot?: true;
  role?: string;
}

export interface Accounts {
  /** A user who has just logged in. */
  add(more?: More): Promise<Owner>;
  /** What is stored about the user; undefined if they are deleted. */
  stateOf(owner: Owner): Promise<AccountState | undefined>;
  /** Another session. @returns its access token */
  logIn(owner: Owner): Promise<string>;
  /** The token of the pending change, from its seal. */
  openChange(owner: Owner): Promise<string>;
  /** The token of the link that gives this address back, from its seal. */
  openUndo(owner: Owner, email: string): Promise<string>;
}

export interface AccountState {
  email: string;
  sessions: number;
  /** The address that the user wants */
  pending: string | null;
  /** Addresses that can be taken back, in the order of the changes */
  undos: string[];
  /** Whether there is a link for a new password */
  link: boolean;
}

const newToken = (prefix: string): string => `${prefix}_${randomBytes(32).toString('hex')}`;
const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** @param url of an instance, which signs the first token */
export async function openAccounts(gateways: Gateways, db: Postgres, url: string): Promise<Accounts> {
  const [first = ''] = await createUsers(gateways, db, 1);
  const { body } = await login(url, first, PASSWORD);
  const token = String(body['access_token']);
  const sign = signerOfAccessTokens(gateways, token);
  const exp = Number(decodeJwt(token).exp) + LIFETIME_SECONDS;
  const unseal = unsealer(gateways);
  let added = 0;

  const logIn = async (sub: string): Promise<{ accessToken: string; refreshToken: string }> => {
    const [jti, sid] = [newJti(), randomUUID()];
    await db.query(
      `insert into refresh_tokens (jti, user_id, family_id, user_agent, ip_address, expires_at)
       values ($1, $2, $3, '', '127.0.0.1', now() + interval '1 day')`,
      [jti, sub, sid],
    );
    const [refreshToken = ''] = await signRefreshTokens(gateways, [{ jti, sid, sub }]);
    return { accessToken: sign({ sub, sid, exp }), refreshToken };
  };

  return {
    add: async ({ wants, had, forgot, role = 'viewer' } = {}) => {
      const [id, email] = [randomUUID(), `owner${added++}@example.com`];
      const [changeToken, undoToken, resetToken] = [newToken('el'), newToken('eu'), newToken('pl')];
      await db.query(
        `with added as (
           insert into users (id, email, password_hash, role, created_at)
           select $1, $2, case when $3 then null else password_hash end, $4, created_at from users where email = $5
           returning id, password_version
         ), change as (
           insert into email_changes (user_id, token_sha256, email, password_version, expires_at)
           select id, $6, $7, password_version, now() + interval '30 minutes' from added where $7::text is not null
         ), undo as (
           insert into email_undos (id, user_id, token_sha256, email, expires_at)
           select $8, id, $9, $10, now() + interval '72 hours' from added where $10::text is not null
         )
         insert into password_links (user_id, token_sha256, password_version, purpose, expires_at)
         select id, $11, password_version, 'reset', now() + interval '30 minutes' from added where $3`,
        [
          ...[id, email, forgot ?? false, role, first],
          ...[sha256(changeToken), wants ?? null],
          ...[newJti(), sha256(undoToken), had ?? null],
          sha256(resetToken),
        ],
      );
      return { id, email, changeToken, undoToken, resetToken, ...(await logIn(id)) };
    },
    stateOf: async ({ id }) => {
      const [state] = await db.query<AccountState>(
        `select email,
           (select count(*)::integer from refresh_tokens where user_id = $1 and not revoked) as sessions,
           (select email from email_changes where user_id = $1) as pending,
           array(select email from email_undos where user_id = $1 order by id) as undos,
           exists (select from password_links where user_id = $1) as link
         from users where id = $1`,
        [id],
      );
      return state;
    },
    logIn: async ({ id }) => (await logIn(id)).accessToken,
    openChange: async ({ id }) => {
      const [row] = await db.query<Sealed>('select sealed_token from email_changes where user_id = $1', [id]);
      return unseal(row);
    },
    openUndo: async ({ id }, email) => {
      const [row] = await db.query<Sealed>('select sealed_token from email_undos where user_id = $1 and email = $2', [
        id,
        email,
      ]);
      return unseal(row);
    },
  };
}

interface Sealed {
  sealed_token: string | null;
}

function unsealer({ keyringFile }: Gateways): (row: Sealed | undefined) => Promise<string> {
  const { keys } = JSON.parse(readFileSync(keyringFile, 'utf8')) as { keys: Array<JWK & { k: string }> };
  const key = keys.find(({ alg }) => alg === 'A256GCM');
  if (key === undefined) throw new Error('the keyring has no key that seals');
  return async (row) => {
    if (row?.sealed_token == null) throw new Error('no token waits for a mail');
    const { plaintext } = await compactDecrypt(row.sealed_token, Buffer.from(key.k, 'base64url'));
    return Buffer.from(plaintext).toString('ascii');
  };
}

function post(url: string, path: string, body: object, more: Record<string, string> = {}): Promise<Answer> {
  const headers = { 'content-type': 'application/json', ...more };
  return ask(url, path, { headers, body: JSON.stringify(body) });
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

export function requestEmail(url: string, { accessToken }: Owner, email: string): Promise<Answer> {
  return post(url, '/auth/email', { email }, bearer(accessToken));
}

/** The same on a connection that is timed. */
export function requestTo(owner: Owner | undefined, email: string): Timed {
  if (owner === undefined) throw new Error('there are fewer users than requests');
  const headers = { 'content-type': 'application/json', ...bearer(owner.accessToken) };
  return { path: '/auth/email', headers, body: Buffer.from(JSON.stringify({ email })), status: 202 };
}

/** @param token of the link to the new address */
export function redeemEmail(url: string, { accessToken, changeToken }: Owner, token = changeToken): Promise<Answer> {
  return post(url, '/auth/email/redeem', { token }, bearer(accessToken));
}

export function undoEmail(url: string, token: string): Promise<Answer> {
  return post(url, '/auth/email/undo', { token });
}

export function deleteAccount(url: string, { accessToken }: Owner): Promise<Answer> {
  return ask(url, '/auth/account', { method: 'DELETE', headers: bearer(accessToken) });
}
