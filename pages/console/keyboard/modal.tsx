/** A dialog that changes nothing: Esc and a click outside close it, and the focus is where it was. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export function Modal({
  label,
  onClose,
  children,
  class: name,
}: {
  label: string;
  class: string;
  children: ComponentChildren;
  onClose(): void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close(); // before it is gone, so that the browser gives the focus back
  }, []);
  return (
    <dialog
      ref={dialog}
      class={name}
      aria-label={label}
      onClose={({ currentTarget }) => currentTarget.isConnected && onClose()}
      closedby="any"
    >
      {children}
    </dialog>
  );
}
