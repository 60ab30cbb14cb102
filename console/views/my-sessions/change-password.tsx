/** Interface 15: the user changes their own password. */
import { useState } from 'preact/hooks';
import { AuthError } from '../../../client/src/browser.js';
import { checkPassword } from '../../../set-password/password-check.js';
import { useAnswer } from '../../answer.js';
import { auth } from '../../auth.js';
import { Problem, problemOf } from '../../graphql.js';
import { announce } from '../../kit/announce.js';
import { OwnName } from '../../operations.js';
import { UserName } from '../../user-name.js';

interface Fault {
  field: 'current' | 'new';
  text: string;
}

export function ChangePassword() {
  const { data } = useAnswer(OwnName, {});
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault>();

  const change = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const fields = new FormData(form);
    const newPassword = String(fields.get('new'));
    const show = (found: Fault): void => {
      setFault(found);
      (form.elements.namedItem(found.field) as HTMLInputElement).focus();
    };
    const { fault: slip } = checkPassword(newPassword, data?.me?.email ?? '');
    if (slip !== undefined) return show({ field: 'new', text: slip }); // it costs no attempt
    setBusy(true);
    setFault(undefined);
    try {
      const { sessionsEnded } = await auth.changePassword({
        currentPassword: String(fields.get('current')),
        newPassword,
      });
      form.reset();
      announce(`Your password was changed. ${endedText(sessionsEnded)}`);
    } catch (error) {
      show(faultOf(error));
    } finally {
      setBusy(false);
    }
  };
  const errorOf = (field: Fault['field']) => (fault?.field === field ? fault.text : '');

  return (
    <section aria-labelledby="change-password">
      <h2 id="change-password">Change your password</h2>
      <form class="narrow" onSubmit={change}>
        <UserName />
        <div class="field">
          <label for="current">Current password</label>
          <input
            id="current"
            name="current"
            type="password"
            autocomplete="current-password"
            aria-invalid={errorOf('current') !== ''}
            aria-describedby="current-error"
            required
          />
          <p class="error" id="current-error" role="alert">
            {errorOf('current')}
          </p>
        </div>
        <div class="field">
          <label for="new">New password</label>
          <input
            id="new"
            name="new"
            type="password"
            autocomplete="new-password"
            aria-invalid={errorOf('new') !== ''}
            aria-describedby="new-error new-hint"
            required
          />
          <p class="error" id="new-error" role="alert">
            {errorOf('new')}
          </p>
          <p class="hint" id="new-hint">
            At least 15 characters, any characters, spaces too. Several words that do not belong together are easy to
            remember.
          </p>
        </div>
        <p class="hint">This session goes on. All your other sessions end.</p>
        <div class="actions start">
          <button type="submit" class="main" disabled={isBusy}>
            {isBusy ? 'One moment…' : 'Change password'}
          </button>
        </div>
      </form>
    </section>
  );
}

function endedText(count: number): string {
  if (count === 0) return 'You had no other session.';
  return count === 1 ? 'Your other session was ended.' : `Your ${count} other sessions were ended.`;
}

/** Where a refusal is shown */
function faultOf(error: unknown): Fault {
  const refused = error instanceof AuthError ? error.errors?.[0] : undefined;
  if (refused !== undefined) return { field: 'new', text: `The new password ${refused.message}.` };
  const problem = problemOf(error);
  const text = problem instanceof Problem ? problem.message : 'Something went wrong in this page.';
  const isAboutNew = !(problem instanceof Problem) || problem.reason !== 'current_password_wrong';
  return { field: isAboutNew ? 'new' : 'current', text };
}
