/** The private JWKs (RFC 7517) in the file of a keyring, for three purposes. (Interface 3) */
import * as z from 'zod';

/** JWS algorithms of access tokens: RFC 8037 section 3.1, RFC 7518 sections 3.4 and 3.3. */
export const ACCESS_ALGS = ['EdDSA', 'ES256', 'RS256'] as const;

export type AccessAlg = (typeof ACCESS_ALGS)[number];

const common = { kid: z.string().min(1).max(200), nbf: z.int().nonnegative().optional() };
const bits256 = z.string().regex(/^[\w-]{42}[AEIMQUYcgkosw048]$/, 'must be 256 bits in base64url');
const base64url = z.string().regex(/^[\w-]+$/, 'must be base64url');

const accessJwk = { ...common, use: z.literal('sig') };
const ed25519Jwk = z.looseObject({
  ...accessJwk,
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  alg: z.literal(['EdDSA', 'Ed25519']),
  x: bits256,
  d: bits256,
});
const p256Jwk = z.looseObject({
  ...accessJwk,
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  alg: z.literal('ES256'),
  x: bits256,
  y: bits256,
  d: bits256,
});
const rsaJwk = z.looseObject({
  ...accessJwk,
  kty: z.literal('RSA'),
  alg: z.literal('RS256'),
  n: base64url,
  e: z.literal('AQAB', 'must be AQAB, which is 65537'),
  d: base64url,
  p: base64url,
  q: base64url,
  dp: base64url,
  dq: base64url,
  qi: base64url,
});

const secretJwk = { ...common, kty: z.literal('oct'), k: bits256 };
const refreshJwk = z.looseObject({ ...secretJwk, use: z.literal('sig'), alg: z.literal('HS256') });
const sealingJwk = z.looseObject({ ...secretJwk, use: z.literal('enc'), alg: z.literal('A256GCM') });

export const privateJwk = z.discriminatedUnion('alg', [ed25519Jwk, p256Jwk, rsaJwk, refreshJwk, sealingJwk]);

export type PrivateJwk = z.infer<typeof privateJwk>;
export type AccessJwk = Exclude<PrivateJwk, { kty: 'oct' }>;

const PURPOSES = {
  EdDSA: 'access',
  Ed25519: 'access',
  ES256: 'access',
  RS256: 'access',
  HS256: 'refresh',
  A256GCM: 'sealing',
} as const satisfies Record<PrivateJwk['alg'], string>;

export type KeyPurpose = (typeof PURPOSES)[keyof typeof PURPOSES];

export function purposeOf({ alg }: PrivateJwk): KeyPurpose {
  return PURPOSES[alg];
}

/** `Ed25519` (RFC 9864) is a newer name of `EdDSA`, which verifiers know, so tokens say `EdDSA`. */
export function accessAlg({ alg }: AccessJwk): AccessAlg {
  return alg === 'Ed25519' ? 'EdDSA' : alg;
}
