/** Webhooks over GraphQL. (Interface 17) */

import { Webhook } from 'standardwebhooks';
import { allTried } from '../outbox/all-tried.js';
import { type Receiver, startReceiver } from '../outbox/receiver.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, dataOf, newApiKey, newcomer } from '../support/gateway/graphql.js';
import { auditDuring } from '../support/gateway/rows.js';
import { type Statement, watchStatements } from '../support/gateway/work.js';
import { until } from '../support/until.js';

let receiver: Receiver;
let gateway: TestGateway;
let admin: As;
let adminId: string;
beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await startGateway({ env: { WEBHOOK_HOSTS: receiver.authority }, outboxPollMs: 20 });
  const { as, user } = await newcomer(gateway, 'admin');
  [admin, adminId] = [as, user.id];
});
beforeEach(() => receiver.reply(() => ({ status: 204 })));
afterEach(async () => {
  await allTried(gateway); // so that nothing of one test is sent during the next
  for (const table of ['webhooks', 'outbox_events', 'outbox_cursors']) await gateway.rows(`delete from ${table}`);
});
afterAll(async () => {
  await gateway.close();
  await receiver.close();
});

const FIELDS = `id url eventTypes includeEmails createdAt pausedAt pausedBy lag parkedCount
  lastAttempt { at outcome status } previousSecretEndsAt`;
const ATTEMPTS = 'attempts { at eventId eventType attempt outcome status milliseconds }';
const CREATE = `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret webhook { ${FIELDS} } } }`;
const ROTATE = `mutation ($input: RotateWebhookSecretInput!) {
  rotateWebhookSecret(input: $input) { secret webhook { ${FIELDS} } }
}`;
const change = (name: string) => `mutation ($id: ID!) { ${name}Webhook(input: { id: $id }) { webhook { ${FIELDS} } } }`;
const LIST = `{ webhooks { nodes { ${FIELDS} } } }`;

// biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape it needs
async function created(input: object = {}): Promise<any> {
  return (await dataOf(gateway, admin, CREATE, { input: { url: receiver.url, ...input } })).createWebhook;
}

// biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape it needs
async function listed(id: string): Promise<any> {
  const { webhooks } = await dataOf(gateway, admin, LIST);
  return webhooks.nodes.find((webhook: { id: string }) => webhook.id === id);
}

const actor = () => ({ caller_type: 'user', sub: adminId });

test('Interface 17: creates a webhook, shows its secret once, and records who created it', async () => {
  const input = { eventTypes: ['logout', 'login_failure'], includeEmails: true };
  const [{ webhook, secret }, events] = await auditDuring(gateway, () => created(input));
  expect(webhook).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    url: receiver.url,
    eventTypes: ['login_failure', 'logout'],
    includeEmails: true,
    createdAt: gateway.clock.now().toISOString(),
    pausedAt: null,
    pausedBy: null,
    lag: 1, // its own `webhook_created` waits
    parkedCount: 0,
    lastAttempt: null,
    previousSecretEndsAt: null,
  });
  expect(secret).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
  expect(events).toMatchObject([
    {
      event_type: 'webhook_created',
      entity_type: 'webhook',
      user_id: null,
      metadata: {
        actor: actor(),
        webhook_id: webhook.id,
        host: receiver.authority,
        event_types: webhook.eventTypes,
        include_emails: true,
      },
    },
  ]);
  const tables = ['webhooks', 'outbox_cursors', 'audit_events'].map((table) => gateway.rows(`select * from ${table}`));
  expect(JSON.stringify([await listed(webhook.id), await Promise.all(tables)])).not.toContain(secret.slice(6));
});

test('Interface 17: lists webhooks, oldest first, page by page, with their last attempt', async () => {
  const first = await created();
  gateway.clock.advance(1);
  const second = await created();
  await until('it is delivered', async () => (await listed(second.webhook.id)).lastAttempt !== null);
  expect((await listed(second.webhook.id)).lastAttempt).toEqual({
    at: expect.any(String),
    outcome: 'delivered',
    status: 204,
  });
  const text = 'query ($after: String) { webhooks(first: 1, after: $after) { nodes { id } pageInfo { endCursor } } }';
  const ids: string[] = [];
  for (let after: string | undefined; ; ) {
    const { webhooks } = await dataOf(gateway, admin, text, { after });
    if (webhooks.nodes.length === 0) break;
    ids.push(webhooks.nodes[0].id);
    after = webhooks.pageInfo.endCursor;
  }
  expect(ids.slice(-2)).toEqual([first.webhook.id, second.webhook.id]);
  expect(await ask(gateway, admin, '{ webhooks(first: 101) { nodes { id } } }')).toMatchObject({
    reason: 'invalid_page',
  });
});

test('Interface 17: what a newer version has stored as an event type does not stop the listing', async () => {
  const { webhook } = await created({ eventTypes: ['logout'] });
  await gateway.rows(`update webhooks set event_types = '{user_promoted,logout}' where id = $1`, [webhook.id]);
  expect((await listed(webhook.id)).eventTypes).toEqual(['logout']);
});

test('Interface 17: a rotation gives a second secret, and the first one signs too until the overlap ends', async () => {
  const { webhook, secret } = await created();
  const input = { id: webhook.id, overlapSeconds: 60 };
  const [{ rotateWebhookSecret: rotated }, events] = await auditDuring(gateway, () =>
    dataOf(gateway, admin, ROTATE, { input }),
  );
  expect(rotated.secret).toMatch(/^whsec_/);
  expect(rotated.secret).not.toBe(secret);
  const ends = new Date(gateway.clock.now().getTime() + 60_000).toISOString();
  expect(rotated.webhook.previousSecretEndsAt).toBe(ends);
  const metadata = { actor: actor(), webhook_id: webhook.id, overlap_seconds: 60 };
  expect(events).toMatchObject([{ event_type: 'webhook_secret_rotated', metadata }]);
  gateway.clock.advance(61);
  expect((await listed(webhook.id)).previousSecretEndsAt).toBeNull();
  for (const overlapSeconds of [-1, 2_592_001]) {
    const refused = await ask(gateway, admin, ROTATE, { input: { id: webhook.id, overlapSeconds } });
    expect([refused.reason, refused.errors[0]?.extensions['argument']]).toEqual(['invalid_overlap', 'overlapSeconds']);
  }
});

test('Interface 17: pausing, resuming, replaying and deleting are recorded, and the first two once', async () => {
  const { webhook } = await created();
  const { id } = webhook;
  const now = gateway.clock.now().toISOString();
  const [paused, pausing] = await auditDuring(gateway, async () => {
    await dataOf(gateway, admin, change('pause'), { id });
    return (await dataOf(gateway, admin, change('pause'), { id })).pauseWebhook.webhook;
  });
  expect(paused).toMatchObject({ pausedAt: now, pausedBy: 'operator' });
  expect(pausing).toMatchObject([{ event_type: 'webhook_paused', metadata: { actor: actor(), webhook_id: id } }]);
  const [resumed, resuming] = await auditDuring(gateway, async () => {
    await dataOf(gateway, admin, change('resume'), { id });
    return (await dataOf(gateway, admin, change('resume'), { id })).resumeWebhook.webhook;
  });
  expect(resumed).toMatchObject({ pausedAt: null, pausedBy: null });
  expect(resuming).toMatchObject([{ event_type: 'webhook_resumed', metadata: { actor: actor(), webhook_id: id } }]);
  const replay = `mutation ($id: ID!, $since: DateTime!) { replayWebhook(input: { id: $id, since: $since }) { webhook { id } } }`;
  const [, replaying] = await auditDuring(gateway, () => dataOf(gateway, admin, replay, { id, since: now }));
  expect(replaying).toMatchObject([
    { event_type: 'webhook_replayed', metadata: { actor: actor(), webhook_id: id, since: now } },
  ]);
  const remove = 'mutation ($id: ID!) { deleteWebhook(input: { id: $id }) { deletedId } }';
  const [deleted, deleting] = await auditDuring(gateway, () => dataOf(gateway, admin, remove, { id }));
  expect(deleted.deleteWebhook).toEqual({ deletedId: id });
  const metadata = { actor: actor(), webhook_id: id, host: receiver.authority };
  expect(deleting).toMatchObject([{ event_type: 'webhook_deleted', metadata }]);
  expect(await listed(id)).toBeUndefined();
  for (const text of [change('pause'), change('resume'), remove]) {
    expect(await ask(gateway, admin, text, { id })).toMatchObject({ reason: 'webhook_unknown', code: 'NOT_FOUND' });
  }
});

test('Interface 17: a receiver that answers 410 has paused the webhook', async () => {
  receiver.reply(() => ({ status: 410 }));
  const { webhook } = await created();
  await until('it is paused', async () => (await listed(webhook.id)).pausedBy !== null);
  expect(await listed(webhook.id)).toMatchObject({
    pausedAt: gateway.clock.now().toISOString(),
    pausedBy: 'receiver',
    lastAttempt: { outcome: 'gone', status: 410 },
  });
  expect((await listed(webhook.id)).parkedCount).toBe(1);
});

test.each([
  ['not a URL', 'hooks.example.com'],
  ['another host', 'https://example.com/'],
  ['another scheme', 'ftp://127.0.0.1/'],
  ['credentials', 'http://ada:secret@AUTHORITY/'],
  ['a fragment', 'http://AUTHORITY/#x'],
  ['a URL that is too long', `http://AUTHORITY/${'x'.repeat(2048)}`],
])('Interface 17: no webhook is created for %s, and the answer does not repeat it', async (_what, url) => {
  const input = { url: url.replace('AUTHORITY', receiver.authority) };
  const [answer, events] = await auditDuring(gateway, () => ask(gateway, admin, CREATE, { input }));
  expect(answer).toMatchObject({ status: 200, code: 'BAD_USER_INPUT', reason: 'webhook_target_refused' });
  expect(answer.errors[0]?.extensions['argument']).toBe('url');
  expect(answer.text).not.toContain(input.url);
  expect(events).toEqual([]);
});

const TEST = 'mutation ($id: ID!) { testWebhook(input: { id: $id }) { outcome status milliseconds } }';

test('Interface 17: a test sends one signed event, and neither moves the webhook nor records anything', async () => {
  const { webhook } = await created({ eventTypes: ['logout'] });
  await dataOf(gateway, admin, change('pause'), { id: webhook.id });
  const before = [await listed(webhook.id), receiver.received.length];
  const [{ testWebhook }, events] = await auditDuring(gateway, () => dataOf(gateway, admin, TEST, { id: webhook.id }));
  expect(testWebhook).toEqual({ outcome: 'delivered', status: 204, milliseconds: expect.any(Number) });
  expect(events).toEqual([]);
  expect(receiver.received.at(-1)?.json).toMatchObject({ type: 'webhook_test', data: { user_id: null } });
  expect([await listed(webhook.id), receiver.received.length - 1]).toEqual(before);
});

test('Interface 17: a test says what the receiver made of it, and gives up one that is silent', async () => {
  const { webhook } = await created({ eventTypes: ['logout'] });
  receiver.reply(() => ({ status: 418, body: 'a secret of the receiver' }));
  const refused = await ask(gateway, admin, TEST, { id: webhook.id });
  expect(refused.data.testWebhook).toEqual({ outcome: 'http_error', status: 418, milliseconds: expect.any(Number) });
  expect(refused.text).not.toContain('secret of');
  const { promise: gone, resolve } = Promise.withResolvers<void>();
  receiver.reply(async () => {
    await gone;
    return { status: 204 };
  });
  const { webhook: another } = await created();
  const event = await creationOf(another.id);
  const [silent, unheard] = await Promise.all([
    dataOf(gateway, admin, TEST, { id: webhook.id }),
    dataOf(gateway, admin, RESEND, { id: another.id, eventId: event }),
  ]);
  const timeout = { outcome: 'timeout', status: null, milliseconds: expect.any(Number) };
  expect([silent.testWebhook, unheard.resendWebhookEvent]).toEqual([timeout, timeout]);
  expect((await attemptsOf(another.id)).filter(({ attempt }) => attempt === null)).toMatchObject([timeout]);
  resolve();
  const unknown = await ask(gateway, admin, TEST, { id: '00000000-0000-7000-8000-000000000000' });
  expect(unknown.reason).toBe('webhook_unknown');
});

const RESEND = `mutation ($id: ID!, $eventId: ID!) {
  resendWebhookEvent(input: { id: $id, eventId: $eventId }) { outcome status milliseconds }
}`;

/** The event of a webhook's creation */
async function creationOf(id: string): Promise<string> {
  const text = `select id from audit_events where event_type = 'webhook_created' and metadata->>'webhook_id' = $1`;
  return (await gateway.rows<{ id: string }>(text, [id]))[0]?.id ?? '';
}

// biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape it needs
async function attemptsOf(id: string): Promise<any[]> {
  return (await dataOf(gateway, admin, `{ webhook(id: "${id}") { ${ATTEMPTS} } }`)).webhook.attempts;
}

/** Ids of the events that came at a path */
const sentTo = (path: string) =>
  receiver.received.filter((one) => one.path.endsWith(path)).map(({ headers }) => headers['webhook-id']);

test('Interface 17: a test by the new secret alone says whether the receiver has it, while two sign', async () => {
  const { webhook, secret } = await created({ eventTypes: ['logout'] });
  const { rotateWebhookSecret: rotated } = await dataOf(gateway, admin, ROTATE, {
    input: { id: webhook.id, overlapSeconds: 60 },
  });
  const signedBy = async (more: string): Promise<boolean[]> => {
    const text = `mutation { testWebhook(input: { id: "${webhook.id}"${more} }) { outcome } }`;
    expect((await dataOf(gateway, admin, text)).testWebhook).toEqual({ outcome: 'delivered' });
    const { text: body = '', headers } = receiver.received.at(-1) ?? {};
    return [secret, rotated.secret].map((one) => {
      try {
        return new Webhook(one).verify(body, headers as Record<string, string>) !== undefined;
      } catch {
        return false;
      }
    });
  };
  expect(await signedBy('')).toEqual([true, true]);
  expect(await signedBy(', newSecretOnly: null')).toEqual([true, true]);
  expect(await signedBy(', newSecretOnly: true')).toEqual([false, true]);
  gateway.clock.advance(61); // the old one has ended
  expect(await signedBy(', newSecretOnly: true')).toEqual([false, true]);
});

test('Interface 17: the last attempts of a page of webhooks are one statement, and unasked for they are none', async () => {
  const { webhook } = await created();
  await until('it is delivered', async () => (await attemptsOf(webhook.id)).length > 0);
  await created();
  await allTried(gateway);
  const statements: Statement[] = [];
  watchStatements(gateway.app.db, (statement) => statements.push(statement));
  const reads = () => statements.filter(({ sql }) => sql.includes('from webhook_attempts'));
  await listed(webhook.id);
  expect(reads()).toEqual([]);
  const text = `{ webhooks(first: 10, order: { field: created_at, direction: desc }) { nodes { id ${ATTEMPTS} lastAttempt { at } } } }`;
  const { webhooks } = await dataOf(gateway, admin, text);
  expect(webhooks.nodes.filter(({ attempts }: { attempts: object[] }) => attempts.length > 0).length).toBeGreaterThan(
    1,
  );
  expect(reads()).toHaveLength(1);
  for (const { attempts, lastAttempt } of webhooks.nodes) expect(attempts[0]?.at).toBe(lastAttempt?.at);
  expect(await attemptsOf(webhook.id)).toContainEqual({
    at: gateway.clock.now().toISOString(),
    eventId: await creationOf(webhook.id),
    eventType: 'webhook_created',
    attempt: 1,
    outcome: 'delivered',
    status: 204,
    milliseconds: expect.any(Number),
  });
});

test('Interface 17: one event is sent again with its id, also while the webhook is paused, and stored as an attempt', async () => {
  const { webhook, secret } = await created({ url: `${receiver.url}/again`, eventTypes: ['webhook_created'] });
  const { id } = webhook;
  await until('it is delivered', async () => (await attemptsOf(id)).length === 1);
  await dataOf(gateway, admin, change('pause'), { id });
  const eventId = await creationOf(id);
  receiver.reply(() => ({ status: 418, body: 'a secret of the receiver' }));
  gateway.clock.advance(1);
  const [answer, events] = await auditDuring(gateway, () => ask(gateway, admin, RESEND, { id, eventId }));
  const refused = { outcome: 'http_error', status: 418, milliseconds: expect.any(Number) };
  expect([answer.data.resendWebhookEvent, events]).toEqual([refused, []]);
  expect(answer.text).not.toContain('secret of');
  const [first, second] = receiver.received.filter(({ path }) => path.endsWith('/again'));
  expect(second?.text).toBe(first?.text);
  const verified = new Webhook(secret).verify(second?.text ?? '', second?.headers as Record<string, string>);
  expect(verified).toEqual(first?.json);
  expect(second?.headers['webhook-id']).toBe(eventId);
  const at = gateway.clock.now().toISOString();
  expect((await attemptsOf(id))[0]).toEqual({ at, eventId, eventType: 'webhook_created', attempt: null, ...refused });
  expect(await listed(id)).toMatchObject({
    pausedBy: 'operator',
    parkedCount: 0,
    lastAttempt: { at, outcome: 'http_error', status: 418 },
  });
});

test('Interface 17: what a webhook does not get is not sent again, nor what the audit log does not have', async () => {
  const { webhook } = await created({ url: `${receiver.url}/unwanted`, eventTypes: ['logout'] });
  const unwanted = await ask(gateway, admin, RESEND, { id: webhook.id, eventId: await creationOf(webhook.id) });
  expect([unwanted.code, unwanted.reason]).toEqual(['BAD_USER_INPUT', 'event_not_wanted']);
  expect(unwanted.errors[0]?.extensions['argument']).toBe('eventId');
  for (const eventId of ['00000000-0000-7000-8000-000000000000', 'x', ''])
    expect(await ask(gateway, admin, RESEND, { id: webhook.id, eventId })).toMatchObject({ reason: 'event_unknown' });
  const eventId = await creationOf(webhook.id);
  for (const id of ['00000000-0000-7000-8000-000000000000', 'x'])
    expect(await ask(gateway, admin, RESEND, { id, eventId })).toMatchObject({ reason: 'webhook_unknown' });
  expect([sentTo('/unwanted'), await attemptsOf(webhook.id)]).toEqual([[], []]);
});

test('Interface 17: with e-mails only for who may read them, and a target that is no longer allowed gets nothing', async () => {
  const { webhook } = await created({
    url: `${receiver.url}/emails`,
    eventTypes: ['webhook_created'],
    includeEmails: true,
  });
  await allTried(gateway);
  const { as } = await newApiKey(gateway, ['webhooks:write', 'audit:read']);
  const eventId = await creationOf(webhook.id);
  const refused = await ask(gateway, as, RESEND, { id: webhook.id, eventId });
  expect([refused.reason, refused.errors[0]?.extensions['requiredScope']]).toEqual(['scope_missing', 'users:read']);
  await gateway.rows(`update webhooks set url = 'https://elsewhere.example/' where id = $1`, [webhook.id]);
  const elsewhere = await ask(gateway, admin, RESEND, { id: webhook.id, eventId });
  expect([elsewhere.reason, sentTo('/emails')]).toEqual(['webhook_target_refused', [eventId]]); // the first time alone
});
