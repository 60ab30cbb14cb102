/** RFC 7516: the compact JWE of `sealed-secret.ts`. Loaded with the first secret: most commands seal and open none. */
export { CompactEncrypt, compactDecrypt, errors } from 'jose';
