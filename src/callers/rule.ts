/** The rule of a proxy: who may send the request that it asks about. (Interface 18 and 20) */
import { isRole, type Role } from '../domain/roles.js';
import { isScope } from '../domain/scopes.js';
import { epochSeconds } from '../platform/clock.js';
import { type Explained, refused } from '../platform/refused.js';
import type { Caller, CallerType } from './caller.js';
import { CALLER_TYPES } from './kinds.js';
import type { WantedProof } from './step-up.js';

export interface Rule {
  kind: 'rule';
  /** Kinds of caller that may send the request */
  callers: CallerType[];
  /** A user must have one of them. Undefined: any role. Keys have no role */
  roles: Role[] | undefined;
  /** A caller of any kind must have all of them */
  scopes: string[];
  /** What a user must have proved in the session, by the token. It asks nothing of keys */
  proof: WantedProof;
  /** False: the answer has no assertion, and costs no signature */
  hasAssertion: boolean;
  /** Interface 23, true: a user's question reads the session */
  isLive: boolean;
  /** Interface 22, true: a browser without a credential is sent to `/gate`, and may come back with a cookie */
  hasPages: boolean;
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

const MAX_AGE_SECONDS = 31_536_000;

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
  acr: {
    isValue: (text) => text === 'aal2',
    values: 'aal2',
    isList: false,
    means: 'a user must have shown a second factor in this session, by the token. As `role`, it asks nothing of keys',
  },
  max_age: {
    isValue: (text) => /^[1-9]\d{0,7}$/.test(text) && Number(text) <= MAX_AGE_SECONDS,
    values: `1 to ${MAX_AGE_SECONDS}`,
    isList: false,
    means:
      'a user must have logged in or confirmed within this number of seconds, by `auth_time` of the token. As `role`, it asks nothing of keys',
  },
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
  live: {
    isValue: (text) => text === 'on',
    values: 'on',
    isList: false,
    means:
      "a user's session must still be live, and the role that of the token: the question reads both (Interface 23)",
  },
  pages: {
    isValue: (text) => text === 'on',
    values: 'on',
    isList: false,
    means: 'a browser is sent to the login and comes back with a cookie (Interface 22). It asks nothing of keys',
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
    const [, name = '', value = ''] = /^([a-z_]+)=(.+)$/.exec(part) ?? [];
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
  const ofUsers = ['role', 'acr', 'max_age', 'live', 'pages'].find((name) => given.has(name));
  if (ofUsers !== undefined && !callers.includes('user')) {
    return invalid(`The rule has ${ofUsers}, which is for users alone, and lets none of them pass`);
  }
  const [maxAge] = given.get('max_age') ?? [];
  return {
    kind: 'rule',
    callers,
    roles,
    scopes: given.get('scope') ?? [],
    proof: {
      acr: given.has('acr') ? 'aal2' : undefined,
      maxAgeSeconds: maxAge === undefined ? undefined : Number(maxAge),
    },
    hasAssertion: !given.has('assertion'),
    isLive: given.has('live'),
    hasPages: given.has('pages'),
    allowsPreflight: given.has('preflight'),
  };
}

function isCallerType(text: string): text is CallerType {
  return CALLER_TYPES.some((type) => type === text);
}

/** Why a known caller may not send the request. */
export type RuleViolation = 'caller_not_allowed' | 'role_missing' | 'confirmation_required' | 'scope_missing';

/**
 * A missing scope may come with a second factor, but not with a new proof by the same means. So `acr` is asked for before the
 * scopes, and `max_age` after them.
 * @param scopes of the caller
 * @returns undefined if the caller satisfies the rule
 */
export function violationOf(
  rule: Rule,
  caller: Caller,
  scopes: readonly string[],
  now: Date,
): RuleViolation | undefined {
  const { acr, maxAgeSeconds = Number.POSITIVE_INFINITY } = rule.proof;
  const user = caller.callerType === 'user' ? caller : undefined;
  if (!rule.callers.includes(caller.callerType)) return 'caller_not_allowed';
  if (user !== undefined && rule.roles?.includes(user.role) === false) return 'role_missing';
  if (user !== undefined && acr !== undefined && user.acr !== acr) return 'confirmation_required';
  if (!rule.scopes.every((scope) => scopes.includes(scope))) return 'scope_missing';
  if (user !== undefined && epochSeconds(now) - user.authTime > maxAgeSeconds) return 'confirmation_required';
  return undefined;
}
