/** A database as large as an installation gets, and the values of it that arguments are drawn from. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../../dist/src/db/database.js';
import { ownDataDir } from '../../../dist/src/db/embedded/owner.js';
import { startEmbeddedPostgres } from '../../../dist/src/db/embedded/server.js';
import { migrateUp } from '../../../dist/src/db/migrate.js';

export const DAYS = 90;
const FULL = { events: 2_000_000, users: 10_000, rotations: 5_000, keys: 200 };
const SMALL = { events: 20_000, users: 1_000, rotations: 5_000, keys: 200 };

/** UUID number `number` of a kind; `kind` is one hexadecimal digit. */
const uuid = (kind, number) => `('${kind}0000000-0000-7000-9000-' || lpad((${number})::text, 12, '0'))::uuid`;
const idOf = (kind, number) => `${kind}0000000-0000-7000-9000-${String(number).padStart(12, '0')}`;

const START = `(date_trunc('hour', now()) - interval '${DAYS} days')`;
const AGENT = `case when i % 3 = 0 then rpad('Mozilla/5.0 (X11; Linux x86_64) ', 512, 'Gecko/20100101 "Firefox" \\ ')
  else 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0' end`;
const EMAIL = (i) =>
  `'user' || lpad((${i})::text, 6, '0') || case when (${i}) % 5 = 0 then repeat('x', 220) else '' end || '@example.com'`;
const SCOPES = `(select array_agg('resource' || s || '.of-a-service-with-a-long-name:read') from generate_series(1, 50) as s)`;
const ACTOR = `jsonb_build_object('caller_type', 'user', 'sub', ${uuid(1, 1)})`;

/** User 1 is the administrator, user 2 the viewer; each has one session of many rotations, and 200 ended ones. */
const statements = ({ events, users, rotations, keys }) => [
  `insert into users (id, email, password_hash, role, last_login_at, locked_until)
   select ${uuid(1, 'i')}, ${EMAIL('i')}, '-', case when i = 1 then 'admin' when i % 10 = 0 then 'analyst' else 'viewer' end,
     now(), case when i % 7 = 0 then now() + interval '1 day' end
   from generate_series(1, ${users}) as i`,
  ...[1, 2].map(
    (user) => `
   insert into refresh_tokens (jti, user_id, family_id, revoked, revoked_reason, revoked_at, user_agent, ip_address,
     expires_at, created_at, session_started_at)
   select ${uuid(2, `${user} * 1000000 + i`)}, ${uuid(1, user)}, ${uuid(3, user)}, i < ${rotations},
     case when i < ${rotations} then 'rotated' end, case when i < ${rotations} then now() end, ${AGENT}, '203.0.113.' || i % 250,
     now() + interval '14 days', ${START} + i * interval '15 min', ${START} + interval '15 min'
   from generate_series(1, ${rotations}) as i`,
  ),
  `insert into refresh_tokens (jti, user_id, family_id, user_agent, ip_address, expires_at, created_at, session_started_at)
   select ${uuid(4, 'u * 1000 + i')}, ${uuid(1, 'u')}, ${uuid(4, 'u * 1000 + i')}, ${AGENT}, '198.51.100.' || i,
     now() + interval '14 days', ${START} + i * interval '1 hour', ${START} + i * interval '1 hour'
   from generate_series(1, ${users}) as u, generate_series(1, 200) as i where u <= 300 or i = 1`,
  `insert into audit_events (id, event_type, entity_type, user_id, ip_address, user_agent, metadata, created_at)
   select gen_random_uuid(), type, case when type like '%key%' then 'api_key' else 'user' end,
     case when type <> 'login_failure' then ${uuid(1, `1 + i % ${users}`)} end, '203.0.113.' || i % 250,
     case when type = 'logout' then null else ${AGENT} end,
     case type when 'login_success' then jsonb_build_object('role', 'viewer')
       when 'login_failure' then jsonb_build_object('reason', 'invalid_credentials', 'email', ${EMAIL(`1 + i % ${users}`)})
       when 'logout' then jsonb_build_object('jti', ${uuid(2, '1000000 + i % 5000')})
       when 'session_revoked' then jsonb_build_object('actor', ${ACTOR}, 'family_id', ${uuid(3, 1)})
       when 'token_theft' then jsonb_build_object('reused_jti', ${uuid(2, 'i')}, 'family_id', ${uuid(3, 1)})
       else jsonb_build_object('actor', ${ACTOR}, 'key_id', 'ak_' || i, 'service_name', repeat('s', 100), 'rate_limit', 60,
         'scopes', ${SCOPES}) end,
     ${START} + i * (interval '${DAYS} days' / ${events})
   from generate_series(1, ${events}) as i, lateral (select (array['login_success', 'login_success', 'login_failure',
     'logout', case i % 100 when 4 then 'api_key_created' when 14 then 'session_revoked' when 24 then 'token_theft'
       else 'login_success' end])[1 + i % 5] as type) as types`,
  `insert into api_keys (key_id, service_name, scopes, rate_limit, sealed_secret, last_used_at)
   select 'ak_' || lpad(i::text, 22, '0'), repeat('s', 100), ${SCOPES}, 60, '-', now() from generate_series(1, ${keys}) as i`,
  `insert into cron_keys (key_id, service_name, scopes, secret_sha256, last_used_at)
   select 'ck_' || lpad(i::text, 22, '0'), repeat('s', 100), ${SCOPES}, '-', now() from generate_series(1, ${keys}) as i`,
];

/** Starts PostgreSQL in the folder, and fills it unless that was done before. */
export async function openData(folder, isSmall) {
  const owned = await ownDataDir(folder, 'gateway');
  if ('heldBy' in owned) throw new Error(`${folder} is in use`);
  const postgres = await startEmbeddedPostgres(owned, { durable: false });
  const db = await openDatabase(postgres.url, false);
  await migrateUp(db);
  const { rows } = await db.pool.query('select 1 from users limit 1');
  if (rows.length === 0) {
    for (const statement of statements(isSmall ? SMALL : FULL)) await db.pool.query(statement);
    await db.pool.query('vacuum analyze');
  }
  await db.close();
  const stop = async () => {
    await postgres.stop();
    owned.release();
  };
  const pidFile = readdirSync(folder, { recursive: true }).find((name) => name.endsWith('postmaster.pid'));
  const [pid] = readFileSync(join(folder, pidFile), 'utf8').split('\n');
  return { url: postgres.url, pid, stop, keyringFile: join(folder, 'keyring.json') };
}

export const CALLERS = {
  admin: { sub: idOf(1, 1), sid: idOf(3, 1), role: 'admin' },
  viewer: { sub: idOf(1, 2), sid: idOf(3, 2), role: 'viewer' },
};

const key = (prefix, number) => prefix + String(number).padStart(22, '0');

/** Ids that exist, by a word of the field, argument or type that asks for one. */
export const IDS = {
  session: [idOf(3, 1), idOf(3, 2), idOf(4, 1001)],
  user: [idOf(1, 1), idOf(1, 2), idOf(1, 3)],
  api: [key('ak_', 1), key('ak_', 2)],
  cron: [key('ck_', 1), key('ck_', 2)],
};

/** Texts that find something somewhere, or look hard for nothing. */
export const TEXTS = ['x', 'zzzz', 'user00999', 'user000001@example.com', '203.0.113.7', 'PT1H', 'é'];

export const TIME_ZONES = ['UTC', 'Europe/Paris', 'America/St_Johns'];
