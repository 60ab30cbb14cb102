/** Sentences of successful answers, which `openapi/` prints. */

/** Spec 2.4 */
export const LOGGED_OUT = 'Logged out successfully';

/** The answer to everybody who has forgotten a password (Interface 15) */
export const ON_ITS_WAY = 'If this address has an account, a message is on its way';

/** The answer to everybody who wants another e-mail (Interface 21) */
export const EMAIL_ON_ITS_WAY = 'If this address is free, a message is on its way to it';
