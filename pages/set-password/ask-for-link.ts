/** `POST /auth/password/forgot`, and its answers in words for the person at the page. (Interface 15) */
import { NO_ANSWER, post, tooMany, UNAVAILABLE } from './request.js';

export type Asked =
  /** Taken; nobody learns whether the address has an account. */
  | { kind: 'sent' }
  /** The address cannot be one. */
  | { kind: 'refused'; text: string }
  /** The same can be sent again. */
  | { kind: 'failed'; text: string };

const NO_EMAIL = 'Enter your e-mail.';
const BAD_EMAIL = 'Enter a whole e-mail address, such as name@example.com.';

/** @returns what is wrong with it, for the field; undefined if the gateway is to decide */
export function faultOf(email: string): string | undefined {
  if (email === '') return NO_EMAIL;
  return /^[^\s@]+@[^\s@]+$/.test(email) ? undefined : BAD_EMAIL;
}

/** Sends the e-mail, and nothing else. */
export async function askForLink(email: string): Promise<Asked> {
  try {
    return outcomeOf(await post('/auth/password/forgot', { email }));
  } catch {
    return { kind: 'failed', text: NO_ANSWER };
  }
}

function outcomeOf(response: Response): Asked {
  const { status } = response;
  if (status === 202) return { kind: 'sent' };
  if (status === 422) return { kind: 'refused', text: BAD_EMAIL };
  if (status === 429) return { kind: 'failed', text: tooMany(response) };
  if (status >= 500) return { kind: 'failed', text: UNAVAILABLE };
  const text = `The service refused the request (${status}). Try again, or ask whoever gave you your account.`;
  return { kind: 'failed', text };
}
