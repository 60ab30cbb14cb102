/** Changes of the selected users: one confirmation, progress, and who was refused. */
import { useRef, useState } from 'preact/hooks';
import { announce } from '../../../kit/announce.js';
import { can, currentUser } from '../../../kit/auth.js';
import { ChangeDialog } from '../../../kit/change-dialog.js';
import { ask } from '../../../kit/graphql.js';
import { EndSessionsOfUsers, SetUsersActive, UnlockUsers } from '../../operations.js';
import { MailChoice } from '../user/password-link.js';
import {
  count,
  emailsOf,
  issueLinks,
  type Link,
  LinksFile,
  type Person,
  Progress,
  parts,
  type Refused,
  RefusedList,
  useParts,
} from './batches.js';

interface Outcome {
  refused: Refused[];
  sessions?: number;
  links?: Link[];
}

interface Change {
  name: string;
  tone?: 'bad';
  /** What it does to them */
  text: string;
  /** Before `3 users`, as a question and once it is done */
  verbs: [action: string, done: string];
  /** The one who asks is left out, or they would be logged out in the middle. */
  sparesSelf?: boolean;
  hasMail?: boolean;
  scope: Parameters<typeof can>[0];
  make(people: readonly Person[], deliver: boolean): Promise<Outcome>;
}

const idsOf = (people: readonly Person[]): string[] => people.map(({ id }) => id);

async function setActive(people: readonly Person[], isActive: boolean): Promise<Outcome> {
  const { setUsersActive: changed } = await ask(SetUsersActive, { ids: idsOf(people), isActive });
  return { refused: named(changed?.refused, people), sessions: changed?.revokedSessionCount ?? 0 };
}

function named(refused: ReadonlyArray<{ id: string; message: string }> = [], people: readonly Person[]): Refused[] {
  const emailOf = emailsOf(people);
  return refused.map(({ id, message }) => ({ email: emailOf(id), message }));
}

export const CHANGES: readonly Change[] = [
  {
    name: 'Password links',
    text: 'Issues a link for each, by which they choose a password. Earlier links stop working.',
    verbs: ['Issue links for', 'Issued links for'],
    hasMail: true,
    scope: 'users:write',
    make: issueLinks,
  },
  {
    name: 'Unlock',
    text: 'Ends the locks of their accounts and devices, and counts failed logins from zero again.',
    verbs: ['Unlock', 'Unlocked'],
    scope: 'users:write',
    make: async (people) => {
      const { unlockUsers: changed } = await ask(UnlockUsers, { ids: idsOf(people) });
      return { refused: named(changed?.refused, people) };
    },
  },
  {
    name: 'End sessions',
    tone: 'bad',
    text: 'Ends all their sessions but that of this page. They have to log in again. Access tokens that exist work until they expire.',
    verbs: ['End sessions of', 'Ended the sessions of'],
    scope: 'sessions:write',
    make: async (people) => {
      const { revokeSessionsOfUsers: ended } = await ask(EndSessionsOfUsers, { ids: idsOf(people) });
      return { refused: [], sessions: ended?.revokedSessionCount ?? 0 };
    },
  },
  {
    name: 'Activate',
    text: 'Who has a password can log in again with it; the others need a new password link. Sessions that were ended stay ended.',
    verbs: ['Activate', 'Activated'],
    scope: 'users:write',
    make: (people) => setActive(people, true),
  },
  {
    name: 'Deactivate',
    tone: 'bad',
    text: 'Ends all their sessions and password links. They cannot log in until they are activated again.',
    verbs: ['Deactivate', 'Deactivated'],
    sparesSelf: true,
    scope: 'users:write',
    make: (people) => setActive(people, false),
  },
];

export const mayMake = ({ scope }: Change): boolean => can(scope);

interface Props {
  change: Change;
  people: readonly Person[];
  /** Some of them, or all, are changed. */
  onChanged(): void;
  onClose(): void;
}

export function ChangeManyDialog({ change, people: selected, onChanged, onClose }: Props) {
  const { tone, text, verbs, sparesSelf, hasMail, make } = change;
  const self = currentUser.value?.sub;
  const [people] = useState(() => (sparesSelf ? selected.filter(({ id }) => id !== self) : selected));
  const found = useRef({ refused: [] as Refused[], links: [] as Link[], sessions: 0 });
  const { done, run } = useParts();
  return (
    <ChangeDialog
      title={change.name}
      action={`${verbs[0]} ${count(people.length, 'user')}`}
      {...(tone && { tone })}
      isReady={people.length > 0}
      onSubmit={async (form) => {
        const all = found.current;
        await run(parts(people), async (part) => {
          const { refused, links = [], sessions = 0 } = await make(part, form.get('deliver') !== null);
          all.refused.push(...refused);
          all.links.push(...links);
          all.sessions += sessions;
          onChanged();
        });
        const { refused, links, sessions } = all;
        const ended = sessions > 0 ? ` ${count(sessions, 'session')} ended.` : '';
        const said = `${verbs[1]} ${count(people.length - refused.length, 'user')}.${ended}`;
        announce(said);
        if (refused.length + links.length === 0) return undefined;
        return (
          <>
            <p>{said}</p>
            <LinksFile links={links} />
            {refused.length > 0 && <p class="notice warn">{count(refused.length, 'user')} could not be changed:</p>}
            <RefusedList refused={refused} />
          </>
        );
      }}
      onClose={onClose}
    >
      <p>{text}</p>
      {people.length < selected.length && <p class="notice">Your own account is left out.</p>}
      <Names people={people} />
      {hasMail && <MailChoice />}
      <Progress done={done} of={people.length} />
      {found.current.links.length > 0 && <LinksFile links={found.current.links} />}
    </ChangeDialog>
  );
}

const NAMED = 5;

/** `ada@example.com, bob@example.com and 3 more` */
function Names({ people }: { people: readonly Person[] }) {
  const more = people.length - NAMED;
  return (
    <p class="quiet names">
      {people
        .slice(0, NAMED)
        .map(({ email }) => email)
        .join(', ')}
      {more > 0 && ` and ${more.toLocaleString('en-GB')} more`}
    </p>
  );
}
