/** The roles of a user. (Spec 2.5) */
export const ROLES = ['viewer', 'analyst', 'admin'] as const;

export type Role = (typeof ROLES)[number];

export function isRole(value: unknown): value is Role {
  return ROLES.some((role) => role === value);
}
