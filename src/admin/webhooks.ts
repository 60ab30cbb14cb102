/** Interface 17: administration of webhooks. A secret is returned only when it is created. */
import { sql } from 'kysely';
import { EVENT_TYPES, type EventType } from '../audit/events.js';
import { sealSecret } from '../credentials/sealed-secret.js';
import type { PausedBy } from '../db/entities/outbox-cursor.js';
import { type Db, statement } from '../db/statement.js';
import {
  allOf,
  decodeTimeCursor,
  encodeCursor,
  exactTime,
  type Page,
  type PageRequest,
  readPage,
} from '../listing/page.js';
import { AdminRefusal } from '../listing/refusal.js';
import { endCursor, moveCursor, pauseCursor, resumeCursor, startCursor } from '../outbox/cursor-changes.js';
import { LAG } from '../outbox/lag.js';
import { generateWebhookSecret } from '../outbox/webhooks/signature.js';
import { authorityOf, faultOfTarget, MAX_URL, type TargetFault } from '../outbox/webhooks/target.js';
import { addSeconds } from '../platform/clock.js';
import { isUuid, uuidInTimeOrder } from '../platform/ids.js';
import type { Deps } from '../services.js';
import { administer, type Change, type Needs, type Operator, requireScope } from './administer.js';
import { checkOverlap, OVERLAP_SECONDS } from './key-fields.js';

export interface NewWebhook {
  url: string;
  /** Null: all, also those of later versions */
  eventTypes?: readonly string[] | null | undefined;
  includeEmails?: boolean | null | undefined;
}

/** A webhook without its secrets. */
export interface ListedWebhook {
  id: string;
  url: string;
  eventTypes: EventType[] | null;
  includeEmails: boolean;
  createdAt: Date;
  previousEndsAt: Date | null;
  pausedAt: Date | null;
  pausedBy: PausedBy | null;
  /** Seconds that the oldest event waits */
  lag: number;
  /** Events that failed and will be tried again */
  parkedCount: number;
  lastAttemptAt: Date | null;
  lastOutcome: string | null;
  lastStatus: number | null;
}

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

const createWebhookSql = statement(
  'create_webhook',
  {
    id: 'uuid',
    url: 'text',
    event_types: 'text[]?',
    include_emails: 'boolean',
    sealed_secret: 'text',
    now: 'timestamptz',
  },
  { id: 'uuid' },
)`
  insert into webhooks (id, url, event_types, include_emails, sealed_secret, created_at)
  select :id, :url, :event_types, :include_emails, :sealed_secret, :now
  where (select count(*) from webhooks) < ${MAX_WEBHOOKS}
  returning id`;

/**
 * Its first event is its own `webhook_created`. Who receives events reads the audit log, so the operator must be allowed to.
 * @throws {AdminRefusal} for an invalid field, a target that is not allowed, or one webhook too many
 */
export function createWebhook(
  deps: Deps<'clock' | 'config' | 'db' | 'keyring'>,
  operator: Operator,
  { url, eventTypes = null, includeEmails }: NewWebhook,
): Promise<IssuedWebhook> {
  return administer(deps, operator, createWebhook.needs, async ({ db, now, scopes, audit }) => {
    const include_emails = includeEmails ?? false;
    if (include_emails) requireScope(scopes, 'users:read');
    const host = authorityOf(checkTarget(url, deps.config));
    const event_types = checkEventTypes(eventTypes);
    const id = uuidInTimeOrder(now);
    const secret = generateWebhookSecret();
    const sealed_secret = await sealSecret(deps.keyring, id, secret, now);
    const created = await db.run(createWebhookSql, { id, url, event_types, include_emails, sealed_secret, now });
    if (created.length === 0) {
      throw new AdminRefusal('too_many_webhooks', `There can be at most ${MAX_WEBHOOKS} webhooks; delete one first`);
    }
    await startCursor(db, id, 'webhook');
    const metadata = { webhook_id: id, host, event_types, include_emails };
    await audit({ eventType: 'webhook_created', userId: null, metadata });
    return { webhook: await findWebhook(db, id), secret };
  });
}
createWebhook.needs = { scope: 'webhooks:write', also: ['audit:read'] } satisfies Needs;

const COLUMNS = `
  webhooks.id, url, event_types as "eventTypes", include_emails as "includeEmails", created_at as "createdAt",
  previous_ends_at as "previousEndsAt", paused_at as "pausedAt", paused_by as "pausedBy",
  ceil(${LAG})::integer as "lag",
  (select count(*) from outbox_events where cursor_id = webhooks.id and due_at is not null)::integer as "parkedCount",
  last_attempt_at as "lastAttemptAt", last_outcome as "lastOutcome", last_status as "lastStatus"`;

const findWebhookSql = statement(
  'find_webhook',
  { id: 'uuid' },
  {
    id: 'uuid',
    url: 'text',
    eventTypes: 'text[]?',
    includeEmails: 'boolean',
    createdAt: 'timestamptz',
    previousEndsAt: 'timestamptz?',
    pausedAt: 'timestamptz?',
    pausedBy: 'text?',
    lag: 'integer',
    parkedCount: 'integer',
    lastAttemptAt: 'timestamptz?',
    lastOutcome: 'text?',
    lastStatus: 'integer?',
  },
)`select ${COLUMNS} from webhooks join outbox_cursors using (id) where id = :id`;

/** @throws {AdminRefusal} */
export async function findWebhook(db: Db, id: string): Promise<ListedWebhook> {
  const [webhook] = isUuid(id) ? await db.run(findWebhookSql, { id }) : [];
  if (webhook === undefined) throw unknownWebhook();
  return webhook as ListedWebhook;
}

/** A page of webhooks, oldest first. @throws {AdminRefusal} for an invalid page */
export function listWebhooks({ db }: Deps<'db'>, page: PageRequest): Promise<Page<ListedWebhook>> {
  return readPage(
    db,
    page,
    sql<ListedWebhook & { exactly: string }>`
      select ${sql.raw(COLUMNS)}, ${exactTime('created_at')} as exactly
      from webhooks join outbox_cursors using (id)
      where ${allOf(page.after != null && afterCursor(page.after))}
      order by created_at, webhooks.id limit ${page.first + 1}`,
    ({ exactly, id }) => encodeCursor(exactly, id),
  );
}

function afterCursor(cursor: string) {
  const { exactly, rest } = decodeTimeCursor(cursor, isUuid);
  return sql`(created_at, webhooks.id) > (${exactly}::timestamptz, ${rest[0]}::uuid)`;
}

const rotateWebhookSql = statement(
  'rotate_webhook',
  { id: 'uuid', sealed_secret: 'text', previous_ends_at: 'timestamptz?' },
  {},
)`
  update webhooks set previous_sealed_secret = case when :previous_ends_at is not null then sealed_secret end,
    previous_ends_at = :previous_ends_at, sealed_secret = :sealed_secret
  where id = :id`;

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
  return administer(deps, operator, rotateWebhookSecret.needs, async ({ db, now, audit }) => {
    checkOverlap(overlapSeconds);
    await findWebhook(db, id);
    const secret = generateWebhookSecret();
    await db.run(rotateWebhookSql, {
      id,
      sealed_secret: await sealSecret(deps.keyring, id, secret, now),
      previous_ends_at: overlapSeconds === 0 ? null : addSeconds(now, overlapSeconds),
    });
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

const deleteWebhookSql = statement('delete_webhook', { id: 'uuid' }, {})`delete from webhooks where id = :id`;

/** Ends it, and what has waited for it. @throws {AdminRefusal} for an unknown webhook */
export function deleteWebhook(deps: Deps<'clock' | 'db'>, operator: Operator, id: string): Promise<ListedWebhook> {
  return administer(deps, operator, deleteWebhook.needs, async ({ db, audit }) => {
    const webhook = await findWebhook(db, id);
    await endCursor(db, id);
    await db.run(deleteWebhookSql, { id });
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
