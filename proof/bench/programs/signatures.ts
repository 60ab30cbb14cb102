/**
 * Signing and verifying alone: jose, which signs through WebCrypto, compared with node:crypto, which signs synchronously, and
 * with the gateway, which signs by libsodium if its package is installed.
 */
import { createHmac, generateKeyPairSync, randomBytes, sign, timingSafeEqual, verify } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { ed25519Signer } from '../../../src/credentials/keyring/ed25519.js';
import { doTasks } from './task.js';

export interface SignaturesTask {
  /** For each of them */
  seconds: number;
}

/** Microseconds a call */
export type Signatures = Record<string, number>;

const CLAIMS = {
  sub: '0193b0c0-0000-7000-8000-000000000000',
  sid: '0193b0c0-0000-7000-8000-000000000001',
  iat: 1,
  exp: 9e9,
};
const pair = generateKeyPairSync('ed25519');
const secret = randomBytes(32);
const text = JSON.stringify(CLAIMS);
const bytes = Buffer.from(text);

const signed = (key: Parameters<SignJWT['sign']>[0], alg: string) =>
  new SignJWT(CLAIMS).setProtectedHeader({ alg, kid: 'a' }).sign(key);
const ownSign = ed25519Signer(pair.privateKey);
const hmac = (): Buffer => createHmac('sha256', secret).update(bytes).digest();
const tokens = { EdDSA: await signed(pair.privateKey, 'EdDSA'), HS256: await signed(secret, 'HS256') };
const made = { ed25519: sign(null, bytes, pair.privateKey), hmac: hmac() };

const CALLS: Record<string, () => unknown> = {
  'Ed25519 sign, jose': () => signed(pair.privateKey, 'EdDSA'),
  'Ed25519 sign, node:crypto': () => sign(null, bytes, pair.privateKey),
  'Ed25519 sign, gateway': () => ownSign(text),
  'Ed25519 verify, jose': () => jwtVerify(tokens.EdDSA, pair.publicKey),
  'Ed25519 verify, node:crypto': () => verify(null, bytes, pair.publicKey, made.ed25519),
  'HS256 sign, jose': () => signed(secret, 'HS256'),
  'HS256 sign, node:crypto': hmac,
  'HS256 verify, jose': () => jwtVerify(tokens.HS256, secret),
  'HS256 verify, node:crypto': () => timingSafeEqual(hmac(), made.hmac),
};

doTasks<SignaturesTask, Signatures>(async ({ seconds }) => {
  const micros: Signatures = {};
  for (const [name, call] of Object.entries(CALLS)) micros[name] = await microsOf(call, seconds);
  return micros;
});

/** Of its CPU, threads included */
async function microsOf(call: () => unknown, seconds: number): Promise<number> {
  const before = process.cpuUsage();
  const endMs = performance.now() + seconds * 1000;
  let calls = 0;
  for (; performance.now() < endMs; calls += 1) await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}
