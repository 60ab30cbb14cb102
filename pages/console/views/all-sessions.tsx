/** The view Sessions: who is logged in, newest login first. */
import { useState } from 'preact/hooks';
import { announce } from '../../kit/announce.js';
import { usePages } from '../../kit/answer.js';
import { Heading } from '../../kit/heading.js';
import { place, setQuery } from '../../kit/location.js';
import { type Column, List } from '../../kit/table.js';
import { actionsOn, EndDialog } from '../end-session.js';
import { UserLink } from '../events.js';
import { AllSessions, type AllSessionsQuery } from '../operations.js';
import { FROM, STARTED, STATE, USED } from '../sessions.js';

type SessionOfUser = NonNullable<AllSessionsQuery['sessions']>['nodes'][number];

const USER: Column<SessionOfUser> = { name: 'User', cell: (session) => <UserLink {...session} /> };

export function AllSessionsView() {
  const isLive = place.value.query.get('sessions') !== 'ended';
  const read = usePages(AllSessions, { first: 50, live: isLive }, ({ sessions }) => sessions);
  const [ending, setEnding] = useState<SessionOfUser>();
  return (
    <>
      <div class="bar">
        <Heading text="Sessions" />
        <button type="button" onClick={() => setQuery({ sessions: isLive ? 'ended' : undefined })}>
          {isLive ? 'Show ended sessions' : 'Show live sessions'}
        </button>
      </div>
      <List
        caption={isLive ? 'Live sessions, newest login first' : 'Ended sessions, newest login first'}
        columns={[USER, FROM, STARTED, isLive ? USED : STATE, actionsOn<SessionOfUser>(setEnding)]}
        read={read}
        keyOf={({ id }) => id}
        empty={isLive ? 'Nobody is logged in.' : 'No ended session is stored.'}
      />
      {ending !== undefined && (
        <EndDialog
          session={ending}
          email={ending.user?.email ?? 'a deleted user'}
          onDone={(text) => {
            announce(text);
            read.reload();
          }}
          onClose={() => setEnding(undefined)}
        />
      )}
    </>
  );
}
