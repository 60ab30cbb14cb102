/** The way to the page that mails a link for a new password, with the e-mail that was typed. (Interface 15 and 21) */

/** Behind `#`, which no server and no log sees. The page puts it into its field. */
export function forgotAddress(email = ''): string {
  return `/set-password${email === '' ? '' : `#email=${encodeURIComponent(email)}`}`;
}
