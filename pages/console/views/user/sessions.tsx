/** Sessions of a user: the live ones, and on demand those that have ended. */
import { useState } from 'preact/hooks';
import { usePages } from '../../../kit/answer.js';
import { can } from '../../../kit/auth.js';
import { ChangeDialog } from '../../../kit/change-dialog.js';
import { ask } from '../../../kit/graphql.js';
import { place, setQuery } from '../../../kit/location.js';
import { List } from '../../../kit/table.js';
import { actionsOn, EndDialog } from '../../end-session.js';
import { EndSessionsOfUsers, SessionsOfUser } from '../../operations.js';
import { FROM, type Session, STARTED, STATE, USED } from '../../sessions.js';
import { useAgain } from './again.js';
import type { UserFacts } from './facts.js';
import { EndingText, sessionsText, useLiveSessions } from './live-sessions.js';

interface Props {
  user: UserFacts;
  /** A new number: something has changed */
  turn: number;
  onDone(text: string): void;
}

const PAGE = 20;

export function SessionsSection({ user, turn, onDone }: Props) {
  const isLive = place.value.query.get('sessions') !== 'ended';
  const read = usePages(SessionsOfUser, { id: user.id, first: PAGE, live: isLive }, (data) => data.user?.sessions);
  useAgain(turn, read.reload);
  const [ending, setEnding] = useState<Session | 'all'>();
  const mayEnd = can('sessions:write');
  const hasOthers = read.rows?.some((session) => session.isLive && !session.isCurrent) || read.hasMore;
  const close = (): void => setEnding(undefined);
  return (
    <section class="user-sessions">
      <div class="bar">
        <h2>{isLive ? 'Live sessions' : 'Ended sessions'}</h2>
        <div class="row-actions">
          <button type="button" onClick={() => setQuery({ sessions: isLive ? 'ended' : undefined })}>
            {isLive ? 'Show ended sessions' : 'Show live sessions'}
          </button>
          {mayEnd && isLive && hasOthers && (
            <button type="button" class="bad-quiet" onClick={() => setEnding('all')}>
              End all sessions
            </button>
          )}
        </div>
      </div>
      <List
        caption={isLive ? 'Live sessions' : 'Ended sessions'}
        columns={[FROM, STARTED, USED, STATE, actionsOn(setEnding)]}
        read={read}
        keyOf={({ id }) => id}
        empty={
          isLive
            ? 'No live session.'
            : 'No ended session is stored. An ended session goes a day after it would have expired.'
        }
      />
      {ending === 'all' && <EndAllDialog user={user} onDone={onDone} onClose={close} />}
      {ending !== undefined && ending !== 'all' && (
        <EndDialog session={ending} email={user.email} onDone={onDone} onClose={close} />
      )}
    </section>
  );
}

interface EndProps extends Pick<Props, 'user' | 'onDone'> {
  onClose(): void;
}

function EndAllDialog({ user, onDone, onClose }: EndProps) {
  const live = useLiveSessions(user.id, true);
  return (
    <ChangeDialog
      title="End all sessions"
      action="End all sessions"
      tone="bad"
      onSubmit={async () => {
        const { revokeSessionsOfUsers: ended } = await ask(EndSessionsOfUsers, { ids: [user.id] });
        onDone(`Ended ${sessionsText(ended?.revokedSessionCount ?? 0)}.`);
      }}
      onClose={onClose}
    >
      <p>
        <EndingText live={live} email={user.email} /> They have to log in again. Access tokens that exist work until
        they expire. The session of this page stays.
      </p>
    </ChangeDialog>
  );
}
