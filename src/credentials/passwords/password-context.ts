/** Refuses passwords that are little more than the e-mail of their user or the host of this gateway. (Interface 15) */
import { normalise } from './normal-form.js';

/** Shorter words are in many passwords by chance. */
const MIN_WORD_CHARACTERS = 4;

/** With fewer characters around the context, those alone would have to be guessed. NIST allows no password under 8. */
const MIN_OTHER_CHARACTERS = 8;

/** True if a password has something of the context, and little else. */
export function isMadeOfContext(password: string, host: string, email: string | undefined): boolean {
  let rest = compress(password);
  const whole = rest;
  for (const word of wordsOf(host, email)) rest = rest.replaceAll(word, ' '); // the space keeps both sides apart
  if (rest === whole) return false;
  return [...rest.replaceAll(' ', '')].length < MIN_OTHER_CHARACTERS;
}

/**
 * In normal form, without what separates words in addresses and sentences: `Ada.Lovelace`, `ada lovelace` and `ada_lovelace`
 * are guessed together. Other characters count as characters around the context.
 */
function compress(text: string): string {
  return normalise(text).replace(/[\s.\-_+@'/:,]/g, '');
}

/** Longest first, so that the whole address goes before its parts. */
function wordsOf(host: string, email: string | undefined): string[] {
  const [, local = '', domain = ''] = /^(.*)@(.*)$/.exec(email ?? '') ?? [];
  const [mailbox = ''] = local.split('+'); // without the tag of a subaddress
  const parts = [email ?? '', local, mailbox, ...local.split(/[.\-_+']/), domain, host, ...host.split('.')];
  const words = parts.map(compress).filter((word) => [...word].length >= MIN_WORD_CHARACTERS);
  return words.sort((a, b) => b.length - a.length);
}
