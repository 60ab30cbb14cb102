/** Interface 17: delivers audit events to webhooks. */
import { openSealedSecret } from '../../credentials/sealed-secret.js';
import { statement } from '../../db/statement.js';
import type { Deps } from '../../services.js';
import type { Consumer, Delivery } from '../consumer.js';
import { payloadOf } from './payload.js';
import { createSender, type SendOutcome } from './send.js';
import { webhookHeaders } from './signature.js';
import { faultOfTarget } from './target.js';

type WebhookOutcome = SendOutcome | 'target_refused' | 'secret_unreadable';

/** Every outcome, or it does not compile. */
const OUTCOMES: Record<WebhookOutcome, true> = {
  delivered: true,
  http_error: true,
  redirect: true,
  gone: true,
  timeout: true,
  tls: true,
  connection_failed: true,
  address_refused: true,
  target_refused: true,
  secret_unreadable: true,
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

type Dependencies = Deps<'clock' | 'config' | 'db' | 'keyring' | 'log' | 'metrics'>;

export function createWebhookConsumer(deps: Dependencies): Consumer {
  const { clock, config, db, keyring, log, metrics } = deps;
  const sender = createSender();
  for (const outcome of WEBHOOK_OUTCOMES) metrics.webhookDeliveries.inc({ outcome }, 0);

  /** @returns undefined if the current secret cannot be opened: with the previous one alone its end would be put off */
  const openSecrets = async (id: string, current: string, previous: string | null): Promise<string[] | undefined> => {
    const secret = await openSealedSecret(keyring, id, current);
    const old = previous === null ? undefined : await openSealedSecret(keyring, id, previous);
    return secret === undefined ? undefined : old === undefined ? [secret] : [secret, old];
  };

  return {
    open: async (id) => {
      const [webhook] = await db.admin.run(webhookSql, { id, now: clock.now() });
      if (webhook === undefined) return undefined;
      const { url, event_types, include_emails, sealed_secret, previous_sealed_secret } = webhook;
      const secrets = await openSecrets(id, sealed_secret, previous_sealed_secret);
      return {
        wants: ({ event_type }) => event_types === null || event_types.includes(event_type),
        deliver: async (event, signal): Promise<Delivery & { outcome: WebhookOutcome }> => {
          // WEBHOOK_HOSTS may have changed since the webhook was created.
          if (faultOfTarget(url, config) !== undefined) return failed('target_refused');
          if (secrets === undefined) return failed('secret_unreadable');
          const now = clock.now();
          const body = payloadOf(event, include_emails);
          const { delivery } = await sender.post(
            { url, headers: webhookHeaders(event.id, body, secrets, now), body },
            now,
            signal,
          );
          return delivery;
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
