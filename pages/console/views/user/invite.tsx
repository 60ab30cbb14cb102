/** Inviting a user: an account without a password, and a link by which they choose one. */

import { announce } from '../../../kit/announce.js';
import { ChangeDialog } from '../../../kit/change-dialog.js';
import { Foreign } from '../../../kit/foreign.js';
import { ask, problemOf } from '../../../kit/graphql.js';
import { Link } from '../../../kit/location.js';
import { Problem } from '../../../kit/problem.js';
import { InviteUser } from '../../operations.js';
import { pathOfUser } from '../../paths.js';
import { EmailField, RoleField } from './dialogs.js';
import { isRole } from './facts.js';
import { issueLink, MailChoice, ShownLink } from './password-link.js';

interface Props {
  /** The user is there, with a link or without. */
  onCreated(): void;
  onClose(): void;
}

export function InviteDialog({ onCreated, onClose }: Props) {
  return (
    <ChangeDialog
      title="Invite user"
      action="Invite"
      saidByFields={['email']}
      onSubmit={async (form) => {
        const role = String(form.get('role'));
        if (!isRole(role)) return;
        const { createUser: created } = await ask(InviteUser, { email: String(form.get('email')), role });
        if (created == null) throw new Problem('The gateway sent no user.', false);
        const { user } = created;
        onCreated();
        announce(`${user.email} is created.`);
        try {
          return <ShownLink email={user.email} issued={await issueLink(user.id, 'invitation', form)} />;
        } catch (error) {
          return <WithoutLink user={user} problem={problemOf(error)} />;
        }
      }}
      onClose={onClose}
    >
      {(problem) => (
        <>
          <p>Creates an account without a password, and a link by which its owner chooses one.</p>
          <EmailField problem={problem} />
          <RoleField chosen="viewer" />
          <MailChoice />
        </>
      )}
    </ChangeDialog>
  );
}

/** The account is there, but its owner has no way in yet. */
function WithoutLink({ user, problem }: { user: { id: string; email: string }; problem: unknown }) {
  return (
    <>
      <p class="notice warn">
        <Foreign text={user.email} /> is created, but no link was issued
        {problem instanceof Problem ? `: ${problem.message}` : '.'}
      </p>
      <p>
        Open <Link to={pathOfUser(user.id)}>the page of the user</Link> and press “Password link” to get one.
      </p>
    </>
  );
}
