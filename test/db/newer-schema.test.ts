/** An older version on a database that a newer one has migrated goes on, unless that breaks it. (Interface 9) */
import { openDatabase } from '../../src/db/database.js';
import { type MigrationStatus, type SchemaState, schemaState } from '../../src/db/migrate.js';
import { type Cli, cliOnDatabase, messagesOf } from '../support/gateway/cli.js';
import { startGateway, startInstance } from '../support/gateway/gateway.js';
import { captureLog } from '../support/gateway/log.js';
import { startProcess } from '../support/gateway/server-process.js';
import { createDatabase } from '../support/postgres/postgres.js';

const HARMLESS = 'Migration20991231000001_more_columns';
const BREAKING = 'Migration20991231000002_other_columns_breaking';
const REFUSAL = `the database was migrated by a newer version, which this one cannot use (${BREAKING})\n`;

/** As a newer version would. */
const APPLY = 'insert into mikro_orm_migrations (name, executed_at) values ($1, now())';

test('Interface 9: an older version starts on a newer schema that does not break it, and says so', async () => {
  const gateway = await startGateway();
  try {
    await gateway.rows(APPLY, [HARMLESS]);
    const captured = captureLog();
    const older = await startInstance(gateway.database, { log: captured.log });
    expect((await older.send('GET', '/health/ready')).status).toBe(200);
    await older.close();
    expect(captured.lines()).toContainEqual(expect.objectContaining({ level: 'warn', newer: [HARMLESS] }));
    expect(await schemaState(gateway.app.db)).toBe('ok');
  } finally {
    await gateway.close();
  }
});

test('Interface 9: on one that breaks it an older version does not start, in one line and with exit code 1', async () => {
  const gateway = await startGateway();
  try {
    await gateway.rows(APPLY, [HARMLESS]);
    await gateway.rows(APPLY, [BREAKING]);
    await using older = await startProcess(gateway);
    expect(await older.exited).toEqual([1, null]);
    expect(older.errors()).toBe(REFUSAL);
    const ready = await gateway.send('GET', '/health/ready'); // an instance that was running reports it
    expect([ready.status, ready.json]).toMatchObject([503, { checks: { database: 'ahead' } }]);
  } finally {
    await gateway.close();
  }
});

describe('Interface 9: the command line of an older version', () => {
  let cli: Cli;
  beforeEach(async () => {
    cli = await cliOnDatabase();
  });
  afterEach(() => cli.database.drop());

  async function apply(...applied: string[]): Promise<void> {
    const db = await openDatabase(cli.database.url);
    for (const name of applied) await db.pool.query(APPLY, [name]);
    await db.close();
  }
  const newer = async (): Promise<MigrationStatus[]> =>
    (await cli.json<MigrationStatus[]>(['migrate', 'status'])).filter(({ known }) => !known);

  test('continues, applies nothing, and names the newer migrations', async () => {
    await apply(HARMLESS);
    expect(await cli.json(['user', 'list'])).toEqual([]);
    const up = await cli.run(['migrate', 'up', '--json']);
    expect([up.code, JSON.parse(up.stdout)]).toEqual([0, { applied: [] }]);
    expect(messagesOf(up)).toBe(
      `the database was migrated by a newer version and is compatible with this one: ${HARMLESS}\n`,
    );
    expect(await newer()).toMatchObject([{ name: HARMLESS, breaks_older: false, executed_at: expect.any(String) }]);
  });

  test('refuses every command except the list of migrations if a newer migration breaks this version', async () => {
    await apply(BREAKING, HARMLESS);
    for (const words of ['migrate up', 'user list', 'user create a@x.io --role viewer', 'api-key list']) {
      const ran = await cli.run(words.split(' '));
      expect([words, ran.code, ran.stdout, messagesOf(ran)]).toEqual([words, 1, '', REFUSAL]);
    }
    expect(await newer()).toMatchObject([
      { name: HARMLESS, breaks_older: false },
      { name: BREAKING, breaks_older: true },
    ]);
  });
});

test.each<[what: string, sql: string, state: SchemaState]>([
  ['nothing', 'select', 'ok'],
  [
    'the newest migration away',
    `delete from mikro_orm_migrations where id = (select max(id) from mikro_orm_migrations)`,
    'behind',
  ],
  ['every migration away', 'delete from mikro_orm_migrations', 'behind'],
  ['the list of them away', 'drop table mikro_orm_migrations', 'behind'],
  ['a newer one', `insert into mikro_orm_migrations (name) values ('${HARMLESS}')`, 'ok'],
  ['a newer one that breaks', `insert into mikro_orm_migrations (name) values ('${BREAKING}')`, 'ahead'],
  ['its name alone being near', `insert into mikro_orm_migrations (name) values ('Migration1_unbreaking')`, 'ok'],
  ['all of it renamed', `update mikro_orm_migrations set name = '${BREAKING}'`, 'ahead'],
])('Interface 10: the state of the schema with %s', async (_what, sql, state) => {
  const database = await createDatabase();
  const db = await openDatabase(database.url);
  try {
    await db.pool.query(sql);
    expect(await schemaState(db)).toBe(state);
  } finally {
    await db.close();
    await database.drop();
  }
});
