/** Messages for URLs whose password is probably not percent-encoded. They repeat nothing of the URL. (Interface 2) */

export const ENCODED = '(in a password, write / # ? @ % as %2F %23 %3F %40 %25)';

/** The first / ends the hosts. With an @ after it, the part of the password in front of that / would be looked up in the DNS. */
export const AT_BEHIND_SLASH =
  `has an @ after the first /, so the password is not encoded ${ENCODED}; ` +
  'write an @ in the name after the / as %40, too';

export const NO_ENCODING = `has a % that encodes nothing ${ENCODED}`;
