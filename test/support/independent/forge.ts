/** Signs JWTs with the keyring's own keys by jose directly, so that every branch behind a good signature is reached. */
import { createHmac, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { importJWK, type JWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import type { PrivateJwk } from '../../../src/credentials/keyring/private-jwks.js';
import type { TestGateway } from '../gateway/gateway.js';
import { KEYRING_FILE, required } from '../postgres/postgres.js';

type KeyringJwk = JWK & { kid: string; alg: string };

/** The keyring's first key of this algorithm. */
export function keyringJwk(alg: PrivateJwk['alg'], file = required(KEYRING_FILE)): KeyringJwk {
  const { keys } = JSON.parse(readFileSync(file, 'utf8')) as { keys: KeyringJwk[] };
  const found = keys.find((jwk) => jwk.alg === alg);
  if (found === undefined) throw new Error(`no ${alg} key`);
  return found;
}

interface Forgery {
  /** Added to those of a good refresh token that has no record; undefined takes a claim away. */
  claims?: Record<string, unknown>;
  header?: Partial<JWTHeaderParameters>;
  jwk?: JWK;
}

/** A refresh JWT as the gateway would sign it, but for what the test says. */
export async function forgeRefreshToken(
  { clock, config }: Pick<TestGateway, 'clock' | 'config'>,
  { claims = {}, header = {}, jwk = keyringJwk('HS256') }: Forgery = {},
): Promise<string> {
  const now = Math.floor(clock.now().getTime() / 1000);
  const good = { type: 'refresh', jti: randomUUID(), sub: randomUUID(), sid: randomUUID(), iss: config.publicUrl };
  const payload: JWTPayload = { ...good, iat: now, exp: now + 3600, ...claims };
  const alg = header.alg ?? jwk.alg ?? 'HS256';
  return new SignJWT(payload)
    .setProtectedHeader({ typ: 'JWT', kid: jwk.kid ?? 'none', ...header, alg })
    .sign(await importJWK(jwk, alg));
}

/** Header and claims in the compact form with a signature of the caller's choice. */
export function unsignedJwt(header: object, claims: object, signature = ''): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part(header)}.${part(claims)}.${signature}`;
}

/** A good HS256 signature of the keyring over any header, also one that a library would refuse to sign. */
export function hmacSignedJwt(header: object, claims: object): string {
  const { k = '', kid } = keyringJwk('HS256');
  const signed = unsignedJwt({ alg: 'HS256', typ: 'JWT', kid, ...header }, claims).slice(0, -1);
  return `${signed}.${createHmac('sha256', Buffer.from(k, 'base64url')).update(signed).digest('base64url')}`;
}
