/** The view Audit log: what happened, filtered, plotted and exported. */
import { useRef, useState } from 'preact/hooks';
import { announce } from '../../kit/announce.js';
import { useAnswer } from '../../kit/answer.js';
import { ExportAll } from '../../kit/export-all.js';
import { useFocusBack } from '../../kit/focus.js';
import { Cut } from '../../kit/foreign.js';
import { ask } from '../../kit/graphql.js';
import { Heading } from '../../kit/heading.js';
import { place } from '../../kit/location.js';
import { More } from '../../kit/more.js';
import { Empty, Loading, ProblemNotice } from '../../kit/states.js';
import { type Count, countText } from '../../kit/table.js';
import { useUniqueId } from '../../kit/unique-id.js';
import { EventList, namesIn } from '../event-list.js';
import type { Event } from '../events.js';
import { AuditTotal, ExportEvents } from '../operations.js';
import { Chips } from './audit/chips.js';
import { FORMATS } from './audit/export-log.js';
import { FilterForm } from './audit/filter-form.js';
import { chipsOf, type Filter, readFilter, type WrongValue } from './audit/filters.js';
import { type Log, useLog } from './audit/log.js';
import { Plot, usePlot } from './audit/plot.js';
import { SavedFilters } from './audit/saved.js';
import { lastVisit } from './audit/stored.js';
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
      <div class="notice bad" role="alert">
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
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const id = useUniqueId();
  const count = chipsOf(place.value.query).length;
  const copy = (): void => {
    navigator.clipboard.writeText(location.href).then(
      () => announce('The link to these filters is copied.'),
      () => announce('The browser forbids copying: the address of this page is the link.'),
    );
  };
  return (
    <div class="stack">
      <div class="row-actions">
        <button
          type="button"
          class="filter-button"
          aria-expanded={isOpen}
          aria-controls={id}
          ref={button}
          onClick={() => setOpen(!isOpen)}
        >
          Filter{count > 0 && ` (${count})`}
        </button>
        {count > 0 && (
          <button type="button" onClick={copy}>
            Copy link
          </button>
        )}
      </div>
      <div id={id} class="stack sheet filter-panel" hidden={!isOpen}>
        {isOpen && (
          <>
            <FilterForm />
            <SavedFilters isSet={count > 0} />
          </>
        )}
      </div>
      <Chips names={namesIn(events)} onNoneLeft={() => button.current?.focus()} />
    </div>
  );
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
      <EventsSection log={log} filter={filter} total={total.data?.auditEvents?.totalCount} onShowNew={refresh} />
    </>
  );
}

interface EventsSectionProps {
  log: Log;
  filter: Filter;
  total: Count | null | undefined;
  onShowNew(): Promise<void>;
}

function EventsSection({ log, filter, total, onShowNew }: EventsSectionProps) {
  const section = useRef<HTMLElement>(null);
  const heading = useFocusBack(section);
  const list = useRef<HTMLDivElement>(null);
  const [seenAt] = useState(lastVisit);
  const { rows, newCount, isNewCountExact, isLoading, hasMore, problem } = log;
  const isReadable = problem === undefined || problem.isPassing;
  const show = (): void => {
    onShowNew().catch(() => undefined); // the list shows the problem
  };
  return (
    <section class="log" ref={section}>
      <div class="bar">
        <div class="row">
          <h2 tabIndex={-1} ref={heading}>
            Events
          </h2>
          <p class="row total" role="status">
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
          isDisabled={rows === undefined || rows.length === 0 || isLoading}
          total={total}
          read={async (page, signal) => (await ask(ExportEvents, { ...page, filter }, signal)).auditEvents}
        />
      </div>
      <div aria-busy={isLoading} ref={list}>
        <ProblemNotice problem={problem} />
        {isReadable && rows === undefined && problem === undefined && <Loading />}
        {isReadable && rows?.length === 0 && !hasMore && <Empty>No event matches these filters.</Empty>}
        {isReadable && rows !== undefined && rows.length > 0 && (
          <EventList caption="Events of the audit log, newest first" events={rows} isNew={log.isNew} seenAt={seenAt} />
        )}
        {isReadable && <More read={log} label="Show more" list={list} row=".event" />}
      </div>
    </section>
  );
}
