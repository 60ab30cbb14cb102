/** What comes behind `#`, so that no server and no log has seen it: the token of a link, or an e-mail. (Interface 15 and 21) */

/** The form of every token; whether it is valid, only the gateway knows. */
const TOKEN = /^pl_[0-9A-Za-z]{49}$/;

/** Of the characters that the gateway accepts (Spec 2.1), none of which is markup or unseen. */
const EMAIL = /^(?=.{3,254}$)[\w!#$%&'*+/=?^`{|}~.-]+@[\w.-]+$/;

export interface Link {
  token: string;
  /** As the address says; the page only chooses its words by it. */
  isInvitation: boolean;
}

interface Fragment {
  link: Link | undefined;
  /** What was typed in the login form that led here; '' if nothing was, or no e-mail */
  email: string;
  /** The address has a part of a link. */
  isCut: boolean;
}

/** Takes it out of the address bar and the history, so that nobody finds it there. */
export function takeFragment(): Fragment {
  const { hash, pathname, search } = location;
  if (hash !== '') history.replaceState(null, '', pathname);
  const named = new URLSearchParams(hash.slice(1));
  const token = named.get('token')?.trim() ?? '';
  const email = named.get('email')?.trim() ?? '';
  const isInvitation = new URLSearchParams(search).get('for') === 'invitation';
  const link = TOKEN.test(token) ? { token, isInvitation } : undefined;
  const isForgotten = named.has('email') && !named.has('token');
  return { link, email: EMAIL.test(email) ? email : '', isCut: hash !== '' && link === undefined && !isForgotten };
}
