/** TOTP: the vectors of RFC 6238, which steps count, and what a QR code says. (Interface 20) */
import { matchingStep, newTotpSecret, TOTP_STEP_SECONDS, totpUri } from '../../../src/credentials/factors/totp.js';

/** `12345678901234567890` in base32, as `base32` of coreutils prints it. */
const RFC_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

/** Appendix B of RFC 6238, SHA-1: seconds since 1970, and the code in eight digits. */
const VECTORS: Array<[seconds: number, code: string]> = [
  [59, '94287082'],
  [1111111109, '07081804'],
  [1111111111, '14050471'],
  [1234567890, '89005924'],
  [2000000000, '69279037'],
  [20000000000, '65353130'],
];

const at = (seconds: number) => new Date(seconds * 1000);

test.each(VECTORS)('Interface 20: RFC 6238 at %p s is %p, of which six digits are shown', (seconds, code) => {
  expect(matchingStep(RFC_SECRET, code.slice(-6), at(seconds))).toBe(Math.floor(seconds / 30));
});

test('Interface 20: a code counts in its step and the next, and the step is said', () => {
  const [, code] = VECTORS[2] as [number, string];
  const step = Math.floor(1111111111 / TOTP_STEP_SECONDS);
  const first = step * TOTP_STEP_SECONDS;
  const matches = [-0.001, 0, 29.999, 30, 59.999, 60].map((offset) =>
    matchingStep(RFC_SECRET, code.slice(-6), at(first + offset)),
  );
  expect(matches).toEqual([undefined, step, step, step, step, undefined]);
});

test('Interface 20: white space in a code is ignored', () => {
  for (const typed of ['050 471', ' 050471\n', '0 5 0 4 7 1', '050\u00a0471']) {
    expect(matchingStep(RFC_SECRET, typed, at(1111111111))).toBe(37037037);
  }
});

test('Interface 20: what is not six ASCII digits is no code, even if 000000 is one', () => {
  // Found by trial
  const secret = 'GAYDAMBQGAYDAMBQGAYDAMBQGUYDQMZR';
  expect(matchingStep(secret, '000000', at(0))).toBe(0);
  const others = [
    '',
    '00000',
    '0000000',
    '00000o',
    '-00000',
    '0x0000',
    '000000\0',
    '٠٠٠٠٠٠',
    '０００００００',
    '0.0000',
    '1e0000',
  ];
  for (const code of [...others, `${' '.repeat(27)}000000`, '0'.repeat(1_000_000)]) {
    expect(matchingStep(secret, code, at(0))).toBeUndefined();
  }
});

test('Interface 20: a secret is 160 random bits in 32 characters of base32', () => {
  const secrets = Array.from({ length: 1000 }, newTotpSecret);
  expect(new Set(secrets).size).toBe(1000);
  for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  for (let digit = 0; digit < 32; digit += 1) {
    expect(new Set(secrets.map((secret) => secret[digit])).size).toBe(32);
  }
});

test('Interface 20: the URI names the issuer and the account', () => {
  expect(totpUri(RFC_SECRET, 'gate.example', 'ann@example.com')).toBe(
    `otpauth://totp/gate.example:ann%40example.com?secret=${RFC_SECRET}&issuer=gate.example&algorithm=SHA1&digits=6&period=30`,
  );
});

test('Interface 20: nothing in an issuer or an account changes the meaning of the URI', () => {
  const uri = new URL(totpUri(RFC_SECRET, 'localhost:3000', '"a:b?c=d&secret=x#"/é@example.com'));
  expect(uri.pathname).toBe('/localhost%203000:%22a%20b%3Fc%3Dd%26secret%3Dx%23%22%2F%C3%A9%40example.com');
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    secret: RFC_SECRET,
    issuer: 'localhost 3000',
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
});
