/** `POST /auth/password/redeem`, and its answers in words for the person at the page. (Interface 15) */
import { NO_ANSWER, post, tooMany, UNAVAILABLE } from './request.js';

export type Redeemed =
  | { kind: 'done' }
  /** The link is of no use any more. */
  | { kind: 'link_invalid' }
  /** The link works still, another password is needed. */
  | { kind: 'refused'; text: string }
  /** The same can be sent again. */
  | { kind: 'failed'; text: string; mayHaveWorked: boolean };

const UNUSED = 'Your link was not used up.';

/** Why the gateway refuses what it has found in a list */
const LISTED = 'Attackers try such passwords first.';
const ADVICE: Record<string, string> = { common: LISTED, breached: LISTED };

interface FieldError {
  field: string;
  /** Begins with "must" */
  message: string;
  reason?: string;
}

/** Sends the token and the password, and nothing else. */
export async function redeem(token: string, newPassword: string): Promise<Redeemed> {
  try {
    return await outcomeOf(await post('/auth/password/redeem', { token, new_password: newPassword }));
  } catch {
    return { kind: 'failed', text: NO_ANSWER, mayHaveWorked: true };
  }
}

async function outcomeOf(response: Response): Promise<Redeemed> {
  const { status } = response;
  if (status === 204) return { kind: 'done' };
  if (status === 401) return { kind: 'link_invalid' };
  if (status === 422) return refusalOf(await response.json());
  if (status === 429) return { kind: 'failed', text: `${tooMany(response)} ${UNUSED}`, mayHaveWorked: false };
  if (status >= 500) return { kind: 'failed', text: UNAVAILABLE, mayHaveWorked: true };
  const text = `The service refused the request (${status}). ${UNUSED} Try again, or ask whoever sent you the link.`;
  return { kind: 'failed', text, mayHaveWorked: false };
}

function refusalOf({ errors }: { errors: FieldError[] }): Redeemed {
  const ofPassword = errors.filter(({ field }) => field === 'new_password');
  if (ofPassword.length === 0) return { kind: 'link_invalid' };
  const text = ofPassword.map(({ message, reason = '' }) => `The password ${message}. ${ADVICE[reason] ?? ''}`.trim());
  return { kind: 'refused', text: text.join(' ') };
}
