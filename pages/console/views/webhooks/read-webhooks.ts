/** All webhooks at once, so that asking again brings each of them up to date. */
import { can } from '../../../kit/auth.js';
import { ask } from '../../../kit/graphql.js';
import { Webhooks, type WebhooksQuery } from '../../operations.js';
import type { Webhook } from './webhook.js';

const ROWS = 100;
const MOST_PAGES = 5;

export interface ReadWebhooks {
  webhooks: Webhook[];
  /** There are others, which are not read */
  hasMore: boolean;
  /** Whether the gateway sends events; undefined if this user may not ask */
  isOn: boolean | undefined;
}

export async function readWebhooks(signal: AbortSignal): Promise<ReadWebhooks> {
  const webhooks: Webhook[] = [];
  const variables = { first: ROWS, withGateway: can('gateway:read') };
  let isOn: boolean | undefined;
  let after: string | null = null;
  for (let read = 0; read < MOST_PAGES; read += 1) {
    const { gateway, webhooks: page }: WebhooksQuery = await ask(Webhooks, { ...variables, after }, signal);
    isOn = gateway?.areWebhooksOn;
    webhooks.push(...(page?.nodes ?? []));
    if (page?.pageInfo.hasNextPage !== true) return { webhooks, hasMore: false, isOn };
    after = page.pageInfo.endCursor;
  }
  return { webhooks, hasMore: true, isOn };
}
