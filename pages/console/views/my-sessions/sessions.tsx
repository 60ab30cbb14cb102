/** The sessions of the user, live and ended. */
import { useEffect, useState } from 'preact/hooks';
import { usePages } from '../../../kit/answer.js';
import { ask } from '../../../kit/graphql.js';
import { place, setQuery } from '../../../kit/location.js';
import { type Ending, EndSessions, endColumn } from '../../../kit/own/end-sessions.js';
import { ownTurn } from '../../../kit/own/own.js';
import { type Column, List } from '../../../kit/table.js';
import { MySessions, RevokeOtherSessions, RevokeSession } from '../../operations.js';
import { FROM, type Session, STARTED, STATE, USED } from '../../sessions.js';
import { Steps, useSteps } from '../audit/story.js';

const PAGE = 20;

export function Sessions() {
  const isLive = place.value.query.get('sessions') !== 'ended';
  const read = usePages(MySessions, { first: PAGE, live: isLive }, ({ me }) => me?.sessions);
  const [ending, setEnding] = useState<Ending<Session>>();
  const [firstTurn] = useState(ownTurn.peek());
  // biome-ignore lint/correctness/useExhaustiveDependencies: another turn reads again
  useEffect(() => {
    if (ownTurn.value !== firstTurn) read.reload();
  }, [ownTurn.value]);
  const hasOthers = read.rows?.some((session) => session.isLive && !session.isCurrent) ?? false;

  return (
    <section aria-labelledby="sessions">
      <div class="bar">
        <h2 id="sessions">{isLive ? 'Where you are logged in' : 'Ended sessions'}</h2>
        <div class="row-actions">
          <button type="button" onClick={() => setQuery({ sessions: isLive ? 'ended' : undefined })}>
            {isLive ? 'Show ended sessions' : 'Show live sessions'}
          </button>
          {isLive && hasOthers && (
            <button type="button" class="bad-quiet" onClick={() => setEnding('others')}>
              End all other sessions
            </button>
          )}
        </div>
      </div>
      <List
        caption={isLive ? 'Live sessions' : 'Ended sessions'}
        columns={[FROM, STARTED, USED, STATE, STEPS, isLive && endColumn<Session>(setEnding)]}
        read={read}
        keyOf={({ id }) => id}
        empty={
          isLive ? 'You have no live session.' : 'No session of yours has ended yet. Ended sessions are kept for a day.'
        }
      />
      <EndSessions
        ending={ending}
        placeOf={({ ipAddress }) => `at the address ${ipAddress}`}
        end={(id) => ask(RevokeSession, { id })}
        endOthers={async () => (await ask(RevokeOtherSessions, {})).revokeOtherSessions?.revokedCount ?? 0}
        onClose={() => {
          setEnding(undefined);
          read.reload();
        }}
      />
    </section>
  );
}

const STEPS: Column<Session> = { name: 'What happened', width: 'time', cell: ({ id }) => <StepsOf id={id} /> };

function StepsOf({ id }: { id: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Steps</summary>
      {isOpen && <ReadSteps id={id} />}
    </details>
  );
}

function ReadSteps({ id }: { id: string }) {
  return <Steps steps={useSteps(id)} />;
}
