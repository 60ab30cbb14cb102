/** Delivers audit events to webhooks. (Interface 17) */
import { openSealedSecret } from '../../credentials/sealed-secret.js';
import { statement } from '../../db/statement.js';
import { traceparentOf } from '../../platform/tracing.js';
import type { Deps } from '../../services.js';
import { type Consumer, type Delivery, type Receiver, showOutcome } from '../consumer.js';
import { payloadOf } from './payload.js';
import { createSender, type SendOutcome } from './send.js';
import { webhookHeaders } from './signature.js';
import { authorityOf, faultOfTarget } from './target.js';

type WebhookOutcome = SendOutcome | 'target_refused' | 'secret_unreadable';

/** Every outcome with its meaning, which docs/interface.md prints. */
export const OUTCOMES: Record<WebhookOutcome, string> = {
  delivered: '2xx',
  http_error: '4xx or 5xx',
  redirect: '3xx, which is not followed',
  gone: '410, which pauses the webhook',
  timeout: 'no answer in time',
  tls: 'a certificate that is not trusted',
  connection_failed: 'no connection',
  address_refused: 'the host has an address that must not be called',
  target_refused: 'the host is no longer in `WEBHOOK_HOSTS`',
  secret_unreadable: 'the keyring cannot open the secret',
};

/** Labels of `auth_gateway_webhook_deliveries_total` */
export const WEBHOOK_OUTCOMES = Object.keys(OUTCOMES) as WebhookOutcome[];

const webhookSql = statement(
  'webhook_to_call',
  { id: 'uuid', now: 'timestamptz' },
  {
    url: 'text',
    event_types: 'text[]?',
    include_emails: 'boolean',
    sealed_secret: 'text',
    previous_sealed_secret: 'text?',
  },
)`
  select url, event_types, include_emails, sealed_secret,
    case when previous_ends_at > :now then previous_sealed_secret end as previous_sealed_secret
  from webhooks where id = :id`;

/** A webhook with all that a delivery needs. */
export interface OpenWebhook {
  url: string;
  /** Null: all */
  eventTypes: readonly string[] | null;
  includeEmails: boolean;
  /** Those that sign now, the newest first; none if the keyring cannot open the current one */
  secrets: string[];
}

/** @returns undefined if there is none with this id */
export async function openWebhook(
  { clock, db, keyring }: Deps<'clock' | 'db' | 'keyring'>,
  id: string,
): Promise<OpenWebhook | undefined> {
  const [webhook] = await db.admin.run(webhookSql, { id, now: clock.now() });
  if (webhook === undefined) return undefined;
  const { url, event_types, include_emails, sealed_secret, previous_sealed_secret } = webhook;
  const current = await openSealedSecret(keyring, id, sealed_secret);
  const previous = previous_sealed_secret && (await openSealedSecret(keyring, id, previous_sealed_secret));
  // The previous one alone would put off its end.
  const secrets = current === undefined ? [] : previous ? [current, previous] : [current];
  return { url, eventTypes: event_types, includeEmails: include_emails, secrets };
}

/** Whether a webhook is to get an event. */
export function wantsOf({ eventTypes }: Pick<OpenWebhook, 'eventTypes'>): Receiver['wants'] {
  return ({ event_type }) => eventTypes === null || eventTypes.includes(event_type);
}

type Dependencies = Deps<'clock' | 'config' | 'db' | 'keyring' | 'log' | 'metrics' | 'tracing'>;

export function createWebhookConsumer(deps: Dependencies): Consumer {
  const { clock, config, log, metrics, tracing } = deps;
  const sender = createSender();
  for (const outcome of WEBHOOK_OUTCOMES) metrics.webhookDeliveries.inc({ outcome }, 0);

  return {
    open: async (id) => {
      const webhook = await openWebhook(deps, id);
      if (webhook === undefined) return undefined;
      const { url, includeEmails, secrets } = webhook;
      return {
        ...(URL.canParse(url) && { host: authorityOf(new URL(url)) }),
        wants: wantsOf(webhook),
        deliver: async (event, signal, attempts): Promise<Delivery & { outcome: WebhookOutcome }> => {
          // WEBHOOK_HOSTS may have changed since the webhook was created.
          if (faultOfTarget(url, config) !== undefined) return failed('target_refused');
          if (secrets.length === 0) return failed('secret_unreadable');
          const attributes = {
            'http.request.method': 'POST',
            'http.request.resend_count': attempts,
            'server.address': new URL(url).hostname,
            'auth_gateway.event.id': event.id,
          };
          return tracing.trace('deliver webhook', 'client', attributes, async (span) => {
            const now = clock.now();
            const body = payloadOf(event, includeEmails);
            const headers = { ...webhookHeaders(event.id, body, secrets, now), ...traceparentOf(span) };
            const { delivery } = await sender.post({ url, headers, body }, now, signal);
            showOutcome(span, delivery);
            if (delivery.status !== undefined) span?.setAttribute('http.response.status_code', delivery.status);
            return delivery;
          });
        },
      };
    },
    attempted: (webhook_id, { id: event_id, event_type }, { kind, outcome, status }) => {
      metrics.webhookDeliveries.inc({ outcome });
      if (kind === 'failed')
        log.warn({ webhook_id, event_id, event_type, outcome, status }, 'a webhook failed; it will be tried again');
      else log.debug({ webhook_id, event_id, event_type, outcome, status }, 'a webhook was delivered');
    },
    close: sender.close,
  };
}

function failed(outcome: WebhookOutcome): Delivery & { outcome: WebhookOutcome } {
  return { kind: 'failed', outcome };
}
