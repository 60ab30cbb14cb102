/** Second factors of a user. (Interface 20) */

/** What a user can have several of, and remove. */
export const FACTOR_KINDS = ['totp', 'passkey'] as const;

export type FactorKind = (typeof FACTOR_KINDS)[number];

/** What can take part in a login: a code, an assertion, or one of the recovery codes. */
export const FACTORS = [...FACTOR_KINDS, 'recovery_code'] as const;

export type FactorName = (typeof FACTORS)[number];

/** Passkeys a user may have */
export const MAX_PASSKEYS = 10;

export const MAX_FACTOR_NAME = 100;
