/** The last attempts of a webhook, each of whose events can be sent again. */
import { useEffect, useRef } from 'preact/hooks';
import { useAnswer } from '../../../kit/answer.js';
import { can } from '../../../kit/auth.js';
import { Foreign } from '../../../kit/foreign.js';
import { ask } from '../../../kit/graphql.js';
import { Answered, Empty } from '../../../kit/states.js';
import { type Column, Table } from '../../../kit/table.js';
import { Time } from '../../../kit/time.js';
import { eventName } from '../../events.js';
import { ResendWebhookEvent, WebhookAttempts, type WebhookAttemptsQuery } from '../../operations.js';
import { SendNow } from './try-webhook.js';
import { nameOf, outcomeText, type Webhook } from './webhook.js';

type Attempt = NonNullable<NonNullable<WebhookAttemptsQuery['webhook']>['attempts']>[number];

interface Props {
  of: Webhook;
  pollMs: number;
  onClose(): void;
}

export function Attempts({ of: webhook, pollMs, onClose }: Props) {
  const { id } = webhook;
  const answer = useAnswer(WebhookAttempts, { id }, { pollMs });
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const columns: Array<Column<Attempt> | false> = [
    { name: 'Time', width: 'time', cell: ({ at }) => <Time at={at} /> },
    {
      name: 'Event',
      cell: ({ eventType, eventId }) => (
        <>
          {eventName(eventType)}
          <div class="hint">{eventId}</div>
        </>
      ),
    },
    {
      name: 'Outcome',
      cell: (attempt) => (
        <>
          <span class={attempt.outcome === 'delivered' ? 'good' : 'bad'}>{outcomeText(attempt)}</span>
          <div class="hint">
            {attempt.attempt === null ? 'Sent by hand' : `Attempt ${attempt.attempt.toLocaleString('en-GB')}`},{' '}
            {attempt.milliseconds.toLocaleString('en-GB')} ms
          </div>
        </>
      ),
    },
    can('webhooks:write') &&
      can('audit:read') && {
        name: 'Actions',
        isNameHidden: true,
        align: 'end',
        cell: ({ eventId, eventType }) => (
          <SendNow
            label={`Resend ${eventName(eventType)}`}
            send={async () => (await ask(ResendWebhookEvent, { id, eventId })).resendWebhookEvent}
            onSent={answer.reload}
          >
            Resend
          </SendNow>
        ),
      },
  ];
  return (
    <section aria-labelledby="attempts">
      <div class="bar">
        <h2 id="attempts" tabIndex={-1} ref={heading}>
          Last attempts for <Foreign text={nameOf(webhook)} />
        </h2>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      <Answered answer={answer}>
        {({ webhook: found }) =>
          found?.attempts?.length ? (
            <Table
              caption="Last attempts"
              columns={columns}
              rows={found.attempts}
              keyOf={({ at, eventId }) => at + eventId}
            />
          ) : (
            <Empty>Nothing was sent yet.</Empty>
          )
        }
      </Answered>
    </section>
  );
}
