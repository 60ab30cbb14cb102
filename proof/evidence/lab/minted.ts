/** Sessions and tokens without a login, which costs a password check: records by SQL, tokens by the keyring. */
import { createPrivateKey, randomUUID, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { decodeJwt, decodeProtectedHeader, type JWK, SignJWT } from 'jose';
import { type Gateways, PUBLIC_URL } from './gateways.js';
import type { Postgres } from './postgres.js';

const LIFETIME_SECONDS = 86_400;

interface Minted {
  jti: string;
  sid: string;
  sub: string;
}

/** A UUID in time order (RFC 9562 section 5.7), as those of the gateway */
export function newJti(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/** @returns the refresh tokens of new sessions of this user, each as a login would have given it */
export async function mintSessions(
  gateways: Gateways,
  db: Pick<Postgres, 'query'>,
  email: string,
  count: number,
): Promise<string[]> {
  const [user] = await db.query<{ id: string }>('select id from users where email = $1', [email]);
  if (user === undefined) throw new Error('there is no such user');

  const exp = Math.floor(Date.now() / 1000) + LIFETIME_SECONDS;
  const sessions = Array.from({ length: count }, () => ({
    jti: newJti(),
    sid: randomUUID(),
    sub: user.id,
  }));
  await db.query(
    `insert into refresh_tokens (jti, user_id, family_id, user_agent, ip_address, expires_at)
     select jti, $1, family_id, '', '127.0.0.1', to_timestamp($2) from unnest($3::uuid[], $4::uuid[]) as s (jti, family_id)`,
    [user.id, exp, sessions.map(({ jti }) => jti), sessions.map(({ sid }) => sid)],
  );
  return signRefreshTokens(gateways, sessions);
}

/** Of sessions that have a live record, whenever that expires */
export function signRefreshTokens({ keyringFile }: Gateways, sessions: Minted[]): Promise<string[]> {
  const { keys } = JSON.parse(readFileSync(keyringFile, 'utf8')) as { keys: Array<JWK & { k: string; kid: string }> };
  const key = keys.find(({ alg }) => alg === 'HS256');
  if (key === undefined) throw new Error('the keyring has no key of refresh tokens');
  const now = Math.floor(Date.now() / 1000);
  return Promise.all(
    sessions.map(({ jti, sid, sub }) =>
      new SignJWT({ type: 'refresh', jti, sub, sid })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: key.kid })
        .setIssuer(PUBLIC_URL)
        .setIssuedAt(now)
        .setExpirationTime(now + LIFETIME_SECONDS)
        .sign(Buffer.from(key.k, 'base64url')),
    ),
  );
}

/** Copies of an access token that the gateway gave, each with a `jti` and so with a signature of its own. */
export function copyAccessToken(gateways: Pick<Gateways, 'keyringFile'>, token: string, count: number): string[] {
  const sign = signerOfAccessTokens(gateways, token);
  return Array.from({ length: count }, () => sign({ jti: newJti() }));
}

/** @returns signs the claims of an access token that the gateway gave, with these in the place of its own */
export function signerOfAccessTokens(
  { keyringFile }: Pick<Gateways, 'keyringFile'>,
  token: string,
): (changed: Record<string, unknown>) => string {
  const { keys } = JSON.parse(readFileSync(keyringFile, 'utf8')) as { keys: JWK[] };
  const { kid } = decodeProtectedHeader(token);
  const jwk = keys.find((key) => key.kid === kid);
  if (jwk?.crv !== 'Ed25519') throw new Error('the access token is not signed with Ed25519');
  const key = createPrivateKey({ key: jwk, format: 'jwk' });
  const claims = decodeJwt(token);
  const [header = ''] = token.split('.');
  return (changed) => {
    const payload = Buffer.from(JSON.stringify({ ...claims, ...changed })).toString('base64url');
    const signed = `${header}.${payload}`;
    return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`;
  };
}

/** Id of the session that a refresh token is of. */
export function sidOf(token: string): string {
  return String(decodeJwt(token)['sid']);
}
