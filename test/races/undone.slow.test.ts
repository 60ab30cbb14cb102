/** What PostgreSQL undoes in favour of others, a deadlock or a serialization failure, is tried again. */
import pg from 'pg';
import {
  type Answer,
  type Instance,
  logIn,
  refreshTokenOf,
  startGateway,
  startInstance,
  type TestGateway,
} from '../support/gateway/gateway.js';
import { ask, newcomer } from '../support/gateway/graphql.js';
import { login, logout, refresh, WRONG } from '../support/gateway/routes.js';
import { auditDuring, recordsOf, userRow } from '../support/gateway/rows.js';
import { holdNewRecords } from '../support/postgres/hold.js';
import { asSuperuser, required, TEMPLATE_URL } from '../support/postgres/postgres.js';
import { until } from '../support/until.js';

const cleanUp = new AsyncDisposableStack();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { LOGIN_MAX_FAILURES: '1000' } });
  cleanUp.defer(gateway.close);
});
afterAll(() => cleanUp.disposeAsync());

const FIRST = 4_712;
const SECOND = 4_713;

/** A superuser's session, which looks for a deadlock so late that it is always the gateway that finds one. */
async function session(): Promise<pg.Client> {
  const url = new URL(required(TEMPLATE_URL));
  url.pathname = `/${gateway.database.name}`;
  url.username = 'postgres';
  if (url.searchParams.has('user')) url.searchParams.set('user', 'postgres');
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query(`set deadlock_timeout = '1h'`);
  return client;
}

/**
 * Deadlocks with `work`, which has locked the row of the user by the time at which it writes an event of this type: then
 * it waits for a lock of ours, while we wait for that row.
 */
async function deadlocked<T>(eventType: string, userId: string, work: () => Promise<T>): Promise<T> {
  const [rival, other] = await Promise.all([session(), session()]);
  const waiting = (connections: number) => async () => {
    const sql = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return (await other.query(sql)).rows.length === connections; // others are not shown what a superuser waits for
  };
  try {
    await gateway.rows(`create function deadlock() returns trigger language plpgsql set lock_timeout = 0 as
      'begin
        perform pg_advisory_xact_lock_shared(${FIRST});
        perform pg_advisory_xact_lock_shared(${SECOND});
        return new;
      end'`);
    await gateway.rows(`create trigger deadlock before insert on audit_events for each row
      when (new.event_type = '${eventType}') execute function deadlock()`);
    await other.query(`select pg_advisory_lock(${FIRST})`);
    await rival.query(`begin; select pg_advisory_xact_lock(${SECOND})`);
    const answer = work();
    await until('the gateway waits, with the row', waiting(1));
    const locked = rival.query(`update users set role = role where id = '${userId}'`);
    await until('the rival waits for the row', waiting(2));
    await other.query(`select pg_advisory_unlock(${FIRST})`);
    await locked; // the gateway has been undone
    await rival.query('commit');
    return await answer;
  } finally {
    await Promise.all([rival.end(), other.end()]);
    await gateway.rows('drop function deadlock cascade');
  }
}

test('a login that was undone by a deadlock starts one session', async () => {
  const { id, email } = await gateway.user();
  const [answer, events] = await auditDuring(gateway, () =>
    deadlocked('login_success', id, () => login(gateway, email)),
  );
  expect(answer.status).toBe(200);
  expect(events.map(({ event_type }) => event_type)).toEqual(['login_success']);
  expect(await recordsOf(gateway, id)).toHaveLength(1);
});

test('a failed login that was undone by a deadlock counts once', async () => {
  const { id, email } = await gateway.user();
  const answer = await deadlocked('login_failure', id, () => login(gateway, email, WRONG));
  expect(answer.status).toBe(401);
  expect((await userRow(gateway, id)).failed_login_attempts).toBe(1);
});

test('a change that was undone by a deadlock is made once, as a whole', async () => {
  const { as } = await newcomer(gateway, 'admin');
  const { user } = await newcomer(gateway);
  const deactivate = `mutation { setUserActive(input: { id: "${user.id}", isActive: false }) { revokedSessionCount } }`;
  const [answer, events] = await auditDuring(gateway, () =>
    deadlocked('user_deactivated', user.id, () => ask(gateway, as, deactivate)),
  );
  expect([answer.errors, answer.data]).toEqual([[], { setUserActive: { revokedSessionCount: 1 } }]);
  expect(events.map(({ event_type }) => event_type)).toEqual(['user_deactivated']);
});

describe.each(['repeatable read', 'serializable'])('if the default isolation of the database is %s', (isolation) => {
  let one: Instance;
  let two: Instance;
  const instances = new AsyncDisposableStack();
  beforeAll(async () => {
    const { clock, database } = gateway;
    await asSuperuser(`alter database ${database.name} set default_transaction_isolation = '${isolation}'`);
    const start = () => startInstance(database, { clock, env: { LOGIN_MAX_FAILURES: '1000' } });
    [one, two] = [await start(), await start()];
    instances.defer(one.close);
    instances.defer(two.close);
  });
  afterAll(() => instances.disposeAsync());

  const count = (statuses: number[], wanted: number): number => statuses.filter((status) => status === wanted).length;

  /** Twenty at once on two instances. An outage is no breach. */
  const twenty = async (send: (on: Instance) => Promise<Answer>): Promise<number[]> => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => send(i % 2 === 0 ? one : two)));
    return answers.map(({ status }) => status);
  };
  test('Spec 4.2.9: those who wait for the one that wins are undone with its commit, and are thefts then', async () => {
    const { refreshToken } = await logIn(one, (await gateway.user()).email);
    await using held = await holdNewRecords(gateway);
    const winner = refresh(one, refreshToken);
    await held.waiting(1);
    const others = [one, two, one, two].map((on) => refresh(on, refreshToken));
    await held.waiting(5);
    await held.release();
    expect((await winner).status).toBe(200);
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual([401, 401, 401, 401]);
  });

  test('Spec 4.2.9: of 20 presentations of one token one wins, and theft leaves no live token', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id, email } = await gateway.user();
      const { refreshToken } = await logIn(one, email);
      const statuses = await twenty((on) => refresh(on, refreshToken));
      expect(count(statuses, 200)).toBe(1);
      expect((await recordsOf(gateway, id)).filter(({ revoked }) => !revoked)).toEqual([]);
    }
  });

  test('Spec 4.1: of 20 logins each that is granted has a session, and each that is refused is counted', async () => {
    const { id, email } = await gateway.user();
    const granted = await twenty((on) => login(on, email));
    expect(await recordsOf(gateway, id)).toHaveLength(count(granted, 200));
    const refused = await twenty((on) => login(on, email, WRONG));
    expect((await userRow(gateway, id)).failed_login_attempts).toBe(count(refused, 401));
  });

  test('Spec 4.2.7: theft concurrent with the rotation of a sibling, 5 rounds: no record survives', async () => {
    const { id, email } = await gateway.user();
    for (let round = 0; round < 5; round += 1) {
      const { refreshToken } = await logIn(one, email);
      const sibling = refreshTokenOf(await refresh(one, refreshToken));
      const [theft] = await Promise.all([refresh(one, refreshToken), refresh(two, sibling)]);
      expect(theft.status).toBe(401);
    }
    expect((await recordsOf(gateway, id)).filter(({ revoked }) => !revoked)).toEqual([]);
  });

  test('Interface 11: of two administrators who demote each other one stays', async () => {
    const admins = await gateway.rows<{ id: string }>(`update users set role = 'viewer' returning id`);
    expect(admins.length).toBeGreaterThan(0);
    const [a, b] = [await newcomer(gateway, 'admin'), await newcomer(gateway, 'admin')];
    const demote = (id: string) => `mutation { setUserRole(input: { id: "${id}", role: viewer }) { user { id } } }`;
    await Promise.all([ask(one, a.as, demote(b.user.id)), ask(two, b.as, demote(a.user.id))]);
    expect(await gateway.rows(`select 1 as one from users where role = 'admin'`)).toHaveLength(1);
  });

  test('Spec 4.3: a logout concurrent with a refresh of the same token: neither fails', async () => {
    const { email } = await gateway.user();
    for (let round = 0; round < 5; round += 1) {
      const { refreshToken } = await logIn(one, email);
      const [out] = await Promise.all([logout(one, refreshToken), refresh(two, refreshToken)]);
      expect(out.status).toBe(200);
    }
  });
});
