import { createRemoteJWKSet, jwtVerify } from 'jose';
import { allowInsecureRequests, discovery } from 'openid-client';

const { ISSUER: issuer, AUDIENCE: audience } = process.env;
const insecure = issuer.startsWith('http:') ? [allowInsecureRequests] : []; // local gateway
const config = await discovery(new URL(issuer), 'my-service', undefined, undefined, { execute: insecure });
const keys = createRemoteJWKSet(new URL(config.serverMetadata().jwks_uri));

export async function verify(token) {
  const { payload } = await jwtVerify(token, keys, { issuer, audience, typ: 'at+jwt', requiredClaims: ['exp'] });
  return payload;
}
