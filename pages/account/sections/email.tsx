/** The e-mail, and a form to change it. (Interface 21) */
import { useState } from 'preact/hooks';
import { changeEmail } from '../../../client/src/account.js';
import { AuthError } from '../../../client/src/browser.js';
import { announce } from '../../kit/announce.js';
import { auth } from '../../kit/auth.js';
import { changeProblemOf } from '../../kit/change.js';
import { confirmed } from '../../kit/confirmation.js';
import { Field } from '../../kit/field.js';
import { Foreign } from '../../kit/foreign.js';
import { useMe, usePendingEmail } from '../../kit/own/own.js';
import { Problem, shownProblem } from '../../kit/problem.js';
import { Answered } from '../../kit/states.js';
import { link } from '../link.js';

export function Email() {
  const me = useMe();
  const pending = usePendingEmail();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();

  const change = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    const form = event.currentTarget as HTMLFormElement;
    const email = String(new FormData(form).get('email')).trim();
    if (email.toLowerCase() === me.data?.email) return setProblem(fault('This is your e-mail already.'));
    setBusy(true);
    setProblem(undefined);
    try {
      await confirmed(() => changeEmail(auth, { email }));
      form.reset();
      announce('If the address is free, a message is on its way.');
    } catch (error) {
      setProblem(emailProblemOf(error));
    } finally {
      pending.reload(); // also after a lost answer
      setBusy(false);
    }
  };

  const next = pending.data?.pendingEmail;
  return (
    <section aria-labelledby="your-email">
      <h2 id="your-email">E-mail</h2>
      <Answered answer={me}>
        {({ email }) => (
          <p>
            You log in with <Foreign text={email} />.
          </p>
        )}
      </Answered>
      {next != null && link.value === undefined && (
        <p class="notice">
          If no other account uses <Foreign text={next} />, a message is on its way to it. Your e-mail changes once you
          open the link in it, within 30 minutes, and confirm it here. Look for it among unwanted mail too.
        </p>
      )}
      <form class="narrow" onSubmit={change}>
        <Field
          label="New e-mail"
          name="email"
          type="email"
          autocomplete="email"
          autocapitalize="none"
          spellcheck={false}
          hint="You get a link at this address, and a message at your present one, from which you can take the change back for three days."
          problem={problem}
          required
        />
        <div class="actions start">
          <button type="submit" class="main" aria-disabled={isBusy}>
            {isBusy ? 'One moment…' : 'Change e-mail'}
          </button>
        </div>
      </form>
    </section>
  );
}

function fault(text: string, { isPassing = false, reason }: Partial<Problem> = {}): Problem {
  return new Problem(text, isPassing, reason, 'email');
}

function emailProblemOf(error: unknown): Problem {
  const [refused] = (error instanceof AuthError && error.errors) || [];
  if (refused !== undefined) return fault(`The e-mail ${refused.message}.`);
  const problem = shownProblem(changeProblemOf(error));
  return fault(problem.message, problem);
}
