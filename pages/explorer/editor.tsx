/** A box for a query or for JSON. Tab leaves it; Enter keeps the indentation. */
import type { RefObject } from 'preact';
import { useId } from 'preact/hooks';

interface Props {
  label: string;
  rows: number;
  value: string;
  onValue(value: string): void;
  /** The cursor has moved to this character. */
  onCursor?(cursor: number): void;
  field?: RefObject<HTMLTextAreaElement>;
  /** Below the box */
  note: string;
}

export function Editor({ label, rows, value, onValue, onCursor, field, note }: Props) {
  const id = useId();
  const follow = ({ currentTarget }: { currentTarget: HTMLTextAreaElement }): void =>
    onCursor?.(currentTarget.selectionEnd);
  return (
    <div>
      <label for={id} class={label === 'Query' ? 'unseen' : ''}>
        {label}
      </label>
      <textarea
        id={id}
        ref={field ?? null}
        rows={rows}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        aria-describedby={`${id}-note`}
        value={value}
        onInput={(event) => {
          onValue(event.currentTarget.value);
          follow(event);
        }}
        onKeyUp={follow}
        onClick={follow}
        onKeyDown={breakLine}
      />
      <p id={`${id}-note`} class="quiet">
        {note}
      </p>
    </div>
  );
}

/** Replaces what is selected, so that the browser can undo it. */
export function insert(field: HTMLTextAreaElement, text: string, start = field.selectionStart): void {
  field.focus();
  field.setSelectionRange(start, field.selectionEnd);
  document.execCommand('insertText', false, text);
}

function breakLine(event: KeyboardEvent): void {
  const field = event.currentTarget as HTMLTextAreaElement;
  const isPlain = event.key === 'Enter' && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.isComposing;
  if (!isPlain) return;
  const before = field.value.slice(0, field.selectionStart);
  const [indentation = ''] = /[ \t]*(?=[^\n]*$)/.exec(before.slice(before.lastIndexOf('\n') + 1)) ?? [];
  event.preventDefault();
  insert(field, `\n${indentation}${/[{[(]\s*$/.test(before) ? '  ' : ''}`);
}
