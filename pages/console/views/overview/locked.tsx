/** Users who cannot log in, because somebody has failed to, too often. */
import { useAsked } from '../../../kit/answer.js';
import { Foreign } from '../../../kit/foreign.js';
import { ask } from '../../../kit/graphql.js';
import { useHeld } from '../../../kit/held.js';
import { Link, pathTo } from '../../../kit/location.js';
import type { Answer } from '../../../kit/rows.js';
import { type Column, countText, Table } from '../../../kit/table.js';
import { MaybeTime } from '../../../kit/time.js';
import { AGAIN_MS, isLive, useNews } from '../../live.js';
import { OverviewLocked, type OverviewLockedQuery } from '../../operations.js';
import { AUDIT_LOG, pathOfUser, USERS } from '../../paths.js';
import { Part } from './part.js';

const SHOWN = 10;

type Locked = NonNullable<OverviewLockedQuery['users']>['nodes'][number];

export function useLocked(pollMs: number): Answer<OverviewLockedQuery> {
  const answer = useAsked(
    `locked ${isLive.value}`,
    (signal) => ask(OverviewLocked, { first: SHOWN }, signal),
    // A lock ends without an event, so a user who is locked is looked at again in any case.
    { pollMs, isOver: ({ users }) => isLive.value && users?.nodes.length === 0 },
  );
  useNews(['login_failure', 'account_locked', 'user_unlocked'], AGAIN_MS, answer.reload);
  return answer;
}

const COLUMNS: Array<Column<Locked>> = [
  {
    name: 'User',
    isTarget: true,
    cell: ({ id, email }) => (
      <Link to={pathOfUser(id)} title={email}>
        <Foreign text={email} />
      </Link>
    ),
  },
  {
    name: 'Locked until',
    width: 'time',
    cell: ({ lockedUntil }) => <MaybeTime at={lockedUntil} none="Not locked any more" />,
  },
  {
    name: 'Events',
    width: 'narrow',
    cell: ({ email }) => (
      <Link
        to={pathTo(AUDIT_LOG, { email, eventTypes: 'login_failure,account_locked' })}
        aria-label={`Failures of ${email}`}
      >
        Failures
      </Link>
    ),
  },
];

export function LockedList({ answer }: { answer: Answer<OverviewLockedQuery> }) {
  const held = useHeld(answer.data?.users?.nodes, ({ id }) => id);
  const count = answer.data?.users?.totalCount;
  return (
    <Part title="Users locked now" noun="user" held={held} problem={answer.problem}>
      <Table caption="Users locked now" columns={COLUMNS} rows={held.shown ?? []} keyOf={({ id }) => id} />
      {count != null && count.count > SHOWN && (
        <p class="quiet">
          The first {SHOWN} of {countText(count, 'user')}.{' '}
          <Link to={pathTo(USERS, { state: 'locked' })}>All of them</Link>
        </p>
      )}
    </Part>
  );
}
