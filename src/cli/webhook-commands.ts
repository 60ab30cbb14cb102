/** The commands `webhook …`. (Interface 9 and 17) */
import { COMMAND_LINE } from '../admin/administer.js';
import type { SentByHand } from '../admin/send-by-hand.js';
import {
  createWebhook,
  deleteWebhook,
  type ListedWebhook,
  listWebhooks,
  pauseWebhook,
  previousWebhookSecretEndsAt,
  replayWebhook,
  resumeWebhook,
  rotateWebhookSecret,
} from '../admin/webhooks.js';
import { EVENT_TYPES } from '../audit/events.js';
import { everyRow } from '../listing/page.js';
import { type Command, command } from './command.js';
import type { Contexts } from './context.js';
import { since } from './moments.js';
import { duration, oneOf, text } from './parameter-types.js';
import { flag, optional, repeated, required, word } from './parameters.js';
import { CliRefusal } from './refusal.js';
import { type Printable, print } from './terminal.js';

const WEBHOOK_ID = word(text('ID'), 'the ID of the webhook', 'name one webhook by its ID');

const WEBHOOK_JSON =
  '`{webhook_id, url, event_types, include_emails, created_at, paused_at, paused_by, lag_seconds, parked_count, last_attempt_at, last_outcome, last_status, previous_secret_ends_at}`';

const SENT_JSON =
  '`{outcome, status, milliseconds, body}`: the first 4 KiB of the answer, decoded as UTF-8; `status` is null if none came. Exit code 1 if the event was not delivered';

export const webhookCommands: Record<string, Command> = {
  'webhook create': command({
    summary: 'create a webhook, which receives audit events from now on; the secret will not be shown again',
    example: 'webhook create --url https://hooks.example.com/auth --event login_failure --event token_theft',
    prints: '`{webhook_id, secret, url, event_types, include_emails}`; `event_types` is null for all',
    on: 'database and keyring',
    takes: {
      url: required(text('URL'), 'where to send events; WEBHOOK_HOSTS must list its host and port'),
      event: repeated(oneOf(EVENT_TYPES, 'TYPE'), 'only this event type; repeat for several; all by default'),
      'include-emails': flag('send e-mail addresses: those in the metadata of events, and that of the user'),
    },
    run: async (context, { url, event: types, 'include-emails': includeEmails }) => {
      const wanted = { url, eventTypes: types.length > 0 ? types : null, includeEmails };
      const { webhook, secret } = await createWebhook(context, COMMAND_LINE, wanted);
      const { id: webhook_id, eventTypes: event_types } = webhook;
      return { webhook_id, secret, url: webhook.url, event_types, include_emails: webhook.includeEmails };
    },
  }),
  'webhook list': command({
    summary: 'list all webhooks, oldest first, with how far each is behind and its last attempt',
    prints: WEBHOOK_JSON,
    on: 'database',
    run: async (context) => {
      const now = context.clock.now();
      return (await everyRow((page) => listWebhooks(context, page))).map((webhook) => printable(webhook, now));
    },
  }),
  'webhook test': command({
    summary: 'send one event of type webhook_test and print the answer; exit code 1 if it is not delivered',
    prints: SENT_JSON,
    on: 'database and keyring',
    takes: {
      id: WEBHOOK_ID,
      'new-secret': flag('sign with the newest secret alone, to see whether the receiver has it'),
    },
    run: async (context, { id, 'new-secret': isByNewSecret, json }) => {
      const { testWebhook } = await import('../admin/send-by-hand.js'); // with the HTTP client, which other commands do not need
      return printSent(context, await testWebhook(context, COMMAND_LINE, id, isByNewSecret), json);
    },
  }),
  'webhook resend': command({
    summary: 'send one event of the audit log again and print the answer; exit code 1 if it is not delivered',
    example: 'webhook resend ID --event 01990c3e-7f6a-7c52-9c7a-3f4d1b0a9e21',
    prints: SENT_JSON,
    on: 'database and keyring',
    takes: { id: WEBHOOK_ID, event: required(text('EVENT_ID'), 'the ID of the event, as in `webhook-id`') },
    run: async (context, { id, event, json }) => {
      const { resendWebhookEvent } = await import('../admin/send-by-hand.js');
      return printSent(context, await resendWebhookEvent(context, COMMAND_LINE, id, event), json);
    },
  }),
  'webhook rotate': command({
    summary: 'give a webhook a new secret; events are signed with both until the overlap ends',
    example: 'webhook rotate ID --overlap 7d',
    prints: '`{webhook_id, secret, previous_secret_ends_at}`',
    on: 'database and keyring',
    takes: {
      id: WEBHOOK_ID,
      overlap: optional(duration, 'how long the current secret signs too: 24h by default; 0 after a leak'),
    },
    run: async (context, { id, overlap }) => {
      const { webhook, secret } = await rotateWebhookSecret(context, COMMAND_LINE, id, overlap);
      const ends = previousWebhookSecretEndsAt(webhook, context.clock.now());
      return { webhook_id: webhook.id, secret, previous_secret_ends_at: ends?.toISOString() ?? null };
    },
  }),
  'webhook pause': command({
    summary: 'stop sending to a webhook; events wait until it is resumed',
    prints: WEBHOOK_JSON,
    on: 'database',
    takes: { id: WEBHOOK_ID },
    run: async (context, { id }) => printable(await pauseWebhook(context, COMMAND_LINE, id), context.clock.now()),
  }),
  'webhook resume': command({
    summary: 'send again to a paused webhook, what has failed at once',
    prints: WEBHOOK_JSON,
    on: 'database',
    takes: { id: WEBHOOK_ID },
    run: async (context, { id }) => printable(await resumeWebhook(context, COMMAND_LINE, id), context.clock.now()),
  }),
  'webhook replay': command({
    summary: 'send all events since a time again, with the same ids; older ones that wait or failed are dropped',
    example: 'webhook replay ID --since 24h',
    prints: WEBHOOK_JSON,
    on: 'database',
    takes: {
      id: WEBHOOK_ID,
      since: required(since, 'events since then: 15m, 24h or 7d ago, or 2026-01-31T09:00:00Z'),
    },
    run: async (context, { id, since: sinceOf }) => {
      const now = context.clock.now();
      return printable(await replayWebhook(context, COMMAND_LINE, id, sinceOf(now)), now);
    },
  }),
  'webhook delete': command({
    summary: 'delete a webhook',
    prints: WEBHOOK_JSON,
    on: 'database',
    takes: { id: WEBHOOK_ID },
    destroys: () => 'the webhook will be deleted, and events that wait for it are not sent; this cannot be undone',
    run: async (context, { id }) => printable(await deleteWebhook(context, COMMAND_LINE, id), context.clock.now()),
  }),
};

/** By outcome, if the status does not say it. */
const REMEDIES: Record<string, string> = {
  secret_unreadable: 'put the keyring there that was used with this database, or give the webhook a new secret',
  redirect: 'redirects are not followed; create a webhook with the URL to which this one leads',
  address_refused: 'the name leads to an address that webhooks must not call',
};

/** @throws {CliRefusal} if it was not delivered */
function printSent(
  { terminal }: Contexts['nothing'],
  { delivery, milliseconds, body }: SentByHand,
  json: boolean,
): undefined {
  const { kind, outcome, status = null } = delivery;
  print(terminal, { outcome, status, milliseconds, body: body.toString('utf8') }, json);
  if (kind !== 'delivered') throw new CliRefusal(`the event was not delivered: ${outcome}`, REMEDIES[outcome]);
}

function printable(webhook: ListedWebhook, now: Date): Printable {
  return {
    webhook_id: webhook.id,
    url: webhook.url,
    event_types: webhook.eventTypes,
    include_emails: webhook.includeEmails,
    created_at: webhook.createdAt.toISOString(),
    paused_at: webhook.pausedAt?.toISOString() ?? null,
    paused_by: webhook.pausedBy,
    lag_seconds: webhook.lag,
    parked_count: webhook.parkedCount,
    last_attempt_at: webhook.lastAttemptAt?.toISOString() ?? null,
    last_outcome: webhook.lastOutcome,
    last_status: webhook.lastStatus,
    previous_secret_ends_at: previousWebhookSecretEndsAt(webhook, now)?.toISOString() ?? null,
  };
}
