/** Webhooks whose receivers do not take their events. */
import { useAsked } from '../../../kit/answer.js';
import { can } from '../../../kit/auth.js';
import { ask } from '../../../kit/graphql.js';
import { OverviewWebhooks } from '../../operations.js';

/** @returns how many have failed last and are not paused, of those that the reader may see; undefined until it is known */
export function useFailingWebhooks(pollMs: number): number | undefined {
  const { data } = useAsked(
    'failing webhooks',
    async (signal) => (can('webhooks:read') ? (await ask(OverviewWebhooks, {}, signal)).webhooks?.nodes : []),
    { pollMs },
  );
  return data?.filter(({ pausedAt, lastAttempt }) => {
    return pausedAt === null && lastAttempt !== null && lastAttempt.outcome !== 'delivered';
  }).length;
}
