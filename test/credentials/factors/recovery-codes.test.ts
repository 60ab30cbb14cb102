/** Recovery codes: how they look, and how they may be typed. (Interface 20) */
import { createHash } from 'node:crypto';
import { newRecoveryCodes, recoveryCodeSha256 } from '../../../src/credentials/factors/recovery-codes.js';

test('Interface 20: ten codes of 128 bits, in groups, without letters that look like others', () => {
  const codes = Array.from({ length: 100 }, newRecoveryCodes);
  for (const ten of codes) expect(ten).toHaveLength(10);
  expect(new Set(codes.flat()).size).toBe(1000);
  const digits = '[0-9A-HJKMNP-TV-Z]';
  for (const code of codes.flat()) {
    expect(code).toMatch(new RegExp(`^${digits}{5}-${digits}{5}(-${digits}{4}){4}$`));
  }
  for (const place of Array.from({ length: 25 }, (_, digit) => digit)) {
    expect(new Set(codes.flat().map((code) => code.replaceAll('-', '')[place])).size).toBe(32);
  }
});

test('Interface 20: a code is the same in every way that people type it', () => {
  const sha256 = createHash('sha256').update('ABCDE01H1J1K0MNPQRSTVWXYZ0').digest();
  const typed = [
    'ABCDE-01H1J-1K0M-NPQR-STVW-XYZ0',
    'abcde-01h1j-1k0m-npqr-stvw-xyz0',
    'ABCDE01H1J1K0MNPQRSTVWXYZ0',
    '  ABCDE 01H1J\t1K0M\nNPQR\u00a0STVW XYZ0\r\n',
    'ABCDE-OlHIJ-iKoM-NPQR-STVW-XYZO',
    'ABCDE–01H1J‐1K0M—NPQR‑STVW-XYZ0',
  ];
  for (const code of typed) expect(recoveryCodeSha256(code)).toEqual(sha256);
});

test('Interface 20: another code, and any text, has another hash', () => {
  const [code = ''] = newRecoveryCodes();
  const others = ['', '-', 'U', code.slice(0, -1), `${code}0`, '\0', '\ud800', '🔑', 'é', 'x'.repeat(1_000_000)];
  for (const other of others) {
    const hash = recoveryCodeSha256(other);
    expect(hash).toHaveLength(32);
    expect(hash).not.toEqual(recoveryCodeSha256(code));
  }
});
