/** The rule, one segment of the path. (Interface 18) */

import type { Caller } from '../../src/callers/caller.js';
import { parseRule, type Rule, violationOf } from '../../src/callers/rule.js';

const PLAIN: Rule = {
  kind: 'rule',
  callers: ['user'],
  roles: undefined,
  scopes: [],
  hasAssertion: true,
  allowsPreflight: false,
};

test.each<[string, Partial<Rule>]>([
  ['caller=user', {}],
  ['caller=user,api_key,cron', { callers: ['user', 'api_key', 'cron'] }],
  ['caller=user;role=admin', { roles: ['admin'] }],
  ['role=admin,analyst;caller=user', { roles: ['admin', 'analyst'] }],
  ['caller=user;scope=a:b,c.d-e:f_g', { scopes: ['a:b', 'c.d-e:f_g'] }],
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
  const user = (role: 'viewer' | 'analyst' | 'admin'): Caller => ({
    callerType: 'user',
    sub: 'u',
    role,
    sid: undefined,
    acr: 'aal1',
    authTime: 0,
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
  ])('%s, for %j with the scopes %j: %p', (text, caller, scopes, violation) => {
    expect(violationOf(parseRule(text) as Rule, caller, scopes)).toBe(violation);
  });
});
