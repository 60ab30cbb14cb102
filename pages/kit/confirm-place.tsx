/** Where the dialog for a confirmation is drawn. Its code is loaded with the first question. */
import { useEffect } from 'preact/hooks';
import type { ConfirmDialog } from './confirm-dialog.js';
import { notConfirmed, question } from './confirmation.js';
import { useLoaded } from './lazy.js';
import { Problem } from './problem.js';

export function ConfirmPlace() {
  const asked = question.value;
  // Another user is asked anew.
  useEffect(() => () => question.peek()?.close(notConfirmed()), []);
  return asked === undefined ? null : <Asked key={asked.answer} {...asked} />;
}

const load = async (): Promise<typeof ConfirmDialog> => (await import('./confirm-dialog.js')).ConfirmDialog;

function Asked({ needsFactor, purpose, close }: NonNullable<typeof question.value>) {
  const Loaded = useLoaded(load);
  const isMissing = Loaded === 'missing';
  useEffect(() => {
    if (isMissing) close(new Problem('The page could not ask who you are. Reload it, then try again.', false));
  }, [isMissing, close]);
  if (Loaded === undefined || isMissing) return null;
  const answers = { onProved: () => close(), onCancel: () => close(notConfirmed()) };
  return <Loaded needsFactor={needsFactor} purpose={purpose} {...answers} />;
}
