/** A change that is asked about once, in words that say what it does. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { isLoginFresh } from '../auth.js';
import { Problem, problemOf } from '../graphql.js';
import { logInAgain } from '../log-in-again.js';
import { UserName } from '../user-name.js';

interface Props {
  title: string;
  /** The button that makes the change */
  action: string;
  /** `bad` if it ends or deletes something */
  tone?: 'bad' | 'plain';
  /** What the change will do, and its fields, which may say themselves what is wrong with them */
  children: ComponentChildren | ((problem: Problem | undefined) => ComponentChildren);
  /** The arguments whose problem the fields say themselves */
  saidByFields?: readonly string[];
  /**
   * Makes the change.
   * @returns what is shown once it is made, such as a secret; if nothing, the dialog closes
   * @throws {Problem} which is shown; the change can then be tried again
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a change with nothing to show returns nothing
  onSubmit(form: FormData): Promise<ComponentChildren | void>;
  /** The dialog is gone. */
  onClose(): void;
}

/** If the login is old, the password is asked for too. */
export function ChangeDialog(props: Props) {
  const { title, action, tone = 'plain', children, saidByFields = [], onSubmit, onClose } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const [isFresh, setFresh] = useState<boolean>();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const [result, setResult] = useState<ComponentChildren>();
  const isDone = useRef(false);
  const heading = useId();

  useEffect(() => {
    const [opener, element] = [document.activeElement, dialog.current];
    const section = opener?.closest('section'); // a change may remove the opener, which then is in none
    element?.showModal();
    isLoginFresh().then(setFresh, (error: unknown) => {
      setFresh(true); // the change itself will say what is wrong
      setProblem(problemOf(error) as Problem);
    });
    return () => {
      element?.close(); // before that, nothing else can have the focus
      focusAfter(isDone.current ? null : opener, section);
    };
  }, []);

  // The button that had the focus is gone, and what is shown once has to be read.
  useEffect(() => {
    if (result !== undefined) dialog.current?.querySelector('h2')?.focus();
  }, [result]);

  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setBusy(true);
    setProblem(undefined);
    try {
      if (isFresh === false) {
        await logInAgain(String(form.get('login-password')));
        setFresh(true);
      }
      form.delete('login-password');
      const shown = await onSubmit(form);
      isDone.current = true;
      if (shown == null) onClose();
      else setResult(shown);
    } catch (error) {
      const shown = problemOf(error);
      setProblem(shown instanceof Problem ? shown : new Problem('Something went wrong in this page.', false));
    } finally {
      setBusy(false);
    }
  };

  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        if (!isBusy && result === undefined) onClose(); // what is shown once is closed by its button alone
      }}
      onClose={({ currentTarget }) => {
        if (currentTarget.isConnected) onClose(); // else the next one may be open by now
      }}
    >
      <form onSubmit={submit}>
        <h2 id={heading} tabIndex={-1}>
          {title}
        </h2>
        {result === undefined ? (
          <>
            {typeof children === 'function' ? children(problem) : children}
            {isFresh === false && (
              <div class="field">
                <UserName />
                <label for={`${heading}-password`}>Your password</label>
                <input
                  id={`${heading}-password`}
                  name="login-password"
                  type="password"
                  autocomplete="current-password"
                  aria-describedby={`${heading}-hint`}
                  required
                />
                <p class="hint" id={`${heading}-hint`}>
                  You logged in more than two hours ago, so this needs your password again.
                </p>
              </div>
            )}
          </>
        ) : (
          result
        )}
        <p class="error" role="alert">
          {saidByFields.includes(problem?.argument ?? '') ? undefined : problem?.message}
        </p>
        <div class="actions">
          {result === undefined ? (
            <>
              <button type="button" onClick={onClose} disabled={isBusy}>
                Cancel
              </button>
              <button type="submit" class={tone === 'bad' ? 'bad' : 'main'} disabled={isBusy || isFresh === undefined}>
                {isBusy ? 'One moment…' : action}
              </button>
            </>
          ) : (
            <button type="button" class="main" onClick={onClose}>
              Done
            </button>
          )}
        </div>
      </form>
    </dialog>
  );
}

/** The button that opened the dialog; after a change, or if the button is gone, the heading of its section. */
function focusAfter(opener: Element | null, section: Element | null | undefined): void {
  const heading = (section?.isConnected && section.querySelector('h2')) || document.querySelector('h1');
  const next = opener?.isConnected ? opener : heading;
  if (!(next instanceof HTMLElement)) return;
  if (next === heading) next.tabIndex = -1;
  next.focus();
}
