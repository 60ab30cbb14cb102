/** Sessions of a user: the live ones, and on demand those that have ended. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { usePages } from '../../../kit/answer.js';
import { can } from '../../../kit/auth.js';
import { ChangeDialog } from '../../../kit/change-dialog.js';
import { place, setQuery } from '../../../kit/location.js';
import { List } from '../../../kit/table.js';
import { actionsOn, EndDialog } from '../../end-session.js';
import { SessionsOfUser } from '../../operations.js';
import { FROM, type Session, STARTED, STATE, USED } from '../../sessions.js';
import { useAgain } from './again.js';
import type { UserFacts } from './facts.js';
import { EndingText, endSessions, sessionsText, useLiveSessions } from './live-sessions.js';

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
  const [ended, setEnded] = useState(0);
  const [of, setOf] = useState<number>(); // how many there were when it began
  const unsaid = useRef(0);
  const progress = (count: number): void => {
    unsaid.current = count;
    setEnded(count);
  };
  const gone = useRef(new AbortController());
  useEffect(() => () => gone.current.abort(), []);
  return (
    <ChangeDialog
      title="End all sessions"
      action="End all sessions"
      tone="bad"
      onSubmit={async () => {
        progress(0);
        setOf(live?.isExact ? live.count : undefined);
        const count = await endSessions({ id: user.id, signal: gone.current.signal, onProgress: progress });
        unsaid.current = 0;
        onDone(`Ended ${sessionsText(count)}.`);
      }}
      onClose={() => {
        if (unsaid.current > 0) onDone(`Ended ${sessionsText(unsaid.current)}.`); // after a failure
        onClose();
      }}
    >
      <p>
        <EndingText live={live} email={user.email} /> They have to log in again. Access tokens that exist work until
        they expire.
      </p>
      <p class="hint">The sessions are ended one after the other. The session of this page is never among them.</p>
      {ended > 0 && (
        <div class="ending">
          <progress aria-label="Ended sessions" value={of === undefined ? undefined : Math.min(ended, of)} max={of} />
          <span>
            {ended.toLocaleString('en-GB')}
            {of !== undefined && ` of ${of.toLocaleString('en-GB')}`} ended
          </span>
        </div>
      )}
    </ChangeDialog>
  );
}
