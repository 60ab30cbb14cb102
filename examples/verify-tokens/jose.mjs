import { createRemoteJWKSet, jwtVerify } from 'jose';

const { ISSUER: issuer, AUDIENCE: audience } = process.env;
const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`));

export async function verify(token) {
  const { payload } = await jwtVerify(token, keys, { issuer, audience, typ: 'at+jwt', requiredClaims: ['exp'] });
  return payload;
}
