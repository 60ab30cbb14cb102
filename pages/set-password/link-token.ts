/** The token of a password link, which comes behind `#`, so that no server and no log has seen it. (Interface 15) */

/** The form of every token; whether it is valid, only the gateway knows. */
const TOKEN = /^pl_[0-9A-Za-z]{49}$/;

export interface Link {
  token: string;
  /** As the address says; the page only chooses its words by it. */
  isInvitation: boolean;
}

/**
 * Takes the token out of the address bar and the history, so that nobody finds it there.
 * @returns undefined if the address has none, or a part of one
 */
export function takeLink(): Link | undefined {
  const { hash, pathname, search } = location;
  if (hash === '') return undefined;
  history.replaceState(null, '', pathname);
  const token = new URLSearchParams(hash.slice(1)).get('token')?.trim() ?? '';
  const isInvitation = new URLSearchParams(search).get('for') === 'invitation';
  return TOKEN.test(token) ? { token, isInvitation } : undefined;
}
