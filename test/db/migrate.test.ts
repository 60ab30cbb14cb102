/**
 * Constraints are real, and databases are upgraded: those of every age in the slow file. `npm run check` compares entities
 * and migrations. (Interface 8)
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { migrations } from '../../migrations/index.js';
import { type Database, openDatabase } from '../../src/db/database.js';
import { migrateUp, migrationStatus } from '../../src/db/migrate.js';
import { cliOnDatabase, messagesOf, run } from '../support/gateway/cli.js';
import { createDatabase, type TestDatabase } from '../support/postgres/postgres.js';

const names = migrations.map(({ name }) => name);
const PENDING = names.map((name) => ({ name, executed_at: null, known: true, breaks_older: false }));

let database: TestDatabase;
let db: Database;
afterEach(async () => {
  await db.close();
  await database.drop();
});

async function open(from: 'migrated' | 'empty'): Promise<void> {
  database = await createDatabase(from);
  db = await openDatabase(database.url);
}

/** Runs SQL by hand. @returns the name of the constraint that refuses it, or undefined */
async function refusedBy(text: string, values: unknown[] = []): Promise<string | undefined> {
  try {
    await db.pool.query(text, values);
    return undefined;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    return error.constraint ?? error.message;
  }
}

const USER = `insert into users (email, password_hash, role) values ($1, 'x', $2)`;
const RECORD = `insert into refresh_tokens (jti, user_id, family_id, user_agent, ip_address, expires_at)
  values ($1, $2, $3, $4, '127.0.0.1', now())`;
const user = (email: string, role = 'viewer') => refusedBy(USER, [email, role]);
const record = (userAgent: string) => refusedBy(RECORD, [randomUUID(), randomUUID(), randomUUID(), userAgent]);

test('Interface 8: constraints of users: unique lower-case e-mail of at most 254, known roles, no negative count', async () => {
  await open('migrated');
  expect(await user('a@x.io')).toBeUndefined();
  expect(await user('a@x.io')).toBe('users_email_unique');
  expect(await user('A@x.io')).toBe('users_email_lower_case');
  expect(await user(`${'a'.repeat(250)}@x.io`)).toBe('users_email_lower_case');
  for (const role of ['analyst', 'admin']) expect(await user(`${role}@x.io`, role)).toBeUndefined();
  for (const role of ['owner', 'Admin', '']) expect(await user('other@x.io', role)).toBe('users_role_known');
  expect(await refusedBy('update users set failed_login_attempts = -1')).toBe(
    'users_failed_login_attempts_not_negative',
  );
  for (const column of ['email', 'password_chosen_by_user', 'role', 'is_active', 'failed_login_attempts']) {
    expect(await refusedBy(`update users set ${column} = null`)).toMatch(/not-null constraint/);
  }
});

test('Interface 8: constraints of refresh tokens: one row a jti, a user agent of at most 512, no user needed', async () => {
  await open('migrated');
  expect(await record('x'.repeat(512))).toBeUndefined();
  expect(await record('x'.repeat(513))).toBe('refresh_tokens_user_agent_length');
  const again = `insert into refresh_tokens select * from refresh_tokens`;
  expect(await refusedBy(again)).toBe('refresh_tokens_pkey');
  for (const column of ['user_id', 'family_id', 'revoked', 'user_agent', 'ip_address', 'expires_at']) {
    expect(await refusedBy(`update refresh_tokens set ${column} = null`)).toMatch(/not-null constraint/);
  }
});

test('Interface 8: constraints of password links: one a user, one a token, two purposes', async () => {
  await open('migrated');
  const link = (userId: string, token: string, purpose = 'reset') =>
    refusedBy(`insert into password_links values ($1, sha256($2), 0, $3, now())`, [userId, token, purpose]);
  const id = randomUUID();
  expect(await link(id, 'one')).toBeUndefined();
  expect(await link(id, 'two')).toBe('password_links_pkey');
  expect(await link(randomUUID(), 'one')).toBe('password_links_token_sha256_unique');
  expect(await link(randomUUID(), 'three', 'login')).toBe('password_links_purpose_known');
});

test('Interface 8: constraints of requested links: one a user, one a token', async () => {
  await open('migrated');
  const link = (userId: string, token: string) =>
    refusedBy(
      `insert into requested_links (user_id, event_id, token_sha256, password_version, issued_at, expires_at, mailed_at)
       values ($1, $1, sha256($2), 0, now(), now(), '{}')`,
      [userId, token],
    );
  const id = randomUUID();
  expect(await link(id, 'one')).toBeUndefined();
  expect(await link(id, 'two')).toBe('requested_links_pkey');
  expect(await link(randomUUID(), 'one')).toBe('requested_links_token_sha256_unique');
});

test('Interface 8: constraints of e-mail changes: one a user, and one way back a token', async () => {
  await open('migrated');
  const change = (userId: string) =>
    refusedBy(
      `insert into email_changes (user_id, token_sha256, email, password_version, expires_at)
       values ($1, 'one', 'new@example.com', 0, now())`,
      [userId],
    );
  const id = randomUUID();
  expect([await change(id), await change(id)]).toEqual([undefined, 'email_changes_pkey']);
  const undo = (token: string) =>
    refusedBy(
      `insert into email_undos (id, user_id, token_sha256, email, expires_at)
       values (gen_random_uuid(), $1, sha256($2), 'old@example.com', now())`,
      [id, token],
    );
  expect([await undo('one'), await undo('two')]).toEqual([undefined, undefined]);
  expect(await undo('one')).toBe('email_undos_token_sha256_unique');
});

test('Interface 8: constraints of known devices: one a secret, a user agent of at most 512, and 20 of a user', async () => {
  await open('migrated');
  const device = (userId: string, secret: string, userAgent = '', failures = 0) =>
    refusedBy(
      `insert into known_devices (id, user_id, secret_sha256, user_agent, failed_login_attempts, created_at, last_used_at)
       values (gen_random_uuid(), $1, sha256($2), $3, $4, now(), now())`,
      [userId, secret, userAgent, failures],
    );
  const id = randomUUID();
  expect(await device(id, 'one', 'x'.repeat(512))).toBeUndefined();
  expect(await device(id, 'one')).toBe('known_devices_secret_sha256_unique');
  expect(await device(id, 'two', 'x'.repeat(513))).toBe('known_devices_user_agent_length');
  expect(await device(id, 'two', '', -1)).toBe('known_devices_failed_login_attempts_not_negative');
  const other = randomUUID();
  await device(other, 'of another');
  for (let i = 0; i < 25; i += 1) expect(await device(id, `number ${i}`)).toBeUndefined();
  const counts = await db.pool.query(
    'select count(*)::integer as devices from known_devices group by user_id order by 1',
  );
  expect(counts.rows).toEqual([{ devices: 1 }, { devices: 20 }]);
});

test('Interface 8: constraints of audit events and API keys', async () => {
  await open('migrated');
  const event = `insert into audit_events (event_type, ip_address, metadata) values ('logout', 'x', '{}')`;
  expect(await refusedBy(event)).toBeUndefined(); // user_id and user_agent may be empty
  for (const column of ['event_type', 'entity_type', 'ip_address', 'metadata']) {
    expect(await refusedBy(`update audit_events set ${column} = null`)).toMatch(/not-null constraint/);
  }
  const key = `insert into api_keys (key_id, service_name, scopes, rate_limit, sealed_secret) values ('ak', 'x', '{}', $1, 'x')`;
  expect(await refusedBy(key, [0])).toBe('api_keys_rate_limit_range');
});

test('Interface 8: an empty database is brought up, and a second run does nothing', async () => {
  await open('empty');
  expect(await migrationStatus(db)).toEqual(PENDING);
  expect(await migrateUp(db)).toEqual({ applied: names, newer: [] });
  expect(await migrateUp(db)).toEqual({ applied: [], newer: [] });
  expect((await migrationStatus(db)).every(({ executed_at }) => executed_at !== null)).toBe(true);
});

test('Interface 11: stored words of administration are renamed with the events', async () => {
  await open('empty');
  await (await db.orm()).migrator.up({ to: 'Migration20261121000004_user_listings' });
  await record('old');
  await db.pool.query(`update refresh_tokens set revoked = true, revoked_reason = 'password_set'`);
  await db.pool.query(`
    insert into audit_events (event_type, ip_address, metadata)
    select unnest(array['role_changed', 'password_set', 'logout']), 'x', '{}'`);
  const words = `select event_type as word from audit_events union all select revoked_reason from refresh_tokens order by 1`;
  await migrateUp(db);
  const { rows } = await db.pool.query(words);
  const renamed = ['logout', 'user_password_set', 'user_password_set', 'user_role_changed'];
  expect(rows.map(({ word }) => word)).toEqual(renamed);
});

/** The one before there was a row for each session */
const BEFORE_SESSIONS = 'Migration20261121000005_event_names';

test('Interface 11: sessions that began before there was a row for each have one, and those that older versions begin', async () => {
  await open('empty');
  await (await db.orm()).migrator.up({ to: BEFORE_SESSIONS });
  const [family, userId, later] = [randomUUID(), randomUUID(), randomUUID()];
  const insert = `insert into refresh_tokens
      (jti, user_id, family_id, revoked, revoked_reason, user_agent, ip_address, expires_at, created_at, session_started_at)
    values ($1, $2, $3, $4, $5, '', '127.0.0.1', now(), $6, '2026-01-01')`;
  const stored = (familyId: string, revokedReason: string | null, createdAt: string) =>
    db.pool.query(insert, [randomUUID(), userId, familyId, revokedReason !== null, revokedReason, createdAt]);
  await stored(family, 'rotated', '2026-01-01');
  await stored(family, null, '2026-01-02');
  await migrateUp(db);
  await stored(later, 'rotated', '2026-01-01');
  await stored(later, null, '2026-01-02');
  const { rows } = await db.pool.query('select family_id, user_id, started_at from sessions');
  const session = { user_id: userId, started_at: new Date('2026-01-01T00:00:00Z') };
  const begun = [family, later].map((family_id) => ({ family_id, ...session }));
  expect(rows).toHaveLength(2);
  expect(rows).toEqual(expect.arrayContaining(begun));
});

/** The first that needs a table for itself */
const FIRST_TO_WAIT = 'Migration20261122000003_rotations_in_place';

test('Interface 9: a migration that waits for a table lets requests pass, says so, and goes on when it is free', async () => {
  await open('empty');
  await (await db.orm()).migrator.up({ to: BEFORE_SESSIONS });
  const reader = new pg.Client({ connectionString: database.url });
  await reader.connect();
  await reader.query('begin; select from refresh_tokens'); // as a backup does
  const waits = Promise.withResolvers<void>();
  const migrated = migrateUp(db, waits.resolve);
  await waits.promise;
  expect(await record('meanwhile')).toBeUndefined();
  const pending = (await migrationStatus(db)).filter(({ executed_at }) => executed_at === null);
  expect(pending.map(({ name }) => name)).toEqual(names.slice(names.indexOf(FIRST_TO_WAIT)));
  await reader.end();
  expect((await migrated).applied).toEqual(names.slice(names.indexOf(BEFORE_SESSIONS) + 1));
});

test('Spec 3.1: no index or trigger of refresh tokens makes a rotation more than an update in place', async () => {
  await open('migrated');
  const { rows } = await db.pool.query<{ indexdef: string }>(
    `select indexdef from pg_indexes where tablename = 'refresh_tokens' order by indexname`,
  );
  expect(rows.map(({ indexdef }) => indexdef.replace(/^.* USING /, ''))).toEqual([
    'btree (family_id, created_at)',
    'btree (jti)',
  ]);
});

test('Interface 8: a failed migration leaves no table and can be retried', async () => {
  await open('empty');
  await db.pool.query('create table audit_events (in_the_way int)');
  await expect(migrateUp(db)).rejects.toThrow();
  const { rows } = await db.pool.query(`select tablename from pg_tables where schemaname = 'public' order by 1`);
  expect(rows).toEqual([{ tablename: 'audit_events' }, { tablename: 'mikro_orm_migrations' }]);
  expect((await migrationStatus(db)).filter(({ executed_at }) => executed_at !== null)).toEqual([]);
  await db.pool.query('drop table audit_events');
  expect((await migrateUp(db)).applied).toEqual(names);
});

test('Interface 9: migrate up and status: three processes on one empty database, each succeeds, each migration runs once', async () => {
  const cli = await cliOnDatabase('empty');
  database = cli.database;
  db = await openDatabase(database.url);
  const status = async (): Promise<Array<{ name: string; executed_at: string | null }>> =>
    cli.json(['migrate', 'status']);
  expect(await status()).toEqual(PENDING);
  const { rows } = await db.pool.query(`select tablename from pg_tables where schemaname = 'public'`);
  expect(rows).toEqual([]); // status writes nothing
  const env = { DATABASE_URL: database.url };
  const runs = await Promise.all([1, 2, 3].map(() => run(['migrate', 'up', '--json'], { env })));
  expect(runs.map(({ code, stderr }) => [code, messagesOf({ stderr })])).toEqual(Array(3).fill([0, '']));
  const applied = runs.flatMap(({ stdout }) => (JSON.parse(stdout) as { applied: string[] }).applied);
  expect(applied.toSorted()).toEqual(names);
  expect((await status()).map(({ name, executed_at }) => [name, executed_at !== null])).toEqual(
    names.map((name) => [name, true]),
  );
});
