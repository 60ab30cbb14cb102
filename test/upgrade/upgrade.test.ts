/**
 * What the program of commit 056344a wrote goes on in this one: its tables, migrated, and its export, imported.
 * `0.9/README.md` has what is in them. (Interface 8 and 9)
 */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { resumeWebhook } from '../../src/admin/webhooks.js';
import { MIGRATION_NAMES } from '../../src/db/migrate.js';
import { startSmtpServer } from '../mail/smtp-server.js';
import { startReceiver } from '../outbox/receiver.js';
import { authenticated, connected, contentOf, edited, here } from '../support/gateway/archives.js';
import { messagesOf } from '../support/gateway/cli.js';
import { handClock } from '../support/gateway/clock.js';
import { deviceOf, loginFrom } from '../support/gateway/devices.js';
import { claimsOf, type Instance, refreshTokenOf, startInstance } from '../support/gateway/gateway.js';
import { ask, bearer, dataOf, internalKey, signed } from '../support/gateway/graphql.js';
import { login, refresh } from '../support/gateway/routes.js';
import { asSuperuser, createDatabase, type TestDatabase } from '../support/postgres/postgres.js';
import { until } from '../support/until.js';

const FIXTURE = 'test/upgrade/0.9';
const known = JSON.parse(await readFile(join(FIXTURE, 'known.json'), 'utf8'));
const KNOWN_MIGRATIONS = 16;
/** At the moment of the dump, as in `freeze.mjs` */
const ENV = { PUBLIC_URL: 'http://localhost:18180', KNOWN_DEVICES: 'on', REFRESH_RETRY: 'true' };
const EXPORT = join(FIXTURE, 'database.export');

let folder: string;
let KEYRING_FILE: string;
const databases: TestDatabase[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-upgrade-'));
  KEYRING_FILE = join(folder, 'keyring.json');
  await writeFile(KEYRING_FILE, await readFile(join(FIXTURE, 'keyring.json')));
  await chmod(KEYRING_FILE, 0o600);
});
afterAll(async () => {
  for (const database of databases) await database.drop();
  await rm(folder, { recursive: true });
});

async function another(from: 'migrated' | 'empty'): Promise<TestDatabase> {
  const database = await createDatabase(from);
  databases.push(database);
  return database;
}

/** The tables as they were left. @param edit changes the text of the dump */
async function dumped(edit = (text: string) => text): Promise<TestDatabase> {
  const database = await another('empty');
  const dump = edit(await readFile(join(FIXTURE, 'dump.sql'), 'utf8')).replaceAll(/^\\.*$/gm, ''); // for psql alone
  await connected(database.url, (client) => client.query(dump));
  return database;
}

async function migrated(database: TestDatabase): Promise<TestDatabase> {
  const ran = await here(database, ['migrate', 'up', '--json'], { KEYRING_FILE });
  expect(JSON.parse(ran.stdout)).toEqual({ applied: MIGRATION_NAMES.slice(KNOWN_MIGRATIONS) });
  return database;
}

const importing = (database: TestDatabase, file = EXPORT) =>
  here(database, ['database', 'import', file, '--json'], { KEYRING_FILE });

async function imported(database: TestDatabase): Promise<TestDatabase> {
  expect(await importing(database)).toMatchObject({ code: 0 });
  return database;
}

/** Stands at the moment of the dump */
const clockThere = () => handClock(new Date(Math.ceil(Date.parse(known.taken_at) / 1000) * 1000));

const countsOf = async (database: TestDatabase) =>
  Object.entries(await contentOf(database)).map(([table, rows]) => [table, rows.length]);

test('an export has the same rows as the dump, imported into a new database or into one of this version', async () => {
  const expected = await countsOf(await migrated(await dumped()));
  for (const from of ['empty', 'migrated'] as const) {
    const target = await another(from);
    const ran = await importing(target);
    const [, trailer = ''] = gunzipSync(await readFile(EXPORT))
      .toString('utf8')
      .trimEnd()
      .split('\n')
      .toReversed();
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([0, JSON.parse(trailer)]);
    expect(await countsOf(target)).toEqual(expected);
    expect(JSON.parse((await here(target, ['migrate', 'up', '--json'])).stdout)).toEqual({ applied: [] });
  }
});

describe.each([
  ['dump', async () => migrated(await dumped())],
  ['export', async () => imported(await another('empty'))],
])('of a %s', (_way, prepare) => {
  const clock = clockThere();
  let gateway: Instance;
  beforeAll(async () => {
    gateway = await startInstance(await prepare(), { env: { ...ENV, KEYRING_FILE }, clock, passwords: 'argon2' });
  });
  afterAll(() => gateway.close());

  const statusOf = async (answer: Promise<{ status: number }>) => (await answer).status;

  test('a session goes on', async () => {
    const first = await refresh(gateway, known.live);
    expect(first.status).toBe(200);
    expect(await statusOf(refresh(gateway, refreshTokenOf(first)))).toBe(200);
    const { me } = await dataOf(gateway, bearer(first.json.access_token), '{ me { email devices { id } } }');
    expect(me.email).toBe('viewer@example.com');
    expect(me.devices.length).toBeGreaterThan(1);
  });

  test('a used token that comes back is a theft', async () => {
    expect(await statusOf(refresh(gateway, known.used))).toBe(401);
    expect(await statusOf(refresh(gateway, known.successor))).toBe(401);
  });

  test('a lost answer is asked for again, with its proof', async () => {
    const key = (byte: number) => `:${Buffer.alloc(32, byte).toString('base64')}:`;
    const again = await refresh(gateway, known.retried, { 'refresh-retry': `this=${key(2)}, previous=${key(1)}` });
    expect(again.status).toBe(200);
    expect(claimsOf(refreshTokenOf(again) ?? '')['jti']).toBe(claimsOf(known.retried_successor)['jti']);
  });

  test.each(Object.keys(known.ended))('a session that has ended (%s) stays so', async (name) => {
    expect(await statusOf(refresh(gateway, known.ended[name]))).toBe(401);
  });

  test.each([
    ['admin', known.password, 200],
    ['analyst', known.password, 200],
    ['viewer', known.password, 200],
    ['viewer', 'a wrong password', 401],
    ['renamed', known.password, 200],
    ['former', known.password, 401],
    ['inactive', known.password, 401],
    ['locked', known.password, 429],
    ['imported', known.imported_password, 200],
    ['imported', known.imported_password, 200],
    ['renewed', known.imported_password, 200],
    ['nothing', known.password, 401],
    ['deleted', known.password, 401],
    ['erased', known.password, 401],
  ])('a login of %s with %s is %i', async (name, password, status) => {
    expect(await statusOf(login(gateway, `${name}@example.com`, password))).toBe(status);
  });

  test('a known device is not locked with the account', async () => {
    const answer = await loginFrom(known.device, gateway, 'locked@example.com', known.password);
    expect([answer.status, deviceOf(answer)]).toEqual([200, expect.any(String)]);
  });

  test('an access token and keys are accepted, and revoked ones are not', async () => {
    const { caller } = await dataOf(gateway, bearer(known.access_token), '{ caller { ... on UserCaller { role } } }');
    expect(caller).toEqual({ role: 'admin' });
    const { key_id, secrets } = known.api_key;
    const at = { clock, config: gateway.config };
    const users = await Promise.all(
      secrets.map((secret: string) => dataOf(gateway, signed(at, key_id, secret), '{ users { nodes { email } } }')),
    );
    expect(users).toEqual(Array(2).fill({ users: { nodes: expect.any(Array) } }));
    expect(await dataOf(gateway, internalKey(known.cron_key), '{ caller { scopes } }')).toEqual({
      caller: { scopes: ['reports:write'] },
    });
    const former = signed(at, known.revoked_api_key.key_id, known.revoked_api_key.secret);
    for (const as of [former, internalKey(known.revoked_cron_key)]) {
      expect((await ask(gateway, as, '{ caller { callerType } }')).status).toBe(401);
    }
  });

  test.each([
    ['invitation', 'invited'],
    ['operators', 'stranded'],
    ['forgotten', 'forgetful'],
  ])('a link (%s) is redeemed once', async (link, name) => {
    const body = { token: known.links[link], new_password: 'a new password, by a link' };
    expect(await statusOf(gateway.send('POST', '/auth/password/redeem', { body }))).toBe(204);
    expect(await statusOf(login(gateway, `${name}@example.com`, body.new_password))).toBe(200);
    expect(await statusOf(gateway.send('POST', '/auth/password/redeem', { body }))).toBe(401);
  });
});

/** Times of the database's clock, which a test cannot move, as if the dump were of now. */
const TO_NOW = [
  'audit_events set written_at = written_at',
  'outbox_events set written_at = written_at',
  'outbox_cursors set settled_at = settled_at + ago, front_at = front_at',
].map((set) => `update ${set} + ago from (select now() - $1::timestamptz as ago) as dump`);

test('the outbox goes on where it stood: what has failed and what is new is sent, what was sent is not', async () => {
  const receiver = await startReceiver();
  await using smtp = await startSmtpServer();
  const clock = clockThere();
  const database = await dumped((text) => text.replaceAll(known.webhook.origin, `http://${receiver.authority}`));
  const wanted = await connected(database.url, async (client) => {
    for (const sql of TO_NOW) await client.query(sql, [known.taken_at]);
    const sql = `select id::text from audit_events where written_at > (
      select written_at from audit_events where event_type = 'webhook_created' and metadata ->> 'webhook_id' = $1
    ) order by written_at`;
    return (await client.query<{ id: string }>(sql, [known.webhook.id])).rows.map(({ id }) => id);
  });
  await migrated(database);
  const mail = { MAIL: 'smtp', SMTP_URL: smtp.url, MAIL_FROM: 'auth@example.com', WEBHOOK_HOSTS: receiver.authority };
  const env = { ...ENV, ...mail, KEYRING_FILE };
  const gateway = await startInstance(database, { env, clock, passwords: 'argon2', outboxPollMs: 20 });
  try {
    const remaining = wanted.filter((id) => !known.webhook.delivered.includes(id));
    expect(remaining.length).toBeGreaterThan(1);
    const sent = (path: string) =>
      receiver.received.filter((one) => one.path === path).map(({ headers }) => headers['webhook-id']);
    clock.advance(600); // when the mail is tried again
    await until('all that remained has come', () => remaining.every((id) => sent('/all').includes(id)));
    expect(sent('/all').toSorted()).toEqual(remaining.toSorted());

    await until('the mail has come', () => smtp.mails.length > 0);
    const [waited] = smtp.mails;
    const body = { token: waited?.token, new_password: 'a new password, by a mail' };
    expect((await gateway.send('POST', '/auth/password/redeem', { body })).status).toBe(204);
    expect((await login(gateway, 'waiting@example.com', body.new_password)).status).toBe(200);

    expect(sent('/paused')).toEqual([]);
    const paused = await connected(database.url, (client) =>
      client.query<{ id: string }>(`select id from outbox_cursors where paused_by = 'operator'`),
    );
    await resumeWebhook(gateway.app, COMMAND_LINE, paused.rows[0]?.id ?? '');
    await until('what has waited has come', () => sent('/paused').length > 10);
  } finally {
    await gateway.close();
    await receiver.close();
  }
});

describe('an export', () => {
  const keys = async () => JSON.parse(await readFile(KEYRING_FILE, 'utf8')).keys;
  /** The fixture with other migrations in its head */
  const withMigrations = async (name: string, change: (names: string[]) => string[]): Promise<string> => {
    const file = join(folder, `${name}.export`);
    const ours = await keys();
    await edited(EXPORT, file, (text) => {
      const [head = '', ...lines] = text.split('\n');
      const { migrations, ...header } = JSON.parse(head);
      return authenticated([JSON.stringify({ ...header, migrations: change(migrations) }), ...lines].join('\n'), ours);
    });
    return file;
  };

  test('of an older version is migrated after its rows were written, and if that fails nothing was', async () => {
    // The newest that it knew has added an index alone.
    const file = await withMigrations('older', (names) => names.slice(0, -1));
    const target = await another('empty');
    const trap = `
      create function refuse() returns event_trigger language plpgsql as $$
      begin
        if current_query() ~ 'create index users_created_at' then
          if exists (select from users) then raise exception 'after the rows'; end if;
        end if;
      end $$;
      create event trigger refuse on ddl_command_start execute function refuse()`;
    await asSuperuser(trap, target.name);
    const failed = await importing(target, file);
    expect([failed.code, failed.stdout]).toEqual([1, '']);
    expect((await countsOf(target)).filter(([, count]) => count !== 0)).toEqual([]);
    const applied = await asSuperuser('select name from mikro_orm_migrations order by id', target.name);
    expect(applied.map(({ name }) => name)).toEqual(MIGRATION_NAMES.slice(0, KNOWN_MIGRATIONS - 1));

    await asSuperuser('drop event trigger refuse; drop function refuse', target.name);
    expect(await importing(target, file)).toMatchObject({ code: 0 });
    expect(await countsOf(target)).toEqual(await countsOf(await imported(await another('empty'))));
    expect(JSON.parse((await here(target, ['migrate', 'up', '--json'])).stdout)).toEqual({ applied: [] });
  });

  test('with a migration that this version lacks is refused, and the message names the revision to use', async () => {
    const file = await withMigrations('newer', (names) => [...names, 'Migration20990101000001_x']);
    const ran = await importing(await another('empty'), file);
    expect([ran.code, messagesOf(ran)]).toEqual([
      1,
      expect.stringMatching(
        /only the file has Migration20990101000001_x\. Import it with the version that wrote it, or/,
      ),
    ]);
  });
});
