/** The view Overview: is anything wrong? */

import { Heading } from '../../kit/heading.js';
import { place } from '../../kit/location.js';
import { countText } from '../../kit/table.js';
import { livePollMs } from '../live.js';
import type { OverviewLockedQuery } from '../operations.js';
import { type Counted, Counts, countOf, useCounts } from './overview/counts.js';
import { FailureList } from './overview/failures.js';
import { LockedList, useLocked } from './overview/locked.js';
import { TheftList, type Thefts, useThefts } from './overview/thefts.js';
import { useFailingWebhooks } from './overview/webhooks.js';

const POLL_MS = 30_000;

export function Overview() {
  const chosen = place.value.query.get('span') === '7d' ? '7d' : '24h';
  const pollMs = livePollMs(POLL_MS);
  const counts = useCounts(chosen, pollMs);
  const locked = useLocked(POLL_MS);
  const thefts = useThefts(pollMs);
  const failing = useFailingWebhooks(POLL_MS);
  return (
    <>
      <Heading text="Overview" />
      <Summary counts={counts.data} locked={locked.data} thefts={thefts.data} failing={failing} />
      <TheftList answer={thefts} />
      <LockedList answer={locked} />
      <Counts chosen={chosen} answer={counts} />
      <FailureList pollMs={pollMs} />
    </>
  );
}

interface SummaryProps {
  counts: Counted | undefined;
  locked: OverviewLockedQuery | undefined;
  thefts: Thefts | undefined;
  /** Number of webhooks */
  failing: number | undefined;
}

/** One sentence for who looks in passing. It is read out when it changes. */
function Summary({ counts, locked, thefts, failing }: SummaryProps) {
  return (
    <div role="status">
      {counts !== undefined && locked !== undefined && thefts !== undefined && failing !== undefined && (
        <Verdict counts={counts} locked={locked} thefts={thefts} failing={failing} />
      )}
    </div>
  );
}

function Verdict({ counts, locked, thefts, failing }: { [Key in keyof SummaryProps]: NonNullable<SummaryProps[Key]> }) {
  const stolen = thefts.thefts.length;
  const lockedCount = locked.users?.totalCount;
  const found = [
    stolen > 0 && `${stolen}${thefts.isComplete ? '' : ' or more'} token theft${stolen === 1 ? '' : 's'} in 7 days`,
    lockedCount != null && lockedCount.count > 0 && `${countText(lockedCount, 'user')} locked now`,
    failing > 0 && `${failing} webhook${failing === 1 ? '' : 's'} whose last event was not delivered`,
  ].filter((text) => text !== false);
  if (found.length > 0) {
    return (
      <p class="summary bad">
        <Icon path="M8 1.5 15 14H1zM8 6v4m0 1.5v1" />
        <span>Look at this: {found.join(', ')}.</span>
      </p>
    );
  }
  const failed = countText({ count: countOf(counts, 'login_failure'), precision: 'exact' }, 'failed login');
  const time = counts.name === '7d' ? '7 days' : '24 hours';
  return (
    <p class="summary good">
      <Icon path="M15 8A7 7 0 1 1 1 8a7 7 0 0 1 14 0M4.5 8.5 7 11l4.5-5.5" />
      <span>
        No token theft in 7 days, and nobody is locked.{' '}
        <span class="quiet">
          {failed} in {time}.
        </span>
      </span>
    </p>
  );
}

function Icon({ path }: { path: string }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}
