/** The user removes a second factor. (Interface 20) */
import { remove } from '../../../client/src/factors.js';
import { auth } from '../auth.js';
import { useChange } from '../change.js';
import { ChangeDialog } from '../change-dialog.js';
import { confirmed } from '../confirmation.js';
import type { ListedFactor } from '../factor-table.js';
import { Foreign } from '../foreign.js';
import { readFactors } from './own.js';

interface Props {
  factor: ListedFactor;
  isLast: boolean;
  onDone(text: string): void;
  onClose(): void;
}

export function RemoveFactor({ factor: { id, kind, name }, isLast, onDone, onClose }: Props) {
  const change = useChange();
  return (
    <ChangeDialog
      title="Remove second factor"
      action="Remove"
      tone="bad"
      onSubmit={async () => {
        await change(
          () => confirmed(() => remove(auth, id).then(() => true)),
          async () => !(await readFactors()).some((factor) => factor.id === id) || undefined,
        );
        onDone('The second factor was removed.');
      }}
      onClose={onClose}
    >
      <p>
        Removes <Foreign text={name} />. You cannot log in with it any more.
        {kind === 'passkey' && ' Remove it from your device or password manager too, which would still offer it.'}
      </p>
      {isLast && (
        <p class="notice warn">
          It is the last one. From then on a login asks for your password alone, and your recovery codes stop working.
          If your role needs a second factor, you can do nothing here until you add another.
        </p>
      )}
    </ChangeDialog>
  );
}
