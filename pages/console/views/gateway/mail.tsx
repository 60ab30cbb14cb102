/** The mails that wait, the last attempt, and a test of the mail server. */
import { useState } from 'preact/hooks';
import { useAnswer } from '../../../kit/answer.js';
import { ChangeDialog } from '../../../kit/change-dialog.js';
import { ask } from '../../../kit/graphql.js';
import { Answered } from '../../../kit/states.js';
import { type Column, Table } from '../../../kit/table.js';
import { durationText, Time } from '../../../kit/time.js';
import { eventName } from '../../events.js';
import { GatewayMailState, type GatewayMailStateQuery, TestMail } from '../../operations.js';

type State = NonNullable<NonNullable<GatewayMailStateQuery['gateway']>['mail']>;
type Waiting = State['waiting'][number];

const FAILED = [
  ...['rejected', 'deferred', 'sender_refused', 'authentication', 'timeout', 'tls'],
  ...['connection_failed', 'secret_unreadable'],
];

const COLUMNS: Array<Column<Waiting>> = [
  { name: 'Event', cell: ({ eventType }) => eventName(eventType) },
  { name: 'Not tried', width: 'narrow', cell: ({ queued }) => queued.toLocaleString('en-GB') },
  { name: 'Tried again', width: 'narrow', cell: ({ retried }) => retried.toLocaleString('en-GB') },
];

export function Mail() {
  const answer = useAnswer(GatewayMailState, {});
  const [isTesting, setTesting] = useState(false);
  const isOn = answer.data?.gateway?.mail != null;
  return (
    <section aria-labelledby="mail">
      <div class="bar">
        <h2 id="mail">Mail</h2>
        {isOn && (
          <button type="button" onClick={() => setTesting(true)}>
            Send me a test mail
          </button>
        )}
      </div>
      <Answered answer={answer}>
        {({ gateway }) =>
          gateway?.mail == null ? <p class="quiet">Mail is off: MAIL is not set.</p> : <Shown state={gateway.mail} />
        }
      </Answered>
      {isTesting && <TestDialog onClose={() => setTesting(false)} />}
    </section>
  );
}

function Shown({ state: { waiting, isComplete, lag, lastAttempt } }: { state: State }) {
  return (
    <>
      <p>
        {lastAttempt === null ? (
          'No mail was sent yet.'
        ) : (
          <>
            The last event, <Time at={lastAttempt.at} />: <Result of={lastAttempt} />.
          </>
        )}{' '}
        {waiting.length === 0 ? 'Nothing waits.' : `The oldest event has waited for ${durationText(lag)}.`}
      </p>
      {waiting.length > 0 && (
        <Table
          caption="Events that wait for their mail"
          columns={COLUMNS}
          rows={waiting}
          keyOf={(row) => row.eventType}
        />
      )}
      {!isComplete && <p class="quiet">More wait than are counted here.</p>}
    </>
  );
}

/** `deferred (451)` */
function Result({ of: { outcome, status } }: { of: { outcome: string; status: number | null } }) {
  const tone = outcome === 'delivered' ? 'good' : FAILED.includes(outcome) ? 'bad' : 'quiet';
  return (
    <span class={tone}>
      {tone === 'quiet' ? `no mail was needed (${outcome.replaceAll('_', ' ')})` : outcome.replaceAll('_', ' ')}
      {status !== null && ` (${status})`}
    </span>
  );
}

function TestDialog({ onClose }: { onClose(): void }) {
  const test = async () => {
    const { testMail: sent } = await ask(TestMail, {});
    if (sent === null) return;
    return (
      <p>
        After {sent.milliseconds.toLocaleString('en-GB')} ms: <Result of={sent} />.
      </p>
    );
  };
  return (
    <ChangeDialog title="Send a test mail" action="Send" onSubmit={test} onClose={onClose}>
      <p>Mails your own address, and waits for the answer of the mail server.</p>
    </ChangeDialog>
  );
}
