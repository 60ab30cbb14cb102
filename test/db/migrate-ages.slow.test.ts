/** Databases of every age are upgraded. (Interface 8) */
import { migrations } from '../../migrations/index.js';
import { openDatabase } from '../../src/db/database.js';
import { migrateUp, migrationStatus } from '../../src/db/migrate.js';
import { createDatabase } from '../support/postgres/postgres.js';

const names = migrations.map(({ name }) => name);

const ROWS = `insert into users (email, password_hash, role) values ('old@x.io', 'x', 'admin');
  insert into refresh_tokens (jti, user_id, family_id, user_agent, ip_address, expires_at)
    values (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'old', '127.0.0.1', now());
  insert into audit_events (event_type, ip_address, metadata) values ('logout', 'x', '{"jti": "x"}')`;
const COUNTS = `select (select count(*) from users)::int u, (select count(*) from refresh_tokens)::int r,
  (select count(*) from audit_events)::int a`;

test.each(names.slice(0, -1).map((name, i) => [i + 1, name] as const))(
  'Interface 8: a database of %i migrations is upgraded in place, and keeps its rows (%s)',
  async (applied, name) => {
    const database = await createDatabase('empty');
    const db = await openDatabase(database.url);
    try {
      await (await db.orm()).migrator.up({ to: name });
      expect((await migrationStatus(db)).filter(({ executed_at }) => executed_at !== null)).toHaveLength(applied);
      await db.pool.query(ROWS);
      expect((await migrateUp(db)).applied).toEqual(names.slice(applied));
      expect((await db.pool.query(COUNTS)).rows).toEqual([{ u: 1, r: 1, a: 1 }]);
      expect(await (await db.orm()).schema.getUpdateSchemaSQL({ wrap: false })).toBe('');
    } finally {
      await db.close();
      await database.drop();
    }
  },
);
