/** Interface 15: the token of a password link, which comes behind `#`, so that no server and no log has seen it. */

/** The form of every token; whether it is valid, only the gateway knows. */
const TOKEN = /^pl_[0-9A-Za-z]{49}$/;

/**
 * Takes the token out of the address bar and the history, so that nobody finds it there.
 * @returns undefined if the address has none, or a part of one
 */
export function takeToken(): string | undefined {
  const { hash, pathname } = location;
  if (hash === '') return undefined;
  history.replaceState(null, '', pathname);
  const token = new URLSearchParams(hash.slice(1)).get('token')?.trim() ?? '';
  return TOKEN.test(token) ? token : undefined;
}
