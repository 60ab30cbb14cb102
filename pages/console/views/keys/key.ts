/** Both kinds of keys, as the view shows them. */
import type { ApiKeysQuery, CronKeysQuery } from '../../operations.js';

export type ApiKey = NonNullable<ApiKeysQuery['apiKeys']>['nodes'][number];
export type CronKey = NonNullable<CronKeysQuery['cronKeys']>['nodes'][number];
export type Key = ApiKey | CronKey;

/** Requests are signed with it; a cron key is sent. */
export function isApiKey(key: Key): key is ApiKey {
  return 'rateLimit' in key;
}
