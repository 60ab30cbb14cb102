/** The dialog that asks again who is there: for the password, or for a second factor if there is one. (Interface 20) */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { auth } from './auth.js';
import { ChangeDialog } from './change-dialog.js';
import { CodeField, codeOf, problemWithFactor } from './factors.js';
import { Field } from './field.js';
import { problemOf } from './graphql.js';
import { useOwnFactors } from './own/own.js';
import { byPasskey } from './passkeys.js';
import { Problem, shownProblem } from './problem.js';
import { Loading } from './states.js';
import { UserName } from './user-name.js';

const TITLE = 'Confirm who you are';

interface Props {
  /** Of the question, if the page has named one */
  purpose: ComponentChildren;
  onProved(): void;
  onCancel(): void;
}

export function ConfirmDialog({ needsFactor, ...rest }: Props & { needsFactor: boolean }) {
  /** Also if a factor was added since the page was loaded */
  const [isByFactor, setByFactor] = useState(needsFactor);
  if (isByFactor) return <ByFactor {...rest} />;
  return <ByPassword {...rest} onFactorNeeded={() => setByFactor(true)} />;
}

function ByPassword({ purpose, onProved, onCancel, onFactorNeeded }: Props & { onFactorNeeded(): void }) {
  const confirm = async (form: FormData): Promise<void> => {
    try {
      await auth.confirm({ password: String(form.get('password')) });
    } catch (error) {
      const { message, isPassing, reason } = shownProblem(problemOf(error));
      if (reason === 'second_factor_required') onFactorNeeded();
      const text = reason === 'factor_wrong' ? 'This password is wrong.' : message;
      throw new Problem(text, isPassing, reason, 'password');
    }
    onProved();
  };
  return (
    <ChangeDialog title={TITLE} action="Confirm" saidByFields={['password']} onSubmit={confirm} onClose={onCancel}>
      {(problem) => (
        <div>
          {purpose}
          <UserName />
          <Field
            label="Your password"
            name="password"
            type="password"
            autocomplete="current-password"
            hint="It is a while since you proved who you are, so this needs your password again."
            problem={problem}
            isOnce
            required
          />
        </div>
      )}
    </ChangeDialog>
  );
}

function ByFactor({ purpose, onProved, onCancel }: Props) {
  const { data, problem } = useOwnFactors();
  const kinds = data?.factors.map(({ kind }) => kind) ?? [];
  const hasCode = kinds.includes('totp');
  const confirm = async (form: FormData): Promise<void> => {
    const by = form.get('by') === 'passkey' || !hasCode ? 'passkey' : 'totp';
    try {
      if (by === 'totp') await auth.confirm({ code: codeOf(form) });
      else await byPasskey(({ confirmByPasskey }) => confirmByPasskey(auth));
    } catch (error) {
      throw problemWithFactor(error, by);
    }
    onProved();
  };
  return (
    <ChangeDialog
      title={TITLE}
      action={hasCode || data === undefined ? 'Confirm' : 'Use a passkey'}
      also={hasCode && kinds.includes('passkey') ? { name: 'by', value: 'passkey', text: 'Use a passkey' } : undefined}
      isReady={data !== undefined}
      problem={problem}
      saidByFields={['totp']}
      onSubmit={confirm}
      onClose={onCancel}
    >
      {(problem) => (
        <>
          {purpose}
          <p>This needs a fresh proof by your second factor.</p>
          {data === undefined && problem === undefined && <Loading />}
          {hasCode && <CodeField problem={problem} />}
          {data !== undefined && (
            <p class="quiet">Lost it? Log out, log in with a recovery code, and remove it within five minutes.</p>
          )}
        </>
      )}
    </ChangeDialog>
  );
}
