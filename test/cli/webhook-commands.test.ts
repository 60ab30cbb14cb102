/** The commands `webhook …`. (Interface 9 and 17) */
import { Webhook } from 'standardwebhooks';
import { type Received, type Receiver, startReceiver } from '../outbox/receiver.js';
import { messagesOf, type Ran, runHere } from '../support/gateway/cli.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { auditDuring } from '../support/gateway/rows.js';

let receiver: Receiver;
let gateway: TestGateway;
beforeAll(async () => {
  receiver = await startReceiver();
  const quiet = { outboxPollMs: 3_600_000 }; // the gateway itself sends nothing
  gateway = await startGateway({ env: { WEBHOOK_HOSTS: receiver.authority }, ...quiet });
});
beforeEach(() => {
  receiver.received.length = 0;
  receiver.reply(() => ({ status: 204 }));
});
afterAll(async () => {
  await gateway.close();
  await receiver.close();
});

function cli(args: string[], config: Partial<TestGateway['config']> = {}): Promise<Ran> {
  return runHere(args, () => ({ ...gateway.config, databaseUrl: gateway.database.url, ...config }));
}

// biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape it needs
async function json(...args: string[]): Promise<any> {
  const ran = await cli([...args, '--json']);
  expect([ran.code, messagesOf(ran)]).toEqual([0, '']);
  return JSON.parse(ran.stdout);
}

const created = (...more: string[]) => json('webhook', 'create', '--url', receiver.url, ...more);

// biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape it needs
async function listed(id: string): Promise<any> {
  return (await json('webhook', 'list')).find(({ webhook_id }: { webhook_id: string }) => webhook_id === id);
}

const cursor = (id: string) => gateway.rows('select * from outbox_cursors where id = $1', [id]);

test('Interface 9: webhook create prints the secret, which no other command does', async () => {
  const webhook = await created('--event', 'login_failure', '--event', 'logout', '--include-emails');
  expect(webhook).toEqual({
    webhook_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    secret: expect.stringMatching(/^whsec_/),
    url: receiver.url,
    event_types: ['login_failure', 'logout'],
    include_emails: true,
  });
  const { webhook_id: id, secret } = webhook;
  expect(await listed(id)).toEqual({
    webhook_id: id,
    url: receiver.url,
    event_types: ['login_failure', 'logout'],
    include_emails: true,
    created_at: expect.any(String),
    paused_at: null,
    paused_by: null,
    lag_seconds: expect.any(Number),
    parked_count: 0,
    last_attempt_at: null,
    last_outcome: null,
    last_status: null,
    previous_secret_ends_at: null,
  });
  for (const words of ['list', `test ${id}`, `pause ${id}`, `resume ${id}`, `replay ${id} --since 0s`]) {
    const { code, stdout, stderr } = await cli(['webhook', ...words.split(' ')]);
    expect([words, code]).toEqual([words, 0]);
    expect(`${stdout}${stderr}`).not.toContain(secret.slice(6));
  }
  expect(await created()).toMatchObject({ event_types: null, include_emails: false });
});

test('Interface 9: webhook create refuses an unknown event type, a host that is not listed, and any host if webhooks are off', async () => {
  const create = ['webhook', 'create', '--url', receiver.url];
  expect(await cli([...create, '--event', 'user_promoted'])).toMatchObject({ code: 2, stdout: '' });
  const elsewhere = await cli(['webhook', 'create', '--url', 'https://example.com/token-in-the-path']);
  expect([elsewhere.code, elsewhere.stdout]).toEqual([1, '']);
  expect(messagesOf(elsewhere)).toBe('WEBHOOK_HOSTS does not list the host and port of the URL\n');
  const off = await cli(create, { webhookHosts: undefined });
  expect([off.code, messagesOf(off)]).toEqual([1, expect.stringContaining('WEBHOOK_HOSTS')]);
});

test('Interface 9: webhook create refuses a hundred and first webhook, also of two that come at once', async () => {
  const before = (await json('webhook', 'list')).length;
  await gateway.rows(
    `insert into webhooks (id, url, include_emails, sealed_secret, created_at)
     select gen_random_uuid(), 'https://many.example/', false, '', now() from generate_series(1, $1)`,
    [99 - before],
  );
  try {
    const create = ['webhook', 'create', '--url', receiver.url];
    const both = await Promise.all([cli(create), cli(create)]);
    expect(both.map(({ code }) => code).toSorted()).toEqual([0, 1]);
    expect(both.map(messagesOf).join('')).toContain('There can be at most 100 webhooks; delete one first\n');
    const rows = await gateway.rows('select (select count(*)::int from webhooks) as webhooks');
    expect(rows).toEqual([{ webhooks: 100 }]);
  } finally {
    await gateway.rows(`delete from webhooks where url = 'https://many.example/'`);
  }
});

test('Interface 9: webhook rotate prints a second secret, and when the first one ends', async () => {
  const { webhook_id: id, secret } = await created();
  const rotated = await json('webhook', 'rotate', id);
  expect(rotated).toEqual({
    webhook_id: id,
    secret: expect.stringMatching(/^whsec_/),
    previous_secret_ends_at: expect.any(String),
  });
  expect(rotated.secret).not.toBe(secret);
  const hours = (Date.parse(rotated.previous_secret_ends_at) - Date.now()) / 3_600_000;
  expect(hours).toBeCloseTo(24, 1);
  expect((await listed(id)).previous_secret_ends_at).toBe(rotated.previous_secret_ends_at);
  expect(await json('webhook', 'rotate', id, '--overlap', '0')).toMatchObject({ previous_secret_ends_at: null });
  expect((await cli(['webhook', 'rotate', id, '--overlap', '31d'])).code).toBe(1);
});

test('Interface 9: webhook pause, resume, replay and delete are recorded as changes of the command line', async () => {
  const { webhook_id: id } = await created();
  const since = '2026-11-25T09:00:00.000Z';
  const [, events] = await auditDuring(gateway, async () => {
    expect(await json('webhook', 'pause', id)).toMatchObject({ paused_by: 'operator', paused_at: expect.any(String) });
    expect(await json('webhook', 'resume', id)).toMatchObject({ paused_by: null, paused_at: null });
    expect(await json('webhook', 'replay', id, '--since', '2020-01-01T00:00:00Z')).toMatchObject({ webhook_id: id });
    expect(await json('webhook', 'delete', id, '--yes')).toMatchObject({ webhook_id: id, url: receiver.url });
  });
  const actor = { caller_type: 'cli' };
  expect(events).toMatchObject([
    { event_type: 'webhook_paused', metadata: { actor, webhook_id: id } },
    { event_type: 'webhook_resumed', metadata: { actor, webhook_id: id } },
    { event_type: 'webhook_replayed', metadata: { actor, webhook_id: id, since: '2020-01-01T00:00:00.000Z' } },
    { event_type: 'webhook_deleted', metadata: { actor, webhook_id: id, host: receiver.authority } },
  ]);
  expect(await listed(id)).toBeUndefined();
  for (const words of [
    'pause ID',
    'resume ID',
    'delete ID --yes',
    'test ID',
    'resend ID --event x',
    'rotate ID',
    `replay ID --since ${since}`,
  ]) {
    const ran = await cli(['webhook', ...words.replace('ID', id).split(' ')]);
    expect([words, ran.code, messagesOf(ran)]).toEqual([words, 1, 'There is no webhook with this ID\n']);
  }
  expect(messagesOf(await cli(['webhook', 'test', 'x']))).toBe('There is no webhook with this ID\n');
});

test('Interface 9: webhook replay refuses a time in the future', async () => {
  const { webhook_id: id } = await created();
  const ran = await cli(['webhook', 'replay', id, '--since', '2999-01-01T00:00:00Z']);
  expect([ran.code, messagesOf(ran)]).toEqual([1, 'The time must not be in the future\n']);
});

test('Interface 9: webhook test sends one signed event, and neither moves the webhook nor records anything', async () => {
  receiver.reply(() => ({ status: 200, body: 'thanks' }));
  const { webhook_id: id, secret } = await created('--event', 'logout');
  const { secret: second } = await json('webhook', 'rotate', id);
  await json('webhook', 'pause', id);
  const before = await cursor(id);
  const [printed, events] = await auditDuring(gateway, () => json('webhook', 'test', id));
  expect(printed).toEqual({ outcome: 'delivered', status: 200, milliseconds: expect.any(Number), body: 'thanks' });
  expect([await cursor(id), events]).toEqual([before, []]);
  expect(receiver.received).toHaveLength(1);
  const { text, json: sent, headers } = receiver.received[0] as Received;
  expect(sent).toEqual({
    type: 'webhook_test',
    timestamp: expect.stringMatching(/Z$/),
    data: {
      user_email: null,
      id: headers['webhook-id'],
      sequence: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z_/),
      entity_type: 'webhook',
      user_id: null,
      ip_address: 'cli',
      metadata: { webhook_id: id },
    },
  });
  for (const each of [secret, second]) {
    expect(new Webhook(each).verify(text, headers as Record<string, string>)).toEqual(sent);
  }
  await json('webhook', 'test', id, '--new-secret');
  expect(receiver.received[1]?.headers['webhook-signature']).not.toContain(' ');
  expect(receiver.received[1]?.headers['webhook-id']).not.toBe(headers['webhook-id']);
});

test('Interface 9: webhook resend sends one event of the log with its id, and fails if it is not taken', async () => {
  const { webhook_id: id } = await created();
  const creation = `select id from audit_events where event_type = 'webhook_created' and metadata->>'webhook_id' = $1`;
  const [{ id: event } = { id: '' }] = await gateway.rows<{ id: string }>(creation, [id]);
  receiver.reply(() => ({ status: 200, body: 'thanks' }));
  const [printed, events] = await auditDuring(gateway, () => json('webhook', 'resend', id, '--event', event));
  expect(printed).toEqual({ outcome: 'delivered', status: 200, milliseconds: expect.any(Number), body: 'thanks' });
  expect([receiver.received.map(({ headers }) => headers['webhook-id']), events]).toEqual([[event], []]);
  receiver.reply(() => ({ status: 503 }));
  const ran = await cli(['webhook', 'resend', id, '--event', event]);
  expect([ran.code, messagesOf(ran)]).toEqual([1, 'the event was not delivered: http_error\n']);
  const unknown = await cli(['webhook', 'resend', id, '--event', 'x']);
  expect([unknown.code, messagesOf(unknown)]).toEqual([1, 'The audit log has no event with this ID\n']);
  const attempts = 'select attempt, outcome from webhook_attempts where webhook_id = $1 order by number';
  expect(await gateway.rows(attempts, [id])).toEqual([
    { attempt: null, outcome: 'delivered' },
    { attempt: null, outcome: 'http_error' },
  ]);
});

test('Interface 9: webhook test prints what came back, harmless and at most 4 KiB of it, and fails if the event was not taken', async () => {
  const { webhook_id: id } = await created();
  receiver.reply(() => ({ status: 500, body: `\u001b[2Jgone\u009b\n\u202e${'x'.repeat(10_000)}` }));
  const ran = await cli(['webhook', 'test', id]);
  expect(ran.code).toBe(1);
  const lines = ran.stdout.split('\n');
  expect(lines).toEqual([
    'outcome: http_error',
    'status: 500',
    expect.stringMatching(/^milliseconds: \d+$/),
    expect.stringMatching(/^body: \\u001b\[2Jgone\\u009b\\u000a\\u202ex+$/),
    '',
  ]);
  expect(lines[3]?.match(/x/g)).toHaveLength(4_096 - 14);
  expect(messagesOf(ran)).toBe('the event was not delivered: http_error\n');
});

test.each<[outcome: string, status: number | null, prepare: () => void]>([
  ['redirect', 302, () => receiver.reply(() => ({ status: 302, headers: { location: receiver.url } }))],
  ['gone', 410, () => receiver.reply(() => ({ status: 410 }))],
])('Interface 9: webhook test reports %s, which changes nothing', async (outcome, status, prepare) => {
  const { webhook_id: id } = await created();
  prepare();
  const before = await cursor(id);
  const ran = await cli(['webhook', 'test', id, '--json']);
  expect(ran.code).toBe(1);
  expect(JSON.parse(ran.stdout)).toMatchObject({ outcome, status, body: '' });
  expect(messagesOf(ran)).toContain(`the event was not delivered: ${outcome}`);
  expect(await cursor(id)).toEqual(before);
});

test('Interface 9: webhook test reports a receiver that is not there, and a secret that the keyring cannot open', async () => {
  const away = await startReceiver();
  await away.close();
  const both = { webhookHosts: [receiver.authority, away.authority] };
  const { stdout } = await cli(['webhook', 'create', '--url', away.url, '--json'], both);
  const { webhook_id: id } = JSON.parse(stdout);
  const ran = await cli(['webhook', 'test', id], both);
  expect([ran.code, ran.stdout]).toEqual([1, expect.stringMatching(/^outcome: connection_failed\nstatus: -\n/)]);
  expect((await cli(['webhook', 'test', id])).stderr).toContain('WEBHOOK_HOSTS does not list');

  const { webhook_id: lost } = await created();
  await gateway.rows(
    'update webhooks set sealed_secret = (select sealed_secret from webhooks where id = $1) where id = $2',
    [id, lost],
  );
  const unreadable = await cli(['webhook', 'test', lost]);
  expect([unreadable.code, unreadable.stdout]).toEqual([1, expect.stringMatching(/^outcome: secret_unreadable\n/)]);
  expect(receiver.received).toEqual([]);
});
