/** Sends one event to a webhook by hand. It is no part of the log, so nothing is stored or counted. (Interface 17) */

import type { LoggedEvent } from '../audit/order.js';
import type { Delivery } from '../outbox/consumer.js';
import { payloadOf } from '../outbox/webhooks/payload.js';
import { createSender } from '../outbox/webhooks/send.js';
import { webhookHeaders } from '../outbox/webhooks/signature.js';
import { openWebhook } from '../outbox/webhooks/webhook-consumer.js';
import { isUuid, uuidInTimeOrder } from '../platform/ids.js';
import type { Deps } from '../services.js';
import { administer, COMMAND_LINE, type Operator } from './administer.js';
import { checkTarget, TESTS_WEBHOOK, unknownWebhook } from './webhooks.js';

export interface WebhookTest {
  delivery: Delivery;
  /** For everything, from the name to the end of what is read */
  milliseconds: number;
  /** The first 4 KiB of the answer's body */
  body: Buffer;
}

/**
 * It is sent even while the webhook is paused.
 * @param timeoutMs for the head of the answer, by default as of every event: milliseconds
 * @throws {AdminRefusal} for an unknown webhook, or a target that is not allowed
 */
export async function testWebhook(
  deps: Deps<'clock' | 'config' | 'db' | 'keyring'>,
  operator: Operator,
  id: string,
  timeoutMs?: number,
): Promise<WebhookTest> {
  await administer(deps, operator, TESTS_WEBHOOK, async () => undefined); // nothing changes
  const webhook = isUuid(id) ? await openWebhook(deps, id) : undefined;
  if (webhook === undefined) throw unknownWebhook();
  const { url, secrets } = webhook;
  checkTarget(url, deps.config);
  if (secrets.length === 0) {
    return { delivery: { kind: 'failed', outcome: 'secret_unreadable' }, milliseconds: 0, body: Buffer.alloc(0) };
  }
  const now = deps.clock.now();
  const event = testEvent(id, now);
  const body = payloadOf(event, true); // its metadata has no e-mail
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
