/** The condition for a valid key. (Interface 6) */

/** SQL: a row of a key is neither revoked nor expired. */
export const isLive = (now: string): string => `revoked_at is null and (expires_at is null or expires_at > ${now})`;
