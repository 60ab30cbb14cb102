/** Counts over time as bars, and the same numbers as a table. */
import { useState } from 'preact/hooks';
import { Link } from './location.js';
import { Table } from './table.js';

/** Its colour: `accent` for what is usual, `rest` for what matters least */
export type BarTone = 'bad' | 'warn' | 'accent' | 'rest';

export interface Series {
  name: string;
  tone: BarTone;
}

export interface Bar {
  /** The time of the bar, such as `Wed 25 Nov, 14:00` */
  name: string;
  /** The same for a narrow place, such as `14:00` */
  shortName: string;
  /** Where the time leads: to its events */
  to: string;
  /** One for each series; a count may lead to its own events */
  counts: ReadonlyArray<{ count: number; to?: string | undefined }>;
}

interface BarsProps {
  /** Names the bars for screen readers, such as `Logins by hour` */
  label: string;
  series: readonly Series[];
  bars: readonly Bar[];
}

/** Height of the picture, in its units */
const FULL = 100;
/** The least count at its top, so that a single event does not look like many */
const LEAST_TOP = 5;

/** One stop of Tab: the arrow keys, Home and End lead from bar to bar, each of which says its value. */
export function Bars({ label, series, bars }: BarsProps) {
  const [last, setLast] = useState(Number.POSITIVE_INFINITY); // Tab leads to the latest at first
  const [isPointed, setPointed] = useState(false);
  const stop = Math.min(last, bars.length - 1);
  const onKey = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = { ArrowLeft: stop - 1, ArrowRight: stop + 1, Home: 0, End: bars.length - 1 };
    const link = (event.currentTarget as Element).querySelectorAll('a')[steps[event.key] ?? -1];
    if (link === undefined) return;
    event.preventDefault();
    link.focus();
  };
  const sums = bars.map(sumOf);
  const most = Math.max(0, ...sums);
  const top = Math.max(LEAST_TOP, most);
  const pointed = isPointed ? bars[stop] : undefined;
  return (
    <div class="bars">
      <p class="unseen">
        {label}: {most === 0 ? 'none' : `at most ${numberText(most)}, at ${bars[sums.indexOf(most)]?.name}`}
      </p>
      <p class="bars-scale" aria-hidden="true">
        <span>{numberText(top)}</span>
        <span>0</span>
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: a picture has no fieldset */}
      <svg
        viewBox={`0 0 ${Math.max(1, bars.length)} ${FULL}`}
        preserveAspectRatio="none"
        role="group"
        aria-label={label}
        onKeyDown={onKey}
      >
        {bars.map((bar, at) => (
          <Column
            key={bar.to}
            bar={bar}
            at={at}
            series={series}
            top={top}
            isStop={at === stop}
            onPoint={() => {
              setLast(at);
              setPointed(true);
            }}
            onLeave={() => setPointed(false)}
          />
        ))}
      </svg>
      <p class="bars-ends" aria-hidden="true">
        <span>{bars[0]?.shortName}</span>
        <span>{bars.at(-1)?.shortName}</span>
        {pointed !== undefined && <b>{valueText(pointed, series)}</b>}
      </p>
    </div>
  );
}

interface ColumnProps {
  bar: Bar;
  at: number;
  series: readonly Series[];
  top: number;
  /** Tab leads to it. */
  isStop: boolean;
  onPoint(): void;
  onLeave(): void;
}

/** One column; the whole of it can be clicked, however low its bar is. */
function Column({ bar, at, series, top, isStop, onPoint, onLeave }: ColumnProps) {
  let y = FULL;
  return (
    <Link
      to={bar.to}
      aria-label={valueText(bar, series)}
      tabindex={isStop ? 0 : -1}
      onPointerEnter={onPoint}
      onPointerLeave={onLeave}
      onFocus={onPoint}
      onBlur={onLeave}
    >
      <rect class="bar-place" x={at} y={0} width={1} height={FULL} />
      {series.map(({ name, tone }, i) => {
        const height = ((bar.counts[i]?.count ?? 0) / top) * FULL;
        y -= height;
        return height > 0 && <rect key={name} class={`bar-${tone}`} x={at + 0.1} y={y} width={0.8} height={height} />;
      })}
    </Link>
  );
}

/** `3 · Wed 25 Nov, 14:00`; of several series `3 logins, 1 failures · Wed 25 Nov` */
function valueText({ name, counts }: Bar, series: readonly Series[]): string {
  const parts = series.flatMap(({ name: what }, i) => {
    const count = counts[i]?.count ?? 0;
    if (series.length === 1) return [numberText(count)];
    return count === 0 ? [] : [`${numberText(count)} ${what.toLowerCase()}`];
  });
  return `${parts.join(', ') || 'None'} · ${name}`;
}

/** What the colours mean. */
export function Legend({ series }: { series: readonly Series[] }) {
  return (
    <ul class="row legend">
      {series.map(({ name, tone }) => (
        <li key={name}>
          <svg viewBox="0 0 1 1" aria-hidden="true">
            <rect class={`bar-${tone}`} width={1} height={1} />
          </svg>
          {name}
        </li>
      ))}
    </ul>
  );
}

interface BarsTableProps extends BarsProps {
  /** The name of the column of times */
  unit: string;
}

export function BarsTable({ label, unit, series, bars }: BarsTableProps) {
  return (
    <details class="numbers">
      <summary>The numbers as a table</summary>
      <Table
        caption={label}
        rows={bars}
        keyOf={({ to }) => to}
        columns={[
          { name: unit, cell: ({ to, name }) => <Link to={to}>{name}</Link> },
          ...series.map(({ name }, i) => ({
            name,
            align: 'end' as const,
            cell: ({ counts, name: time }: Bar) => {
              const { count = 0, to } = counts[i] ?? {};
              if (count === 0 || to === undefined) return <>{numberText(count)}</>;
              return (
                <Link to={to} aria-label={`${numberText(count)} ${name.toLowerCase()}, ${time}`}>
                  {numberText(count)}
                </Link>
              );
            },
          })),
        ]}
      />
    </details>
  );
}

function sumOf({ counts }: Bar): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}

/** `12,000` */
export function numberText(count: number): string {
  return count.toLocaleString('en-GB');
}
