/** What people read. */
import { CombinedGraphQLErrors, ServerError } from '@apollo/client';
import { AuthError } from '@auth-gateway/client/browser';

interface Refusal {
  message: string;
  extensions?: { code?: string; requiredScope?: string } | undefined;
}

/** @param error of the client or of Apollo Client */
export function say(error: unknown): string {
  if (error instanceof AuthError) return `${error.detail}.`;
  const refusal = refusalOf(error);
  if (!refusal) return 'The gateway does not answer at present.';
  const { code, requiredScope } = refusal.extensions ?? {};
  if (requiredScope) return `You may not see this: it needs the scope ${requiredScope}.`;
  if (code === 'RATE_LIMITED') return 'Too many requests at once. Wait a moment, then try again.';
  if (code === 'SERVICE_UNAVAILABLE') return 'The gateway cannot answer at present. Try again soon.';
  return `${refusal.message}.`;
}

/** A field is refused with the status 200, a whole request with another. Both have `errors`. */
function refusalOf(error: unknown): Refusal | undefined {
  if (CombinedGraphQLErrors.is(error)) return error.errors[0];
  if (!ServerError.is(error)) return undefined;
  try {
    return (JSON.parse(error.bodyText) as { errors?: Refusal[] }).errors?.[0];
  } catch {
    return undefined; // a proxy in front of the gateway has answered
  }
}

export const timeOf = (date: string | null) => (date ? new Date(date).toLocaleString() : 'never');
