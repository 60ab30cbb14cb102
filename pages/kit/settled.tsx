/** A view appears at once, when everything that it first asks for is there, so that nothing jumps. */
import { signal, useSignalEffect } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** A view with a slow answer appears without it: milliseconds */
const PATIENCE_MS = 1_000;

/** Number of questions of this page whose first answer is not shown yet */
const pending = signal(0);

/** @param isAnswered whether there is an answer, or a problem that stays */
export function useFirstAnswer(isAnswered: boolean): void {
  // Counted while drawing: what an answer brings asks its own questions before that answer counts as shown.
  const [question] = useState(() => {
    pending.value += 1;
    return { isOpen: true };
  });
  const close = (): void => {
    if (question.isOpen) pending.value -= 1;
    question.isOpen = false;
  };
  useEffect(() => {
    if (isAnswered) close();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the component goes
  useEffect(() => close, []);
}

/** Hides a view, but for its heading, until nothing of it is pending. Later questions hide nothing. */
export function Settled({ children, onSettled }: { children: ComponentChildren; onSettled?: () => void }) {
  const [isSettled, setSettled] = useState(false);
  useSignalEffect(() => {
    if (pending.value === 0) setSettled(true);
  });
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => {
    if (isSettled) onSettled?.();
  }, [isSettled]);
  return (
    <div class={isSettled ? 'view' : 'view settling'} aria-busy={!isSettled}>
      {children}
    </div>
  );
}
