/** A service that verifies access tokens itself and caches the JWKS for a while, even if a key is missing in it. */
import { createRemoteJWKSet, type ExportedJWKSCache, jwksCache, jwtVerify } from 'jose';
import { PUBLIC_URL } from './gateways.js';

export interface Verifier {
  /** @throws if the token is refused */
  verify(accessToken: string): Promise<unknown>;
  /** Lets what it keeps grow older. */
  age(seconds: number): void;
}

/** @param keptSeconds how long it keeps the JWKS of the instance at `url` */
export function createVerifier(url: string, keptSeconds: number): Verifier {
  const cache: ExportedJWKSCache = { uat: 0, jwks: { keys: [] } }; // too old to be used
  const options = { cacheMaxAge: keptSeconds * 1000, cooldownDuration: keptSeconds * 1000, [jwksCache]: cache };
  return {
    verify: (accessToken) => {
      const keys = createRemoteJWKSet(new URL(`${url}/.well-known/jwks.json`), options); // from `cache` while it is fresh
      return jwtVerify(accessToken, keys, { issuer: PUBLIC_URL, audience: PUBLIC_URL, typ: 'at+jwt' });
    },
    age: (seconds) => {
      cache.uat -= seconds * 1000;
    },
  };
}
