/** What has expired is deleted, and nothing that is still needed. (Spec 2.6 and Interface 10) */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { beginCeremony } from '../../src/auth/factors/ceremonies.js';
import { issueLink } from '../../src/auth/password-links.js';
import { generateLinkToken } from '../../src/credentials/key-secrets.js';
import { sealSecret } from '../../src/credentials/sealed-secret.js';
import { sweep, sweepRound } from '../../src/db/sweeper.js';
import { expiringRows } from '../../src/start/compose.js';
import { runningClock } from '../support/gateway/clock.js';
import { claimsOf, logIn, startGateway, startInstance, type TestGateway } from '../support/gateway/gateway.js';
import { refresh } from '../support/gateway/routes.js';
import { recordOf } from '../support/gateway/rows.js';
import { type Statement, watchStatements } from '../support/gateway/work.js';

const DAY = 86_400;
const RETENTION_DAYS = 30;
const begin = () => expiringRows({ auditRetentionDays: RETENTION_DAYS });
/** Anew for each test: a sweeper goes on where it stopped */
let expiring = begin();

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());
beforeEach(async () => {
  await gateway.rows(
    'truncate refresh_tokens, sessions, audit_events, rate_limits, signature_nonces, password_links, requested_links, email_changes, email_undos, known_devices, ceremonies, gate_codes',
  );
  gateway.clock.set(new Date());
  expiring = begin();
});

const at = (seconds: number): Date => new Date(gateway.clock.now().getTime() + seconds * 1000);
const run = (everything = expiring) => sweep(gateway.app.db, everything, gateway.clock.now());

async function left(table: string): Promise<number> {
  const [row] = await gateway.rows<{ count: number }>(`select count(*)::int as count from ${table}`);
  return row?.count ?? -1;
}

const RECORD = `insert into refresh_tokens (jti, user_id, family_id, revoked, user_agent, ip_address, expires_at)
  select gen_random_uuid(), $1, $1, $2, '', 'x', $3 from generate_series(1, $4)`;
const records = (count: number, revoked: boolean, expiresAt: Date) =>
  gateway.rows(RECORD, [randomUUID(), revoked, expiresAt, count]);

test('refresh tokens stay until a day after they expire, used or not', async () => {
  for (const revoked of [true, false]) {
    await records(1, revoked, at(-DAY - 1));
    await records(1, revoked, at(-DAY + 1));
    await records(1, revoked, at(1000));
  }
  expect(await run()).toMatchObject({ refresh_tokens: 2 });
  expect(await left('refresh_tokens')).toBe(4);
});

test('Spec 3.1: a used token that could still be presented is theft after a sweep, not unknown', async () => {
  const { refreshToken } = await logIn(gateway, (await gateway.user()).email);
  await refresh(gateway, refreshToken);
  gateway.clock.advance(1_209_600 - 1);
  await run();
  expect((await refresh(gateway, refreshToken)).json.detail).toBe('Session invalidated — please log in again');
});

test('Interface 17: a token that waits for its mail is deleted with its link, when that has expired', async () => {
  const { db, keyring } = gateway.app;
  for (const seconds of [-1, 1000]) {
    const { id: userId } = await gateway.user();
    const token = generateLinkToken();
    const sealedToken = await sealSecret(keyring, userId, token, gateway.clock.now());
    await issueLink(db, { userId, token, purpose: 'reset', expiresAt: at(seconds), sealedToken });
  }
  expect(await run()).toMatchObject({ password_links: 1 });
  expect(await gateway.rows('select sealed_token is null as erased from password_links')).toEqual([{ erased: false }]);
});

test('Interface 15: the row of a requested link stays for an hour more, since it says how many were mailed', async () => {
  for (const seconds of [-3_601, -3_599]) {
    await gateway.rows(
      `insert into requested_links (user_id, event_id, token_sha256, password_version, issued_at, expires_at, mailed_at)
       values (gen_random_uuid(), gen_random_uuid(), sha256($1::text::bytea), 0, now(), $2, '{}')`,
      [String(seconds), at(seconds)],
    );
  }
  expect(await run()).toMatchObject({ requested_links: 1 });
  expect(await left('requested_links')).toBe(1);
});

test('Interface 20: half logins, challenges and new authenticator apps go when they have expired', async () => {
  const { db } = gateway.app;
  for (const seconds of [-1, 1000]) {
    await beginCeremony(db, { token: String(seconds), purpose: 'passkey_login', expiresAt: at(seconds) });
  }
  expect(await run()).toMatchObject({ ceremonies: 1 });
  expect(await left('ceremonies')).toBe(1);
});

test('Interface 22: a way back from the gate goes when it has expired', async () => {
  for (const seconds of [-1, 1000]) {
    await gateway.rows(
      `insert into gate_codes (code_sha256, user_id, family_id, origin, target, state_sha256, expires_at)
       values (sha256($1::text::bytea), gen_random_uuid(), gen_random_uuid(), 'https://app.example.com', '/', '', $2)`,
      [String(seconds), at(seconds)],
    );
  }
  expect(await run()).toMatchObject({ gate_codes: 1 });
  expect(await left('gate_codes')).toBe(1);
});

test('Interface 21: e-mail changes and the reservations of former e-mails go when they have expired', async () => {
  for (const seconds of [-1, 1000]) {
    await gateway.rows(
      `with change as (
         insert into email_changes (user_id, token_sha256, email, password_version, expires_at)
         values (gen_random_uuid(), '', 'new@example.com', 0, $2)
       )
       insert into email_undos (id, user_id, token_sha256, email, expires_at)
       values (gen_random_uuid(), gen_random_uuid(), sha256($1::text::bytea), 'old@example.com', $2)`,
      [String(seconds), at(seconds)],
    );
  }
  expect(await run()).toMatchObject({ email_changes: 1, email_undos: 1 });
  expect([await left('email_changes'), await left('email_undos')]).toEqual([1, 1]);
});

test('a session is known by its user as long as its newest record', async () => {
  const user = await gateway.user();
  const { refreshToken } = await logIn(gateway, user.email);
  await refresh(gateway, refreshToken);
  const sweepWhereOver = async (which: string) => {
    await gateway.rows(`update refresh_tokens set expires_at = now() - interval '2 days' where ${which}`);
    expect(await run()).toMatchObject({ refresh_tokens: 1 });
    return gateway.rows('select user_id from sessions');
  };
  expect(await sweepWhereOver('revoked')).toEqual([{ user_id: user.id }]); // the record of its login
  expect(await sweepWhereOver('not revoked')).toEqual([]);
});

test('audit events stay for the days of AUDIT_RETENTION_DAYS', async () => {
  const event = `insert into audit_events (event_type, ip_address, metadata, created_at) values ('logout', 'x', '{}', $1)`;
  await gateway.rows(event, [at(-RETENTION_DAYS * DAY - 1)]);
  await gateway.rows(event, [at(-RETENTION_DAYS * DAY + 1)]);
  expect(await run()).toMatchObject({ audit_events: 1 });
  expect(await left('audit_events')).toBe(1);
});

test('nonces and limiter windows go when they have ended', async () => {
  const nonce = `insert into signature_nonces (key_id, nonce, expires_at) values ('ak', $1, $2)`;
  await gateway.rows(nonce, ['old', at(-1)]);
  await gateway.rows(nonce, ['live', at(1)]);
  const window = 'insert into rate_limits (key, points, expire) values ($1, 1, $2)';
  await gateway.rows(window, ['old', at(-1).getTime()]);
  await gateway.rows(window, ['live', at(1).getTime()]);
  expect(await run()).toMatchObject({ signature_nonces: 1, rate_limits: 1 });
  expect(await gateway.rows('select nonce as name from signature_nonces union select key from rate_limits')).toEqual([
    { name: 'live' },
  ]);
});

test('Interface 16: a device goes 180 days after its last login', async () => {
  const device = `insert into known_devices (id, user_id, secret_sha256, user_agent, created_at, last_used_at)
    values (gen_random_uuid(), gen_random_uuid(), sha256($1), '', $2, $3)`;
  const begun = at(-400 * DAY);
  await gateway.rows(device, ['old', begun, at(-180 * DAY - 1)]);
  await gateway.rows(device, ['used', begun, at(-180 * DAY + 1)]);
  expect(await run()).toMatchObject({ known_devices: 1 });
  expect(await left('known_devices')).toBe(1);
});

test('expired rows of each table are found by an index of their age, or in the order of the key', async () => {
  // Of few rows PostgreSQL would rather read them all.
  const planner = new pg.Client({ connectionString: gateway.database.url, options: '-c enable_seqscan=off' });
  await planner.connect();
  try {
    const statements: Statement[] = [];
    watchStatements(gateway.app.db, (statement) => statements.push(statement));
    await run();
    const batches = statements.filter(({ sql }) => sql.includes('skip locked'));
    expect(batches).toHaveLength(expiring.length);
    for (const { sql, parameters } of batches) {
      const { rows } = await planner.query({ text: `explain ${sql}`, values: parameters });
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toMatch(/Index Cond: \((expires_at|expire|created_at|last_used_at) <|Index Cond: \(jti > /);
      expect(plan).not.toMatch(/Seq Scan on (?!pg_)/);
    }
  } finally {
    await planner.end();
  }
});

test('rows that others hold are stepped around', async () => {
  await records(50, false, at(-2 * DAY));
  const other = new pg.Client({ connectionString: gateway.database.url });
  await other.connect();
  try {
    await other.query('begin');
    await other.query('select 1 from refresh_tokens limit 3 for update');
    expect(await run()).toMatchObject({ refresh_tokens: 47 });
    await other.query('commit');
  } finally {
    await other.end();
  }
  expect(await run()).toMatchObject({ refresh_tokens: 3 });
});

test('two instances that sweep at once share the work', async () => {
  await records(300, false, at(-2 * DAY));
  const [one, two] = [begin(), begin()];
  let swept = 0;
  for (let round = 0; round < 3; round += 1) {
    for (const { refresh_tokens = 0 } of await Promise.all([run(one), run(two)])) swept += refresh_tokens;
  }
  expect([swept, await left('refresh_tokens')]).toEqual([300, 0]);
});

const NONCES = `insert into signature_nonces (key_id, nonce, expires_at)
  select 'ak', gen_random_uuid()::text, $1 from generate_series(1, $2)`;

test('a round deletes a small share of a table, and a larger one of worthless rows', async () => {
  await records(60_000, false, at(-2 * DAY));
  await gateway.rows(NONCES, [at(-1), 6_000]);
  await gateway.rows('analyze refresh_tokens, signature_nonces');
  expect(await run()).toMatchObject({ refresh_tokens: 120, signature_nonces: 1_200 });
});

test('a round reads the next records in the order of the key, old random keys among them, and all in some rounds', async () => {
  await records(2_500, false, at(1_000));
  await records(150, false, at(-2 * DAY));
  const fresh = begin();
  const rounds: unknown[] = [];
  for (let round = 0; round < 4; round += 1) rounds.push((await run(fresh))['refresh_tokens']);
  expect(rounds.every((deleted) => Number(deleted) < 100)).toBe(true);
  expect(await left('refresh_tokens')).toBe(2_500);
  await records(1, false, at(-2 * DAY));
  for (let round = 0; round < 3; round += 1) await run(fresh); // it begins again at the first
  expect(await left('refresh_tokens')).toBe(2_500);
});

test('of a small table a round deletes a hundred rows', async () => {
  await records(101, false, at(-2 * DAY));
  expect(await run()).toMatchObject({ refresh_tokens: 100 });
  expect(await run()).toMatchObject({ refresh_tokens: 1 });
});

test('a sweep can be stopped between batches', async () => {
  await gateway.rows(NONCES, [at(-1), 10_000]);
  await gateway.rows('analyze signature_nonces');
  const nonces = expiring.filter(({ table }) => table === 'signature_nonces');
  let asked = 0;
  const deleted = await sweep(gateway.app.db, nonces, gateway.clock.now(), () => {
    asked += 1;
    return asked <= 2; // before the table, and before its first batch
  });
  expect(deleted).toEqual({ signature_nonces: 1_000 });
  expect(await left('signature_nonces')).toBe(9_000);
});

test("Interface 10: an instance whose clock is ahead deletes only rows that have expired by the database's clock too", async () => {
  await records(1, false, at(-2 * DAY));
  await records(1, false, at(1_000));
  await gateway.rows(NONCES, [at(1_000), 1]);
  await gateway.rows(`insert into rate_limits (key, points, expire) values ('live', 1, $1)`, [at(1_000).getTime()]);
  await gateway.rows(`insert into audit_events (event_type, ip_address, metadata) values ('logout', 'x', '{}')`);
  expect(await sweep(gateway.app.db, expiring, at(400 * DAY))).toEqual({
    refresh_tokens: 1,
    signature_nonces: 0,
    rate_limits: 0,
    audit_events: 0,
    password_links: 0,
    requested_links: 0,
    email_changes: 0,
    email_undos: 0,
    known_devices: 0,
    ceremonies: 0,
    gate_codes: 0,
  });
});

test('Interface 10: a clock that is behind deletes nothing that is not over by it', async () => {
  await records(1, false, at(-2 * DAY));
  expect(await sweep(gateway.app.db, expiring, at(-400 * DAY))).toMatchObject({ refresh_tokens: 0 });
});

test('Interface 10: an instance whose clock is skewed does not sweep, until the clocks agree again', async () => {
  const clock = runningClock();
  const other = await startInstance(gateway.database, { clock, maxSkewSeconds: 60 });
  try {
    await records(3, false, at(-2 * DAY));
    for (const seconds of [61, -61]) {
      clock.advance(seconds);
      await sweepRound(other.app, expiring);
      expect(await left('refresh_tokens')).toBe(3);
      clock.advance(-seconds);
    }
    await sweepRound(other.app, expiring);
    expect(await left('refresh_tokens')).toBe(0);
  } finally {
    await other.close();
  }
});

test('Spec 2.6: a live record is never touched', async () => {
  const { refreshToken } = await logIn(gateway, (await gateway.user()).email);
  await run();
  expect((await recordOf(gateway, claimsOf(refreshToken)['jti'])).revoked).toBe(false);
});
