/** Access tokens made by hand as Interface 4 says, by a gateway whose keyring has an access key of every algorithm. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importJWK, type JWTPayload, SignJWT } from 'jose';
import { generateKeys } from '../../../src/credentials/keyring/keyring-file.js';
import type { AccessAlg } from '../../../src/credentials/keyring/private-jwks.js';
import { startGateway, type TestGateway } from '../gateway/gateway.js';
import { KEYRING_FILE, required } from '../postgres/postgres.js';
import { keyringJwk } from './forge.js';

export const ISSUER = 'http://localhost:3000';
export const AUDIENCE = 'https://api.example.com';
export const SUB = '00000000-0000-7000-8000-00000000000a';

export interface HandMade {
  gateway: TestGateway;
  /** The private key of this algorithm */
  jwk(alg: AccessAlg): ReturnType<typeof keyringJwk>;
  header(alg: AccessAlg): Record<string, unknown>;
  claims(): JWTPayload;
  /** A good token but for these changes; undefined takes a claim or a parameter away. */
  token(
    alg: AccessAlg,
    changes?: { claims?: Record<string, unknown>; header?: Record<string, unknown> },
  ): Promise<string>;
  close(): Promise<void>;
}

/** The keyring of all tests signs, by EdDSA; the others only check. */
export async function startHandMade(): Promise<HandMade> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-tokens-'));
  const file = join(folder, 'keyring.json');
  const { keys } = JSON.parse(await readFile(required(KEYRING_FILE), 'utf8'));
  for (const alg of ['ES256', 'RS256'] as const) keys.push((await generateKeys(alg))[0]);
  await writeFile(file, JSON.stringify({ keys }));
  const gateway = await startGateway({ env: { PUBLIC_URL: ISSUER, JWT_AUDIENCE: AUDIENCE, KEYRING_FILE: file } });

  const jwk = (alg: AccessAlg) => keyringJwk(alg, file);
  const header = (alg: AccessAlg) => ({ alg, typ: 'at+jwt', kid: jwk(alg).kid });
  const claims = () => {
    const now = Math.floor(gateway.clock.now().getTime() / 1000);
    const who = { sub: SUB, role: 'analyst', sid: randomUUID(), client_id: 'auth-gateway', type: 'access' };
    return { ...who, iss: ISSUER, aud: AUDIENCE, jti: randomUUID(), iat: now, exp: now + 60 };
  };
  return {
    gateway,
    jwk,
    header,
    claims,
    token: async (alg, changes = {}) =>
      new SignJWT({ ...claims(), ...changes.claims })
        .setProtectedHeader(JSON.parse(JSON.stringify({ ...header(alg), ...changes.header })))
        .sign(await importJWK(jwk(alg), alg), { crit: { 'x-unknown': true } }),
    close: async () => {
      await gateway.close();
      await rm(folder, { recursive: true });
    },
  };
}
