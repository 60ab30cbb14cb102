/** Interface 2: what is said where a password in a URL is probably not percent-encoded. It repeats nothing of the URL. */

/** What is not encoded in a password is taken for the end of it. */
export const ENCODED = '(in a password / # ? @ % are written %2F %23 %3F %40 %25)';

/** The first / ends the hosts, so with an @ behind it most of the password would be asked of the DNS, as a host. */
export const AT_BEHIND_SLASH =
  `has an @ behind the first /, so the password is not encoded ${ENCODED}; ` +
  'an @ that belongs to the name behind the / is written %40 too';

export const NO_ENCODING = `has a % that does not encode anything ${ENCODED}`;
