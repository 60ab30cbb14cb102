/** Where the user is logged in. (Interface 21) */
import { useState } from 'preact/hooks';
import { endOtherSessions, endSession, type OwnSession, sessions } from '../../../client/src/account.js';
import { useAsked } from '../../kit/answer.js';
import { auth } from '../../kit/auth.js';
import { confirmed } from '../../kit/confirmation.js';
import { Device } from '../../kit/device.js';
import { FirstRows } from '../../kit/first-rows.js';
import { type Ending, EndSessions, endColumn } from '../../kit/own/end-sessions.js';
import { ownTurn } from '../../kit/own/own.js';
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

export function Sessions() {
  const answer = useAsked(`sessions ${ownTurn.value}`, thisOneFirst);
  const [ending, setEnding] = useState<Ending<OwnSession>>();
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
                  columns={[...COLUMNS, endColumn<OwnSession>(setEnding)]}
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
      <EndSessions
        ending={ending}
        placeOf={({ ipAddress }) => networkText(ipAddress)}
        end={(id) => confirmed(() => endSession(auth, id))}
        endOthers={async () => (await confirmed(() => endOtherSessions(auth))).sessionsEnded}
        onClose={() => {
          setEnding(undefined);
          answer.reload();
        }}
      />
    </section>
  );
}

async function thisOneFirst(): Promise<OwnSession[]> {
  return (await sessions(auth)).sort((one, other) => Number(other.isCurrent) - Number(one.isCurrent));
}
