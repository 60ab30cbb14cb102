/** A full disk takes an instance out of the load balancer, whichever table finds no room first. (Interface 10) */

import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { ask, newcomer } from '../support/gateway/graphql.js';
import { captureLog } from '../support/gateway/log.js';
import { login } from '../support/gateway/routes.js';
import { withFault } from '../support/postgres/faults.js';
import { withLock } from '../support/postgres/locks.js';
import { canMount, moveToSmallDisk } from '../support/postgres/small-disk.js';

const captured = captureLog();
let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startGateway({ log: captured.log });
});
afterEach(() => gateway.close());

/** What ready says of the database, and its status. */
async function ready(): Promise<[status: number, word: unknown]> {
  const { status, json } = await gateway.send('GET', '/health/ready');
  return [status, json.checks.database];
}

const OK = [200, 'ok'];
const FULL = [503, 'full'];
/** How long the word of a request is taken: seconds. */
const BELIEVED = 15;

/** Log lines about the state of the database */
const logged = () =>
  captured
    .lines()
    .map(({ msg }) => String(msg))
    .filter((msg) => msg.startsWith('database is '));

const withDisk = canMount ? test : test.skip;

describe.each(['sessions', 'refresh_tokens', 'rate_limits'])(
  'of a young database, on which %s has no page',
  (table) => {
    withDisk('Interface 10: a full disk is known before anybody logs in, and every login is 503', async () => {
      const { email } = await gateway.user();
      await using disk = await moveToSmallDisk(gateway, table);
      await gateway.rows(`truncate ${table}`); // what checks had taken back had made pages
      await disk.fill();
      expect(await ready()).toEqual(FULL);
      expect((await login(gateway, email)).status).toBe(503);
      expect(await ready()).toEqual(FULL);

      await disk.empty();
      gateway.clock.advance(BELIEVED);
      expect(await ready()).toEqual(OK);
      expect((await login(gateway, email)).status).toBe(200);
    });
  },
);

withDisk('Interface 10: a page of users without room for another version of a row is noticed', async () => {
  await gateway.user();
  await using disk = await moveToSmallDisk(gateway, 'users');
  // Rows of two kilobytes, until none is left on the page.
  await gateway.rows(`update users set password_hash = repeat(md5(random()::text), 55)`);
  await gateway.rows(`vacuum full users`);
  for (let i = 0; i < 3; i += 1) {
    await gateway.rows(`insert into users (email, password_hash, role)
      values ('filler${i}@example.com', repeat(md5(random()::text), 55), 'viewer')`);
  }
  await disk.fill();
  expect(await ready()).toEqual(FULL);
});

withDisk(
  'Interface 10: a disk that a request has found full is believed at once, and for fifteen seconds',
  async () => {
    const admin = await newcomer(gateway, 'admin');
    await using disk = await moveToSmallDisk(gateway, 'api_keys');
    await disk.fill();
    expect(await ready()).toEqual(OK); // no login writes there
    const before = logged().length;
    const create = 'mutation { createApiKey(input: { serviceName: "s", scopes: [], rateLimit: 1 }) { secret } }';
    expect((await ask(gateway, admin.as, create)).status).toBe(503);
    expect(await ready()).toEqual(FULL);
    const { text } = await gateway.send('GET', '/metrics');
    expect(text).toContain('auth_gateway_ready{check="database"} 0');

    gateway.clock.advance(BELIEVED - 1);
    expect(await ready()).toEqual(FULL);
    gateway.clock.advance(1);
    expect(await ready()).toEqual(OK);
    expect(logged().slice(before)).toEqual(['database is full', 'database is ok again']);
  },
);

test('Interface 10: each login that finds the disk full is believed anew', async () => {
  const { email } = await gateway.user();
  const fails: [string, string] = [
    `create function no_room() returns trigger language plpgsql as
       $$ begin raise exception 'no room' using errcode = '53100'; end $$;
     create trigger no_room before insert on audit_events for each row when (new.ip_address <> '')
       execute function no_room()`,
    'drop trigger no_room on audit_events; drop function no_room',
  ];
  await withFault(gateway, fails, async () => {
    for (let i = 0; i < 2; i += 1) {
      expect((await login(gateway, email)).status).toBe(503);
      gateway.clock.advance(BELIEVED - 1);
      expect(await ready()).toEqual(FULL);
    }
  });
  gateway.clock.advance(1);
  expect(await ready()).toEqual(OK);
});

test('Interface 10: another failure of a request is not believed', async () => {
  const { email } = await gateway.user();
  await withFault(gateway, ['alter table users rename to gone', 'alter table gone rename to users'], async () => {
    expect((await login(gateway, email)).status).toBe(500);
  });
  expect(await ready()).toEqual(OK);
});

test('Interface 10: a check leaves nothing, in no table', async () => {
  await gateway.user();
  const content = () => gateway.rows('select xmin::text, * from users');
  const before = await content();
  for (let i = 0; i < 3; i += 1) expect(await ready()).toEqual(OK);
  expect(await content()).toEqual(before);
  for (const table of ['refresh_tokens', 'sessions', 'rate_limits']) {
    expect(await gateway.rows(`select from ${table}`)).toEqual([]);
  }
  expect(await gateway.rows(`select from audit_events where event_type like 'login%'`)).toEqual([]);
});

test('Interface 10: a check waits for nobody’s row, and no login fails because of one', async () => {
  const { email } = await gateway.user();
  await withLock(gateway, 'begin; update users set failed_login_attempts = failed_login_attempts', async (waiting) => {
    expect(await ready()).toEqual(OK);
    expect(await waiting()).toBe(0);
  });
  const both = await Promise.all(
    Array.from({ length: 20 }, async () => [(await login(gateway, email)).status, (await ready())[0]]),
  );
  expect(both).toEqual(both.map(() => [200, 200]));
});
