/** `POST /auth/password/check`, sent when a link is opened, so that nobody chooses a password for a dead one. (Interface 15) */
import { NO_ANSWER, post, tooMany, UNAVAILABLE } from './request.js';

export type Checked =
  | { kind: 'live' }
  | { kind: 'link_invalid' }
  /** Nobody knows; the form decides it. */
  | { kind: 'unchecked'; text: string };

/** Sends the token, and nothing else. It uses nothing up. */
export async function checkLink(token: string): Promise<Checked> {
  try {
    return outcomeOf(await post('/auth/password/check', { token }));
  } catch {
    return { kind: 'unchecked', text: NO_ANSWER };
  }
}

function outcomeOf(response: Response): Checked {
  const { status } = response;
  if (status === 204) return { kind: 'live' };
  if (status === 401) return { kind: 'link_invalid' };
  return { kind: 'unchecked', text: status === 429 ? tooMany(response) : UNAVAILABLE };
}
