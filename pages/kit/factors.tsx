/** Second factors in words, and the field of a code. (Interface 20) */
import type { Factor } from '../../client/src/browser.js';
import { Field } from './field.js';
import { problemOf } from './graphql.js';
import { INCOMPLETE, Problem, shownProblem } from './problem.js';

/** The code of an authenticator app. Its name is that of the factor. */
export function CodeField({ problem }: { problem: Problem | undefined }) {
  return (
    <Field
      label="Code"
      name="totp"
      hint="The six digits that your authenticator app shows"
      inputMode="numeric"
      autocomplete="one-time-code"
      problem={problem}
      isOnce
      required
    />
  );
}

/** As apps show it: `123 456` */
const SIX_DIGITS = /^\s*(\d\s*){6}$/;

/**
 * @returns what was typed into the field
 * @throws {Problem} if it cannot be a code: each that is sent counts as a failed login
 */
export function codeOf(form: FormData): string {
  const code = String(form.get('totp'));
  if (SIX_DIGITS.test(code)) return code;
  throw new Problem('A code has six digits. Nothing was sent.', false, INCOMPLETE, 'totp');
}

const WRONG: Record<Factor, string> = {
  totp: 'This code is wrong, too old, or was used before. Enter the one that the app shows now.',
  recovery_code: 'This recovery code is wrong, or was used before.',
  passkey: 'This passkey was not accepted.',
};

/** What was wrong with a factor, about the field that has its name; a passkey has none. */
export function problemWithFactor(error: unknown, by: Factor): Problem {
  const { message, isPassing, reason } = shownProblem(problemOf(error));
  const isWrong = reason === 'invalid_credentials' || reason === 'factor_wrong';
  return new Problem(isWrong ? WRONG[by] : message, isPassing, reason, by === 'passkey' ? undefined : by);
}
