/** Why a link does nothing, and what to do then. (Interface 21) */
import type { Problem } from '../kit/problem.js';
import type { EmailLink } from './link.js';

export const CUT_LINK = 'A part of the link is missing. Open it again from the message, or copy all of it.';

const DEAD: Record<EmailLink['kind'], string> = {
  email:
    'This link does nothing: it was used or replaced, it is older than 30 minutes, or it is for another account. Ask for ' +
    'a new one below.',
  undo: 'This link does nothing: it was used, or it is older than 72 hours. If you cannot log in, ask for a new password, or ask the administrators of this site.',
};

const TAKEN: Record<EmailLink['kind'], string> = {
  email: 'Another account has this e-mail by now. Choose another one.',
  undo: 'Another account has this e-mail by now. Ask the administrators of this site.',
};

export function linkText({ reason, message, isPassing }: Problem, kind: EmailLink['kind']): string {
  if (reason === 'link_invalid') return DEAD[kind];
  if (reason === 'email_taken') return TAKEN[kind];
  return isPassing ? `${message} Try again.` : message;
}
