/** Numbers and bars that show whether something is wrong. */

import { useAsked } from '../../../kit/answer.js';
import { type Bar, Bars, BarsTable, type BarTone, numberText } from '../../../kit/bars.js';
import { Link, pathTo, setQuery } from '../../../kit/location.js';
import type { Answer } from '../../../kit/rows.js';
import { Answered } from '../../../kit/states.js';
import { dayText, hourText, TIME_ZONE } from '../../../kit/time.js';
import { AGAIN_MS, useNews } from '../../live.js';
import type { AuditEventType } from '../../operations.js';
import { AUDIT_LOG } from '../../paths.js';
import { type CountBucket, countEvents } from '../audit/counts.js';
import { lastDays, lastHours, type Span } from '../audit/spans.js';

interface Kind {
  type: AuditEventType;
  name: string;
  tone: BarTone;
}

const KINDS: readonly Kind[] = [
  { type: 'login_success', name: 'Logins', tone: 'accent' },
  { type: 'login_failure', name: 'Failed logins', tone: 'warn' },
  { type: 'account_locked', name: 'Refused: account locked', tone: 'bad' },
  { type: 'token_theft', name: 'Token thefts', tone: 'bad' },
];

const TYPES = KINDS.map(({ type }) => type);

export type SpanName = '24h' | '7d';

const SPANS: Record<SpanName, { name: string; spanAt(now: Date): Span }> = {
  '24h': { name: '24 hours', spanAt: lastHours },
  '7d': { name: '7 days', spanAt: lastDays },
};

export interface Counted {
  name: SpanName;
  span: Span;
  buckets: CountBucket[];
}

export function useCounts(name: SpanName, pollMs: number): Answer<Counted> {
  const answer = useAsked(
    `counts ${name}`,
    async (signal) => {
      const span = SPANS[name].spanAt(new Date());
      return { name, span, buckets: await countEvents(span, { eventTypes: TYPES }, signal) };
    },
    { pollMs },
  );
  useNews(TYPES, AGAIN_MS, answer.reload);
  return answer;
}

export function countOf({ buckets }: Counted, type: AuditEventType): number {
  return buckets.reduce((sum, bucket) => sum + inBucket(bucket, type), 0);
}

function inBucket({ counted }: CountBucket, type: AuditEventType): number {
  return counted.find(({ eventType }) => eventType === type)?.count ?? 0;
}

export function Counts({ chosen, answer }: { chosen: SpanName; answer: Answer<Counted> }) {
  return (
    <section>
      <div class="bar">
        {/* The span of the numbers below: that of the pressed button follows with its numbers. */}
        <h2>Last {SPANS[answer.data?.name ?? chosen].name}</h2>
        <fieldset class="switch">
          <legend class="unseen">Time to count</legend>
          {(Object.keys(SPANS) as SpanName[]).map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === chosen}
              onClick={() => setQuery({ span: name === '24h' ? undefined : name })}
            >
              {SPANS[name].name}
            </button>
          ))}
        </fieldset>
      </div>
      <Answered answer={answer}>{(counted) => <Tiles counted={counted} />}</Answered>
    </section>
  );
}

function Tiles({ counted }: { counted: Counted }) {
  const { span, buckets } = counted;
  const unit = span.bucket === 'day' ? 'Day' : 'Hour';
  const whole = { since: span.since.toISOString(), until: span.until.toISOString() };
  return (
    <>
      <div class="tiles">
        {KINDS.map((kind) => (
          <Tile
            key={kind.type}
            kind={kind}
            count={countOf(counted, kind.type)}
            to={eventsOf(kind.type, whole)}
            label={`${kind.name} by ${unit.toLowerCase()}`}
            bars={buckets.map((bucket) => ({
              name: bucket.name,
              shortName: bucket.shortName,
              to: eventsOf(kind.type, bucket),
              counts: [{ count: inBucket(bucket, kind.type) }],
            }))}
          />
        ))}
      </div>
      <p class="quiet">
        Counted since {dayText(span.since)}, {hourText(span.since)} ({TIME_ZONE}).
      </p>
      <BarsTable
        label={`Logins and refusals by ${unit.toLowerCase()}`}
        unit={unit}
        series={KINDS}
        bars={buckets.map((bucket) => ({
          name: bucket.name,
          shortName: bucket.shortName,
          to: pathTo(AUDIT_LOG, { since: bucket.since, until: bucket.until }),
          counts: KINDS.map(({ type }) => ({ count: inBucket(bucket, type), to: eventsOf(type, bucket) })),
        }))}
      />
    </>
  );
}

interface TileProps {
  kind: Kind;
  count: number;
  /** The events that are counted */
  to: string;
  label: string;
  bars: Bar[];
}

function Tile({ kind, count, to, label, bars }: TileProps) {
  const isWrong = count > 0 && kind.tone === 'bad';
  return (
    <div class="tile sheet">
      <h3>{kind.name}</h3>
      <p class={isWrong ? 'number bad' : 'number'}>
        <Link to={to} aria-label={`${numberText(count)} ${kind.name.toLowerCase()}: show the events`}>
          {numberText(count)}
        </Link>
      </p>
      <Bars label={label} series={[kind]} bars={bars} />
    </div>
  );
}

function eventsOf(type: AuditEventType, { since, until }: { since: string; until: string }): string {
  const what = type === 'token_theft' ? { isTheft: 'true' } : { eventTypes: type };
  return pathTo(AUDIT_LOG, { ...what, since, until });
}
