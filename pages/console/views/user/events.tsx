/** What happened to a user lately. */

import { useAnswer } from '../../../kit/answer.js';
import { Link, pathTo } from '../../../kit/location.js';
import { Answered, Empty } from '../../../kit/states.js';
import { EventList } from '../../event-list.js';
import { Events } from '../../operations.js';
import { AUDIT_LOG } from '../../paths.js';
import { useAgain } from './again.js';

/** Number of events that are shown here; the audit log has all of them. */
const LATEST = 20;

export function EventsSection({ id, turn }: { id: string; turn: number }) {
  const read = useAnswer(Events, { first: LATEST, filter: { userId: id } });
  useAgain(turn, read.reload);
  return (
    <section>
      <div class="bar">
        <h2>Latest events</h2>
        <p class="user-links">
          <Link to={pathTo(AUDIT_LOG, { userId: id })}>All events</Link>
          <Link to={pathTo(AUDIT_LOG, { actorId: id })}>What this user did</Link>
        </p>
      </div>
      <Answered answer={read}>
        {({ auditEvents }) => {
          const events = auditEvents?.nodes ?? [];
          if (events.length === 0) return <Empty>No event is stored about this user.</Empty>;
          return <EventList caption="Latest events" events={events} />;
        }}
      </Answered>
    </section>
  );
}
