/** Values to copy: a secret that is shown once, a command to try. */
import type { ComponentChildren, RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';

interface CopyButtonProps {
  /** Names what is copied for screen readers */
  label: string;
  /** What is selected, in case the browser forbids copying */
  box: RefObject<HTMLElement>;
  text: string;
  /** Further buttons next to it */
  children?: ComponentChildren;
}

function CopyButton({ label, box, text, children }: CopyButtonProps) {
  const [said, setSaid] = useState('');
  const press = (): void => {
    setSaid('');
    if (box.current !== null) getSelection()?.selectAllChildren(box.current);
    (navigator.clipboard?.writeText(text) ?? Promise.reject()).then(
      () => setSaid('Copied'),
      () => setSaid('Selected: press Ctrl+C'),
    );
  };
  return (
    <>
      <button type="button" class="small" aria-label={`Copy ${label}`} onClick={press}>
        Copy
      </button>
      {children}
      <span role="status" class="quiet">
        {said}
      </span>
    </>
  );
}

interface CopyableProps {
  label: string;
  text: string;
  /** What the button copies, if it is another text than the one that is shown */
  copies?: string;
  /** Further buttons next to that one */
  children?: ComponentChildren;
}

/** A text in a box, with a button that copies it. If the browser forbids that, it selects the text. */
export function Copyable({ label, text, copies = text, children }: CopyableProps) {
  const box = useRef<HTMLPreElement>(null);
  return (
    <div class="copyable">
      <p class="copyable-label">{label}</p>
      <pre ref={box}>{text}</pre>
      <p class="row copyable-actions">
        <CopyButton label={label.toLowerCase()} box={box} text={copies}>
          {children}
        </CopyButton>
      </p>
    </div>
  );
}

/** A short value in a line, with a button that copies it. */
export function CopyableValue({ label, text }: { label: string; text: string }) {
  const box = useRef<HTMLElement>(null);
  return (
    <span class="copyable-value">
      <code ref={box}>{text}</code> <CopyButton label={label} box={box} text={text} />
    </span>
  );
}
