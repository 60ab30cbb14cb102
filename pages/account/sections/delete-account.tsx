/** The deletion of one's own account, for good. (Interface 21) */
import { useState } from 'preact/hooks';
import { deleteAccount } from '../../../client/src/account.js';
import { auth } from '../../kit/auth.js';
import { ChangeDialog } from '../../kit/change-dialog.js';
import { confirmed } from '../../kit/confirmation.js';
import { Field } from '../../kit/field.js';
import { Foreign } from '../../kit/foreign.js';
import { problemOf } from '../../kit/graphql.js';
import { useMe } from '../../kit/own/own.js';
import { LostAnswer, Problem, shownProblem } from '../../kit/problem.js';
import { PRODUCT_NAME } from '../../kit/settings.js';
import { expectGone, isGone } from '../gone.js';

export function DeleteAccount() {
  const { data: me } = useMe();
  const [isAsking, setAsking] = useState(false);
  return (
    <section aria-labelledby="delete-account">
      <h2 id="delete-account">Delete your account</h2>
      <p>It is deleted at once and cannot be brought back.</p>
      <p>
        <button type="button" class="bad-quiet" disabled={me === undefined} onClick={() => setAsking(true)}>
          Delete my account
        </button>
      </p>
      {isAsking && me !== undefined && <Ask email={me.email} onClose={() => setAsking(false)} />}
    </section>
  );
}

function Ask({ email, onClose }: { email: string; onClose(): void }) {
  const erase = async (form: FormData): Promise<void> => {
    if (String(form.get('typed')).trim().toLowerCase() !== email.toLowerCase()) {
      throw new Problem('This is not your e-mail.', false, undefined, 'typed');
    }
    try {
      await confirmed(() => deleteAccount(auth));
    } catch (error) {
      const problem = shownProblem(problemOf(error));
      if (problem instanceof LostAnswer) expectGone();
      if (problem.reason !== 'last_administrator') throw problem;
      throw new Problem('You are the last administrator. Make somebody else one first.', false, problem.reason);
    }
    isGone.value = true;
  };
  return (
    <ChangeDialog
      title="Delete your account"
      action="Delete my account"
      tone="bad"
      saidByFields={['typed']}
      onSubmit={erase}
      onClose={onClose}
    >
      {(problem) => (
        <>
          <div>
            <p>For good, and at once:</p>
            <ul>
              <li>you are logged out everywhere, and cannot log in to {PRODUCT_NAME} any more,</li>
              <li>your e-mail, password, second factors, recovery codes and devices are deleted,</li>
              <li>what is recorded about your logins is deleted, or no longer names you.</li>
            </ul>
          </div>
          <p>You may want to download your data first.</p>
          <div>
            <p>
              Type your e-mail, <Foreign text={email} />, to confirm.
            </p>
            <Field
              label="Your e-mail"
              name="typed"
              type="email"
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
              problem={problem}
              required
            />
          </div>
        </>
      )}
    </ChangeDialog>
  );
}
