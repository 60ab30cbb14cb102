/** The sessions of the user, live and ended. */
import { useState } from 'preact/hooks';
import { announce } from '../../../kit/announce.js';
import { usePages } from '../../../kit/answer.js';
import { ChangeDialog } from '../../../kit/change-dialog.js';
import { deviceText } from '../../../kit/device.js';
import { ask } from '../../../kit/graphql.js';
import { place, setQuery } from '../../../kit/location.js';
import { type Column, List } from '../../../kit/table.js';
import { MySessions, RevokeOtherSessions, RevokeSession } from '../../operations.js';
import { FROM, type Session, STARTED, STATE, USED } from '../../sessions.js';
import { Steps, useSteps } from '../audit/story.js';

const PAGE = 20;

export function Sessions() {
  const isLive = place.value.query.get('sessions') !== 'ended';
  const read = usePages(MySessions, { first: PAGE, live: isLive }, ({ me }) => me?.sessions);
  const [ending, setEnding] = useState<Session | 'others'>();
  const done = (text: string): void => {
    announce(text);
    read.reload();
  };
  const buttons: Column<Session> = {
    name: 'Actions',
    isNameHidden: true,
    align: 'end',
    cell: (session) =>
      !session.isCurrent && (
        <button type="button" class="bad-quiet" onClick={() => setEnding(session)}>
          End<span class="unseen"> the session of {nameOf(session)}</span>
        </button>
      ),
  };
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
        columns={[FROM, STARTED, USED, STATE, STEPS, isLive && buttons]}
        read={read}
        keyOf={({ id }) => id}
        empty={
          isLive ? 'You have no live session.' : 'No session of yours has ended yet. Ended sessions are kept for a day.'
        }
      />
      {ending === 'others' && (
        <ChangeDialog
          title="End all other sessions"
          action="End them"
          tone="bad"
          onClose={() => setEnding(undefined)}
          onSubmit={async () => {
            const { revokeOtherSessions } = await ask(RevokeOtherSessions, {});
            const count = revokeOtherSessions?.revokedCount ?? 0;
            done(count === 1 ? '1 session was ended.' : `${count} sessions were ended.`);
          }}
        >
          <p>Ends every session of yours but this one. On those devices you have to log in again.</p>
        </ChangeDialog>
      )}
      {ending !== undefined && ending !== 'others' && (
        <ChangeDialog
          title="End this session"
          action="End session"
          tone="bad"
          onClose={() => setEnding(undefined)}
          onSubmit={async () => {
            await ask(RevokeSession, { id: ending.id });
            done('The session was ended.');
          }}
        >
          <p>
            Ends your session of <bdi>{nameOf(ending)}</bdi> at the address {ending.ipAddress}. There you have to log in
            again.
          </p>
        </ChangeDialog>
      )}
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

/** Words by which the user knows a session */
function nameOf({ userAgent }: Session): string {
  return deviceText(userAgent) ?? 'an unknown device';
}
