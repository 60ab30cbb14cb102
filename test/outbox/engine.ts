/** A gateway with an outbox and a receiver, for tests of the engine. Each test starts them and ends them. */

import type pg from 'pg';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { createWebhook, findWebhook } from '../../src/admin/webhooks.js';
import {
  type Instance,
  type Setup,
  startGateway,
  startInstance,
  type TestGateway,
} from '../support/gateway/gateway.js';
import { type CapturedLog, captureLog } from '../support/gateway/log.js';
import { type HeldPromise, hold } from '../support/held-promise.js';
import { until } from '../support/until.js';
import { type Received, type Receiver, startReceiver } from './receiver.js';

export let receiver: Receiver;
export let gateway: TestGateway;
export let captured: CapturedLog;
/** What a test can let wait; it ends with the test. */
export let held: HeldPromise;
let setup: Setup;

export async function start(instances = 1): Promise<void> {
  receiver = await startReceiver();
  captured = captureLog();
  setup = { env: { WEBHOOK_HOSTS: receiver.authority }, log: captured.log, outboxPollMs: 20, instances };
  gateway = await startGateway(setup);
  held = hold();
}

export async function end(): Promise<void> {
  held.end();
  await gateway.close();
  await receiver.close();
}

/** Puts a new instance in the place of the first, which has been closed. */
export async function startAnother(): Promise<void> {
  gateway.instances[0] = await startInstance(gateway.database, { ...setup, clock: gateway.clock });
}

/** @param path tells webhooks of one receiver apart */
export async function create(eventTypes: string[] | null = null, path = ''): Promise<string> {
  const { app } = only();
  const { webhook } = await createWebhook(app, COMMAND_LINE, { url: receiver.url + path, eventTypes });
  return webhook.id;
}

/**
 * A webhook that wants users only, and the first of them, whose first attempt waits for `held`.
 * @param status of the answer to this attempt
 */
export async function createWithHeldAttempt(status = 204): Promise<{ webhookId: string; userId: string }> {
  const webhookId = await create(['user_created']);
  await until('its own creation is passed over', () => isAtRest(webhookId));
  let asked = 0;
  receiver.reply(async () => {
    asked += 1;
    if (asked > 1) return { status: 204 };
    await held.promise;
    return { status };
  });
  const { id: userId } = await gateway.user();
  await until('its attempt is in flight', () => asked === 1);
  return { webhookId, userId };
}

/** The instance, or the one that a test has put in its place */
export function only(): Instance {
  return gateway.instances[0] ?? gateway;
}

export const idOf = ({ headers }: Received) => headers['webhook-id'];

export const usersOf = (received: Received[]): string[] => received.map(({ json }) => json.data.user_id);

interface Cursor {
  claimed_by: string | null;
  failures: number;
  retry_at: Date | null;
  last_outcome: string | null;
}

export async function cursorOf(id: string): Promise<Cursor> {
  const [cursor] = await gateway.rows<Cursor & pg.QueryResultRow>('select * from outbox_cursors where id = $1', [id]);
  if (cursor === undefined) throw new Error('no cursor');
  return cursor;
}

/** Nobody works on it, and nothing waits. */
export async function isAtRest(id: string): Promise<boolean> {
  const { claimed_by } = await cursorOf(id);
  return claimed_by === null && (await findWebhook(only().app.db.admin, id)).lag === 0;
}

/** Its last failure is stored. */
export async function hasFailed(id: string, failures: number): Promise<boolean> {
  const cursor = await cursorOf(id);
  return cursor.failures === failures && cursor.claimed_by === null;
}

/** Rows of a deleted webhook */
export function leftOf(id: string): Promise<unknown[]> {
  const tables = ['outbox_cursors where id', 'outbox_events where cursor_id', 'webhook_attempts where webhook_id'];
  return Promise.all(tables.map((table) => gateway.rows(`select * from ${table} = $1`, [id])));
}

export async function eventsOf(type: string): Promise<string[]> {
  const text = 'select id from audit_events where event_type = $1 order by written_at, id';
  return (await gateway.rows<{ id: string }>(text, [type])).map(({ id }) => id);
}

/** The event of a user's creation */
export async function eventOf(userId: string): Promise<string | undefined> {
  const text = `select id from audit_events where event_type = 'user_created' and user_id = $1`;
  return (await gateway.rows<{ id: string }>(text, [userId]))[0]?.id;
}

/** Attempts that an instance has made */
export async function attemptsOf({ app }: Instance): Promise<number> {
  const { values } = await app.metrics.webhookDeliveries.get();
  return values.reduce((sum, { value }) => sum + value, 0);
}
