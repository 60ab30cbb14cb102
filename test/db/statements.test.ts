/**
 * Every statement of src, prepared on the migrated database: its parameters and columns are what it declares.
 * @jest-environment node
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import pg from 'pg';
import type * as Module from '../../src/db/statement.js';
import { createDatabase, type TestDatabase } from '../support/postgres/postgres.js';

type Declared = Module.Statement | Module.Batch;

const actual: typeof Module = await import('../../src/db/statement.js');
const made: Declared[] = [];
jest.unstable_mockModule('../../src/db/statement.js', () => ({
  ...actual,
  statement:
    (...declared: Parameters<typeof actual.statement>) =>
    (...sql: [TemplateStringsArray, ...Array<string | number>]) => {
      const statement = actual.statement(...declared)(...sql);
      made.push(statement);
      return statement;
    },
  batched:
    (...declared: Parameters<typeof actual.batched>) =>
    (...sql: [TemplateStringsArray, ...Array<string | number>]) => {
      const statement = actual.batched(...declared)(...sql);
      if (statement.batch !== undefined) made.push(statement.batch);
      return statement;
    },
}));
const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((name) => join('src', name))
  .filter((path) => path.endsWith('.ts') && /\b(statement|expiring|touching)\(/.test(readFileSync(path, 'utf8')));
for (const path of sources) if (path !== 'src/db/statement.ts') await import(`../../${path}`);
(await import('../../src/start/compose.js')).expiringRows({ auditRetentionDays: 1 });

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await createDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

interface Described {
  parameters: string[];
  columns: Array<{ name: string; type: string; canBeNull: boolean | undefined }>;
}

/** What PostgreSQL says of a statement that it has parsed and not run. */
async function describeStatement({ name, text }: Declared): Promise<Described> {
  const fields = await new Promise<pg.FieldDef[]>((resolve, reject) => {
    let columns: pg.FieldDef[] = [];
    client.query({
      submit: (connection: pg.Connection) => {
        connection.parse({ name, text, types: [] }, true);
        connection.describe({ type: 'S', name }, true);
        connection.sync();
      },
      handleRowDescription: (message: { fields: pg.FieldDef[] }) => {
        columns = message.fields;
      },
      handleError: reject,
      handleReadyForQuery: () => resolve(columns),
    } as pg.Submittable);
  });
  const prepared = await client.query<{ types: string[] }>(
    'select parameter_types::text[] as types from pg_prepared_statements where name = $1',
    [name],
  );
  const columns: Described['columns'] = [];
  for (const field of fields) {
    const { rows } = await client.query<{ type: string; not_null: boolean | null }>(
      `select format_type($1, null) as type,
         (select attnotnull from pg_attribute where attrelid = $2 and attnum = $3) as not_null`,
      [field.dataTypeID, field.tableID, field.columnID],
    );
    const [{ type, not_null } = { type: '', not_null: null }] = rows;
    columns.push({ name: field.name, type, canBeNull: not_null === null ? undefined : !not_null });
  }
  return { parameters: prepared.rows[0]?.types ?? [], columns };
}

/** In PostgreSQL's own words. */
const typeName = (field: Module.Field | string | undefined): string =>
  actual.typeOf(field as Module.Field).replace('timestamptz', 'timestamp with time zone');

test('there are statements, and no two share a name', () => {
  expect(made.length).toBeGreaterThan(30);
  const names = made.map(({ name }) => name);
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});

test.each(made.map((statement) => [statement.name, statement] as const))(
  '%s takes and gives what it declares',
  async (_name, statement) => {
    const { parameters, columns } = await describeStatement(statement);
    expect(parameters).toEqual(statement.order.map((name) => typeName(statement.parameters[name])));
    const types = Object.fromEntries(columns.map(({ name, type }) => [name, type]));
    expect(types).toEqual(
      Object.fromEntries(Object.entries(statement.row).map(([name, field]) => [name, typeName(field)])),
    );
    // As far as PostgreSQL knows: of columns that come straight from a table.
    for (const { name, canBeNull } of columns) {
      const field = statement.row[name];
      const declared = String(typeof field === 'object' ? field.type : field).endsWith('?');
      if (declared && / left join \(/.test(statement.text)) continue; // a row may lack all that is joined
      if (canBeNull !== undefined) expect([name, declared]).toEqual([name, canBeNull]);
    }
  },
);

test('no batch reads a whole table, also if it was planned while the table was empty', async () => {
  const { openDatabase } = await import('../../src/db/database.js');
  const db = await openDatabase(database.url);
  const route = await db.pool.connect();
  try {
    await route.query('set plan_cache_mode = force_generic_plan');
    const batches = made.filter((statement) => 'lanes' in statement);
    expect(batches.length).toBeGreaterThan(2);
    for (const { name, text, order } of batches) {
      await route.query(`prepare ${name} as ${text}`);
      const { rows } = await route.query<{ 'QUERY PLAN': string }>(
        `explain execute ${name}(${order.map(() => 'null')})`,
      );
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toMatch(/Index (Only )?Scan|Conflict Arbiter Indexes/);
      expect(plan).not.toMatch(/Seq Scan/);
    }
  } finally {
    route.release();
    await db.close();
  }
});

test('text and values: each name has one number, a cast is not a name, and JSON is sent as text', () => {
  const example = actual.statement('example', { id: 'uuid?', rows: 'jsonb' }, {})`
  select :rows, :id::text where :id is null`;
  expect(example.text).toBe('select $1::jsonb, $2::uuid::text where $2::uuid is null');
  expect(actual.valuesOf(example, { id: null, rows: [1] })).toEqual(['[1]', null]);
});

test('rows are read alike on the connections of the routes, on those of administration, and in transactions', async () => {
  const row = {
    boolean: 'boolean',
    integer: 'integer',
    jsonb: 'jsonb',
    text: 'text',
    list: 'text[]',
    time: 'timestamptz',
    uuid: 'uuid',
    none: 'text?',
  } as const;
  const everyType = actual.statement('every_type', { rows: 'jsonb', list: 'text[]', time: 'timestamptz' }, row)`
  select true as boolean, 7::integer as integer, :rows as jsonb, 'x' as text, :list as list, :time as time,
      '00000000-0000-4000-8000-000000000000'::uuid as uuid, null::text as none`;
  const values = { rows: [{ a: [1, null] }], list: ['a,b', '"c"'], time: new Date('2026-11-21T12:00:00.123Z') };
  const expected = [
    {
      boolean: true,
      integer: 7,
      jsonb: values.rows,
      text: 'x',
      list: values.list,
      time: values.time,
      uuid: '00000000-0000-4000-8000-000000000000',
      none: null,
    },
  ];
  const { openDatabase } = await import('../../src/db/database.js');
  const db = await openDatabase(database.url);
  try {
    expect(await db.run(everyType, values)).toEqual(expected);
    expect(await db.admin.run(everyType, values)).toEqual(expected);
    expect(await db.transaction((tx) => tx.run(everyType, values))).toEqual(expected);
    expect(await db.change(({ db: tx }) => tx.run(everyType, values))).toEqual(expected);
  } finally {
    await db.close();
  }
});

test('a parameter that is missing in the declaration or in the text is refused at once', () => {
  const declare = (parameters: Module.Fields, sql: string) => () => actual.statement('example', parameters, {})`${sql}`;
  expect(declare({}, 'select :id')).toThrow(TypeError);
  expect(declare({ id: 'uuid', more: 'text' }, 'select :id')).toThrow(TypeError);
});
