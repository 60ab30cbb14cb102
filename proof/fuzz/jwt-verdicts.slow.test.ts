/**
 * The gateway judges every token as jose alone does. With FUZZ_REQUESTS it judges half as many tokens; FUZZ_SEED
 * chooses them, and is printed. (Interface 4)
 */
import { randomInt, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { JWK } from 'jose';
import { NO_ROLE_SCOPES } from '../../src/config/role-scopes.js';
import { type Keyring, openKeyring } from '../../src/credentials/keyring/keyring.js';
import { generateKeys, writeKeyringFile } from '../../src/credentials/keyring/keyring-file.js';
import { ACCESS_ALGS } from '../../src/credentials/keyring/private-jwks.js';
import { createTokens, type Tokens } from '../../src/credentials/tokens/jwt.js';
import { ROLES } from '../../src/domain/roles.js';
import { createLogger } from '../../src/platform/create-logger.js';
import { watchClock } from '../../src/platform/watched-clock.js';
import { handClock } from '../../test/support/gateway/clock.js';
import { claimsOf } from '../../test/support/gateway/gateway.js';
import { createJudge, type Judge, joseSigned } from '../../test/support/independent/jose-verdicts.js';
import { diceOf } from './dice.js';
import { type Making, mutatedToken } from './mutated-tokens.js';

/** The same seed in each run of the tests, another one in each run of its own. */
const { FUZZ_REQUESTS, FUZZ_SEED } = process.env;
const seed = Number(FUZZ_SEED ?? (FUZZ_REQUESTS === undefined ? 1 : randomInt(2 ** 31)));
const COUNT = Math.ceil(Number(FUZZ_REQUESTS ?? 3_000) / 2);

const ISSUER = 'http://localhost:3000';
const AUDIENCE = 'https://api.example.com';
const SETTINGS = {
  roleScopes: NO_ROLE_SCOPES,
  secondFactorRoles: [],
  publicUrl: ISSUER,
  jwtAudience: AUDIENCE,
  accessTokenSeconds: 900,
  refreshTokenSeconds: 3600,
};
const clock = handClock();
const watched = watchClock(clock, Number.POSITIVE_INFINITY);
const nowSeconds = Math.floor(clock.now().getTime() / 1000);
const at = (seconds: number): Date => new Date((nowSeconds + seconds) * 1000);

let folder: string;
let keyring: Keyring;
let tokens: Tokens;
let judge: Judge;
let making: Making;
beforeAll(async () => {
  process.stderr.write(`verdicts: FUZZ_SEED=${seed}\n`);
  folder = await mkdtemp(join(tmpdir(), 'gateway-verdicts-'));
  const file = join(folder, 'keyring.json');
  // Several keys of each kind, as while keys are rotated, and one of each algorithm.
  const made = await Promise.all(ACCESS_ALGS.map((alg) => generateKeys(alg)));
  await writeKeyringFile(file, made.flat(), 'create');
  keyring = await openKeyring(file, clock, createLogger('silent'));
  watched.compare(clock.now(), 0);
  tokens = createTokens(keyring, SETTINGS, watched);
  const keys = made.flat().filter(({ use }) => use === 'sig') as Making['keys'];
  const others = (await Promise.all(ACCESS_ALGS.map((alg) => generateKeys(alg)))).flat();
  const strangers = keys.map(({ alg, kid }) => ({ ...others.find((other) => other.alg === alg), kid }) as JWK);
  judge = createJudge(keys, ISSUER, AUDIENCE);
  making = { keys, strangers, issuer: ISSUER, audience: AUDIENCE, now: nowSeconds };
});
afterAll(async () => {
  keyring.close();
  await rm(folder, { recursive: true });
});

/** The verdicts of the gateway and of jose on a token at an instant */
async function judged(token: string, now: Date) {
  const ours = {
    refresh: await tokens.verifyRefreshToken(token, now),
    access: await tokens.verifyAccessToken(token, now),
  };
  const theirs = { refresh: await judge.refresh(token, now), access: await judge.access(token, now) };
  return { ours, theirs };
}

test(
  `Interface 4: each of ${COUNT} tokens, good, odd and broken, is judged as jose judges it`,
  async () => {
    const verdicts = { refresh: { good: 0, bad: 0 }, access: { good: 0, bad: 0 } };
    const differences: unknown[] = [];
    for (let index = 0; index < COUNT && differences.length < 10; index += 1) {
      const dice = diceOf(seed, index);
      const token = mutatedToken(dice, making);
      // Twice, since a good access token is known the second time; and the clock may have been put back.
      const instants = [at(0), at(dice.pick([-1, 0.999, 1, 1.5, 599.999, 600]))];
      if (dice.chance(0.3)) instants.reverse();
      for (const now of instants) {
        const { ours, theirs } = await judged(token, now);
        if (!isDeepStrictEqual(ours, theirs)) differences.push({ FUZZ_SEED: seed, index, now, token, ours, theirs });
        verdicts.refresh[ours.refresh === undefined ? 'bad' : 'good'] += 1;
        verdicts.access[ours.access === undefined ? 'bad' : 'good'] += 1;
      }
    }
    expect(differences).toEqual([]);
    // Each verdict is there often enough to mean something.
    for (const { good, bad } of Object.values(verdicts)) expect(Math.min(good, bad)).toBeGreaterThan(COUNT / 20);
  },
  60_000 + 100 * COUNT,
);

test.each(ACCESS_ALGS)(
  'Interface 4: what the gateway signs is what jose signs, and is good by either (%s)',
  async (alg) => {
    const file = join(folder, `${alg}.json`);
    const jwks = await generateKeys(alg);
    await writeKeyringFile(file, jwks, 'create');
    const ring = await openKeyring(file, clock, createLogger('silent'));
    ring.close();
    const ofRing = createTokens(ring, SETTINGS, watched);
    const [accessJwk = {}, refreshJwk = {}] = jwks as JWK[];
    const by = createJudge([accessJwk, refreshJwk], ISSUER, AUDIENCE);
    for (const role of ROLES) {
      const proof = { startedAt: at(-60), amr: null, provedAt: null };
      const session = { sub: randomUUID(), role, sid: randomUUID(), ...proof };
      const jti = randomUUID();
      const pair = ofRing.issuePair(session, { jti, expiresAt: at(3_600) }, at(0));
      const theirs = {
        accessToken: await joseSigned(claimsOf(pair.accessToken), 'at+jwt', accessJwk),
        refreshToken: await joseSigned(claimsOf(pair.refreshToken), 'JWT', refreshJwk),
      };
      // Of ECDSA each signature is another.
      const comparable = (token: string): string => (alg === 'ES256' ? token.slice(0, token.lastIndexOf('.')) : token);
      expect(pair.refreshToken).toBe(theirs.refreshToken);
      expect(comparable(pair.accessToken)).toBe(comparable(theirs.accessToken));

      const { sub, sid } = session;
      for (const { accessToken, refreshToken } of [pair, theirs]) {
        for (const verdict of [by.access(accessToken, at(899)), ofRing.verifyAccessToken(accessToken, at(899))]) {
          expect(await verdict).toEqual({
            sub,
            role,
            sid,
            acr: 'aal1',
            authTime: nowSeconds - 60,
            expiresAt: nowSeconds + 900,
          });
        }
        for (const verdict of [
          by.refresh(refreshToken, at(3_599)),
          ofRing.verifyRefreshToken(refreshToken, at(3_599)),
        ]) {
          expect(await verdict).toEqual({ type: 'refresh', jti, sub, sid, signedBy: 'refresh' });
        }
      }
    }
  },
);
