/** The buttons that change an account, and the dialog of the one that was pressed. */
import type { ComponentType } from 'preact';
import { useState } from 'preact/hooks';
import {
  ActivateDialog,
  DeactivateDialog,
  DeleteDialog,
  type DialogProps,
  EmailDialog,
  ResetFactorsDialog,
  RoleDialog,
  UnlockDialog,
} from './dialogs.js';
import { isLocked } from './facts.js';
import { LinkDialog } from './password-link.js';

interface Action {
  name: string;
  Dialog: ComponentType<DialogProps>;
  tone?: 'bad-quiet';
}

interface Props extends Omit<DialogProps, 'onClose'> {
  /** Whether a device of the user has failed logins, which unlocking forgets too */
  hasFailingDevice: boolean;
  hasFactors: boolean;
}

export function Actions({ user, isSelf, hasFailingDevice, hasFactors, onDone }: Props) {
  const [opened, setOpened] = useState<Action>();
  const hasFailed = isLocked(user) || user.failedLoginAttempts > 0 || hasFailingDevice;
  const actions: ReadonlyArray<Action | false> = [
    hasFailed && { name: 'Unlock', Dialog: UnlockDialog },
    user.isActive && { name: 'Password link', Dialog: LinkDialog },
    hasFactors && { name: 'Reset factors', Dialog: ResetFactorsDialog, tone: 'bad-quiet' },
    { name: 'Change role', Dialog: RoleDialog },
    { name: 'Change e-mail', Dialog: EmailDialog },
    user.isActive
      ? { name: 'Deactivate', Dialog: DeactivateDialog, tone: 'bad-quiet' }
      : { name: 'Activate', Dialog: ActivateDialog },
    { name: 'Delete', Dialog: DeleteDialog, tone: 'bad-quiet' },
  ];
  return (
    <>
      <div class="row-actions">
        {actions.map(
          (action) =>
            action && (
              <button key={action.name} type="button" class={action.tone} onClick={() => setOpened(action)}>
                {action.name}
              </button>
            ),
        )}
      </div>
      {opened !== undefined && (
        <opened.Dialog user={user} isSelf={isSelf} onDone={onDone} onClose={() => setOpened(undefined)} />
      )}
    </>
  );
}
