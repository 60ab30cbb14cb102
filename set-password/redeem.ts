/** Interface 15: `POST /auth/password/redeem`, and its answers in words for the person at the page. */

export type Redeemed =
  | { kind: 'done' }
  /** The link is of no use any more. */
  | { kind: 'link_invalid' }
  /** The link works still, another password is needed. */
  | { kind: 'refused'; text: string }
  /** The same can be sent again. */
  | { kind: 'failed'; text: string; mayHaveWorked: boolean };

/** The gateway answers within 5 s. */
const ANSWER_MS = 15_000;

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
    const response = await fetch('/auth/password/redeem', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, new_password: newPassword }),
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    return await outcomeOf(response);
  } catch {
    return { kind: 'failed', text: 'No answer came. Check your connection, then try again.', mayHaveWorked: true };
  }
}

async function outcomeOf(response: Response): Promise<Redeemed> {
  const { status } = response;
  if (status === 204) return { kind: 'done' };
  if (status === 401) return { kind: 'link_invalid' };
  if (status === 422) return refusalOf(await response.json());
  if (status === 429) {
    const wait = waitText(Number(response.headers.get('retry-after')));
    return {
      kind: 'failed',
      text: `There were too many attempts. Wait ${wait}, then try again. ${UNUSED}`,
      mayHaveWorked: false,
    };
  }
  if (status >= 500) {
    const text = 'The service is not available at the moment. Try again in a minute.';
    return { kind: 'failed', text, mayHaveWorked: true };
  }
  const text = `The service refused the request (${status}). ${UNUSED} Try again, or ask whoever sent you the link.`;
  return { kind: 'failed', text, mayHaveWorked: false };
}

function refusalOf({ errors }: { errors: FieldError[] }): Redeemed {
  const ofPassword = errors.filter(({ field }) => field === 'new_password');
  if (ofPassword.length === 0) return { kind: 'link_invalid' };
  const text = ofPassword.map(({ message, reason = '' }) => `The password ${message}. ${ADVICE[reason] ?? ''}`.trim());
  return { kind: 'refused', text: text.join(' ') };
}

/** @param seconds 0 or NaN if the answer does not say */
function waitText(seconds: number): string {
  if (!(seconds > 0)) return 'a few minutes';
  const minutes = Math.ceil(seconds / 60);
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}
