/** Spec 2.5: the roles of a user. */
export const ROLES = ['viewer', 'analyst', 'admin'] as const;

export type Role = (typeof ROLES)[number];

export function isRole(value: unknown): value is Role {
  return ROLES.some((role) => role === value);
}
