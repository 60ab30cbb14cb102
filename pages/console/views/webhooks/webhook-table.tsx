/** The columns of the table of webhooks. */

import { can } from '../../../kit/auth.js';
import { Cut, Foreign } from '../../../kit/foreign.js';
import { Link, pathTo } from '../../../kit/location.js';
import { Several } from '../../../kit/several.js';
import type { Column } from '../../../kit/table.js';
import { Time } from '../../../kit/time.js';
import { eventName } from '../../events.js';
import { AUDIT_LOG } from '../../paths.js';
import {
  lagText,
  nameOf,
  outcomeText,
  PATH_CHARACTERS,
  parkedText,
  partsOf,
  type StateName,
  stateOf,
  type Webhook,
} from './webhook.js';

/** What the buttons of a row ask for */
export type WebhookAction = 'attempts' | 'test' | 'pause' | 'resume' | 'replay' | 'rotate' | 'delete';

export function webhookColumns(
  onAct: (action: WebhookAction, webhook: Webhook) => void,
): Array<Column<Webhook> | false> {
  return [
    { name: 'Receiver', cell: (webhook) => <Receiver of={webhook} /> },
    { name: 'Events', cell: (webhook) => <Events of={webhook} /> },
    { name: 'State', cell: (webhook) => <State of={webhook} /> },
    { name: 'Created', width: 'narrow', cell: (webhook) => <Created of={webhook} /> },
    can('webhooks:write') && {
      name: 'Actions',
      width: 'time',
      isNameHidden: true,
      align: 'end',
      cell: (webhook) => <Actions of={webhook} onAct={(action) => onAct(action, webhook)} />,
    },
  ];
}

function Receiver({ of: webhook }: { of: Webhook }) {
  const { host, path } = partsOf(webhook);
  return (
    <>
      <strong>
        <Foreign text={host} />
      </strong>
      {path !== '' && (
        <div class="quiet">
          <Cut text={path} characters={PATH_CHARACTERS} />
        </div>
      )}
    </>
  );
}

function Events({ of: { eventTypes, includeEmails } }: { of: Webhook }) {
  return (
    <>
      {eventTypes === null ? 'All events' : <Several items={eventTypes.map(eventName)} />}
      <div class="quiet">{includeEmails ? 'with e-mails' : 'without e-mails'}</div>
    </>
  );
}

const STATES: Record<StateName, [name: string, tone: string]> = {
  paused: ['Paused', 'warn'],
  failing: ['Failing', 'bad'],
  waiting: ['Waiting', 'warn'],
  delivering: ['Delivering', 'good'],
};

function State({ of: webhook }: { of: Webhook }) {
  const { lastAttempt, pausedAt, pausedBy, previousSecretEndsAt } = webhook;
  const [name, tone] = STATES[stateOf(webhook)];
  const [parked, lag] = [parkedText(webhook), lagText(webhook)];
  return (
    <ul class="several">
      <li>
        <span class={tone}>{name}</span>
        {pausedAt !== null && (
          <>
            {pausedBy === 'receiver' ? ', because its receiver answered 410' : ' by an operator'}, since{' '}
            <Time at={pausedAt} />
          </>
        )}
      </li>
      {lag !== '' && <li>Behind by {lag}</li>}
      {parked !== '' && <li>{parked}</li>}
      <li class="quiet">
        {lastAttempt === null ? (
          'Nothing sent yet'
        ) : (
          <>
            Last attempt: {outcomeText(lastAttempt)}, <Time at={lastAttempt.at} />
          </>
        )}
      </li>
      {previousSecretEndsAt !== null && (
        <li class="warn">
          Two secrets until <Time at={previousSecretEndsAt} />
        </li>
      )}
    </ul>
  );
}

function Created({ of: { id, createdAt } }: { of: Webhook }) {
  return (
    <>
      <Time at={createdAt} />
      <div>
        <Link to={pathTo(AUDIT_LOG, { entityId: id })} aria-label={`History of ${id}`}>
          History
        </Link>
      </div>
    </>
  );
}

interface ActionsProps {
  of: Webhook;
  onAct(action: WebhookAction): void;
}

function Actions({ of: webhook, onAct }: ActionsProps) {
  const buttons: Array<[action: WebhookAction, label: string]> = [
    ['attempts', 'Attempts'],
    ['test', 'Test'],
    webhook.pausedAt === null ? ['pause', 'Pause'] : ['resume', 'Resume'],
    ['replay', 'Replay'],
    ['rotate', 'Rotate'],
    ['delete', 'Delete'],
  ];
  return (
    <div class="row-actions">
      {buttons.map(([action, label]) => (
        <button
          key={label}
          type="button"
          class={action === 'delete' ? 'small bad-quiet' : 'small'}
          aria-label={`${label} ${nameOf(webhook)}`}
          onClick={() => onAct(action)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
