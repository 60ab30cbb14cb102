/** The last requests that were refused for a wrong password or a lock. */
import { useAnswer } from '../../../kit/answer.js';
import { Device } from '../../../kit/device.js';
import { useHeld } from '../../../kit/held.js';
import { Link, pathTo } from '../../../kit/location.js';
import { type Column, Table } from '../../../kit/table.js';
import { Time } from '../../../kit/time.js';
import { type Event, EventName, noteOf, Origin, Subject } from '../../events.js';
import { AGAIN_MS, useNews } from '../../live.js';
import { type AuditEventType, Events } from '../../operations.js';
import { AUDIT_LOG } from '../../paths.js';
import { Part } from './part.js';

const TYPES: AuditEventType[] = ['login_failure', 'account_locked', 'password_change_failed'];
const SHOWN = 5;

const COLUMNS: Array<Column<Event>> = [
  { name: 'Time', width: 'time', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: 'Event', width: 'time', cell: (event) => <EventName event={event} /> },
  {
    name: 'Who',
    cell: (event) => (
      <>
        <span class={emailOf(event) && 'line'} title={emailOf(event)}>
          <Subject event={event} />
        </span>{' '}
        <span class="quiet">{noteOf(event)}</span>
      </>
    ),
  },
  { name: 'From', width: 'time', cell: ({ ipAddress }) => <Origin ipAddress={ipAddress} /> },
  { name: 'Device', cell: ({ userAgent }) => <Device userAgent={userAgent} /> },
];

function emailOf({ user, metadata: { email } }: Event): string | undefined {
  return user?.email ?? (typeof email === 'string' ? email : undefined);
}

export function FailureList({ pollMs }: { pollMs: number }) {
  const answer = useAnswer(Events, { first: SHOWN, filter: { eventTypes: TYPES } }, { pollMs });
  useNews(TYPES, AGAIN_MS, answer.reload);
  const held = useHeld(answer.data?.auditEvents?.nodes, ({ id }) => id);
  return (
    <Part title="Last failures" noun="failure" held={held} problem={answer.problem}>
      <Table caption="Last failures, newest first" columns={COLUMNS} rows={held.shown ?? []} keyOf={({ id }) => id} />
      <p>
        <Link to={pathTo(AUDIT_LOG, { eventTypes: TYPES.join(',') })}>All failures</Link>
      </p>
    </Part>
  );
}
