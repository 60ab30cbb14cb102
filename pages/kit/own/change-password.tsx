/** The user changes their own password. (Interface 15) */
import { useState } from 'preact/hooks';
import { AuthError } from '../../../client/src/browser.js';
import { announce } from '../announce.js';
import { auth } from '../auth.js';
import { useChange } from '../change.js';
import { Field } from '../field.js';
import { problemOf } from '../graphql.js';
import { checkPassword } from '../password-check.js';
import { Problem } from '../problem.js';
import { UserName } from '../user-name.js';
import { readAgain, useMe } from './own.js';

interface Changed {
  newPassword: string;
  /** Undefined if the answer was lost */
  sessionsEnded?: number;
}

export function ChangePassword() {
  const { data } = useMe();
  const makeChange = useChange();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();

  const change = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    const form = event.currentTarget as HTMLFormElement;
    const fields = new FormData(form);
    const newPassword = String(fields.get('new'));
    const { fault: slip } = checkPassword(newPassword, data?.email ?? '');
    if (slip !== undefined) return setProblem(new Problem(slip, false, undefined, 'new')); // it costs no attempt
    setBusy(true);
    setProblem(undefined);
    try {
      const currentPassword = String(fields.get('current'));
      const changed = await makeChange<Changed>(
        async () => ({ newPassword, ...(await auth.changePassword({ currentPassword, newPassword })) }),
        async () => {
          await auth.confirm({ password: newPassword });
          return { newPassword };
        },
      );
      if (changed.newPassword !== newPassword) throw new Problem(CHANGED_BEFORE, false, 'current_password_wrong');
      form.reset();
      announce(`Your password was changed. ${endedText(changed.sessionsEnded)}`);
      readAgain();
    } catch (error) {
      setProblem(passwordProblemOf(error));
    } finally {
      setBusy(false);
    }
  };

  return (
    <section aria-labelledby="change-password">
      <h2 id="change-password">Change your password</h2>
      <form class="narrow" onSubmit={change}>
        <UserName />
        <Field
          label="Current password"
          name="current"
          type="password"
          autocomplete="current-password"
          problem={problem}
          required
        />
        <Field
          label="New password"
          name="new"
          type="password"
          autocomplete="new-password"
          hint="At least 15 characters, any characters, spaces too. Several words that do not belong together are easy to remember."
          problem={problem}
          required
        />
        <p class="hint">This session goes on. All your other sessions end.</p>
        <div class="actions start">
          <button type="submit" class="main" aria-disabled={isBusy}>
            {isBusy ? 'One moment…' : 'Change password'}
          </button>
        </div>
      </form>
    </section>
  );
}

/** Another new password than the one that is in the form */
const CHANGED_BEFORE = 'Your earlier attempt has changed it: the new password of then is your current one.';

function endedText(count: number | undefined): string {
  if (count === undefined) return 'Your other sessions were ended.';
  if (count === 0) return 'You had no other session.';
  return count === 1 ? 'Your other session was ended.' : `Your ${count} other sessions were ended.`;
}

/** The problem, with the field that it is about. */
function passwordProblemOf(error: unknown): Problem {
  const refused = error instanceof AuthError ? error.errors?.[0] : undefined;
  if (refused !== undefined) return new Problem(`The new password ${refused.message}.`, false, refused.reason, 'new');
  const found = problemOf(error);
  if (!(found instanceof Problem)) return new Problem('Something went wrong in this page.', false, undefined, 'new');
  const field = found.reason === 'current_password_wrong' ? 'current' : 'new';
  return new Problem(found.message, found.isPassing, found.reason, field);
}
