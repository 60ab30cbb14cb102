/** An authenticator app of the tests' own: its codes, by RFC 6238. */
import { createHmac } from 'node:crypto';

const STEP_MS = 30_000;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The code of an authenticator app. @param secret base32 */
export function codeAt(secret: string, at: Date): string {
  const bits = [...secret].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(at.getTime() / STEP_MS)));
  const mac = createHmac('sha1', key).update(step).digest();
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fff_ffff;
  return String(number).slice(-6).padStart(6, '0');
}

/** A code that is wrong now, and in the step before. */
export function wrongCode(secret: string, now: Date): string {
  const right = [now, new Date(now.getTime() - STEP_MS)].map((at) => codeAt(secret, at));
  return ['000000', '000001', '000002'].find((code) => !right.includes(code)) ?? '';
}
