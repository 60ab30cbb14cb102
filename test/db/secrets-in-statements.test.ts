/** Secrets travel as parameters, never in the text of a statement or of an error. (OWASP ASVS 16.2.5) */
import { inspect } from 'node:util';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { createApiKey, rotateApiKey } from '../../src/admin/api-keys.js';
import { createCronKey, rotateCronKey } from '../../src/admin/cron-keys.js';
import { issuePasswordLink } from '../../src/admin/password-links.js';
import { createUser, setUserPassword, setUserRole } from '../../src/admin/user-changes.js';
import { importUsers } from '../../src/admin/user-import.js';
import { createWebhook, rotateWebhookSecret } from '../../src/admin/webhooks.js';
import { describeError } from '../../src/platform/logger.js';
import { logIn, startGateway, type TestGateway } from '../support/gateway/gateway.js';

const TABLES = ['users', 'api_keys', 'cron_keys', 'webhooks', 'password_links'];
const HASH = '$2b$04$tS2Q3iXw3IVBG6Z4mZ4WAeUuAxnE4VsC1dPXcU7wJmFGp9XqgKqPq';
const PASSWORD = 'another long enough password';
/** Of passwords, sealed secrets, SHA-256 in hex and as bytes */
const SECRET = /\$argon2id|\$2b\$|eyJ|[0-9a-f]{64}/;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ passwords: 'argon2', env: { WEBHOOK_HOSTS: '127.0.0.1:9' }, outboxPollMs: 3_600_000 });
});
afterAll(() => gateway.close());

/** Runs this in front of every write of a row. */
async function onWrite(body: string): Promise<void> {
  await gateway.rows(`create or replace function on_write() returns trigger language plpgsql as $$ ${body} $$`);
  for (const table of TABLES) {
    await gateway.rows(
      `create or replace trigger on_write before insert or update on ${table} for each row execute function on_write()`,
    );
  }
}

/** Every change that writes a secret, and one that leaves it as it is. */
async function changes(): Promise<Array<() => Promise<unknown>>> {
  const { app } = gateway;
  const { id } = await gateway.user();
  const { key: apiKey } = await createApiKey(app, COMMAND_LINE, { serviceName: 'x', scopes: [], rateLimit: 1 });
  const { key: cronKey } = await createCronKey(app, COMMAND_LINE, { serviceName: 'x', scopes: [] });
  const { webhook } = await createWebhook(app, COMMAND_LINE, { url: 'http://127.0.0.1:9/' });
  const imported = { line: 1, user: { email: `${id}@example.com`, password_hash: HASH } };
  return [
    () => createUser(app, COMMAND_LINE, { email: `new-${id}@example.com`, password: PASSWORD, role: 'viewer' }),
    () => importUsers(app, COMMAND_LINE, [imported], false, () => undefined),
    () => setUserRole(app, COMMAND_LINE, id, 'analyst'),
    () => setUserPassword(app, COMMAND_LINE, id, PASSWORD),
    () => issuePasswordLink(app, COMMAND_LINE, id, 'reset'),
    () => createApiKey(app, COMMAND_LINE, { serviceName: 'x', scopes: [], rateLimit: 1 }),
    () => rotateApiKey(app, COMMAND_LINE, apiKey.keyId, { overlapSeconds: 60 }),
    () => createCronKey(app, COMMAND_LINE, { serviceName: 'x', scopes: [] }),
    () => rotateCronKey(app, COMMAND_LINE, cronKey.keyId, { overlapSeconds: 60 }),
    () => createWebhook(app, COMMAND_LINE, { url: 'http://127.0.0.1:9/' }),
    () => rotateWebhookSecret(app, COMMAND_LINE, webhook.id),
  ];
}

test('ASVS 16.2.5: no statement that writes a user, a key, a webhook or a link has a secret in its text', async () => {
  await gateway.rows('create table seen (statement text)');
  await onWrite('begin insert into seen values (current_query()); return new; end');
  const user = await gateway.user();
  await logIn(gateway, user.email);
  const all = await changes();
  for (const change of all) await change();
  const seen = await gateway.rows<{ statement: string }>('select statement from seen');
  expect(seen.length).toBeGreaterThan(all.length);
  expect(seen.filter(({ statement }) => SECRET.test(statement))).toEqual([]);
});

test('ASVS 16.2.5: an error of the database that quotes the row leaves a change without it', async () => {
  const all = await changes();
  await onWrite(`begin raise exception 'failed: %', new using errcode = 'check_violation', detail = new::text; end`);
  for (const change of all) {
    const error: unknown = await change().catch((thrown: unknown) => thrown);
    expect(describeError(error)).toMatchObject({ code: '23514', at: expect.arrayContaining([expect.any(String)]) });
    expect(inspect(error, { depth: 9, showHidden: true, maxStringLength: null })).not.toMatch(SECRET);
  }
});
