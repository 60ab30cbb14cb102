/** The changes of an account, each asked about once. */

import { announce } from '../../../kit/announce.js';
import { auth } from '../../../kit/auth.js';
import { ChangeDialog } from '../../../kit/change-dialog.js';
import { Field } from '../../../kit/field.js';
import { Foreign } from '../../../kit/foreign.js';
import { ask } from '../../../kit/graphql.js';
import { go } from '../../../kit/location.js';
import type { Problem } from '../../../kit/problem.js';
import {
  DeleteUser,
  EraseUser,
  ResetFactors,
  SetActivityOfUser,
  SetEmailOfUser,
  SetRoleOfUser,
  UnlockUser,
} from '../../operations.js';
import { USERS } from '../../paths.js';
import { isRole, ROLES, type UserFacts } from './facts.js';
import { LiveSessionCount, sessionsText } from './live-sessions.js';

export interface DialogProps {
  user: UserFacts;
  /** Whether the user is the one who looks at the page */
  isSelf: boolean;
  /** The change is made: says so, and reads again what it has changed. */
  onDone(text: string): void;
  onClose(): void;
}

export function UnlockDialog({ user, onDone, onClose }: DialogProps) {
  return (
    <ChangeDialog
      title="Unlock user"
      action="Unlock"
      onSubmit={async () => {
        await ask(UnlockUser, { id: user.id });
        onDone('The user is unlocked.');
      }}
      onClose={onClose}
    >
      <p>
        Ends the locks of <Foreign text={user.email} /> and of their devices, and counts failed logins from zero again.
        Limits of addresses stay.
      </p>
    </ChangeDialog>
  );
}

export function RoleDialog({ user, isSelf, onDone, onClose }: DialogProps) {
  return (
    <ChangeDialog
      title="Change role"
      action="Change role"
      onSubmit={async (form) => {
        const role = String(form.get('role'));
        if (!isRole(role)) return;
        await ask(SetRoleOfUser, { id: user.id, role });
        onDone(`The role is ${role} now.`);
      }}
      onClose={onClose}
    >
      {isSelf && <OwnAccount text="With another role you may no longer do what you can do here." />}
      <p>
        Sessions of <Foreign text={user.email} /> go on. Access tokens that exist keep the role {user.role} until they
        expire.
      </p>
      <RoleField chosen={user.role} />
    </ChangeDialog>
  );
}

export function RoleField({ chosen }: { chosen: UserFacts['role'] }) {
  return (
    <div class="field">
      <label for="role-of-user">Role</label>
      <select id="role-of-user" name="role">
        {Object.entries(ROLES).map(([name, text]) => (
          <option key={name} value={name} selected={name === chosen}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

export function EmailDialog({ user, onDone, onClose }: DialogProps) {
  return (
    <ChangeDialog
      title="Change e-mail"
      action="Change e-mail"
      saidByFields={['email']}
      onSubmit={async (form) => {
        const { setUserEmail: changed } = await ask(SetEmailOfUser, { id: user.id, email: String(form.get('email')) });
        onDone(`The e-mail is ${changed?.user.email} now.`);
      }}
      onClose={onClose}
    >
      {(problem) => (
        <>
          <p>
            <Foreign text={user.email} /> can then log in only with the new address, and a password link that was sent
            to the old one stops working. Sessions go on.
          </p>
          <EmailField email={user.email} problem={problem} />
        </>
      )}
    </ChangeDialog>
  );
}

export function EmailField({ email, problem }: { email?: string; problem: Problem | undefined }) {
  return (
    <Field
      label="E-mail"
      name="email"
      problem={problem}
      type="email"
      defaultValue={email ?? ''}
      maxLength={254}
      autocomplete="off"
      autocapitalize="none"
      spellcheck={false}
      required
    />
  );
}

export function DeactivateDialog({ user, isSelf, onDone, onClose }: DialogProps) {
  return (
    <ChangeDialog
      title="Deactivate user"
      action="Deactivate"
      tone="bad"
      onSubmit={async () => {
        const { setUserActive: changed } = await ask(SetActivityOfUser, { id: user.id, isActive: false });
        onDone(`The user is deactivated. Ended ${sessionsText(changed?.revokedSessionCount ?? 0)}.`);
        if (isSelf) await auth.logout();
      }}
      onClose={onClose}
    >
      {isSelf && <OwnAccount text="You are logged out, and only another administrator can activate you again." />}
      <p>
        <LiveSessionCount user={user} /> They cannot log in until they are activated again, and their password link
        stops working.
      </p>
    </ChangeDialog>
  );
}

export function ActivateDialog({ user, onDone, onClose }: DialogProps) {
  return (
    <ChangeDialog
      title="Activate user"
      action="Activate"
      onSubmit={async () => {
        await ask(SetActivityOfUser, { id: user.id, isActive: true });
        onDone('The user is active.');
      }}
      onClose={onClose}
    >
      <p>
        <Foreign text={user.email} />{' '}
        {user.hasPassword
          ? 'can log in again with the password of before.'
          : 'has no password, and needs a new password link then.'}{' '}
        Sessions that were ended stay ended.
      </p>
    </ChangeDialog>
  );
}

export function ResetFactorsDialog({ user, isSelf, onDone, onClose }: DialogProps) {
  return (
    <ChangeDialog
      title="Reset second factors"
      action="Reset factors"
      tone="bad"
      onSubmit={async () => {
        const { resetFactors: reset } = await ask(ResetFactors, { id: user.id });
        onDone(`The factors are reset. Ended ${sessionsText(reset?.revokedSessionCount ?? 0)}.`);
        if (isSelf) await auth.logout();
      }}
      onClose={onClose}
    >
      {isSelf && <OwnAccount text="You are logged out. To change a factor, go to My sessions." />}
      <p>
        <LiveSessionCount user={user} /> Removes every second factor and recovery code. Then the password alone is
        enough, so make sure first that it is they who have asked you.
      </p>
    </ChangeDialog>
  );
}

export function DeleteDialog({ user, isSelf, onClose }: DialogProps) {
  return (
    <ChangeDialog
      title="Delete user"
      action="Delete user"
      tone="bad"
      onSubmit={async (form) => {
        if (form.get('erase') === null) {
          await ask(DeleteUser, { id: user.id });
          announce(`${user.email} is deleted.`);
        } else {
          const { eraseUser: erased } = await ask(EraseUser, { id: user.id });
          announce(`The user is erased. In the audit log they are ${erased?.pseudonym}.`);
        }
        if (isSelf) await auth.logout();
        else go(USERS);
      }}
      onClose={onClose}
    >
      {isSelf && <OwnAccount text="You are logged out, and cannot log in again." />}
      <p>
        <LiveSessionCount user={user} /> The account is removed for good: a new one with the same e-mail has another id.
        Their events stay in the audit log.
      </p>
      <label class="option">
        <input type="checkbox" name="erase" />
        Erase the person too: a pseudonym replaces their e-mail, addresses and devices in the audit log. This cannot be
        undone.
      </label>
    </ChangeDialog>
  );
}

function OwnAccount({ text }: { text: string }) {
  return (
    <p class="notice warn">
      <strong>This is your own account.</strong> {text}
    </p>
  );
}
