/** DATABASE_POOLER=transaction behind a real PgBouncer. Needs `pgbouncer` on the PATH. (Interface 2) */
import pg from 'pg';
import { migrations } from '../../migrations/index.js';
import { readConfig } from '../../src/config/config.js';
import { run, runHere } from '../support/gateway/cli.js';
import {
  type Answer,
  type Instance,
  logIn,
  refreshTokenOf,
  startGateway,
  startInstance,
  type TestGateway,
} from '../support/gateway/gateway.js';
import { ask, dataOf, newApiKey, newCronKey, newcomer, nodesOf } from '../support/gateway/graphql.js';
import { login, logout, refresh, WRONG } from '../support/gateway/routes.js';
import { whileAway, whileReadOnly } from '../support/postgres/faults.js';
import { whileReadsWait } from '../support/postgres/locks.js';
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../support/postgres/pgbouncer.js';
import { createDatabase, KEYRING_FILE, required } from '../support/postgres/postgres.js';
import { until } from '../support/until.js';

const isRequired = process.env['REQUIRE_PROGRAMS'] === '1';
const withPgBouncer = hasPgBouncer || isRequired ? describe : describe.skip;

/** Connections to the server, for two instances with twenty each. */
const POOL_SIZE = 3;
const POOLED = { DATABASE_POOLER: 'transaction' };
const CALLER = '{ caller { callerType } }';
const THEFT = 'Session invalidated — please log in again';

withPgBouncer('with pgbouncer on the PATH (REQUIRE_PROGRAMS=1 makes its absence a failure)', () => {
  /** The first instance through the pooler; `rows` goes straight to the tables. */
  let gateway: TestGateway;
  let bouncer: PgBouncer;
  const cleanUp = new AsyncDisposableStack();
  beforeAll(async () => {
    const direct = await startGateway();
    cleanUp.defer(direct.close);
    bouncer = await startPgBouncer(direct.database, POOL_SIZE, ['query_wait_timeout = 5']);
    cleanUp.defer(bouncer.stop);
    const through = { ...direct.database, url: bouncer.url };
    const start = async (): Promise<Instance> => {
      const instance = await startInstance(through, { env: POOLED, clock: direct.clock });
      cleanUp.defer(instance.close);
      return instance;
    };
    const [one, two] = await Promise.all([start(), start()]);
    gateway = { ...direct, ...one, two: () => [one, two] };
  });
  afterAll(() => cleanUp.disposeAsync());

  const cli = (...args: string[]) =>
    runHere([...args, '--json'], () =>
      readConfig({ DATABASE_URL: bouncer.url, KEYRING_FILE: required(KEYRING_FILE), ...POOLED }),
    );

  test('Spec 4: the three routes', async () => {
    const { email } = await gateway.user();
    expect((await login(gateway, email, WRONG)).status).toBe(401);
    const { refreshToken } = await logIn(gateway, email);
    const next = refreshTokenOf(await refresh(gateway, refreshToken));
    expect((await refresh(gateway, next)).status).toBe(200);
    expect((await refresh(gateway, refreshToken)).json.detail).toBe(THEFT);
    const other = (await logIn(gateway, email)).refreshToken;
    expect((await logout(gateway, other)).status).toBe(200);
    expect((await refresh(gateway, other)).json.detail).toBe(THEFT);
    expect((await gateway.send('GET', '/health/ready')).status).toBe(200);
  });

  test('Interface 6: callers of all kinds', async () => {
    const user = await newcomer(gateway, 'admin');
    const apiKey = await newApiKey(gateway, ['invoices:read'], 3);
    const cronKey = await newCronKey(gateway, ['reports:write']);
    for (const [callerType, { as }] of Object.entries({ user, api_key: apiKey, cron: cronKey })) {
      for (let i = 0; i < 3; i += 1) expect((await dataOf(gateway, as, CALLER)).caller.callerType).toBe(callerType);
    }
    expect((await ask(gateway, apiKey.as, CALLER)).status).toBe(429); // over its limit of three
  });

  test('Interface 11: an administrative change, and listings', async () => {
    const email = 'made@example.com';
    const { code, stdout } = await cli('user', 'create', '--email', email, '--role', 'analyst');
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ email, role: 'analyst' })]);
    const admin = await newcomer(gateway, 'admin');
    const { users, auditEvents, me } = await dataOf(
      gateway,
      admin.as,
      `{ users(first: 100) { edges { node { email } } }
        auditEvents(first: 100) { edges { node { eventType } } }
        me { sessions { edges { node { startedAt } } } } }`,
    );
    expect(nodesOf(users)).toContainEqual({ email });
    expect(nodesOf(auditEvents)).toContainEqual({ eventType: 'user_created' });
    expect(nodesOf(me.sessions)).toHaveLength(1);
  });

  test('Spec 4.2.9: one token, presented forty times to two instances: one wins', async () => {
    const { email } = await gateway.user();
    const [one, two] = gateway.two();
    for (let round = 0; round < 5; round += 1) {
      const { refreshToken } = await logIn(gateway, email);
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, i) => refresh(i % 2 === 0 ? one : two, refreshToken)),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status, json }) => status === 401 && json.detail === THEFT)).toHaveLength(39);
    }
  });

  test('Interface 10: the limits of a change are in its transaction', async () => {
    await gateway.rows('create table seen (event_type text, statement_timeout text, lock_timeout text, idle text)');
    await gateway.rows(`create function note() returns trigger language plpgsql as
      'begin insert into seen values (new.event_type, current_setting(''statement_timeout''),
        current_setting(''lock_timeout''), current_setting(''idle_in_transaction_session_timeout'')); return new; end'`);
    await gateway.rows('create trigger note before insert on audit_events for each row execute function note()');
    try {
      expect((await cli('user', 'create', '--email', 'other@example.com', '--role', 'viewer')).code).toBe(0);
    } finally {
      await gateway.rows('drop function note cascade');
    }
    expect(await gateway.rows(`select * from seen where event_type = 'user_created'`)).toEqual([
      { event_type: 'user_created', statement_timeout: '20s', lock_timeout: '2s', idle: '1min' },
    ]);
  });

  test('Interface 11: a listing that takes too long is too much to read, not an outage', async () => {
    const { as } = await newApiKey(gateway, ['audit:read']);
    await whileReadsWait(gateway, 'audit_events', async () => {
      const answer = await ask(gateway, as, '{ auditEvents(first: 1) { edges { cursor } } }');
      expect(answer).toMatchObject({ code: 'OPERATION_TOO_COSTLY', reason: 'too_much_to_read' });
    });
  });

  // After those above, so that it sees what they have left, and before the connections end in the next.
  test('Interface 2: nothing is prepared, set or locked on any connection of the server', async () => {
    const clients = Array.from({ length: POOL_SIZE }, () => new pg.Client({ connectionString: bouncer.url }));
    try {
      for (const client of clients) {
        await client.connect();
        await client.query('begin'); // from now on this connection of the server is its own
        const { rows } = await client.query(`select pg_backend_pid() as pid,
          (select count(*)::int from pg_prepared_statements) as prepared,
          (select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()) as locked,
          array(select name from pg_settings where source = 'session' and context = 'user'
            and name not in ('application_name', 'client_encoding', 'DateStyle', 'TimeZone', 'standard_conforming_strings')
          ) as changed`);
        expect(rows).toEqual([{ pid: expect.any(Number), prepared: 0, locked: 0, changed: [] }]);
      }
    } finally {
      for (const client of clients) await client.end();
    }
  });

  test('Interface 5: while PostgreSQL is away behind it, it is an outage, and after it all goes on', async () => {
    const { email } = await gateway.user();
    const { refreshToken } = await logIn(gateway, email);
    await whileAway(gateway.database, async () => {
      for (const answer of [await login(gateway, email), await refresh(gateway, refreshToken)]) {
        expect([answer.status, answer.cookies]).toEqual([503, []]);
      }
      expect((await gateway.send('GET', '/health/ready')).status).toBe(503);
    });
    await until('it is ready again', async () => (await gateway.send('GET', '/health/ready')).status === 200);
    expect((await refresh(gateway, refreshToken)).status).toBe(200);
  });

  test('Interface 10: a read-only server behind it is reported as such, and everything works afterwards', async () => {
    const ready = (): Promise<Answer> => gateway.send('GET', '/health/ready');
    await whileReadOnly(gateway.database, async () => {
      await until('it is reported', async () => (await ready()).json.checks.database === 'read_only');
      const { code, stderr } = await cli('user', 'list'); // which would need no write
      expect([code, stderr]).toEqual([1, expect.stringContaining('the database takes no writes')]);
    });
    await until('it is ready again', async () => (await ready()).status === 200);
    const { email } = await gateway.user();
    expect((await login(gateway, email)).status).toBe(200);
  });

  test('Interface 2: without DATABASE_POOLER the start and every command say what to set', async () => {
    const env = { DATABASE_URL: bouncer.url, KEYRING_FILE: required(KEYRING_FILE) };
    for (const args of [[], ['user', 'list']]) {
      const { code, stderr } = await run(args, { env });
      expect([code, stderr]).toEqual([78, expect.stringContaining('set DATABASE_POOLER=transaction')]);
    }
  });

  test('Interface 9: three processes migrate one empty database at once: each succeeds, each migration runs once', async () => {
    const database = await createDatabase('empty');
    const narrow = await startPgBouncer(database, 2);
    try {
      const env = { DATABASE_URL: narrow.url, ...POOLED };
      const ran = await Promise.all([1, 2, 3].map(() => run(['migrate', 'up', '--json'], { env })));
      expect(ran.map(({ code }) => code)).toEqual([0, 0, 0]);
      const applied = ran.flatMap(({ stdout }) => JSON.parse(stdout).applied);
      expect(applied.toSorted()).toEqual(migrations.map(({ name }) => name));
    } finally {
      await narrow.stop();
      await database.drop();
    }
  });
});
