/** What is known about a user, in words: in the list of users and on the page of one. */
import type { ComponentChildren } from 'preact';
import { CopyableValue } from '../../../kit/copy.js';
import { Foreign } from '../../../kit/foreign.js';
import { MaybeTime, Time } from '../../../kit/time.js';
import type { Role, UserFactsFragment } from '../../operations.js';

export type UserFacts = UserFactsFragment;

/** Every role and what it may do. A missing one does not compile. */
export const ROLES: Record<Role, string> = {
  viewer: 'viewer: sees and ends only their own sessions',
  analyst: 'analyst: reads users and the audit log',
  admin: 'admin: may do everything',
};

export function isRole(text: string): text is Role {
  return Object.hasOwn(ROLES, text);
}

export function isLocked({ lockedUntil }: Pick<UserFacts, 'lockedUntil'>): boolean {
  return lockedUntil !== null && new Date(lockedUntil) > new Date();
}

/** Whether the user can log in, and what is in the way. */
export function UserState({ user }: { user: UserFacts }) {
  const { isActive, hasPassword, lockedUntil } = user;
  const obstacles: ComponentChildren[] = [];
  if (!isActive) obstacles.push(<span class="warn">Deactivated</span>);
  if (lockedUntil !== null && isLocked(user)) {
    obstacles.push(
      <span class="bad">
        Locked until <Time at={lockedUntil} />
      </span>,
    );
  }
  if (!hasPassword) obstacles.push(<span class="warn">No password yet</span>);
  if (obstacles.length === 0) return <span class="good">Active</span>;
  return <span class="user-state">{obstacles}</span>;
}

/** @param pendingEmail that the user has asked for, and nobody has confirmed */
export function FactsOfUser({ user, pendingEmail }: { user: UserFacts; pendingEmail: string | null }) {
  const { id, role, hasPassword, failedLoginAttempts, lastLoginAt, createdAt } = user;
  return (
    <dl class="user-facts">
      <Fact name="State">
        <UserState user={user} />
      </Fact>
      <Fact name="Role">{role}</Fact>
      <Fact name="Password">{hasPassword ? 'Set' : 'None yet'}</Fact>
      <Fact name="Created">
        <Time at={createdAt} />
      </Fact>
      <Fact name="Last login">
        <MaybeTime at={lastLoginAt} none="Never" />
      </Fact>
      <Fact name="Failed logins">{failedLoginAttempts === 0 ? 'None' : `${failedLoginAttempts} in a row`}</Fact>
      {pendingEmail !== null && (
        <Fact name="New e-mail, not confirmed yet" isWide>
          <Foreign text={pendingEmail} />
        </Fact>
      )}
      <Fact name="Id" isWide>
        <CopyableValue label="id" text={id} />
      </Fact>
    </dl>
  );
}

function Fact({ name, isWide, children }: { name: string; isWide?: boolean; children: ComponentChildren }) {
  return (
    <div class={isWide ? 'wide' : undefined}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
