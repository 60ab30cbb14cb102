/**
 * Webhooks in an archive: they go on from the event that they had reached, and need the keys that sealed them.
 * (Interface 9 and 17)
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { createWebhook, pauseWebhook, resumeWebhook } from '../../src/admin/webhooks.js';
import { addTotp, endFactors } from '../../src/auth/factors/rows.js';
import { sealSecret } from '../../src/credentials/sealed-secret.js';
import { type Receiver, startReceiver } from '../outbox/receiver.js';
import { here } from '../support/gateway/archives.js';
import { startGateway, startInstance, type TestGateway } from '../support/gateway/gateway.js';
import { issueLink } from '../support/gateway/passwords.js';
import { createDatabase } from '../support/postgres/postgres.js';
import { until } from '../support/until.js';

let folder: string;
let receiver: Receiver;
let gateway: TestGateway;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-archive-'));
  receiver = await startReceiver();
  gateway = await startGateway({ env: { WEBHOOK_HOSTS: receiver.authority }, outboxPollMs: 20 });
});
afterEach(async () => {
  await gateway.close();
  await receiver.close();
  await rm(folder, { recursive: true });
});

async function exported(name: string): Promise<string> {
  const file = join(folder, name);
  expect(await here(gateway.database, ['database', 'export', '--out', file])).toMatchObject({ code: 0 });
  return file;
}

/** `kind`s of the keys that a file needs. */
async function neededBy(file: string): Promise<string[]> {
  const [first = ''] = gunzipSync(await readFile(file))
    .toString('utf8')
    .split('\n');
  const { needs_keys } = JSON.parse(first) as { needs_keys: Array<{ kind: string }> };
  return needs_keys.map(({ kind }) => kind);
}

test('Interface 17: an imported webhook goes on where it was: what had failed, then what had waited, none twice', async () => {
  const { webhook } = await createWebhook(gateway.app, COMMAND_LINE, { url: receiver.url });
  await receiver.reached(1);
  receiver.reply(() => ({ status: 500 }));
  const failed = await gateway.user();
  await receiver.reached(2);
  const parked = () => gateway.rows('select from outbox_events where due_at is not null');
  await until('the failure is stored', async () => (await parked()).length === 1);
  await pauseWebhook(gateway.app, COMMAND_LINE, webhook.id);
  const waited = await gateway.user();
  const file = await exported('moved');

  const database = await createDatabase();
  receiver.received.length = 0;
  receiver.reply(() => ({ status: 204 }));
  try {
    expect(await here(database, ['database', 'import', file])).toMatchObject({ code: 0 });
    const env = { WEBHOOK_HOSTS: receiver.authority };
    const moved = await startInstance(database, { env, clock: gateway.clock, outboxPollMs: 20 });
    try {
      await resumeWebhook(moved.app, COMMAND_LINE, webhook.id);
      await receiver.reached(4);
      expect(receiver.received.map(({ json }) => [json.type, json.data.user_id])).toEqual([
        ['user_created', failed.id],
        ['webhook_paused', null],
        ['user_created', waited.id],
        ['webhook_resumed', null],
      ]);
    } finally {
      await moved.close();
    }
  } finally {
    await database.drop();
  }
});

test('Interface 9: a file needs the keys that seal secrets of webhooks and authenticator apps, and tokens that wait for a mail', async () => {
  expect(await neededBy(await exported('nothing'))).not.toContain('sealing');
  await createWebhook(gateway.app, COMMAND_LINE, { url: receiver.url });
  expect(await neededBy(await exported('webhook'))).toContain('sealing');
  await gateway.rows('delete from webhooks');
  expect(await neededBy(await exported('none again'))).not.toContain('sealing');

  const { id } = await gateway.user();
  const now = gateway.clock.now();
  const sealedSecret = await sealSecret(gateway.app.keyring, id, 'x', now);
  await addTotp(gateway.app.db, { id, userId: id, name: 'phone', now, sealedSecret, step: 1 });
  expect(await neededBy(await exported('factor'))).toContain('sealing');
  await endFactors(gateway.app.db, id);
  expect(await neededBy(await exported('no factor'))).not.toContain('sealing');

  await issueLink(gateway, id);
  const token = await sealSecret(gateway.app.keyring, id, 'pl_x', gateway.clock.now());
  const text = 'update password_links set sealed_token = $1, expires_at = now() + $2::interval';
  await gateway.rows(text, [token, '1 minute']);
  expect(await neededBy(await exported('token'))).toContain('sealing');
  await gateway.rows(text, [token, '-1 minute']);
  expect(await neededBy(await exported('expired token'))).not.toContain('sealing');
  await gateway.rows(
    `insert into requested_links
       (user_id, event_id, token_sha256, password_version, issued_at, expires_at, sealed_token, mailed_at)
     values ($1, $1, '', 0, now(), now() + interval '1 minute', $2, '{}')`,
    [id, token],
  );
  expect(await neededBy(await exported('requested token'))).toContain('sealing');
  await gateway.rows('delete from requested_links');
  for (const [table, columns, values] of [
    ['email_changes', 'user_id, password_version', '$1, 0'],
    ['email_undos', 'id, user_id', '$1, $1'],
  ]) {
    expect(await neededBy(await exported(`no ${table}`))).not.toContain('sealing');
    await gateway.rows(
      `insert into ${table} (${columns}, token_sha256, email, expires_at, sealed_token)
       values (${values}, '', 'new@example.com', now() + interval '1 minute', $2)`,
      [id, token],
    );
    expect(await neededBy(await exported(`${table}`))).toContain('sealing');
    await gateway.rows(`update ${table} set expires_at = now() - interval '1 minute'`);
  }
});
