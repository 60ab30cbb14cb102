/** The guarantees to a receiver. The package `standardwebhooks` judges each delivery as a receiver does. (Interface 17) */
import { Webhook } from 'standardwebhooks';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import {
  createWebhook,
  type NewWebhook,
  pauseWebhook,
  resumeWebhook,
  rotateWebhookSecret,
} from '../../src/admin/webhooks.js';
import { sealSecret } from '../../src/credentials/sealed-secret.js';
import { generateWebhookSecret } from '../../src/outbox/webhooks/signature.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type CapturedLog, captureLog } from '../support/gateway/log.js';
import { until } from '../support/until.js';
import { allTried } from './all-tried.js';
import { type Received, type Receiver, startReceiver } from './receiver.js';

let receiver: Receiver;
let gateway: TestGateway;
let captured: CapturedLog;
beforeEach(async () => {
  receiver = await startReceiver();
  captured = captureLog();
  const hosts = `${receiver.authority},hooks.example.com`;
  gateway = await startGateway({ env: { WEBHOOK_HOSTS: hosts }, log: captured.log, outboxPollMs: 20 });
});
afterEach(async () => {
  await gateway.close();
  await receiver.close();
});

/** A path that is a capability, as many receivers have */
const PATH = '/hooks/T0123/B0123/capability?key=another-one';

const create = (webhook: Partial<NewWebhook> = {}) =>
  createWebhook(gateway.app, COMMAND_LINE, { url: `http://${receiver.authority}${PATH}`, ...webhook });

const headersOf = ({ headers }: Received) => headers as Record<string, string>;

/** The type of the event; undefined if it was not signed by this secret */
function verified(
  secret: string,
  received: Received | undefined,
  changed: Record<string, string> = {},
  text = received?.text,
): unknown {
  try {
    const event = new Webhook(secret).verify(text ?? '', { ...(received && headersOf(received)), ...changed });
    return (event as { type: string }).type;
  } catch {
    return undefined;
  }
}

const outcome = async (id: string, wanted: string): Promise<boolean> => {
  const [cursor] = await gateway.rows('select last_outcome from outbox_cursors where id = $1', [id]);
  return cursor?.['last_outcome'] === wanted;
};

test('Interface 17: a secret is whsec_ and 32 random bytes in base64', () => {
  const secrets = Array.from({ length: 100 }, generateWebhookSecret);
  expect(new Set(secrets).size).toBe(100);
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
  }
});

test('Interface 17: a delivery is signed by its secret, and nothing of it can be changed', async () => {
  const { secret } = await create();
  await receiver.reached(1);
  const [first] = receiver.received;
  expect(first?.path).toBe(PATH);
  expect(first?.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': expect.stringMatching(/^auth-gateway\/\d/),
    'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
  });
  expect(verified(secret, first)).toBe('webhook_created');
  expect(verified(generateWebhookSecret(), first)).toBeUndefined();

  const at = Number(first?.headers['webhook-timestamp']);
  const other = '019ab000-0000-7000-8000-000000000001';
  expect(verified(secret, first, { 'webhook-id': other })).toBeUndefined();
  expect(verified(secret, first, { 'webhook-timestamp': String(at + 1) })).toBeUndefined();
  expect(verified(secret, first, {}, first?.text.replace('webhook_created', 'webhook_deleted'))).toBeUndefined();
  expect(verified(secret, first, {}, `${first?.text} `)).toBeUndefined();
});

test('Interface 17: a delivery is too old after five minutes, so that nobody can send it again later', async () => {
  gateway.clock.advance(-301);
  const { secret } = await create();
  await receiver.reached(1);
  expect(verified(secret, receiver.received[0])).toBeUndefined();
});

test('Interface 17: the id is that of the event, and every attempt has the same id and the same body', async () => {
  receiver.reply(() => ({ status: receiver.received.length < 2 ? 500 : 204 }));
  const { webhook, secret } = await create({ eventTypes: ['webhook_created'], includeEmails: true });
  await receiver.reached(1);
  await until(
    'it is parked',
    async () => (await gateway.rows('select from outbox_events where due_at is not null')).length > 0,
  );
  gateway.clock.advance(10);
  await receiver.reached(2);
  await until(
    'it is parked again',
    async () => (await gateway.rows('select from outbox_events where attempts = 2')).length > 0,
  );
  gateway.clock.advance(200); // less than its five minutes, so it is tried when the webhook is resumed
  await pauseWebhook(gateway.app, COMMAND_LINE, webhook.id);
  await resumeWebhook(gateway.app, COMMAND_LINE, webhook.id);
  await receiver.reached(3);

  const [event] = await gateway.rows<{ id: string }>(
    `select id from audit_events where event_type = 'webhook_created'`,
  );
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(Array(3).fill(event?.id));
  expect(receiver.received.map(({ json }) => json.data.id)).toEqual(Array(3).fill(event?.id));
  expect(new Set(receiver.received.map(({ text }) => text)).size).toBe(1);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(3);
  for (const received of receiver.received) expect(verified(secret, received)).toBe('webhook_created');
});

describe('Interface 17: while a secret rotates', () => {
  /** What is sent of a new event @returns by which secrets it is signed */
  async function signedBy(...secrets: string[]): Promise<boolean[]> {
    await allTried(gateway);
    const count = receiver.received.length;
    await gateway.user();
    await receiver.reached(count + 1);
    return secrets.map((secret) => verified(secret, receiver.received.at(-1)) !== undefined);
  }

  test('both sign, the newest first, and the old one no longer after its end', async () => {
    const { webhook, secret } = await create({ eventTypes: ['user_created'] });
    expect(await signedBy(secret)).toEqual([true]);
    const { secret: next } = await rotateWebhookSecret(gateway.app, COMMAND_LINE, webhook.id, 60);
    expect(await signedBy(secret, next)).toEqual([true, true]);
    const signatures = String(receiver.received.at(-1)?.headers['webhook-signature']).split(' ');
    expect(signatures).toHaveLength(2);
    const newest = { 'webhook-signature': signatures[0] ?? '' };
    expect(verified(next, receiver.received.at(-1), newest)).toBe('user_created');
    expect(verified(secret, receiver.received.at(-1), newest)).toBeUndefined();
    gateway.clock.advance(59);
    expect(await signedBy(secret, next)).toEqual([true, true]);
    gateway.clock.advance(1);
    expect(await signedBy(secret, next)).toEqual([false, true]);
  });

  test('a second rotation ends the first secret', async () => {
    const { webhook, secret } = await create({ eventTypes: ['user_created'] });
    const { secret: second } = await rotateWebhookSecret(gateway.app, COMMAND_LINE, webhook.id, 60);
    const { secret: third } = await rotateWebhookSecret(gateway.app, COMMAND_LINE, webhook.id, 60);
    expect(await signedBy(secret, second, third)).toEqual([false, true, true]);
  });

  test('an overlap of 0 ends the old one at once', async () => {
    const { webhook, secret } = await create({ eventTypes: ['user_created'] });
    const { secret: next } = await rotateWebhookSecret(gateway.app, COMMAND_LINE, webhook.id, 0);
    expect(await signedBy(secret, next)).toEqual([false, true]);
  });
});

describe('Interface 17: sealed secrets are bound to their webhook', () => {
  test('two that are swapped in the table sign nothing', async () => {
    const one = await create({ eventTypes: ['user_created'] });
    const two = await create({ eventTypes: ['user_created'] });
    await allTried(gateway);
    await gateway.rows(
      `update webhooks set sealed_secret = other.sealed_secret from webhooks as other where other.id <> webhooks.id`,
    );
    await gateway.user();
    for (const { webhook } of [one, two]) await until('it has failed', () => outcome(webhook.id, 'secret_unreadable'));
    expect(receiver.received).toEqual([]);
  });

  test('a previous one of another webhook does not sign', async () => {
    const one = await create({ eventTypes: ['user_created'] });
    const two = await createWebhook(gateway.app, COMMAND_LINE, {
      url: 'https://hooks.example.com/',
      eventTypes: ['logout'],
    });
    await allTried(gateway);
    await gateway.rows(
      `update webhooks set previous_ends_at = 'infinity', previous_sealed_secret =
        (select sealed_secret from webhooks where id = $2) where id = $1`,
      [one.webhook.id, two.webhook.id],
    );
    await gateway.user();
    await receiver.reached(1);
    expect(verified(one.secret, receiver.received[0])).toBe('user_created');
    expect(verified(two.secret, receiver.received[0])).toBeUndefined();
    expect(receiver.received[0]?.headers['webhook-signature']).not.toContain(' ');
  });

  test.each(['', 'whsec_AAAA', 'a.b.c.d.e', 'eyJhbGciOiJub25lIn0....'])(
    '%j in the table signs nothing',
    async (sealed) => {
      const { webhook } = await create({ eventTypes: ['user_created'] });
      const previous = await sealSecret(gateway.app.keyring, webhook.id, generateWebhookSecret(), gateway.clock.now());
      await allTried(gateway);
      await gateway.rows(
        `update webhooks set sealed_secret = $2, previous_sealed_secret = $3, previous_ends_at = '9999-01-01' where id = $1`,
        [webhook.id, sealed, previous],
      );
      await gateway.user();
      await until('it has failed', () => outcome(webhook.id, 'secret_unreadable'));
      expect(receiver.received).toEqual([]);
    },
  );
});

test('Interface 17: no log, error, metric or event has a path, a secret or a body', async () => {
  const SECRET_PARTS = ['capability', 'another-one', 'T0123', 'whsec_', 'mark-of-a-role', 'hidden@example.com'];
  const { webhook, secret } = await create({ includeEmails: true });
  const next = await rotateWebhookSecret(gateway.app, COMMAND_LINE, webhook.id, 60);
  const forbidden = [...SECRET_PARTS, ...[secret, next.secret].map((one) => one.slice('whsec_'.length, 30))];
  forbidden.push(Buffer.from(secret.slice('whsec_'.length), 'base64').toString('hex'));
  await receiver.reached(2);
  await gateway.user({ email: 'hidden@example.com' });
  await receiver.reached(3);
  const outcomes = ['http_error', 'redirect', 'gone'];
  for (const [i, status] of [500, 302, 410].entries()) {
    receiver.reply(() => ({ status, headers: { location: `http://169.254.169.254${PATH}` }, body: 'mark-of-a-role' }));
    await create({ eventTypes: ['webhook_created'] });
    const wanted = outcomes[i] ?? '';
    await until(wanted, () => captured.text().includes(`"outcome":"${wanted}"`));
  }
  const gone = await create({ eventTypes: ['user_created'] });
  await allTried(gateway);
  await gateway.rows('update webhooks set url = $2 where id = $1', [gone.webhook.id, `https://evil.example${PATH}`]);
  await gateway.user();
  await until('target_refused', () => outcome(gone.webhook.id, 'target_refused'));

  for (const url of [
    `https://user:whsec_@evil.example${PATH}`,
    `https://evil.example${PATH}`,
    `file://${PATH}`,
    `${PATH} `,
  ]) {
    const refusal: Error = (await create({ url }).catch((error: Error) => error)) as Error;
    const said = JSON.stringify([refusal, refusal.message, refusal.stack, refusal.cause]);
    expect(said).toContain('webhook_target_refused');
    for (const text of forbidden) expect(said).not.toContain(text);
  }
  const metrics = await gateway.app.metrics.registry.metrics();
  const events = JSON.stringify(await gateway.rows(`select * from audit_events where entity_type = 'webhook'`));
  const cursors = JSON.stringify([
    await gateway.rows('select * from outbox_cursors'),
    await gateway.rows('select * from outbox_events'),
    await gateway.rows('select * from webhook_attempts'),
  ]);
  const lines = captured.lines().filter(({ webhook_id }) => webhook_id !== undefined);
  expect(lines.length).toBeGreaterThan(5);
  for (const text of forbidden)
    for (const place of [captured.text(), metrics, events, cursors]) expect(place).not.toContain(text);
});
