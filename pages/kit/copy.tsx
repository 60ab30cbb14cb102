/** Values to copy: a secret that is shown once, a command to try. */
import { useRef, useState } from 'preact/hooks';

/** @param label names what is copied for screen readers */
function CopyButton({ label, copy }: { label: string; copy(): Promise<void> }) {
  const [said, setSaid] = useState('');
  const press = (): void => {
    setSaid('');
    copy().then(
      () => setSaid('Copied'),
      () => setSaid('Selected: press Ctrl+C'),
    );
  };
  return (
    <>
      <button type="button" class="small" aria-label={`Copy ${label}`} onClick={press}>
        Copy
      </button>
      <span role="status" class="quiet">
        {said}
      </span>
    </>
  );
}

/** A text in a box, with a button that copies it. If the browser forbids that, it selects the text. */
export function Copyable({ label, text }: { label: string; text: string }) {
  const box = useRef<HTMLPreElement>(null);
  const copy = async (): Promise<void> => {
    if (box.current !== null) getSelection()?.selectAllChildren(box.current);
    await navigator.clipboard.writeText(text);
  };
  return (
    <div class="copyable">
      <p class="copyable-label">{label}</p>
      <pre ref={box}>{text}</pre>
      <p class="copyable-actions">
        <CopyButton label={label.toLowerCase()} copy={copy} />
      </p>
    </div>
  );
}

/** A short value in a line, with a button that copies it. */
export function CopyableValue({ label, text }: { label: string; text: string }) {
  const box = useRef<HTMLElement>(null);
  const copy = async (): Promise<void> => {
    if (box.current !== null) getSelection()?.selectAllChildren(box.current);
    await navigator.clipboard.writeText(text);
  };
  return (
    <span class="copyable-value">
      <code ref={box}>{text}</code> <CopyButton label={label} copy={copy} />
    </span>
  );
}
