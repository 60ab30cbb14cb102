/** The rule, one segment of the path. (Interface 18) */

import type { Caller } from '../../src/callers/caller.js';
import { parseRule, type Rule, violationOf } from '../../src/callers/rule.js';

const PLAIN: Rule = {
  kind: 'rule',
  callers: ['user'],
  roles: undefined,
  scopes: [],
  proof: { acr: undefined, maxAgeSeconds: undefined },
  hasAssertion: true,
  isLive: false,
  hasPages: false,
  allowsPreflight: false,
};

test.each<[string, Partial<Rule>]>([
  ['caller=user', {}],
  ['caller=user,api_key,cron', { callers: ['user', 'api_key', 'cron'] }],
  ['caller=user;role=admin', { roles: ['admin'] }],
  ['role=admin,analyst;caller=user', { roles: ['admin', 'analyst'] }],
  ['caller=user;scope=a:b,c.d-e:f_g', { scopes: ['a:b', 'c.d-e:f_g'] }],
  ['caller=user;acr=aal2', { proof: { acr: 'aal2', maxAgeSeconds: undefined } }],
  ['caller=user;max_age=1', { proof: { acr: undefined, maxAgeSeconds: 1 } }],
  ['max_age=31536000;acr=aal2;caller=user', { proof: { acr: 'aal2', maxAgeSeconds: 31_536_000 } }],
  ['caller=user;assertion=off', { hasAssertion: false }],
  ['caller=user;preflight=allow', { allowsPreflight: true }],
])('Interface 18: %s is a rule', (text, differs) => {
  expect(parseRule(text)).toEqual({ ...PLAIN, ...differs });
});

test.each([
  '',
  'caller',
  'caller=',
  'caller=user;',
  ';caller=user',
  'caller=user;;role=admin',
  'role=admin',
  'caller=User',
  'caller=users',
  'caller=user,',
  'caller=user,user',
  'caller=user;caller=cron',
  'caller=user, api_key',
  'caller=user&role=admin',
  'caller=user%2Capi_key',
  'caller%3Duser',
  'caller=user;role=editor',
  'caller=user;role=',
  'caller=cron;role=admin',
  'caller=user;scope=a',
  'caller=user;scope=A:b',
  'caller=user;scope=a:b,a:b',
  'caller=user;scope=a:b;scope=c:d',
  'caller=user;acr=aal1',
  'caller=user;acr=',
  'caller=user;acr=aal2,aal1',
  'caller=api_key,cron;acr=aal2',
  'caller=user;max_age=0',
  'caller=user;max_age=-1',
  'caller=user;max_age=060',
  'caller=user;max_age=1.5',
  'caller=user;max_age=1e3',
  'caller=user;max_age=31536001',
  'caller=user;max_age=300,600',
  'caller=user;max_age=300;max_age=600',
  'caller=cron;max_age=300',
  'caller=user;max-age=300',
  'caller=user;assertion=on',
  'caller=user;assertion=off,off',
  'caller=user;preflight=deny',
  'caller=user;roles=admin',
  'caller=user;__proto__=x',
  'caller=user;constructor=x',
  'caller=user\nrole=admin',
])('Interface 18: %j is no rule', (text) => {
  expect(parseRule(text)).toMatchObject({ kind: 'refused', reason: 'rule_invalid' });
});

describe('Interface 18: a rule', () => {
  const NOW_SECONDS = 1_800_000_000;
  const user = (role: 'viewer' | 'analyst' | 'admin', acr: 'aal1' | 'aal2' = 'aal1', ageSeconds = 1_000): Caller => ({
    callerType: 'user',
    sub: 'u',
    role,
    sid: undefined,
    acr,
    authTime: NOW_SECONDS - ageSeconds,
    expiresAt: NOW_SECONDS + 900,
  });
  const key: Caller = { callerType: 'api_key', keyId: 'ak_1', serviceName: 's', scopes: [], rateLimit: 1 };
  const job: Caller = { callerType: 'cron', keyId: 'ck_1', serviceName: 's', scopes: [] };

  test.each<[string, Caller, string[], string | undefined]>([
    ['caller=user', user('viewer'), [], undefined],
    ['caller=user', key, [], 'caller_not_allowed'],
    ['caller=api_key', job, [], 'caller_not_allowed'],
    ['caller=api_key,cron', job, [], undefined],
    ['caller=user;role=analyst,admin', user('admin'), [], undefined],
    ['caller=user;role=analyst,admin', user('viewer'), [], 'role_missing'],
    ['caller=user,api_key;role=admin', key, [], undefined], // a key has no role
    ['caller=user;scope=a:b,c:d', user('admin'), ['a:b'], 'scope_missing'],
    ['caller=user;scope=a:b,c:d', user('admin'), ['c:d', 'x:y', 'a:b'], undefined],
    ['caller=user,api_key;role=admin;scope=a:b', key, [], 'scope_missing'],
    ['caller=user;role=admin;scope=a:b', user('viewer'), ['a:b'], 'role_missing'],
    ['caller=user;acr=aal2', user('viewer', 'aal2'), [], undefined],
    ['caller=user;acr=aal2', user('viewer'), [], 'confirmation_required'],
    ['caller=user,api_key;acr=aal2;max_age=1', key, [], undefined], // a key proves nothing
    ['caller=user,cron;acr=aal2;max_age=1', job, [], undefined],
    ['caller=user;max_age=300', user('viewer', 'aal1', 300), [], undefined],
    ['caller=user;max_age=300', user('viewer', 'aal2', 301), [], 'confirmation_required'],
    ['caller=user;max_age=300', user('viewer', 'aal1', -60), [], undefined], // the clock of another instance
    ['caller=user;acr=aal2;max_age=300', user('admin', 'aal2', 300), [], undefined],
    ['caller=user;acr=aal2;max_age=300', user('admin', 'aal1', 0), [], 'confirmation_required'],
    ['caller=user;role=admin;acr=aal2', user('viewer'), [], 'role_missing'],
    ['caller=user;acr=aal2;scope=a:b', user('viewer'), [], 'confirmation_required'], // which may bring the scope
    ['caller=user;acr=aal2;scope=a:b', user('viewer', 'aal2'), [], 'scope_missing'],
    ['caller=user;max_age=300;scope=a:b', user('viewer'), [], 'scope_missing'], // which no confirmation brings
  ])('%s, for %j with the scopes %j: %p', (text, caller, scopes, violation) => {
    expect(violationOf(parseRule(text) as Rule, caller, scopes, new Date(NOW_SECONDS * 1000))).toBe(violation);
  });
});
