/** Libraries that verify access tokens, each with an example in examples/verify-tokens that a test runs. */
import { readFileSync } from 'node:fs';
import { ACCESS_ALGS, type AccessAlg } from '../../../src/credentials/keyring/private-jwks.js';
import { table } from './table.js';

export interface Library {
  name: string;
  language: string;
  /** In examples/verify-tokens */
  file: string;
  /** Of npm, whose versions are those of package.json; the version otherwise */
  packages: string[] | string;
  algs: readonly AccessAlg[];
}

export const LIBRARIES: readonly Library[] = [
  { name: 'jose', language: 'JavaScript', file: 'jose.mjs', packages: ['jose'], algs: ACCESS_ALGS },
  {
    name: 'express-oauth2-jwt-bearer',
    language: 'Express',
    file: 'express-oauth2-jwt-bearer.mjs',
    packages: ['express-oauth2-jwt-bearer'],
    algs: ACCESS_ALGS,
  },
  {
    name: 'express-jwt, with jwks-rsa',
    language: 'Express',
    file: 'express-jwt.mjs',
    packages: ['express-jwt', 'jwks-rsa'],
    algs: ['ES256', 'RS256'],
  },
  {
    name: 'openid-client, with jose',
    language: 'JavaScript',
    file: 'openid-client.mjs',
    packages: ['openid-client'],
    algs: ACCESS_ALGS,
  },
  {
    name: 'fast-jwt, with get-jwks',
    language: 'JavaScript',
    file: 'fast-jwt.mjs',
    packages: ['fast-jwt', 'get-jwks'],
    algs: ACCESS_ALGS,
  },
  { name: 'PyJWT', language: 'Python', file: 'pyjwt.py', packages: '2.6.0', algs: ACCESS_ALGS },
];

export function verifyLibraries(): string {
  const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const pinned: Record<string, string> = { ...dependencies, ...devDependencies };
  const rows = LIBRARIES.map(({ name, language, file, packages, algs }) => {
    const versions = typeof packages === 'string' ? packages : packages.map((each) => pinned[each]).join(', ');
    const works = ACCESS_ALGS.map((alg) => (algs.includes(alg) ? 'yes' : 'no'));
    return [`[${name}](../examples/verify-tokens/${file})`, language, versions, ...works];
  });
  return table(['library', 'language', 'tried', ...ACCESS_ALGS], rows);
}
