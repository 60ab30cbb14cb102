/** Interface 17: delivers audit events to webhooks. */
import { openSealedSecret } from '../../credentials/sealed-secret.js';
import { statement } from '../../db/statement.js';
import type { Deps } from '../../services.js';
import type { Consumer, Delivery } from '../consumer.js';
import { payloadOf } from './payload.js';
import { createSender } from './send.js';
import { webhookHeaders } from './signature.js';
import { faultOfTarget } from './target.js';

/** Labels of `auth_gateway_webhook_deliveries_total` */
export const WEBHOOK_OUTCOMES = [
  'delivered',
  'http_error',
  'redirect',
  'gone',
  'timeout',
  'tls',
  'connection_failed',
  'address_refused',
  'target_refused',
  'secret_unreadable',
] as const;

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
  /** Those that sign now and that the keyring can open, the newest first */
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
  const sealed = [sealed_secret, previous_sealed_secret];
  const opened = await Promise.all(sealed.map((secret) => secret && openSealedSecret(keyring, id, secret)));
  const secrets = opened.filter((secret) => typeof secret === 'string');
  return { url, eventTypes: event_types, includeEmails: include_emails, secrets };
}

type Dependencies = Deps<'clock' | 'config' | 'db' | 'keyring' | 'log' | 'metrics'>;

export function createWebhookConsumer(deps: Dependencies): Consumer {
  const { clock, config, log, metrics } = deps;
  const sender = createSender();
  for (const outcome of WEBHOOK_OUTCOMES) metrics.webhookDeliveries.inc({ outcome }, 0);

  return {
    open: async (id) => {
      const webhook = await openWebhook(deps, id);
      if (webhook === undefined) return undefined;
      const { url, eventTypes, includeEmails, secrets } = webhook;
      return {
        wants: ({ event_type }) => eventTypes === null || eventTypes.includes(event_type),
        deliver: async (event, signal) => {
          // WEBHOOK_HOSTS may have changed since the webhook was created.
          if (faultOfTarget(url, config) !== undefined) return failed('target_refused');
          if (secrets.length === 0) return failed('secret_unreadable');
          const now = clock.now();
          const body = payloadOf(event, includeEmails);
          const headers = webhookHeaders(event.id, body, secrets, now);
          return (await sender.post({ url, headers, body }, now, signal)).delivery;
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

function failed(outcome: string): Delivery {
  return { kind: 'failed', outcome };
}
