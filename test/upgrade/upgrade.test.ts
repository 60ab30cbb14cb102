/**
 * What older versions wrote goes on in this one: their tables, migrated, and their exports, imported. Each has a folder here,
 * by `npm run freeze`; `0.9/README.md` has what is in them. (Interface 8 and 9)
 */
import { createPrivateKey } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { resumeWebhook } from '../../src/admin/webhooks.js';
import { MIGRATION_NAMES } from '../../src/db/migrate.js';
import { startSmtpServer } from '../mail/smtp-server.js';
import { startReceiver } from '../outbox/receiver.js';
import { redeemEmail, undoEmail } from '../support/gateway/account.js';
import { authenticated, connected, contentOf, edited, here } from '../support/gateway/archives.js';
import { messagesOf } from '../support/gateway/cli.js';
import { handClock } from '../support/gateway/clock.js';
import { deviceOf, loginFrom } from '../support/gateway/devices.js';
import { codeAt, finishLogin, halfLogin, logInByPasskey } from '../support/gateway/factors.js';
import { claimsOf, type Instance, refreshTokenOf, startInstance } from '../support/gateway/gateway.js';
import { ask, bearer, dataOf, internalKey, signed } from '../support/gateway/graphql.js';
import { login, refresh } from '../support/gateway/routes.js';
import { SoftwareAuthenticator } from '../support/independent/passkeys/software-authenticator.js';
import { asSuperuser, createDatabase, type TestDatabase } from '../support/postgres/postgres.js';
import { until } from '../support/until.js';

/** At the moment of the dump, as in `freeze.mjs` */
const ENV = {
  PUBLIC_URL: 'http://localhost:18180',
  KNOWN_DEVICES: 'on',
  REFRESH_RETRY: 'true',
  ACCOUNT: 'on',
  MAIL: 'log',
};

const databases: TestDatabase[] = [];
afterAll(async () => {
  for (const database of databases) await database.drop();
});

async function another(from: 'migrated' | 'empty'): Promise<TestDatabase> {
  const database = await createDatabase(from);
  databases.push(database);
  return database;
}

const countsOf = async (database: TestDatabase) =>
  Object.entries(await contentOf(database)).map(([table, rows]) => [table, rows.length]);

const statusOf = async (answer: Promise<{ status: number }>) => (await answer).status;

describe.each(globSync('test/upgrade/*/known.json').map(dirname).toSorted())('%s', (FIXTURE) => {
  const known = JSON.parse(readFileSync(join(FIXTURE, 'known.json'), 'utf8'));
  const EXPORT = join(FIXTURE, 'database.export');
  const [head = ''] = gunzipSync(readFileSync(EXPORT)).toString('utf8').split('\n', 1);
  const MIGRATIONS: string[] = JSON.parse(head).migrations;

  let folder: string;
  let KEYRING_FILE: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gateway-upgrade-'));
    KEYRING_FILE = join(folder, 'keyring.json');
    await writeFile(KEYRING_FILE, await readFile(join(FIXTURE, 'keyring.json')));
    await chmod(KEYRING_FILE, 0o600);
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** The tables as they were left. @param edit changes the text of the dump */
  async function dumped(edit = (text: string) => text): Promise<TestDatabase> {
    const database = await another('empty');
    const dump = edit(await readFile(join(FIXTURE, 'dump.sql'), 'utf8')).replaceAll(/^\\.*$/gm, ''); // for psql alone
    await connected(database.url, (client) => client.query(dump));
    return database;
  }

  async function migrated(database: TestDatabase): Promise<TestDatabase> {
    const ran = await here(database, ['migrate', 'up', '--json'], { KEYRING_FILE });
    expect(JSON.parse(ran.stdout)).toEqual({ applied: MIGRATION_NAMES.slice(MIGRATIONS.length) });
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
  ])('of its %s', (_way, prepare) => {
    const clock = clockThere();
    let gateway: Instance;
    beforeAll(async () => {
      gateway = await startInstance(await prepare(), { env: { ...ENV, KEYRING_FILE }, clock, passwords: 'argon2' });
    });
    afterAll(() => gateway.close());

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

    if ('rotated_cron_key' in known) {
      test('both secrets of a cron key are accepted, and a key that has expired is not', async () => {
        const caller = '{ caller { callerType } }';
        const statuses = [known.cron_key, known.rotated_cron_key, known.expired_cron_key].map((value) =>
          statusOf(ask(gateway, internalKey(value), caller)),
        );
        expect(await Promise.all(statuses)).toEqual([200, 200, 401]);
      });
    }

    if ('proved' in known) {
      test('a session that has proved its factor goes on so', async () => {
        const { json } = await refresh(gateway, known.proved.refresh);
        expect(claimsOf(json.access_token)).toMatchObject({ acr: 'aal2', scope: expect.any(String) });
      });

      test('a code and a recovery code log in, and a used one does not', async () => {
        const { secret, recovery_codes } = known.proved;
        clock.advance(30); // the code of the dump's moment may be that of the enrolment
        const challenge = await halfLogin(gateway, 'proved@example.com', known.password);
        const proofs = [{ recovery_code: recovery_codes[0] }, { code: codeAt(secret, clock.now()) }];
        const answers = [];
        for (const proof of proofs) answers.push(await statusOf(finishLogin(gateway, challenge, proof)));
        expect(answers).toEqual([401, 200]);
        const again = await halfLogin(gateway, 'proved@example.com', known.password);
        expect(await statusOf(finishLogin(gateway, again, { recovery_code: recovery_codes[1] }))).toBe(200);
      });

      test('a passkey logs in', async () => {
        const { id, user_handle: userHandle, private_key: key } = known.passkey;
        const authenticator = new SoftwareAuthenticator({ rpId: 'localhost', origin: ENV.PUBLIC_URL });
        const privateKey = createPrivateKey({ key, format: 'jwk' });
        const publicKey = new Map();
        authenticator.passkeys.push({
          id: Buffer.from(id, 'base64url'),
          rpId: 'localhost',
          userHandle,
          privateKey,
          publicKey,
        });
        expect(await statusOf(logInByPasskey(gateway, authenticator))).toBe(200);
      });
    }

    if ('email_change' in known) {
      test('an e-mail is changed by its link, and a change is taken back by its link', async () => {
        const { json } = await login(gateway, 'moving@example.com', known.password);
        expect(await statusOf(redeemEmail(gateway, json.access_token, known.email_change.token))).toBe(200);
        expect(await statusOf(login(gateway, known.email_change.email, known.password))).toBe(200);
        expect(await statusOf(undoEmail(gateway, known.email_undo.token))).toBe(204);
        expect(await statusOf(login(gateway, 'movedto@example.com', known.password))).toBe(401);
      });
    }

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

      const waited = () => smtp.mails.find(({ headers }) => headers.get('to') === 'waiting@example.com');
      await until('the mail has come', () => waited() !== undefined);
      const body = { token: waited()?.token, new_password: 'a new password, by a mail' };
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

  // Of the oldest alone: its newest migration has added an index, and no column.
  if (basename(FIXTURE) === '0.9')
    describe('an export', () => {
      const keys = async () => JSON.parse(await readFile(KEYRING_FILE, 'utf8')).keys;
      /** The fixture with other migrations in its head */
      const withMigrations = async (name: string, change: (names: string[]) => string[]): Promise<string> => {
        const file = join(folder, `${name}.export`);
        const ours = await keys();
        await edited(EXPORT, file, (text) => {
          const [head = '', ...lines] = text.split('\n');
          const { migrations, ...header } = JSON.parse(head);
          return authenticated(
            [JSON.stringify({ ...header, migrations: change(migrations) }), ...lines].join('\n'),
            ours,
          );
        });
        return file;
      };

      test('of an older version is migrated after its rows were written, and if that fails nothing was', async () => {
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
        expect(applied.map(({ name }) => name)).toEqual(MIGRATIONS.slice(0, -1));

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
});
