/** The assertion, as a service verifies it with the published keys. (Interface 18) */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { type Keyring, openKeyring } from '../../src/credentials/keyring/keyring.js';
import { generateKeys, writeKeyringFile } from '../../src/credentials/keyring/keyring-file.js';
import { ACCESS_ALGS } from '../../src/credentials/keyring/private-jwks.js';
import { type Assertion, signAssertion } from '../../src/credentials/tokens/assertion.js';
import { createTokens } from '../../src/credentials/tokens/jwt.js';
import { createLogger } from '../../src/platform/create-logger.js';
import { watchClock } from '../../src/platform/watched-clock.js';
import { handClock } from '../support/gateway/clock.js';

const PUBLIC_URL = 'https://auth.example.com';
const ASSERTION: Assertion = {
  aud: 'https://app.example.com',
  sub: '0193b0c0-0000-7000-8000-000000000000',
  caller_type: 'user',
  role: 'viewer',
  scopes: ['a:b'],
  method: 'GET',
  uri: '/a?b=%20',
  body: '-',
};

const clock = handClock();
const now = clock.now();

async function withKeyring(alg: (typeof ACCESS_ALGS)[number], use: (keyring: Keyring) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-assertion-'));
  const file = join(folder, 'keyring.json');
  await writeKeyringFile(file, await generateKeys(alg), 'create');
  const keyring = await openKeyring(file, clock, createLogger('silent'));
  try {
    await use(keyring);
  } finally {
    keyring.close();
    await rm(folder, { recursive: true });
  }
}

describe.each(ACCESS_ALGS)('Interface 18: an assertion by %s', (alg) => {
  test('is verified with the published key, for its service and time alone', () =>
    withKeyring(alg, async (keyring) => {
      const token = signAssertion(keyring, { publicUrl: PUBLIC_URL }, ASSERTION, now);
      const keys = createLocalJWKSet(keyring.publicJwks());
      const verify = (changes: object = {}, seconds = 0) =>
        jwtVerify(token, keys, {
          issuer: PUBLIC_URL,
          audience: ASSERTION.aud,
          typ: 'caller+jwt',
          currentDate: new Date(now.getTime() + seconds * 1000),
          ...changes,
        });
      expect((await verify()).payload).toMatchObject(ASSERTION);
      await verify({}, 59);
      await expect(verify({}, 60)).rejects.toMatchObject({ code: 'ERR_JWT_EXPIRED' });
      await expect(verify({ audience: 'https://b.test' })).rejects.toMatchObject({ claim: 'aud' });
      await expect(verify({ typ: 'at+jwt' })).rejects.toMatchObject({ claim: 'typ' });
    }));

  test('is neither an access token nor a refresh token, even if it had their claims', () =>
    withKeyring(alg, async (keyring) => {
      const settings = {
        publicUrl: PUBLIC_URL,
        jwtAudience: ASSERTION.aud, // as if a service had the audience of the tokens
        accessTokenSeconds: 900,
        refreshTokenSeconds: 900,
        roleScopes: { viewer: [], analyst: [], admin: [] },
        secondFactorRoles: [],
      };
      const watched = watchClock(clock, Number.POSITIVE_INFINITY);
      watched.compare(now, 0);
      const tokens = createTokens(keyring, settings, watched);
      for (const type of ['access', 'refresh']) {
        const token = signAssertion(keyring, { publicUrl: PUBLIC_URL }, { ...ASSERTION, ...{ type } }, now);
        expect(await tokens.verifyAccessToken(token, now)).toBeUndefined();
        expect(await tokens.verifyRefreshToken(token, now)).toBeUndefined();
      }
      const pair = tokens.issuePair(
        {
          sub: ASSERTION.sub,
          role: 'viewer',
          sid: ASSERTION.sub,
          startedAt: now,
          amr: null,
          provedAt: null,
        },
        { jti: ASSERTION.sub, expiresAt: new Date(now.getTime() + 60_000) },
        now,
      );
      expect(decodeProtectedHeader(pair.accessToken).typ).toBe('at+jwt');
      expect(await tokens.verifyAccessToken(pair.accessToken, now)).toBeDefined(); // so the first ones were refused by their type
    }));
});
