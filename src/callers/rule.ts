/** The rule of a proxy: who may send the request that it asks about. (Interface 18) */
import { isRole, type Role } from '../domain/roles.js';
import { isScope } from '../domain/scopes.js';
import { type Explained, refused } from '../platform/refused.js';
import type { Caller, CallerType } from './caller.js';
import { CALLER_TYPES } from './kinds.js';

export interface Rule {
  kind: 'rule';
  /** Kinds of caller that may send the request */
  callers: CallerType[];
  /** A user must have one of them. Undefined: any role. Keys have no role */
  roles: Role[] | undefined;
  /** A caller of any kind must have all of them */
  scopes: string[];
  /** False: the answer has no assertion, and costs no signature */
  hasAssertion: boolean;
  /** True: the CORS preflight of a browser passes, which has no credential */
  allowsPreflight: boolean;
}

export type RuleRefusal = 'rule_invalid';

interface Parameter {
  isValue(text: string): boolean;
  values: string;
  isList: boolean;
  /** docs/interface.md prints it */
  means: string;
}

/** Each parameter with the values that it may have, and whether it takes several. */
export const PARAMETERS: Record<string, Parameter> = {
  caller: {
    isValue: isCallerType,
    values: CALLER_TYPES.join(', '),
    isList: true,
    means: 'needed: kinds of callers that may pass',
  },
  role: {
    isValue: isRole,
    values: 'viewer, analyst, admin',
    isList: true,
    means: 'a user must have one of these. It asks nothing of keys, and without `user` in `caller` it is refused',
  },
  scope: { isValue: isScope, values: 'resource:action', isList: true, means: 'every caller must have all of these' },
  assertion: {
    isValue: (text) => text === 'off',
    values: 'off',
    isList: false,
    means: '`X-Auth-Assertion` is `-`, and no signature is made',
  },
  preflight: {
    isValue: (text) => text === 'allow',
    values: 'allow',
    isList: false,
    means: 'a CORS preflight passes: `OPTIONS` with `Origin` and `Access-Control-Request-Method`, without a credential',
  },
};

const invalid = (detail: string): Explained<RuleRefusal> => refused('rule_invalid', detail);

/**
 * @param text one path segment, such as `caller=user,api_key;role=admin;scope=invoices:read`, as it was sent
 * @returns the refusal if anything in it is unknown, empty or repeated
 */
export function parseRule(text: string): Rule | Explained<RuleRefusal> {
  const given = new Map<string, string[]>();
  for (const part of text.split(';')) {
    const [, name = '', value = ''] = /^([a-z]+)=(.+)$/.exec(part) ?? [];
    const parameter = Object.hasOwn(PARAMETERS, name) ? PARAMETERS[name] : undefined;
    if (parameter === undefined) {
      return invalid(`The rule must be NAME=VALUE;NAME=VALUE, with the names ${Object.keys(PARAMETERS).join(', ')}`);
    }
    const values = parameter.isList ? value.split(',') : [value];
    if (given.has(name) || new Set(values).size < values.length)
      return invalid(`The rule repeats ${name} or a value of it`);
    if (!values.every(parameter.isValue)) return invalid(`In the rule, ${name} must be of: ${parameter.values}`);
    given.set(name, values);
  }
  const callers = given.get('caller')?.filter(isCallerType);
  const roles = given.get('role')?.filter(isRole);
  if (callers === undefined) return invalid('The rule must name the callers, such as caller=user');
  if (roles !== undefined && !callers.includes('user')) return invalid('The rule has a role, but only users have one');
  return {
    kind: 'rule',
    callers,
    roles,
    scopes: given.get('scope') ?? [],
    hasAssertion: !given.has('assertion'),
    allowsPreflight: given.has('preflight'),
  };
}

function isCallerType(text: string): text is CallerType {
  return CALLER_TYPES.some((type) => type === text);
}

/** Why a known caller may not send the request. */
export type RuleViolation = 'caller_not_allowed' | 'role_missing' | 'scope_missing';

/** @param scopes of the caller. @returns undefined if the caller satisfies the rule */
export function violationOf(rule: Rule, caller: Caller, scopes: readonly string[]): RuleViolation | undefined {
  if (!rule.callers.includes(caller.callerType)) return 'caller_not_allowed';
  if (caller.callerType === 'user' && rule.roles?.includes(caller.role) === false) return 'role_missing';
  return rule.scopes.every((scope) => scopes.includes(scope)) ? undefined : 'scope_missing';
}
