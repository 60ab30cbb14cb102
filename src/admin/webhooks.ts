/** Administration of webhooks. A secret is returned only when it is created. (Interface 17) */
import { EVENT_TYPES, type EventType } from '../audit/events.js';
import { sealSecret } from '../credentials/sealed-secret.js';
import type { OutboxCursor } from '../db/entities/outbox-cursor.js';
import type { Webhook } from '../db/entities/webhook.js';
import type { WebhookAttempt } from '../db/entities/webhook-attempt.js';
import { columnsOf, type Reads, sql } from '../db/sql.js';
import { column, type OrderedPageRequest, type Orders, walkBy } from '../listing/keyset.js';
import { type Keyed, type Page, readPage } from '../listing/page.js';
import { AdminRefusal } from '../listing/refusal.js';
import { endCursor, moveCursor, pauseCursor, resumeCursor, startCursor } from '../outbox/cursor-changes.js';
import { LAG } from '../outbox/lag.js';
import { generateWebhookSecret } from '../outbox/webhooks/signature.js';
import { authorityOf, faultOfTarget, MAX_URL, type TargetFault } from '../outbox/webhooks/target.js';
import { addSeconds } from '../platform/clock.js';
import { isUuid, uuidInTimeOrder } from '../platform/ids.js';
import type { Deps } from '../services.js';
import { administer, type Change, FOR_UPDATE, type Needs, type Operator, requireScope } from './administer.js';
import { checkOverlap, OVERLAP_SECONDS } from './key-fields.js';

export interface NewWebhook {
  url: string;
  /** Null: all, also those of later versions */
  eventTypes?: readonly string[] | null | undefined;
  includeEmails?: boolean | null | undefined;
}

const OF_WEBHOOK = ['id', 'url', 'eventTypes', 'includeEmails', 'createdAt', 'previousEndsAt'] as const;
const OF_CURSOR = ['pausedAt', 'pausedBy', 'lastAttemptAt', 'lastOutcome', 'lastStatus'] as const;

/** A webhook without its secrets, and the state of its cursor. */
export interface ListedWebhook
  extends Pick<Webhook, (typeof OF_WEBHOOK)[number]>,
    Pick<OutboxCursor, (typeof OF_CURSOR)[number]> {
  eventTypes: EventType[] | null;
  /** Seconds that the oldest event waits */
  lag: number;
  /** Events that failed and will be tried again */
  parkedCount: number;
}

const COLUMNS = sql`${columnsOf(OF_WEBHOOK, 'webhooks')}, ${columnsOf(OF_CURSOR)}, ceil(${sql.raw(LAG)})::integer as lag,
  (select count(*) from outbox_events where cursor_id = webhooks.id and due_at is not null)::integer as "parkedCount"`;

export interface IssuedWebhook {
  webhook: ListedWebhook;
  /** `whsec_…`, never shown again */
  secret: string;
}

const TARGET_FAULTS: Record<TargetFault, string> = {
  url_invalid: 'The URL is not valid: it must be absolute, without spaces, backslashes and #',
  url_too_long: `The URL must have at most ${MAX_URL} characters`,
  scheme_not_allowed: 'The URL must begin with https:// (in development, http:// to this machine works too)',
  credentials_in_url: 'The URL must not have a user name, a password or an @',
  host_not_listed: 'WEBHOOK_HOSTS does not list the host and port of the URL',
  address_refused: 'The URL leads to an address that webhooks must not call',
};

/** @throws {AdminRefusal} if the URL is not allowed, or no webhook is */
export function checkTarget(url: string, config: Deps<'config'>['config']): URL {
  if (config.webhookHosts === undefined) {
    throw new AdminRefusal('webhooks_off', 'Webhooks are off; set WEBHOOK_HOSTS to the hosts that may receive events');
  }
  const fault = faultOfTarget(url, config);
  if (fault !== undefined) {
    throw new AdminRefusal('webhook_target_refused', TARGET_FAULTS[fault], { argument: 'url' });
  }
  return new URL(url);
}

/** @throws {AdminRefusal} */
function checkEventTypes(eventTypes: readonly string[] | null): EventType[] | null {
  if (eventTypes === null) return null;
  const known = EVENT_TYPES.filter((type) => eventTypes.includes(type));
  if (known.length === 0 || known.length < new Set(eventTypes).size) {
    const message = 'The event types must be at least one type of audit events, each known; leave them out for all';
    throw new AdminRefusal('invalid_event_types', message, { argument: 'eventTypes' });
  }
  return known;
}

export function unknownWebhook(): AdminRefusal {
  return new AdminRefusal('webhook_unknown', 'There is no webhook with this ID');
}

/** Each of them reads the log and sends for itself. */
const MAX_WEBHOOKS = 100;

/**
 * Its first event is its own `webhook_created`. Who receives events reads the audit log, so the operator must be allowed to.
 * @throws {AdminRefusal} for an invalid field, a target that is not allowed, or one webhook too many
 */
export function createWebhook(
  deps: Deps<'clock' | 'config' | 'db' | 'keyring'>,
  operator: Operator,
  { url, eventTypes = null, includeEmails }: NewWebhook,
): Promise<IssuedWebhook> {
  return administer(deps, operator, createWebhook.needs, async ({ db, em, entities, now, scopes, secrets, audit }) => {
    const include_emails = includeEmails ?? false;
    if (include_emails) requireScope(scopes, 'users:read');
    const host = authorityOf(checkTarget(url, deps.config));
    const event_types = checkEventTypes(eventTypes);
    if ((await em.count(entities.Webhook)) >= MAX_WEBHOOKS) {
      throw new AdminRefusal('too_many_webhooks', `There can be at most ${MAX_WEBHOOKS} webhooks; delete one first`);
    }
    const id = uuidInTimeOrder(now);
    const secret = generateWebhookSecret();
    const sealedSecret = await sealSecret(deps.keyring, id, secret, now);
    const row = { id, url, eventTypes: event_types, includeEmails: include_emails, sealedSecret, createdAt: now };
    await secrets.insertInto('webhooks').values(row).execute();
    await startCursor(db, id, 'webhook');
    const metadata = { webhook_id: id, host, event_types, include_emails };
    await audit({ eventType: 'webhook_created', userId: null, metadata });
    return { webhook: await findWebhook(db, id), secret };
  });
}
createWebhook.needs = { scope: 'webhooks:write', also: ['audit:read'] } satisfies Needs;

/** @throws {AdminRefusal} */
export async function findWebhook(db: Reads, id: string): Promise<ListedWebhook> {
  const found = sql<ListedWebhook>`select ${COLUMNS} from webhooks join outbox_cursors using (id) where id = ${id}`;
  const [webhook] = isUuid(id) ? await db.read(found) : [];
  if (webhook === undefined) throw unknownWebhook();
  return webhook;
}

/** @throws {AdminRefusal} */
async function lockWebhook({ em, entities }: Change, id: string): Promise<Webhook> {
  const webhook = isUuid(id) ? await em.findOne(entities.Webhook, id, { lockMode: FOR_UPDATE }) : null;
  if (webhook === null) throw unknownWebhook();
  return webhook;
}

export type WebhookOrder = 'created_at';

const ORDERS: Orders<WebhookOrder> = {
  created_at: { columns: [column('created_at', 'timestamptz'), column('webhooks.id', 'uuid')], direction: 'asc' },
};

/** A page of webhooks, oldest first unless asked otherwise. @throws {AdminRefusal} for an invalid page */
export async function listWebhooks(
  { db }: Deps<'db'>,
  page: OrderedPageRequest<WebhookOrder>,
): Promise<Page<ListedWebhook>> {
  const walk = walkBy(ORDERS, 'created_at', page);
  const query = sql<ListedWebhook & Keyed>`
    select ${COLUMNS}, ${walk.key} as key from webhooks join outbox_cursors using (id)
    where ${walk.beyond()} order by ${walk.rows()} limit ${walk.limit}`;
  return readPage(db, walk, query);
}

const OF_ATTEMPT = ['at', 'eventId', 'eventType', 'attempt', 'outcome', 'status', 'milliseconds'] as const;

export type ListedAttempt = Pick<WebhookAttempt, (typeof OF_ATTEMPT)[number]>;

/** The last attempts of each webhook, newest first, in one statement. A webhook has at most 50. */
export async function listAttempts(db: Reads, webhookIds: readonly string[]): Promise<Map<string, ListedAttempt[]>> {
  const attempts = await db.read(sql<ListedAttempt & { webhookId: string }>`
    select ${columnsOf(['webhookId', ...OF_ATTEMPT])} from webhook_attempts
    where webhook_id = any(${webhookIds}::uuid[]) order by at desc, number desc`);
  return Map.groupBy(attempts, ({ webhookId }) => webhookId);
}

/**
 * Creates a second secret. Events are signed with both until the current one ends after `overlapSeconds`.
 * @throws {AdminRefusal} for an unknown webhook, or an invalid overlap
 */
export function rotateWebhookSecret(
  deps: Deps<'clock' | 'db' | 'keyring'>,
  operator: Operator,
  id: string,
  overlapSeconds = OVERLAP_SECONDS,
): Promise<IssuedWebhook> {
  return administer(deps, operator, rotateWebhookSecret.needs, async (change) => {
    const { db, now, secrets, audit } = change;
    checkOverlap(overlapSeconds);
    const webhook = await lockWebhook(change, id);
    const secret = generateWebhookSecret();
    const sealedSecret = await sealSecret(deps.keyring, webhook.id, secret, now);
    const hasOverlap = overlapSeconds > 0;
    await secrets
      .updateTable('webhooks')
      .set(({ ref }) => ({ sealedSecret, previousSealedSecret: hasOverlap ? ref('sealedSecret') : null }))
      .where('id', '=', id)
      .execute();
    webhook.previousEndsAt = hasOverlap ? addSeconds(now, overlapSeconds) : null;
    await change.em.flush();
    const metadata = { webhook_id: id, overlap_seconds: overlapSeconds };
    await audit({ eventType: 'webhook_secret_rotated', userId: null, metadata });
    return { webhook: await findWebhook(db, id), secret };
  });
}
rotateWebhookSecret.needs = { scope: 'webhooks:write' } satisfies Needs;

/** The cursor stays where it is. @throws {AdminRefusal} for an unknown webhook */
export function pauseWebhook(deps: Deps<'clock' | 'db'>, operator: Operator, id: string): Promise<ListedWebhook> {
  return changeWebhook(deps, operator, pauseWebhook.needs, id, async ({ db, now, audit }) => {
    if (await pauseCursor(db, id, now)) {
      await audit({ eventType: 'webhook_paused', userId: null, metadata: { webhook_id: id } });
    }
  });
}
pauseWebhook.needs = { scope: 'webhooks:write' } satisfies Needs;

/** What `send-by-hand.ts` needs, which loads the HTTP client. */
export const TESTS_WEBHOOK = { scope: 'webhooks:write' } satisfies Needs;
export const RESENDS_EVENT = { scope: 'webhooks:write', also: ['audit:read'] } satisfies Needs;

/** Waiting and failed events are sent at once. @throws {AdminRefusal} for an unknown webhook */
export function resumeWebhook(deps: Deps<'clock' | 'db'>, operator: Operator, id: string): Promise<ListedWebhook> {
  return changeWebhook(deps, operator, resumeWebhook.needs, id, async ({ db, now, audit }) => {
    if (await resumeCursor(db, id, now)) {
      await audit({ eventType: 'webhook_resumed', userId: null, metadata: { webhook_id: id } });
    }
  });
}
resumeWebhook.needs = { scope: 'webhooks:write' } satisfies Needs;

/**
 * Moves its place to a time. What was written since then is sent again, with the ids that it had; what is older, failed
 * events included, is not sent any more.
 * @throws {AdminRefusal} for an unknown webhook, or a time in the future
 */
export function replayWebhook(
  deps: Deps<'clock' | 'db'>,
  operator: Operator,
  id: string,
  since: Date,
): Promise<ListedWebhook> {
  return changeWebhook(
    deps,
    operator,
    replayWebhook.needs,
    id,
    async ({ db, now, scopes, audit }, { includeEmails }) => {
      if (includeEmails) requireScope(scopes, 'users:read');
      if (since > now)
        throw new AdminRefusal('invalid_time', 'The time must not be in the future', { argument: 'since' });
      await moveCursor(db, id, since);
      const metadata = { webhook_id: id, since: since.toISOString() };
      await audit({ eventType: 'webhook_replayed', userId: null, metadata });
    },
  );
}
replayWebhook.needs = { scope: 'webhooks:write', also: ['audit:read'] } satisfies Needs;

/** Ends it, and what has waited for it. @throws {AdminRefusal} for an unknown webhook */
export function deleteWebhook(deps: Deps<'clock' | 'db'>, operator: Operator, id: string): Promise<ListedWebhook> {
  return administer(deps, operator, deleteWebhook.needs, async (change) => {
    const { db, em, audit } = change;
    const webhook = await findWebhook(db, id);
    await endCursor(db, id);
    await em.remove(await lockWebhook(change, id)).flush();
    const metadata = { webhook_id: id, host: authorityOf(new URL(webhook.url)) };
    await audit({ eventType: 'webhook_deleted', userId: null, metadata });
    return webhook;
  });
}
deleteWebhook.needs = { scope: 'webhooks:write' } satisfies Needs;

/** When the previous secret no longer signs; null if there is none, or it has ended. */
export function previousWebhookSecretEndsAt({ previousEndsAt }: ListedWebhook, now: Date): Date | null {
  return previousEndsAt !== null && previousEndsAt > now ? previousEndsAt : null;
}

function changeWebhook(
  deps: Deps<'clock' | 'db'>,
  operator: Operator,
  needs: Needs,
  id: string,
  work: (change: Change, webhook: ListedWebhook) => Promise<void>,
): Promise<ListedWebhook> {
  return administer(deps, operator, needs, async (change) => {
    await work(change, await findWebhook(change.db, id));
    return findWebhook(change.db, id);
  });
}
