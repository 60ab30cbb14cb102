/** The plot above the audit log: its events over time, in a few series. */
import { type Answer, useAsked } from '../../answer.js';
import { EVENT_TYPES } from '../../events.js';
import { ask } from '../../graphql.js';
import { Bars, BarsTable, type BarTone, Legend } from '../../kit/bars.js';
import { ProblemNotice } from '../../kit/states.js';
import { TIME_ZONE } from '../../kit/time.js';
import { pathTo, place } from '../../location.js';
import { AuditCounts, type AuditEventType } from '../../operations.js';
import { AUDIT_LOG } from '../../views.js';
import type { Filter } from './filters.js';
import { type Bucket, bucketsOf, plottedSpan, type Span } from './spans.js';

interface Group {
  name: string;
  tone: BarTone;
  types: readonly AuditEventType[];
}

const NAMED: readonly Group[] = [
  { name: 'Token thefts', tone: 'bad', types: ['token_theft'] },
  { name: 'Refusals', tone: 'warn', types: ['login_failure', 'account_locked', 'password_change_failed'] },
  { name: 'Logins', tone: 'accent', types: ['login_success'] },
];
const OTHERS: Group = {
  name: 'Everything else',
  tone: 'rest',
  types: EVENT_TYPES.filter((type) => !NAMED.some(({ types }) => types.includes(type))),
};

export interface Plotted {
  span: Span & { isCut: boolean };
  buckets: Array<Bucket<{ bucketStart: string; eventType: AuditEventType; count: number }>>;
}

/** Undefined data: not counted yet; null: the filter's span is to come. */
export function usePlot(filter: Filter): Answer<Plotted | null> {
  return useAsked(`plot ${JSON.stringify(filter)}`, async (signal) => {
    const span = plottedSpan(filter, filter.eventTypes?.length, new Date());
    if (span === undefined) return null;
    const { bucket, since, until } = span;
    const variables = {
      bucket,
      timeZone: TIME_ZONE,
      filter: { ...filter, since: since.toISOString(), until: until.toISOString() },
    };
    const { auditCounts } = await ask(AuditCounts, variables, signal);
    return { span, buckets: bucketsOf(span, auditCounts ?? []) };
  });
}

interface PlotProps {
  filter: Filter;
  plot: Answer<Plotted | null>;
}

const UNITS = { minute: 'Minute', hour: 'Hour', day: 'Day' } as const;

/** If the events cannot be counted, it says why, and the log is shown all the same. */
export function Plot({ filter, plot: { data, problem } }: PlotProps) {
  if (data === null) return null;
  const shown = groupsOf(filter);
  const unit = UNITS[data?.span.bucket ?? 'day'];
  const label = `Events by ${unit.toLowerCase()}`;
  const bars = data?.buckets.map(({ since, until, name, counted }) => ({
    name,
    shortName: name,
    to: here({ since, until }),
    counts: shown.map(({ types }) => ({
      count: counted.reduce((sum, { eventType, count }) => (types.includes(eventType) ? sum + count : sum), 0),
      to: types.length < OTHERS.types.length ? here({ since, until, eventTypes: types.join(',') }) : undefined,
    })),
  }));
  return (
    <div class="plot">
      <ProblemNotice problem={problem} />
      {problem === undefined && (
        <>
          <div class="bar">
            <h2>{label}</h2>
            <Legend series={shown} />
          </div>
          <Bars label={label} series={shown} bars={bars ?? []} />
          {data?.span.isCut && <p class="quiet">The plot shows the last three months of this time alone.</p>}
          {bars !== undefined && <BarsTable label={label} unit={unit} series={shown} bars={bars} />}
        </>
      )}
    </div>
  );
}

/** The groups of which the filter leaves something. */
function groupsOf({ eventTypes }: Filter): Group[] {
  const groups = [...NAMED, OTHERS];
  if (eventTypes == null) return groups;
  return groups
    .map((group) => ({ ...group, types: group.types.filter((type) => eventTypes.includes(type)) }))
    .filter(({ types }) => types.length > 0);
}

/** This log with some filters changed. */
function here(changes: Record<string, string>): string {
  return pathTo(AUDIT_LOG, { ...Object.fromEntries(place.value.query), ...changes });
}
