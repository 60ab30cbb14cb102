/** README.md, "What it is not": what it denies is missing, and what it grants is there. Whoever builds one changes the section. */
import { readFileSync } from 'node:fs';
import { variables } from '../../src/config/config.js';
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
  expect(posted).toEqual(['/auth/login', '/auth/refresh', '/auth/logout', '/auth/password', '/auth/password/redeem']);
});

test('no variable says how mail is sent', () => {
  expect(section).toContain('No mail');
  expect(variables().filter(({ name }) => /MAIL|SMTP/.test(name))).toEqual([]);
});
