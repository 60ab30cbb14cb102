/** docs/operate.md, "A role that owns nothing": its SQL as printed, and everything that the gateway does with these rights. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { readConfig } from '../../src/config/config.js';
import { MIGRATION_NAMES } from '../../src/db/migrate.js';
import { sweepRound } from '../../src/db/sweeper.js';
import { expiringRows } from '../../src/start/compose.js';
import { testedBlock } from '../documents/printed.js';
import { startReceiver } from '../outbox/receiver.js';
import { type Ran, run, runHere } from '../support/gateway/cli.js';
import { handClock } from '../support/gateway/clock.js';
import { look } from '../support/gateway/doctor.js';
import { type Instance, PASSWORD, refreshTokenOf, startInstance } from '../support/gateway/gateway.js';
import { ask, bearer, signed } from '../support/gateway/graphql.js';
import { forgot } from '../support/gateway/passwords.js';
import { login, logout, refresh } from '../support/gateway/routes.js';
import { type AnotherPostgres, startAnotherPostgres } from '../support/postgres/another-postgres.js';
import { KEYRING_FILE, required, type TestDatabase } from '../support/postgres/postgres.js';
import { until } from '../support/until.js';

const [making = '', granting = ''] = ['create-database', 'least-privilege'].map((name) =>
  testedBlock('docs/operate.md', name),
);

const clock = handClock();
let folder: string;
let postgres: AnotherPostgres; // whose roles are its own
let instance: Instance;

/** That database as the role, and no other's. */
function urlAs(role: string): string {
  const url = new URL(postgres.url('gateway'));
  url.username = role;
  return url.href;
}

const database = (): TestDatabase => ({ url: urlAs('gateway_app'), name: 'gateway', drop: async () => undefined });

async function sqlAs(role: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: urlAs(role) });
  await client.connect();
  const { rows } = await client.query(text).finally(() => client.end());
  return rows;
}

const envAs = (role: string) => ({ DATABASE_URL: urlAs(role), KEYRING_FILE: required(KEYRING_FILE) });

/** For commands of webhooks */
let hosts = {};

async function commandAs(role: string, ...words: string[]): Promise<Ran> {
  return runHere([...words, '--json'], () => readConfig({ ...envAs(role), ...hosts }));
}

/** What it printed; fails if it was refused. */
async function printedAs(role: string, ...words: string[]) {
  const ran = await commandAs(role, ...words);
  expect({ words, ...ran }).toMatchObject({ words, code: 0 });
  return JSON.parse(ran.stdout);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'least-privilege-'));
  postgres = await startAnotherPostgres();
  for (const statement of making.split('\n')) await postgres.asSuperuser(statement);
  expect((await printedAs('gateway', 'migrate', 'up')).applied).toEqual(MIGRATION_NAMES);
  await sqlAs('postgres', granting);
  instance = await startInstance(database(), { clock, passwords: 'argon2' });
});
afterAll(async () => {
  await instance.close();
  await postgres.stop();
  await rm(folder, { recursive: true });
});

test('the role owns nothing and may create nothing', async () => {
  expect(await sqlAs('gateway_app', `select relname from pg_class where relowner = 'gateway_app'::regrole`)).toEqual(
    [],
  );
  for (const text of ['create table x ()', 'drop table users', 'truncate users', 'alter table users add x text']) {
    await expect(sqlAs('gateway_app', text)).rejects.toMatchObject({ code: '42501' });
  }
});

test('the three routes, theft, and their audit events', async () => {
  const email = 'person@example.com';
  const made = await runHere(
    ['user', 'create', email, '--role', 'admin', '--password-stdin'],
    () => readConfig(envAs('gateway_app')),
    `${PASSWORD}\n`,
  );
  expect(made.code).toBe(0);
  const first = refreshTokenOf(await login(instance, email));
  const rotated = await refresh(instance, first);
  expect(rotated.status).toBe(200);
  expect((await refresh(instance, first)).json.detail).toContain('Session invalidated');
  const again = await login(instance, email);
  expect((await logout(instance, refreshTokenOf(again))).status).toBe(200);
  expect((await login(instance, email, 'not the password')).status).toBe(401);
  const users = await ask(instance, bearer(again.json.access_token), '{ users { totalCount { count } } }');
  expect([users.status, users.errors]).toEqual([200, []]);
  const own = `user_id = (select id from users where email = '${email}')`;
  expect(
    await sqlAs('gateway', `select distinct event_type::text as type from audit_events where ${own} order by type`),
  ).toEqual(['login_failure', 'login_success', 'logout', 'token_theft', 'user_created'].map((type) => ({ type })));
});

test('readiness, which locks tables, and the sweeper', async () => {
  const ready = await instance.send('GET', '/health/ready');
  expect([ready.status, ready.json]).toEqual([200, { status: 'ok', checks: { database: 'ok', clock: 'ok' } }]);
  await sqlAs('gateway', `insert into signature_nonces (key_id, nonce, expires_at) values ('ak_x', 'n', '2000-01-01')`);
  await sweepRound(instance.app, expiringRows(instance.config));
  expect(await sqlAs('gateway', `select nonce from signature_nonces where key_id = 'ak_x'`)).toEqual([]);
});

test('signed requests, and what an administrator does at the command line and over GraphQL', async () => {
  const scopes = ['users:read', 'users:write', 'keys:write', 'audit:read'].join();
  const words = ['--service', 'billing', '--scope', scopes, '--rate-limit', '60'];
  const { key_id, secret } = await printedAs('gateway_app', 'api-key', 'create', ...words);
  const as = signed({ clock, config: instance.config }, key_id, secret);
  const input = `{ email: "viewer@example.com", password: "${PASSWORD}", role: viewer }`;
  const created = await ask(instance, as, `mutation { createUser(input: ${input}) { user { id } } }`);
  expect([created.status, created.errors]).toEqual([200, []]);
  const { id } = created.data.createUser.user;
  for (const args of [
    ['user', 'list'],
    ['user', 'set-role', id, '--role', 'analyst'],
    ['user', 'explain', id],
    ['user', 'deactivate', id],
    ['session', 'list', id],
    ['user', 'set-email', id, '--to', 'analyst@example.com'],
    ['user', 'delete', id, '--yes'],
    ['user', 'export', id],
    ['user', 'erase', id, '--yes'],
    ['api-key', 'rotate', key_id],
    ['api-key', 'revoke', key_id, '--yes'],
    ['rate-limit', 'clear', '--all'],
    ['audit', 'tail'],
    ['migrate', 'status'],
    ['migrate', 'up'], // nothing is pending
    ['database', 'export', '--out', join(folder, 'export')],
  ]) {
    await printedAs('gateway_app', ...args);
  }
  expect(await runHere(['audit', 'export'], () => readConfig(envAs('gateway_app')))).toMatchObject({ code: 0 });
});

test('webhooks and mail: the commands, what fails and is tried again, and a forgotten password', async () => {
  const receiver = await startReceiver();
  const printed: string[] = [];
  hosts = { WEBHOOK_HOSTS: receiver.authority };
  const env = { ...hosts, MAIL: 'log' };
  const print = (line: string): void => void printed.push(line);
  const sender = await startInstance(database(), { clock, env, outboxPollMs: 20, print });
  try {
    const { webhook_id } = await printedAs('gateway_app', 'webhook', 'create', '--url', receiver.url);
    await receiver.reached(1);
    receiver.reply(() => ({ status: 503 }));
    await login(instance, 'nobody@example.com');
    const parked = 'select from outbox_events where due_at is not null';
    await until('the failure is stored', async () => (await sqlAs('gateway', parked)).length === 1);
    receiver.reply(() => ({ status: 204 }));
    clock.advance(10);
    await receiver.reached(3);
    for (const args of [
      ['list'],
      ['test', webhook_id],
      ['rotate', webhook_id],
      ['pause', webhook_id],
      ['resume', webhook_id],
      ['replay', webhook_id, '--since', '1h'],
      ['delete', webhook_id, '--yes'],
    ]) {
      await printedAs('gateway_app', 'webhook', ...args);
    }
    expect((await forgot(sender, 'person@example.com')).status).toBe(202);
    await until('the mail is printed', () => printed.includes('To: person@example.com'));
  } finally {
    await sender.close();
    await receiver.close();
  }
});

test('doctor finds nothing wrong with it', async () => {
  const rights = await look(envAs('gateway_app'), { only: 'database_durability' });
  expect(rights.filter(({ check }) => check === 'database_rights')).toMatchObject([{ severity: 'ok' }]);
  const found = await look(envAs('gateway_app'));
  expect(found.filter(({ check }) => ['migrations', 'database_writes'].includes(check))).toMatchObject([
    { severity: 'ok' },
    { severity: 'ok' },
  ]);
  expect(JSON.stringify(found)).not.toContain('42501');
});

test('only the owner migrates to a new version, and the role may use its tables', async () => {
  const pending = MIGRATION_NAMES.find((name) => name.endsWith('known_devices')); // alters a table
  await sqlAs('gateway', `delete from mikro_orm_migrations where name = '${pending}'`);
  const started = await run(['start'], { env: { ...envAs('gateway_app'), PORT: '1' } });
  expect([started.code, started.stderr]).toEqual([1, expect.stringContaining('use the role that owns the tables')]);
  await sqlAs('gateway', `insert into mikro_orm_migrations (name, executed_at) values ('${pending}', now())`);
  await sqlAs('gateway', 'create table tomorrow (id uuid)');
  await sqlAs('gateway_app', 'insert into tomorrow select; update tomorrow set id = null; delete from tomorrow');
});
