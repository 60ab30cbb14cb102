/** Hooks that ask the gateway and keep what it answered. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ask, type Operation, problemOf } from './graphql.js';
import type { Problem } from './problem.js';
import type { Answer, Connection, Rows } from './rows.js';
import { useFirstAnswer } from './settled.js';

/** How soon is asked again after a problem that may pass: milliseconds */
const RETRY_MS = 5_000;

/** Answers the question; gives it up if the signal is aborted. */
type Asking<Data> = (signal: AbortSignal) => Promise<Data>;

interface Options<Data> {
  /** How often the same is asked again while the page is visible: milliseconds */
  pollMs?: number | undefined;
  /** Ends the polling */
  isOver?: (data: Data) => boolean;
}

/**
 * Asks when the question is new, after `reload`, and again by itself as long as a problem may pass.
 * @param question the same text for the same question
 */
export function useAsked<Data>(
  question: string,
  asking: Asking<Data>,
  { pollMs, isOver }: Options<Data> = {},
): Answer<Data> {
  const [state, setState] = useState<Omit<Answer<Data>, 'reload'>>({
    data: undefined,
    problem: undefined,
    isLoading: true,
  });
  const [turn, setTurn] = useState(0);
  const latest = useRef(asking);
  latest.current = asking;
  const reload = useCallback(() => setTurn((count) => count + 1), []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another turn asks the same again
  useEffect(() => {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = (ms: number): void => {
      timer = setTimeout(() => (document.hidden ? again(ms) : reload()), ms);
    };
    setState((last) => ({ ...last, isLoading: true }));
    latest.current(abort.signal).then(
      (data) => {
        if (abort.signal.aborted) return;
        setState({ data, problem: undefined, isLoading: false });
        if (pollMs !== undefined && !isOver?.(data)) again(pollMs);
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        const problem = problemOf(error) as Problem;
        setState((last) => ({ data: last.data, problem, isLoading: false }));
        if (problem.isPassing) again(RETRY_MS);
      },
    );
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [question, turn, pollMs]);

  const isHopeless = state.problem !== undefined && !state.problem.isPassing;
  useFirstAnswer(state.data !== undefined || isHopeless);
  return { ...state, reload };
}

export function useAnswer<Data, Variables>(
  operation: Operation<Data, Variables>,
  variables: Variables,
  options?: Options<Data>,
): Answer<Data> {
  return useAsked(`${operation}${JSON.stringify(variables)}`, (signal) => ask(operation, variables, signal), options);
}

/** A page with a filter may be empty although others follow: how many are read at once. */
const MOST_EMPTY = 5;

interface Read<Row> {
  of: string;
  rows: Row[];
  end: Connection<Row>['pageInfo'];
}

/**
 * The rows of a list, page by page. If the variables change, the rows of before stay until the new ones are there.
 * @param pick the connection in the data; it is null if it may not be read
 */
export function usePages<Data, Variables extends { after?: string | null | undefined }, Row>(
  operation: Operation<Data, Variables>,
  variables: Variables,
  pick: (data: Data) => Connection<Row> | null | undefined,
): Rows<Row> {
  const question = `${operation}${JSON.stringify(variables)}`;
  const [after, setAfter] = useState<{ of: string; cursor: string | null }>({ of: question, cursor: null });
  const cursor = after.of === question ? after.cursor : null;
  const rows = useRef<Read<Row>>();
  const { problem, isLoading, reload } = useAsked(`${question}${cursor}`, async (signal) => {
    let next = cursor;
    const found: Row[] = [];
    for (let empty = 0; empty < MOST_EMPTY; empty += 1) {
      const page = pick(await ask(operation, { ...variables, after: next }, signal));
      if (page == null) break;
      found.push(...page.nodes);
      next = page.pageInfo.endCursor;
      const earlier = cursor !== null && rows.current?.of === question ? rows.current.rows : [];
      if (found.length > 0 || !page.pageInfo.hasNextPage || empty === MOST_EMPTY - 1) {
        rows.current = { of: question, rows: [...earlier, ...found], end: page.pageInfo };
        break;
      }
    }
    return rows.current;
  });
  const read = rows.current;
  return {
    rows: read?.rows,
    hasMore: read?.of === question && read.end.hasNextPage,
    problem,
    isLoading,
    more: () => setAfter({ of: question, cursor: read?.end.endCursor ?? null }),
    reload: () => (cursor === null ? reload() : setAfter({ of: question, cursor: null })),
  };
}
