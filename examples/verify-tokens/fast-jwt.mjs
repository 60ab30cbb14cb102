import { createPublicKey } from 'node:crypto';
import { createVerifier } from 'fast-jwt';
import getJwks from 'get-jwks';

const { ISSUER: issuer, AUDIENCE: audience } = process.env;
const jwks = getJwks({ issuersWhitelist: [`${issuer}/`] });

export const verify = createVerifier({
  key: async ({ header: { alg, kid } }) => {
    const jwk = await jwks.getJwk({ domain: issuer, alg, kid });
    return createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
  },
  algorithms: ['EdDSA', 'ES256', 'RS256'],
  checkTyp: 'at+jwt',
  allowedIss: issuer,
  allowedAud: audience,
  requiredClaims: ['exp', 'iss', 'aud'], // missing ones would not be checked
});
