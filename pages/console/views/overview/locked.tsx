/** Users who cannot log in, because somebody has failed to, too often. */
import { useRef } from 'preact/hooks';
import { useAsked } from '../../../kit/answer.js';
import { useFocusBack } from '../../../kit/focus.js';
import { Foreign } from '../../../kit/foreign.js';
import { ask } from '../../../kit/graphql.js';
import { useHeld } from '../../../kit/held.js';
import { Link, pathTo } from '../../../kit/location.js';
import type { Answer } from '../../../kit/rows.js';
import { Answered, Empty } from '../../../kit/states.js';
import { type Column, countText, Table } from '../../../kit/table.js';
import { MaybeTime } from '../../../kit/time.js';
import { AGAIN_MS, isLive, useNews } from '../../live.js';
import { OverviewLocked, type OverviewLockedQuery } from '../../operations.js';
import { AUDIT_LOG, pathOfUser, USERS } from '../../paths.js';
import { News } from './news.js';

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
    cell: ({ id, email }) => (
      <Link to={pathOfUser(id)}>
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
  const section = useRef<HTMLElement>(null);
  const heading = useFocusBack(section);
  return (
    <section ref={section}>
      <div class="bar">
        <h2 tabIndex={-1} ref={heading}>
          Users locked now
        </h2>
        <News held={held} noun="user" />
      </div>
      <Answered answer={answer}>
        {({ users }) => (
          <>
            {held.shown?.length === 0 ? (
              <Empty>Nobody is locked.</Empty>
            ) : (
              <Table caption="Users locked now" columns={COLUMNS} rows={held.shown ?? []} keyOf={({ id }) => id} />
            )}
            {users?.totalCount != null && users.totalCount.count > SHOWN && (
              <p class="quiet">
                The first {SHOWN} of {countText(users.totalCount, 'user')}.{' '}
                <Link to={pathTo(USERS, { state: 'locked' })}>All of them</Link>
              </p>
            )}
          </>
        )}
      </Answered>
    </section>
  );
}
