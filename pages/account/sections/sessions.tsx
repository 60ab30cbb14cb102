/** Where the user is logged in. (Interface 21) */
import { useState } from 'preact/hooks';
import { endOtherSessions, endSession, type OwnSession, sessions } from '../../../client/src/account.js';
import { announce } from '../../kit/announce.js';
import { useAsked } from '../../kit/answer.js';
import { auth } from '../../kit/auth.js';
import { ChangeDialog } from '../../kit/change-dialog.js';
import { confirmed } from '../../kit/confirmation.js';
import { Device, deviceText } from '../../kit/device.js';
import { FirstRows } from '../../kit/first-rows.js';
import { Answered } from '../../kit/states.js';
import { type Column, Table } from '../../kit/table.js';
import { Time } from '../../kit/time.js';
import { networkText } from '../network.js';

const COLUMNS: Array<Column<OwnSession>> = [
  {
    name: 'Where',
    cell: ({ userAgent, ipAddress, isCurrent }) => (
      <>
        <Device userAgent={userAgent} /> {isCurrent && <span class="badge">This one</span>}
        <div class="quiet" title={ipAddress}>
          {networkText(ipAddress)}
        </div>
      </>
    ),
  },
  { name: 'First used', width: 'time', cell: ({ startedAt }) => <Time at={startedAt} /> },
  { name: 'Last used', width: 'time', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
];

/** @param turn another one asks again, since something else has ended sessions */
export function Sessions({ turn }: { turn: number }) {
  const answer = useAsked(`sessions ${turn}`, thisOneFirst);
  const [ending, setEnding] = useState<OwnSession | 'others'>();
  const done = (text: string): void => {
    announce(text);
    answer.reload();
  };
  const button: Column<OwnSession> = {
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
  const others = answer.data?.filter(({ isCurrent }) => !isCurrent).length ?? 0;

  return (
    <section aria-labelledby="your-sessions">
      <div class="bar">
        <h2 id="your-sessions">Where you are logged in</h2>
        {others > 0 && (
          <button type="button" class="bad-quiet" onClick={() => setEnding('others')}>
            End all others
          </button>
        )}
      </div>
      <Answered answer={answer}>
        {(rows) => (
          <div>
            <FirstRows rows={rows}>
              {(shown) => (
                <Table
                  caption="Where you are logged in"
                  columns={[...COLUMNS, button]}
                  rows={shown}
                  keyOf={({ id }) => id}
                />
              )}
            </FirstRows>
          </div>
        )}
      </Answered>
      <p class="hint">
        If you do not know one of them, end it, then <a href="#password">change your password</a>.
      </p>
      {ending === 'others' && (
        <ChangeDialog
          title="End all other sessions"
          action="End them"
          tone="bad"
          onClose={() => setEnding(undefined)}
          onSubmit={async () => {
            const { sessionsEnded: count } = await confirmed(() => endOtherSessions(auth));
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
            await confirmed(() => endSession(auth, ending.id));
            done('The session was ended.');
          }}
        >
          <p>
            Ends your session of <bdi>{nameOf(ending)}</bdi>, {networkText(ending.ipAddress)}. There you have to log in
            again.
          </p>
        </ChangeDialog>
      )}
    </section>
  );
}

async function thisOneFirst(): Promise<OwnSession[]> {
  return (await sessions(auth)).sort((one, other) => Number(other.isCurrent) - Number(one.isCurrent));
}

/** Words by which the user knows a session */
function nameOf({ userAgent }: OwnSession): string {
  return deviceText(userAgent) ?? 'an unknown device';
}
