/** Every row that a list finds as one file, read page by page while the view stays open. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { announce } from './announce.js';
import { download } from './download.js';
import { Problem, shownProblem } from './problem.js';
import type { Connection } from './rows.js';
import { type Count, countText } from './table.js';

/** Rows of one file, all of which the browser holds */
const MAX_ROWS = 100_000;
/** Rows of one request: of more, an audit event with its people would cost more than an operation may. */
const PAGE = 90;
/** How soon a page is asked for again after a problem that may pass: milliseconds */
const RETRY_MS = 5_000;

export interface Format<Row> {
  /** `CSV` */
  name: string;
  extension: string;
  type: string;
  /** What stands in front of the rows */
  head: string;
  text(rows: readonly Row[]): string;
}

/** What is exported; an export keeps it, whatever the list shows meanwhile. */
interface Source<Row> {
  /** @throws {Problem} */
  read(page: { first: number; after: string | null }, signal: AbortSignal): Promise<Connection<Row> | null | undefined>;
  total: Count | null | undefined;
}

interface Props<Row> extends Source<Row> {
  formats: ReadonlyArray<Format<Row>>;
  /** The first part of the name of the file, such as `audit-log` */
  name: string;
  /** Such as `event` */
  noun: string;
  /** Exports more rows than a file of this page may have */
  command: string;
  isDisabled: boolean;
}

interface Job<Row> extends Source<Row> {
  format: Format<Row>;
  /** The text so far: blobs, which the browser may keep on disk */
  parts: Blob[];
  count: number;
  after: string | null;
  abort: AbortController;
}

interface State {
  count: number;
  problem?: Problem | undefined;
}

export function ExportAll<Row>({ formats, name, noun, command, isDisabled, read, total }: Props<Row>) {
  const [state, setState] = useState<State>();
  const [said, setSaid] = useState<string>();
  const job = useRef<Job<Row>>();
  const box = useRef<HTMLDivElement>(null);
  const rows = (count: number): string => countText({ count, precision: 'exact' }, noun);

  const end = (text: string): void => {
    job.current?.abort.abort();
    job.current = undefined;
    setState(undefined);
    setSaid(text);
    const { activeElement } = document;
    if (box.current?.querySelector('.ending')?.contains(activeElement)) box.current.querySelector('button')?.focus();
  };

  const run = async (of: Job<Row>): Promise<void> => {
    try {
      for (;;) {
        setState({ count: of.count });
        const page = await pageOf(of, (problem) => setState({ count: of.count, problem }));
        of.count += page.nodes.length;
        of.after = page.pageInfo.endCursor;
        of.parts.push(new Blob([of.format.text(page.nodes)]));
        if (page.pageInfo.hasNextPage && of.count < MAX_ROWS) continue;
        const file = `${name}-${timeText()}${page.pageInfo.hasNextPage ? `-newest-${of.count}` : ''}.${of.format.extension}`;
        download(file, of.format.type, [of.format.head, ...of.parts]);
        end(
          page.pageInfo.hasNextPage
            ? `${file} has the newest ${rows(of.count)}, and there are more. For all of them run: ${command}`
            : `${file} has all ${rows(of.count)}.`,
        );
        return;
      }
    } catch (error) {
      if (of.abort.signal.aborted) return;
      setState({ count: of.count, problem: shownProblem(error) });
    }
  };

  const begin = (format: Format<Row>): void => {
    if (job.current !== undefined || isDisabled) return;
    setSaid(undefined);
    job.current = { read, total, format, parts: [], count: 0, after: null, abort: new AbortController() };
    void run(job.current);
  };

  useEffect(
    () => () => {
      if (job.current === undefined) return;
      job.current.abort.abort();
      announce('The export was given up, because its view was left. No file was written.');
    },
    [],
  );

  const isStopped = state?.problem?.isPassing === false;
  return (
    <div class="export" ref={box}>
      <div class="row-actions">
        {formats.map((format) => (
          <button
            key={format.name}
            type="button"
            aria-disabled={isDisabled || state !== undefined}
            onClick={() => begin(format)}
          >
            Export all as {format.name}
          </button>
        ))}
      </div>
      {state !== undefined && (
        <div class="ending">
          <Progress count={state.count} total={job.current?.total} noun={noun} />
          {isStopped && (
            <button type="button" onClick={() => job.current !== undefined && void run(job.current)}>
              Go on
            </button>
          )}
          <button
            type="button"
            onClick={() => end(`The export was cancelled after ${rows(state.count)}. No file was written.`)}
          >
            Cancel
          </button>
        </div>
      )}
      <p role="status" class={state?.problem === undefined ? 'quiet' : 'bad'}>
        {state?.problem === undefined
          ? said
          : `${state.problem.message} ${isStopped ? `The export stopped after ${rows(state.count)}; no file was written.` : 'Trying again.'}`}
      </p>
    </div>
  );
}

function Progress({ count, total, noun }: { count: number; total: Count | null | undefined; noun: string }) {
  const max = total?.precision === 'exact' ? Math.max(total.count, count) : undefined;
  return (
    <>
      <progress aria-label={`Exported ${noun}s`} value={max === undefined ? undefined : count} max={max} />
      <span class="quiet">
        {count.toLocaleString('en-GB')}
        {total != null && ` of ${countText(total, noun)}`}
      </span>
    </>
  );
}

/**
 * The next page. After a problem that may pass it is asked for again, until it is there or the export is cancelled.
 * @throws {Problem} that stays
 */
async function pageOf<Row>(job: Job<Row>, onProblem: (problem: Problem) => void): Promise<Connection<Row>> {
  const { signal } = job.abort;
  for (;;) {
    try {
      const page = await job.read({ first: Math.min(PAGE, MAX_ROWS - job.count), after: job.after }, signal);
      signal.throwIfAborted();
      if (page == null) throw new Problem('The gateway sent no data.', false);
      return page;
    } catch (error) {
      if (signal.aborted || !(error instanceof Problem) || !error.isPassing) throw error;
      onProblem(error);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      signal.throwIfAborted();
    }
  }
}

/** `2026-11-25T14-07-40Z` */
function timeText(): string {
  return `${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
}
