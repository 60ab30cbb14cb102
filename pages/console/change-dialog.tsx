/** The dialog of a change, which asks for the password too if the login is old. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { Dialog, type DialogProps } from '../kit/dialog.js';
import { type Problem, shownProblem } from '../kit/problem.js';
import { isLoginFresh } from './auth.js';
import { problemOf } from './graphql.js';
import { logInAgain } from './log-in-again.js';
import { UserName } from './user-name.js';

interface Props extends Omit<DialogProps, 'children' | 'isReady' | 'problem'> {
  /** What the change will do, and its fields, which may say themselves what is wrong with them */
  children: ComponentChildren | DialogProps['children'];
}

export function ChangeDialog({ children, onSubmit, ...rest }: Props) {
  const [isFresh, setFresh] = useState<boolean>();
  const [problem, setProblem] = useState<Problem>();

  useEffect(() => {
    isLoginFresh().then(setFresh, (error: unknown) => {
      setFresh(true); // the change itself will say what is wrong
      setProblem(shownProblem(problemOf(error)));
    });
  }, []);

  const submit = async (form: FormData) => {
    setProblem(undefined);
    try {
      if (isFresh === false) {
        await logInAgain(String(form.get('login-password')));
        setFresh(true);
      }
      form.delete('login-password');
      return await onSubmit(form);
    } catch (error) {
      throw problemOf(error);
    }
  };

  return (
    <Dialog {...rest} isReady={isFresh !== undefined} problem={problem} onSubmit={submit}>
      {(shown) => (
        <>
          {typeof children === 'function' ? children(shown) : children}
          {isFresh === false && <PasswordAgain />}
        </>
      )}
    </Dialog>
  );
}

function PasswordAgain() {
  const id = useId();
  return (
    <div class="field">
      <UserName />
      <label for={id}>Your password</label>
      <input
        id={id}
        name="login-password"
        type="password"
        autocomplete="current-password"
        aria-describedby={`${id}-hint`}
        required
      />
      <p class="hint" id={`${id}-hint`}>
        You logged in more than two hours ago, so this needs your password again.
      </p>
    </div>
  );
}
