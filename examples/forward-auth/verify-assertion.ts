/** Who sent a request, according to the X-Auth-Assertion that the proxy has added. */
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose';

const { ISSUER: issuer = '', ORIGIN: audience = '' } = process.env;
const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`));

/** @throws {Error} unless it is of the gateway, for this service, and of the request with this method and target */
export async function verify(assertion: string, method?: string, target?: string): Promise<JWTPayload> {
  const typ = 'caller+jwt';
  const { payload } = await jwtVerify(assertion, keys, { issuer, audience, typ, requiredClaims: ['exp'] });
  const isOfThis = payload['method'] === method && payload['uri'] === target;
  if (!isOfThis) throw new Error('The assertion is of another request');
  return payload;
}
