/** The rows of the audit log, and those that have come since: nothing that is read moves until the reader asks for them. */
import { useState } from 'preact/hooks';
import { useAsked, usePages } from '../../../kit/answer.js';
import { ask, problemOf } from '../../../kit/graphql.js';
import { Problem } from '../../../kit/problem.js';
import type { Rows } from '../../../kit/rows.js';
import type { Event } from '../../events.js';
import { isLive, livePollMs, useNews } from '../../live.js';
import { AuditNewest, Events } from '../../operations.js';
import type { Filter } from './filters.js';

const PAGE = 50;
/** How often is looked for new events without the live log, and with it while they keep coming: milliseconds */
const POLL_MS = 15_000;
const AGAIN_MS = 5_000;
const MOST_NEW = 100;
/** An event may be stored after a later one: for so long before the newest row is looked again. */
const LATE_MS = 10_000;

export interface Log extends Rows<Event> {
  /** Number of events that are not shown yet, at most `MOST_NEW` */
  newCount: number;
  isNewCountExact: boolean;
  /** Puts the new events on top. */
  showNew(): Promise<void>;
  /** Whether an event came by the last `showNew` */
  isNew(event: Event): boolean;
}

interface Fresh {
  of: string;
  events: Event[];
  latest: ReadonlySet<string>;
}

export function useLog(filter: Filter): Log {
  const question = JSON.stringify(filter);
  const read = usePages(Events, { first: PAGE, filter }, (data) => data.auditEvents);
  const [kept, setFresh] = useState<Fresh>();
  const [failed, setFailed] = useState<Problem>();
  const fresh = kept?.of === question ? kept : undefined;
  const rows = read.rows && withoutDoubles([...(fresh?.events ?? []), ...read.rows]);

  const isOver = filter.until !== undefined && new Date(filter.until) <= new Date();
  // What was new while the rows were on their way is asked once they are there.
  const news = useAsked(
    `news ${question}${isLive.value && read.isLoading}`,
    async (signal) => {
      if (rows === undefined || read.isLoading) return [];
      const variables = { first: MOST_NEW, filter: { ...filter, ...sinceOf(rows, filter) } };
      const { auditEvents } = await ask(AuditNewest, variables, signal);
      return auditEvents?.nodes ?? [];
    },
    { pollMs: isOver ? undefined : livePollMs(POLL_MS) },
  );
  const types = filter.isTheft == null ? (filter.eventTypes ?? undefined) : ['token_theft'];
  useNews(isOver ? [] : types, AGAIN_MS, news.reload);
  const known = new Set(rows?.map(({ id }) => id));
  const oldest = read.hasMore ? (rows?.at(-1)?.createdAt ?? '') : '';
  const unseen = read.isLoading
    ? []
    : (news.data?.filter((event) => !known.has(event.id) && event.createdAt > oldest) ?? []);

  const showNew = async (): Promise<void> => {
    setFailed(undefined);
    try {
      const { auditEvents } = await ask(Events, { first: PAGE, filter });
      const newest = auditEvents?.nodes ?? [];
      const latest = new Set(newest.filter(({ id }) => !known.has(id)).map(({ id }) => id));
      if (known.size > 0 && newest.some(({ id }) => known.has(id))) {
        setFresh({ of: question, events: withoutDoubles([...newest, ...(fresh?.events ?? [])]), latest });
      } else {
        setFresh({ of: question, events: [], latest }); // more have come than fit a page: it begins anew
        read.reload();
      }
    } catch (error) {
      setFailed(problemOf(error) as Problem);
    }
  };

  return {
    ...read,
    rows,
    problem: read.problem ?? failed ?? (news.problem instanceof Problem ? news.problem : undefined),
    newCount: unseen.length,
    isNewCountExact: unseen.length < MOST_NEW,
    showNew,
    isNew: ({ id }) => fresh?.latest.has(id) ?? false,
  };
}

/** New events are not older than the newest row, but for those that were stored late. */
function sinceOf(rows: readonly Event[], { since }: Filter): { since?: string } {
  const [newest] = rows;
  if (newest === undefined) return {};
  const looked = new Date(new Date(newest.createdAt).getTime() - LATE_MS).toISOString();
  return { since: since !== undefined && since > looked ? since : looked };
}

/** The first of those with one id. */
function withoutDoubles(events: readonly Event[]): Event[] {
  const seen = new Set<string>();
  return events.filter(({ id }) => !seen.has(id) && seen.add(id));
}
