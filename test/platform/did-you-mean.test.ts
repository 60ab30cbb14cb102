/** Suggestions for mistyped words. (Interface 2 and 9) */
import { nearest } from '../../src/platform/did-you-mean.js';

const VARIABLES = [
  'CORS_ORIGINS',
  'TRUST_PROXY',
  'LOGIN_RATE_LIMIT',
  'COOKIE_SAMESITE',
  'GRAPHQL_EXPLORER',
  'REDIS_URL',
];
const COMMANDS = ['user list', 'user create', 'user unlock', 'api-key list', 'migrate up'];

test.each<[string, string | undefined, string[]]>([
  ['CORS_ORIGIN', 'CORS_ORIGINS', VARIABLES],
  ['TRUST_PROXIES', 'TRUST_PROXY', VARIABLES],
  ['LOGIN_RATE_LIMITS', 'LOGIN_RATE_LIMIT', VARIABLES],
  ['COOKIE_SAME_SITE', 'COOKIE_SAMESITE', VARIABLES],
  ['GRAPHQL_EXPLORE', 'GRAPHQL_EXPLORER', VARIABLES],
  ['GRAPHQL_EXPLO', undefined, VARIABLES],
  ['REDIS_HOST', undefined, VARIABLES],
  ['', undefined, VARIABLES],
  ['users list', 'user list', COMMANDS],
  ['user lsit', 'user list', COMMANDS],
  ['user crate', 'user create', COMMANDS],
  ['apikey list', 'api-key list', COMMANDS],
  ['--jsno', '--json', ['--json', '--yes', '--help']],
  ['--emial', '--email', ['--email', '--id', '--role', '--json', '--help']],
  ['usr', 'user', ['user', 'session']],
  ['usre', undefined, ['user', 'session']],
  ['database export', undefined, COMMANDS],
  ['user', undefined, []],
])('%j is taken for %j', (word, meant, known) => {
  expect(nearest(word, known)).toBe(meant);
});
