/** A webhook as the view shows it, and what its state is in words. */
import { durationText } from '../../../kit/time.js';
import type { WebhooksQuery } from '../../operations.js';

export type Webhook = NonNullable<WebhooksQuery['webhooks']>['nodes'][number];

export type StateName = 'paused' | 'failing' | 'waiting' | 'delivering';

/** An event is sent within about a second, so a lag up to this one is none: seconds */
const USUAL_LAG_SECONDS = 5;

export function stateOf({ pausedAt, lastAttempt, lag }: Webhook): StateName {
  if (pausedAt !== null) return 'paused';
  if (lastAttempt !== null && lastAttempt.outcome !== 'delivered') return 'failing';
  return lag > USUAL_LAG_SECONDS ? 'waiting' : 'delivering';
}

/** `hooks.example.com:8443`, and what follows it, which may be a secret */
export function partsOf({ id, url }: Webhook): { host: string; path: string } {
  if (url === null) return { host: id, path: '' }; // the caller has lost the scope
  if (!URL.canParse(url)) return { host: url, path: '' };
  const { host, pathname, search } = new URL(url);
  return { host, path: pathname === '/' && search === '' ? '' : pathname + search };
}

/** How much of a path is shown at first: it may be a secret. */
export const PATH_CHARACTERS = 12;

/** `hooks.example.com/auth`; other webhooks may have the same host */
export function nameOf(webhook: Webhook): string {
  const { host, path } = partsOf(webhook);
  return host + (path.length > PATH_CHARACTERS ? `${path.slice(0, PATH_CHARACTERS - 1)}…` : path);
}

const OUTCOMES: Record<string, string> = {
  delivered: 'delivered',
  http_error: 'answered with an error',
  redirect: 'redirected, which is not followed',
  gone: 'gone',
  timeout: 'no answer in time',
  tls: 'certificate not accepted',
  connection_failed: 'could not connect',
  address_refused: 'the name leads to an address that must not be called',
  target_refused: 'WEBHOOK_HOSTS does not list the host any more',
  secret_unreadable: 'the keyring cannot read the secret',
};

/** `answered with an error (500)` */
export function outcomeText({
  outcome,
  status,
}: Pick<NonNullable<Webhook['lastAttempt']>, 'outcome' | 'status'>): string {
  const words = OUTCOMES[outcome] ?? outcome; // a newer gateway may have more
  return status === null ? words : `${words} (${status})`;
}

/** `3 parked events`; empty if there is none */
export function parkedText({ parkedCount: count }: Webhook): string {
  if (count === 0) return '';
  return count === 1 ? '1 parked event' : `${count.toLocaleString('en-GB')} parked events`;
}

/** `4 minutes`; empty if nothing waits longer than usual */
export function lagText({ lag }: Webhook): string {
  return lag > USUAL_LAG_SECONDS ? durationText(lag) : '';
}
