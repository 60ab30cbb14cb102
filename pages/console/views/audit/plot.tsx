/** The plot above the audit log: its events over time, in a few series. */

import { useState } from 'preact/hooks';
import { useAsked } from '../../../kit/answer.js';
import { Bars, BarsTable, type BarTone, Legend } from '../../../kit/bars.js';
import { pathTo, place } from '../../../kit/location.js';
import type { Answer } from '../../../kit/rows.js';
import { ProblemNotice } from '../../../kit/states.js';
import { ENDED_TOKEN, EVENT_TYPES } from '../../events.js';
import { AUDIT_LOG } from '../../paths.js';
import { type CountBucket, type CountedType, countEvents } from './counts.js';
import type { Filter } from './filters.js';
import { plottedSpan, type Span } from './spans.js';

interface Group {
  name: string;
  tone: BarTone;
  types: readonly CountedType[];
  /** Of the query, for its events. Undefined: they need no filter, or have none */
  query?: Record<string, string>;
}

const NAMED: readonly Group[] = [
  { name: 'Token thefts', tone: 'bad', types: ['token_theft'], query: { isTheft: 'true' } },
  { name: 'Refusals', tone: 'warn', types: ['login_failure', 'account_locked', 'password_change_failed'] },
  { name: 'Logins', tone: 'accent', types: ['login_success'] },
];
const OTHERS: Group = {
  name: 'Everything else',
  tone: 'rest',
  types: [...EVENT_TYPES.filter((type) => !NAMED.some(({ types }) => types.includes(type))), 'ended_token'],
};
const ENDED: Group = { name: ENDED_TOKEN, tone: 'rest', types: ['ended_token'], query: { isTheft: 'false' } };

export interface Plotted {
  span: Span & { isCut: boolean };
  buckets: CountBucket[];
}

/** Undefined data: not counted yet; null: the filter's span is to come. */
export function usePlot(filter: Filter): Answer<Plotted | null> {
  return useAsked(`plot ${JSON.stringify(filter)}`, async (signal) => {
    const span = plottedSpan(filter, filter.eventTypes?.length, new Date());
    if (span === undefined) return null;
    return { span, buckets: await countEvents(span, filter, signal) };
  });
}

const UNITS = { minute: 'Minute', hour: 'Hour', day: 'Day' } as const;

/** If the events cannot be counted, it says why, and the log is shown all the same. */
export function Plot({ filter, plot: { data, problem } }: { filter: Filter; plot: Answer<Plotted | null> }) {
  const [isOpen] = useState(() => matchMedia('(min-width: 45rem)').matches); // on a phone the events come first
  if (data === null) return null;
  const shown = groupsOf(filter);
  const unit = UNITS[data?.span.bucket ?? 'day'];
  const label = `Events by ${unit.toLowerCase()}`;
  const bars = data?.buckets.map(({ since, until, name, counted }) => ({
    name,
    shortName: name,
    to: here({ since, until }),
    counts: shown.map(({ types, query }) => ({
      count: counted.reduce((sum, { eventType, count }) => (types.includes(eventType) ? sum + count : sum), 0),
      to: query && here({ since, until, ...query }),
    })),
  }));
  return (
    <details class="plot" open={isOpen}>
      <summary>
        <h2>{label}</h2>
      </summary>
      <ProblemNotice problem={problem} />
      {problem === undefined && (
        <>
          <Legend series={shown} />
          <Bars label={label} series={shown} bars={bars ?? []} />
          {data?.span.isCut && <p class="quiet">The plot shows the last three months of this time alone.</p>}
          {bars !== undefined && <BarsTable label={label} unit={unit} series={shown} bars={bars} />}
        </>
      )}
    </details>
  );
}

/** The groups of which the filter leaves something. */
function groupsOf({ eventTypes, isTheft }: Filter): Group[] {
  if (isTheft != null) return isTheft ? NAMED.slice(0, 1) : [ENDED];
  if (eventTypes == null) return [...NAMED.map(withQuery), OTHERS];
  const isAsked = (type: CountedType): boolean => eventTypes.includes(type === 'ended_token' ? 'token_theft' : type);
  const groups = [...NAMED, { ...OTHERS, types: OTHERS.types.filter((type) => type !== 'ended_token') }, ENDED];
  return groups
    .map((group) => withQuery({ ...group, types: group.types.filter(isAsked) }))
    .filter(({ types }) => types.length > 0);
}

function withQuery(group: Group): Group {
  return { query: { eventTypes: group.types.join(',') }, ...group };
}

/** This log with some filters changed. */
function here(changes: Record<string, string>): string {
  return pathTo(AUDIT_LOG, { ...Object.fromEntries(place.value.query), ...changes });
}
