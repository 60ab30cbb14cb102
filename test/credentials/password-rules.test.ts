/** The rules for a password when it is set. (Interface 15) */
import fc from 'fast-check';
import { readCommonPasswords } from '../../src/credentials/passwords/common-passwords.js';
import { normalise } from '../../src/credentials/passwords/normal-form.js';
import {
  CURRENT_FAULT,
  createPasswordRules,
  createPasswordRulesOnDemand,
  MIN_PASSWORD_CHARACTERS,
  PASSWORD_FAULT_REASONS,
  type PasswordRules,
} from '../../src/credentials/passwords/password-rules.js';
import { writeBreached } from '../support/breached.js';

const EMAIL = 'Ada.Lovelace+shop@Example.com';
const BREACHED = 'a breached passphrase';

let rules: PasswordRules;
let listed: string[];
beforeAll(async () => {
  listed = await readCommonPasswords();
  const breachedPasswords = writeBreached([BREACHED]);
  rules = await createPasswordRules({ publicUrl: 'https://auth.example-shop.net:8443', breachedPasswords });
});

const ALLOWED: Array<[string, string]> = [
  ['15 characters', 'fifteen letters'],
  ['15 characters outside the BMP', '🔑'.repeat(15)],
  ['1,024 bytes', 'é'.repeat(512)],
  ['15 marks that join to 8 letters', 'é'.normalize('NFD').repeat(8)],
  ['only digits', '483920174658201'],
  ['a part of the e-mail and 8 other characters', 'lovelace-1815+1852'],
  ['the host and 8 other characters', 'auth.example-shop.net 12345678'],
  ['the e-mail of somebody else', 'grace.hopper@example.org'],
  ['a local part of 3 letters', 'ada ada ada ada ada'],
  ['only separators', '-'.repeat(15)],
  ['a common password and more', '1q2w3e4r5t6y7u8i and more'],
  ['a breached password in another case', BREACHED.toUpperCase()],
];
test.each(ALLOWED)('Interface 15: a password may have %s', async (_what, password) => {
  expect(await rules.faultOf(password, EMAIL)).toBeUndefined();
});

const REFUSED: Array<[string, string, string]> = [
  ['14 characters', 'too_short', 'fourteen chars'],
  ['14 characters outside the BMP, 28 UTF-16 units', 'too_short', '🔑'.repeat(14)],
  ['nothing', 'too_short', ''],
  ['1,025 bytes', 'too_long', `${'é'.repeat(512)}e`],
  ['the e-mail', 'context', EMAIL],
  ['the e-mail in another case', 'context', EMAIL.toUpperCase()],
  ['the e-mail in full-width letters', 'context', 'ａｄａ．ｌｏｖｅｌａｃｅ＠ｅｘａｍｐｌｅ．ｃｏｍ'],
  ['the local part and 7 characters', 'context', 'ada_lovelace shop 1234567'],
  ['the local part twice', 'context', 'adalovelaceshop/adalovelaceshop'],
  ['a part of the local part and 7 characters', 'context', '123 Lovelace 4567'],
  ['the host', 'context', 'auth.example-shop.net'],
  ['the host without separators', 'context', 'authexampleshopnet!'],
  ['a label of the host', 'context', 'ExampleShop2026'],
  ['a common password', 'common', '1q2w3e4r5t6y7u8i'],
  ['a common password in another case', 'common', '1Q2W3E4R5T6Y7U8I'],
  ['a common password in full-width letters', 'common', '１ｑ２ｗ３ｅ４ｒ５ｔ６ｙ７ｕ８ｉ'],
  ['a breached password', 'breached', BREACHED],
];
test.each(REFUSED)('Interface 15: a password that is %s is refused', async (_what, reason, password) => {
  const fault = await rules.faultOf(password, EMAIL);
  expect(fault?.reason).toBe(reason);
  expect(fault?.message).toMatch(/^must [^.]+[^.\s]$/);
  if (password !== '') expect(fault?.message).not.toContain(password);
});

test('Interface 15: the length is refused first, then the context, the list and the breaches', async () => {
  const hash = listed.find((common) => common.startsWith('1q2w')) ?? '';
  const both = await createPasswordRules({
    publicUrl: 'http://localhost:3000',
    breachedPasswords: writeBreached([hash, 'short']),
  });
  expect((await both.faultOf('short', undefined))?.reason).toBe('too_short');
  expect((await both.faultOf(hash, undefined))?.reason).toBe('common');
  expect((await both.faultOf(hash, `${hash}@example.com`))?.reason).toBe('context');
});

test('Interface 15: every common password is refused, and with one character more only if that is common too', async () => {
  const alone = await createPasswordRules({ publicUrl: 'http://localhost:3000', breachedPasswords: undefined });
  const list = new Set(listed);
  for (const password of listed.filter((common) => !common.includes('localhost'))) {
    expect((await alone.faultOf(password, undefined))?.reason).toBe('common');
    const longer = `${password}~`;
    expect(list.has(longer)).toBe((await alone.faultOf(longer, undefined)) !== undefined);
  }
});

test('Interface 15: of words at random none is refused, whatever the e-mail', async () => {
  const letters = fc.string({ unit: fc.constantFrom(...'bcdfghjkmnpqrtvwxyz'), minLength: 24, maxLength: 60 });
  const email = fc.constantFrom(undefined, EMAIL, 'a@b.example', 'root@localhost');
  await fc.assert(
    fc.asyncProperty(letters, email, async (password, of) => {
      expect(await rules.faultOf(password, of)).toBeUndefined();
    }),
  );
});

test('Interface 15: an e-mail with fewer than 8 characters around it is refused, wherever they are', async () => {
  const local = fc.stringMatching(/^[a-z]{4,12}(\.[a-z]{4,12})?$/);
  const around = fc.string({ unit: fc.constantFrom(...'0123456789!?$%'), maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(local, around, around, async (name, before, after) => {
      const email = `${name}@example.com`;
      expect((await rules.faultOf(`${before}${email.toUpperCase()}${after}`, email))?.reason).toBe('context');
    }),
  );
});

test('Interface 15: the limits are characters as typed, and bytes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 600 }), async (password) => {
      const fault = await rules.faultOf(password, undefined);
      const points = Array.from(password).length;
      expect(fault?.reason === 'too_short').toBe(points < MIN_PASSWORD_CHARACTERS);
      const isLong = new TextEncoder().encode(password).length > 1024;
      expect(fault?.reason === 'too_long').toBe(isLong);
    }),
  );
});

test('Interface 15: the list of common passwords is normalised, sorted, without doubles, and of the length that matters', () => {
  expect(listed.length).toBeGreaterThanOrEqual(3_000);
  expect(listed.filter((password) => normalise(password) !== password)).toEqual([]);
  expect(listed.filter((password) => [...password].length < MIN_PASSWORD_CHARACTERS)).toEqual([]);
  expect([...new Set(listed)].sort()).toEqual(listed);
  expect(listed.filter((password) => password.trim() !== password)).toEqual([]);
});

test('Interface 15: each reason has its own word, and "current" is for callers', () => {
  expect(CURRENT_FAULT).toEqual({ reason: 'current', message: expect.stringMatching(/^must /) });
  const tested = new Set([...REFUSED.map(([, reason]) => reason), CURRENT_FAULT.reason]);
  expect([...tested].sort()).toEqual([...PASSWORD_FAULT_REASONS].sort());
});

test('Interface 15: a command opens the breached passwords at the first password', async () => {
  const missing = createPasswordRulesOnDemand({ publicUrl: 'http://localhost:3000', breachedPasswords: '/missing' });
  await expect(missing.faultOf('fifteen letters', undefined)).rejects.toThrow('BREACHED_PASSWORDS: /missing');
});
