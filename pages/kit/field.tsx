/** A field of a form, with its label, a hint, and what the gateway says is wrong with it. */
import type { InputHTMLAttributes } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { INCOMPLETE, type Problem } from './problem.js';
import { useUniqueId } from './unique-id.js';

interface Props extends Omit<InputHTMLAttributes<HTMLInputElement>, 'id' | 'ref'> {
  label: string;
  /** The argument of the mutation that the field becomes */
  name: string;
  hint?: string;
  /** Of the last attempt; shown here if it is about this field */
  problem: Problem | undefined;
  /** A code or a password, which is entered anew once it was refused */
  isOnce?: boolean;
}

export function Field({ label, name, hint, problem, isOnce = false, ...rest }: Props) {
  const id = useUniqueId();
  const input = useRef<HTMLInputElement>(null);
  const wrong = problem?.argument === name ? problem : undefined;
  // Before anybody can type again.
  useLayoutEffect(() => {
    if (wrong === undefined || input.current === null) return;
    if (isOnce && wrong.reason !== INCOMPLETE) input.current.value = '';
    input.current.focus();
    input.current.parentElement?.scrollIntoView({ block: 'nearest' }); // with the reason below it
  }, [wrong, isOnce]);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...rest}
        id={id}
        ref={input}
        name={name}
        aria-invalid={wrong !== undefined}
        aria-describedby={`${id}-wrong ${id}-hint`}
      />
      <p class="error" id={`${id}-wrong`} role="alert">
        {wrong?.message}
      </p>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
