/** Scopes, the permissions of roles and keys. (Interface 6 and 11) */
import type { AssuranceLevel } from './assurance.js';
import type { Role } from './roles.js';

/** The scopes that the gateway itself requires. Any other `resource:action` is for other services. */
export const OWN_SCOPES = [
  'users:read',
  'users:write',
  'sessions:read',
  'sessions:write',
  'audit:read',
  'keys:read',
  'keys:write',
  'webhooks:read',
  'webhooks:write',
  'gateway:read',
  'tokens:introspect',
] as const;

export type OwnScope = (typeof OWN_SCOPES)[number];

/** `after_factor`: none yet, since the role has its scopes only in a session with a second factor (Interface 20) */
export type Scopes = 'all' | 'after_factor' | readonly string[];

/** A user in one session */
export interface RoleInSession {
  role: Role;
  acr: AssuranceLevel;
}

/** Interface 11. */
export const ROLE_SCOPES: Record<Role, Scopes> = {
  admin: 'all',
  analyst: ['users:read', 'sessions:read', 'audit:read'],
  viewer: [],
};

/** As many as a key may have, or a role in ROLE_SCOPES_FILE */
export const MAX_SCOPES = 50;

const SCOPE = /^[a-z][a-z0-9_.-]{0,62}:[a-z][a-z0-9_.-]{0,62}$/;

/** True for `resource:action` in lower case. */
export function isScope(text: string): boolean {
  return SCOPE.test(text);
}

export function hasScope(scopes: Scopes, scope: string): boolean {
  return scopes === 'all' || (scopes !== 'after_factor' && scopes.includes(scope));
}

/** What a user may do here in a session. @param secondFactorRoles SECOND_FACTOR_ROLES */
export function scopesInSession({ role, acr }: RoleInSession, secondFactorRoles: readonly Role[]): Scopes {
  return acr !== 'aal2' && secondFactorRoles.includes(role) ? 'after_factor' : ROLE_SCOPES[role];
}

export interface ScopeSettings {
  roleScopes: Readonly<Record<Role, readonly string[]>>;
  secondFactorRoles: readonly Role[];
}

/** What a user may do here in a session, and then what ROLE_SCOPES_FILE adds for other services. */
export function allScopesInSession(user: RoleInSession, { roleScopes, secondFactorRoles }: ScopeSettings): string[] {
  const scopes = scopesInSession(user, secondFactorRoles);
  return scopes === 'after_factor' ? [] : [...ownScopes(scopes), ...roleScopes[user.role]];
}

/** The scopes of the gateway itself among these, in the order of `OWN_SCOPES`. */
export function ownScopes(scopes: Scopes): OwnScope[] {
  return OWN_SCOPES.filter((scope) => hasScope(scopes, scope));
}
