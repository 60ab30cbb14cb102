/** The view Audit log: what happened, filtered, plotted and exported. */
import { useRef } from 'preact/hooks';
import { useAnswer } from '../../kit/answer.js';
import { ExportAll } from '../../kit/export-all.js';
import { useFocusBack } from '../../kit/focus.js';
import { Cut } from '../../kit/foreign.js';
import { ask } from '../../kit/graphql.js';
import { Heading } from '../../kit/heading.js';
import { place } from '../../kit/location.js';
import { ProblemNotice } from '../../kit/states.js';
import { type Count, countText, List } from '../../kit/table.js';
import { EVENT_COLUMNS, type Event } from '../events.js';
import { AuditTotal, ExportEvents } from '../operations.js';
import { Chips } from './audit/chips.js';
import { FORMATS } from './audit/export-log.js';
import { FilterForm } from './audit/filter-form.js';
import { type Filter, readFilter, type WrongValue } from './audit/filters.js';
import { type Log, useLog } from './audit/log.js';
import { Plot, usePlot } from './audit/plot.js';
import { SessionStory } from './audit/story.js';

export function Audit() {
  const { filter, problems } = readFilter(place.value.query);
  return (
    <>
      <Heading text="Audit log" />
      {problems.length === 0 ? <Shown filter={filter} /> : <Wrong problems={problems} />}
    </>
  );
}

function Wrong({ problems }: { problems: WrongValue[] }) {
  return (
    <>
      <Filters events={[]} />
      <div class="notice wrong-filter" role="alert">
        {problems.map(({ text, value }) => (
          <p key={`${text} ${value}`}>
            {text} <Cut text={value} />
          </p>
        ))}
        <p>So nothing was looked for. Remove the filter, or add it anew.</p>
      </div>
    </>
  );
}

function Filters({ events }: { events: readonly Event[] }) {
  const start = useRef<HTMLSelectElement>(null);
  return (
    <div class="log-filters">
      <FilterForm start={start} />
      <Chips nameOf={(id) => nameIn(events, id)} onNoneLeft={() => start.current?.focus()} />
    </div>
  );
}

/** The name of a key or a webhook, if one of the events has it. */
function nameIn(events: readonly Event[], id: string): string | undefined {
  const { service_name: service, host } =
    events.find(({ entityId, metadata }) => entityId === id && ('service_name' in metadata || 'host' in metadata))
      ?.metadata ?? {};
  const name = service ?? host;
  return typeof name === 'string' ? name : undefined;
}

function Shown({ filter }: { filter: Filter }) {
  const log = useLog(filter);
  const plot = usePlot(filter);
  const total = useAnswer(AuditTotal, { filter });
  const { sessionId } = filter;
  const recount = (): void => {
    plot.reload();
    total.reload();
  };
  const refresh = async (): Promise<void> => {
    await log.showNew();
    recount();
  };
  return (
    <>
      <Filters events={log.rows ?? []} />
      {typeof sessionId === 'string' && <SessionStory key={sessionId} id={sessionId} onEnded={() => void refresh()} />}
      <Plot filter={filter} plot={plot} />
      <EventList log={log} filter={filter} total={total.data?.auditEvents?.totalCount} onShowNew={refresh} />
    </>
  );
}

interface EventListProps {
  log: Log;
  filter: Filter;
  total: Count | null | undefined;
  onShowNew(): Promise<void>;
}

function EventList({ log, filter, total, onShowNew }: EventListProps) {
  const section = useRef<HTMLElement>(null);
  const heading = useFocusBack(section);
  const { rows = [], newCount, isNewCountExact, isLoading, problem } = log;
  const show = (): void => {
    onShowNew().catch(() => undefined); // the list shows the problem
  };
  return (
    <section class="log" ref={section}>
      <div class="bar">
        <div>
          <h2 tabIndex={-1} ref={heading}>
            Events
          </h2>
          <p class="total" role="status">
            <span class="quiet">{countText(total, 'event')}</span>
            {newCount > 0 && (
              <button type="button" class="small" onClick={show}>
                {newCount}
                {isNewCountExact ? '' : ' or more'} new event{newCount === 1 ? '' : 's'}
              </button>
            )}
          </p>
        </div>
        <ExportAll
          formats={FORMATS}
          name="audit-log"
          noun="event"
          command={`auth-gateway audit export${filter.since === undefined ? '' : ` --since ${filter.since}`}`}
          isDisabled={rows.length === 0 || isLoading}
          total={total}
          read={async (page, signal) => (await ask(ExportEvents, { ...page, filter }, signal)).auditEvents}
        />
      </div>
      {problem !== undefined && !problem.isPassing ? (
        <ProblemNotice problem={problem} />
      ) : (
        <List
          caption="Events of the audit log, newest first"
          columns={EVENT_COLUMNS}
          read={log}
          keyOf={({ id }) => id}
          isMarked={log.isNew}
          empty="No event matches these filters."
        />
      )}
    </section>
  );
}
