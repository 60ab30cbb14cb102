/** A field of a form, with its label, a hint, and what the gateway says is wrong with it. */
import type { InputHTMLAttributes } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Problem } from './problem.js';
import { useUniqueId } from './unique-id.js';

interface Props extends Omit<InputHTMLAttributes<HTMLInputElement>, 'id' | 'ref'> {
  label: string;
  /** The argument of the mutation that the field becomes */
  name: string;
  hint?: string;
  /** Of the last attempt; shown here if it is about this field */
  problem: Problem | undefined;
}

export function Field({ label, name, hint, problem, ...rest }: Props) {
  const id = useUniqueId();
  const input = useRef<HTMLInputElement>(null);
  const wrong = problem?.argument === name ? problem : undefined;
  useEffect(() => {
    if (wrong !== undefined) input.current?.focus();
  }, [wrong]);
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
