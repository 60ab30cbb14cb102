/** The dialog of a change: asked about once, in words that say what it does. If the gateway wants a proof, `confirmation.ts` asks for it. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { announce } from './announce.js';
import { changeProblemOf } from './change.js';
import { type Problem, shownProblem } from './problem.js';
import { OwnTroubles } from './states.js';
import { useUniqueId } from './unique-id.js';

interface Props {
  title: string;
  /** The button that makes the change */
  action: string;
  /** `bad` if it ends or deletes something */
  tone?: 'bad' | 'plain';
  /** What the change will do, and its fields, which may say themselves what is wrong with them */
  children: ComponentChildren | ((problem: Problem | undefined) => ComponentChildren);
  /** Another way to make the change, which adds this field to the form */
  also?: { name: string; value: string; text: string } | undefined;
  /** The heading above what is shown once; by default the title */
  doneTitle?: string;
  /** The button below what is shown once */
  done?: string;
  /** Whether the change can be made by now */
  isReady?: boolean;
  /** Why it probably cannot be made */
  problem?: Problem | undefined;
  /** The arguments whose problem the fields say themselves */
  saidByFields?: readonly string[];
  /**
   * Makes the change.
   * @returns what is shown once it is made, such as a secret; if nothing, the dialog closes; false if it asks for more
   * @throws {Problem} which is shown; the change can then be tried again
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a change with nothing to show returns nothing
  onSubmit(form: FormData): Promise<ComponentChildren | void>;
  /** The dialog is gone. */
  onClose(): void;
}

export function ChangeDialog(props: Props) {
  const { title, action, tone = 'plain', also, done = 'Done', children, isReady = true, saidByFields = [] } = props;
  const { doneTitle = title, onSubmit, onClose } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Problem>();
  const [turn, setTurn] = useState(0);
  const problem = refusal ?? props.problem;
  const [result, setResult] = useState<ComponentChildren>();
  const isDone = useRef(false);
  const heading = useUniqueId();

  useEffect(() => {
    const [opener, element] = [document.activeElement, dialog.current];
    const section = opener?.closest('section'); // a change may remove the opener, which then is in none
    announce(''); // it would lie over the dialog
    element?.showModal();
    return () => {
      element?.close(); // before that, nothing else can have the focus
      focusAfter(isDone.current ? null : opener, section);
    };
  }, []);

  // The heading has it at first. A field gets it once it is there, if nothing in front of it has to be read or used.
  useEffect(() => {
    const element = dialog.current;
    if (tone === 'bad' || element == null || document.activeElement !== element.querySelector('h2')) return;
    const first = element.querySelector<HTMLElement>('a, button, input:not(.unseen), select, textarea');
    if (first?.matches('.field input')) first.focus();
  });

  // The button that had the focus is gone, and what is shown once has to be read.
  useEffect(() => {
    if (result !== undefined) dialog.current?.querySelector('h2')?.focus();
  }, [result]);

  // The button was disabled meanwhile; a field that is wrong has taken the focus before.
  useEffect(() => {
    if ((refusal === undefined && turn === 0) || dialog.current?.contains(document.activeElement)) return;
    dialog.current?.querySelector<HTMLElement>('[type="submit"]')?.focus();
  }, [refusal, turn]);

  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const { submitter } = event;
    if (submitter instanceof HTMLButtonElement && submitter.name !== '') form.set(submitter.name, submitter.value);
    setBusy(true);
    setRefusal(undefined);
    try {
      const shown = await onSubmit(form);
      if (shown === false) return setTurn((count) => count + 1);
      isDone.current = true;
      if (shown == null) onClose();
      else setResult(shown);
    } catch (error) {
      setRefusal(shownProblem(changeProblemOf(error)));
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
          {result === undefined ? title : doneTitle}
        </h2>
        <OwnTroubles>{result ?? (typeof children === 'function' ? children(problem) : children)}</OwnTroubles>
        <p class="error" role="alert">
          {saidByFields.includes(problem?.argument ?? '') ? undefined : problem?.message}
        </p>
        <div class="actions">
          {result === undefined ? (
            <>
              <button type="button" onClick={onClose} disabled={isBusy}>
                Cancel
              </button>
              <button type="submit" class={tone === 'bad' ? 'bad' : 'main'} disabled={isBusy || !isReady}>
                {isBusy ? 'One moment…' : action}
              </button>
              {also !== undefined && (
                <button type="submit" name={also.name} value={also.value} disabled={isBusy || !isReady} formNoValidate>
                  {also.text}
                </button>
              )}
            </>
          ) : (
            <button type="button" class="main" onClick={onClose}>
              {done}
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
