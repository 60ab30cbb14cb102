/** Sends one event to a webhook by hand, also while it is paused. (Interface 17) */

import { type LoggedEvent, readEvent } from '../audit/order.js';
import type { Scopes } from '../domain/scopes.js';
import { AdminRefusal } from '../listing/refusal.js';
import { recordAttempt } from '../outbox/attempts.js';
import type { Delivery } from '../outbox/consumer.js';
import { payloadOf } from '../outbox/webhooks/payload.js';
import { createSender } from '../outbox/webhooks/send.js';
import { webhookHeaders } from '../outbox/webhooks/signature.js';
import { type OpenWebhook, openWebhook, wantsOf } from '../outbox/webhooks/webhook-consumer.js';
import { isUuid, uuidInTimeOrder } from '../platform/ids.js';
import type { Deps } from '../services.js';
import { administer, COMMAND_LINE, type Needs, type Operator, requireScope } from './administer.js';
import { checkTarget, RESENDS_EVENT, TESTS_WEBHOOK, unknownWebhook } from './webhooks.js';

type Dependencies = Deps<'clock' | 'config' | 'db' | 'keyring'>;

export interface SentByHand {
  delivery: Delivery;
  /** For everything, from the name to the end of what is read */
  milliseconds: number;
  /** The first 4 KiB of the answer's body */
  body: Buffer;
}

/**
 * Sends an event that is in no log. Nothing is stored or counted.
 * @param isByNewSecret signs with the newest secret alone, also while two sign, to see whether the receiver has it
 * @param timeoutMs for the head of the answer, by default as of every event: milliseconds
 * @throws {AdminRefusal} for an unknown webhook, or a target that is not allowed
 */
export async function testWebhook(
  deps: Dependencies,
  operator: Operator,
  id: string,
  isByNewSecret: boolean,
  timeoutMs?: number,
): Promise<SentByHand> {
  const { webhook } = await openFor(deps, operator, TESTS_WEBHOOK, id);
  const secrets = isByNewSecret ? webhook.secrets.slice(0, 1) : webhook.secrets;
  const tested = { ...webhook, secrets, includeEmails: true }; // its metadata has no e-mail
  return send(deps, tested, testEvent(id, deps.clock.now()), timeoutMs);
}

/**
 * Sends an event of the audit log once more, with the id that it had. That is stored as an attempt of the webhook, whose
 * place does not move: an event that waits is still sent when it is due.
 * @param timeoutMs for the head of the answer, by default as of every event: milliseconds
 * @throws {AdminRefusal} for an unknown webhook or event, one that the webhook does not get, or a target that is not allowed
 */
export async function resendWebhookEvent(
  deps: Dependencies,
  operator: Operator,
  id: string,
  eventId: string,
  timeoutMs?: number,
): Promise<SentByHand> {
  const { webhook, scopes } = await openFor(deps, operator, RESENDS_EVENT, id);
  if (webhook.includeEmails) requireScope(scopes, 'users:read');
  const event = isUuid(eventId) ? await readEvent(deps.db.admin, eventId) : undefined;
  if (event === undefined) throw new AdminRefusal('event_unknown', 'The audit log has no event with this ID');
  if (!wantsOf(webhook)(event)) {
    const message = `The webhook does not get events of type ${event.event_type}`;
    throw new AdminRefusal('event_not_wanted', message, { argument: 'eventId' });
  }
  const sent = await send(deps, webhook, event, timeoutMs);
  const { outcome, status = null } = sent.delivery;
  await recordAttempt(deps.db.admin, id, {
    event_id: event.id,
    event_type: event.event_type,
    attempt: null,
    at: deps.clock.now(),
    outcome,
    status,
    milliseconds: sent.milliseconds,
  });
  return sent;
}

/** The webhook, and the scopes of the operator. @throws {AdminRefusal} */
async function openFor(
  deps: Dependencies,
  operator: Operator,
  needs: Needs,
  id: string,
): Promise<{ webhook: OpenWebhook; scopes: Scopes }> {
  const scopes = await administer(deps, operator, needs, async ({ scopes: held }) => held); // nothing changes
  const webhook = isUuid(id) ? await openWebhook(deps, id) : undefined;
  if (webhook === undefined) throw unknownWebhook();
  checkTarget(webhook.url, deps.config);
  return { webhook, scopes };
}

async function send(
  { clock }: Dependencies,
  { url, secrets, includeEmails }: OpenWebhook,
  event: LoggedEvent,
  timeoutMs: number | undefined,
): Promise<SentByHand> {
  if (secrets.length === 0) {
    return { delivery: { kind: 'failed', outcome: 'secret_unreadable' }, milliseconds: 0, body: Buffer.alloc(0) };
  }
  const now = clock.now();
  const body = payloadOf(event, includeEmails);
  const sender = createSender(undefined, timeoutMs);
  const began = performance.now();
  try {
    const answer = await sender.post(
      { url, headers: webhookHeaders(event.id, body, secrets, now), body },
      now,
      new AbortController().signal,
    );
    return { ...answer, milliseconds: Math.round(performance.now() - began) };
  } finally {
    await sender.close();
  }
}

function testEvent(webhook_id: string, now: Date): LoggedEvent {
  return {
    id: uuidInTimeOrder(now),
    event_type: 'webhook_test',
    entity_type: 'webhook',
    user_id: null,
    user_email: null,
    ip_address: COMMAND_LINE.origin.ipAddress,
    user_agent: null,
    metadata: { webhook_id },
    created_at: now,
    written_at: now.toISOString().replace('Z', '000Z'),
  };
}
