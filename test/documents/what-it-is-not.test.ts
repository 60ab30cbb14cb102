/** README.md, "What it is not": what it denies is missing, and what it grants is there. Whoever builds one changes the section. */
import { readFileSync } from 'node:fs';
import { readConfig } from '../../src/config/config.js';
import { ROLES } from '../../src/domain/roles.js';
import { textOf } from './printed.js';

const section = textOf('README.md#what-it-is-not');
const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as { paths: Record<string, object> };
const posted = Object.keys(paths).filter((path) => 'post' in (paths[path] ?? {}));

test('there are as many roles as it names', () => {
  const line = section.split('\n').find((text) => text.includes('roles')) ?? '';
  expect(Array.from(line.matchAll(/`(\w+)`/g), ([, role]) => role).toSorted()).toEqual([...ROLES].toSorted());
});

test('nobody signs up, logs in by another service or by a second factor, or asks for tokens by OAuth', () => {
  expect(section).toMatch(/No sign-up.*No social login.* MFA.*No OAuth or OpenID provider/s);
  const ofPasswords = ['/auth/password', '/auth/password/check', '/auth/password/redeem', '/auth/password/forgot'];
  expect(posted).toEqual(['/auth/login', '/auth/refresh', '/auth/logout', ...ofPasswords]);
});

test('no mail is sent unless a variable says so', () => {
  expect(section).toContain('No mail by itself');
  expect(readConfig({}).mail.kind).toBe('off');
});
