/** A link by which a user chooses a password: issued by an administrator, and shown once. */
import { useState } from 'preact/hooks';
import { useAnswer } from '../../../kit/answer.js';
import { can } from '../../../kit/auth.js';
import { ChangeDialog } from '../../../kit/change-dialog.js';
import { RadioButtons } from '../../../kit/choice.js';
import { Copyable } from '../../../kit/copy.js';
import { Foreign } from '../../../kit/foreign.js';
import { ask } from '../../../kit/graphql.js';
import { Problem } from '../../../kit/problem.js';
import { Time } from '../../../kit/time.js';
import { IssueLink, type LinkPurpose, MailState } from '../../operations.js';
import type { DialogProps } from './dialogs.js';

interface IssuedLink {
  /** Null if it was mailed to the user */
  link: string | null;
  expiresAt: string;
}

/**
 * @param form with the choice of `MailChoice`
 * @throws {Problem}
 */
export async function issueLink(userId: string, purpose: LinkPurpose, form: FormData): Promise<IssuedLink> {
  const deliver = form.get('deliver') !== null;
  const { issuePasswordLink: issued } = await ask(IssueLink, { userId, purpose, deliver });
  if (issued == null) throw new Problem('The gateway sent no link.', false);
  return issued;
}

/** Where mail is on, the link can go to the user alone. */
export function MailChoice() {
  return can('gateway:read') ? <IfMailIsOn /> : null;
}

function IfMailIsOn() {
  const { data } = useAnswer(MailState, {});
  if (!data?.gateway?.isMailOn) return null;
  return (
    <label class="option">
      <input type="checkbox" name="deliver" />
      Mail the link to the user instead of showing it here
    </label>
  );
}

export function ShownLink({ email, issued: { link, expiresAt } }: { email: string; issued: IssuedLink }) {
  const validity = (
    <>
      It works once, until <Time at={expiresAt} />
    </>
  );
  if (link === null) {
    return (
      <p>
        The link is on its way to <Foreign text={email} />. {validity}.
      </p>
    );
  }
  return (
    <>
      <p>
        Send this link to <Foreign text={email} />. Whoever has it can choose the password. {validity}, and it is not
        shown again.
      </p>
      <Copyable label="Link" text={link} />
    </>
  );
}

export function LinkDialog({ user, onDone, onClose }: DialogProps) {
  const [purpose, setPurpose] = useState<LinkPurpose>(user.hasPassword ? 'reset' : 'invitation');
  return (
    <ChangeDialog
      title="Password link"
      action="Issue link"
      onSubmit={async (form) => {
        const issued = await issueLink(user.id, purpose, form);
        onDone('The link was issued.');
        return <ShownLink email={user.email} issued={issued} />;
      }}
      onClose={onClose}
    >
      <p>
        Issues a link by which <Foreign text={user.email} /> chooses a password. An earlier link of theirs stops
        working. Their sessions go on until the password is chosen.
      </p>
      <RadioButtons
        legend="What it is for"
        name="purpose"
        options={[
          { value: 'invitation', label: 'Invitation', hint: 'A first password' },
          { value: 'reset', label: 'Reset', hint: 'A forgotten password; the link is valid for a shorter time' },
        ]}
        chosen={purpose}
        onChoose={(value) => setPurpose(value === 'invitation' ? 'invitation' : 'reset')}
      />
      <MailChoice />
    </ChangeDialog>
  );
}
