/** How sure the gateway is of the user of a session. (RFC 8176 and RFC 9470, Interface 20) */

/** In the order of the claim `amr`; `mfa` is there after two factors, or a passkey with user verification. */
export const AUTHENTICATION_METHODS = ['pwd', 'otp', 'hwk', 'swk', 'user', 'mfa'] as const;

export type AuthenticationMethod = (typeof AUTHENTICATION_METHODS)[number];

/** The claim `acr`. */
export const ASSURANCE_LEVELS = ['aal1', 'aal2'] as const;

export type AssuranceLevel = (typeof ASSURANCE_LEVELS)[number];

/** Of a session that began with a password and has proved nothing since. */
export const BY_PASSWORD: readonly AuthenticationMethod[] = ['pwd'];

export function assuranceOf(methods: readonly AuthenticationMethod[]): AssuranceLevel {
  return methods.includes('mfa') ? 'aal2' : 'aal1';
}

export function isAssuranceLevel(value: unknown): value is AssuranceLevel {
  return ASSURANCE_LEVELS.some((level) => level === value);
}
