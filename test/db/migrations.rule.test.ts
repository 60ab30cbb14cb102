/** The files of migrations: their names, their list, and what they may do to the previous version. (Interface 8 and 9) */
import { readdirSync } from 'node:fs';
import { migrations } from '../../migrations/index.js';

const names = migrations.map(({ name }) => name);

/** What fails the statements of the version before, or writes of it. */
const BREAKS = [
  /\bdrop (table|column)\b/,
  /\brename\b/,
  /\balter column \S+ (set data )?type\b/,
  /\bset not null\b/,
  /\badd (constraint|check|unique)\b/,
  /\badd (?=[^,]*\bnot null\b)(?![^,]*\bdefault\b)/,
];

test('every file of migrations/ has its line in migrations/index.ts, oldest first', () => {
  const files = readdirSync('migrations').filter((file) => file !== 'index.ts');
  expect(names).toEqual(files.map((file) => file.replace(/\.ts$/, '')).sort());
});

test('each migration has a name that sorts, is stored whole, and may say that it breaks the version before', () => {
  for (const name of names) expect(name).toMatch(/^Migration\d{14}(_[a-z0-9]+)+$/);
  expect(names.filter((name) => name.length > 255)).toEqual([]); // of the column
  const breaking = names.filter((name) => /breaking/i.test(name));
  expect(breaking.filter((name) => !name.endsWith('_breaking'))).toEqual([]);
});

test.each(migrations)('$name exports a class of its name, which can be taken back by its down()', async (migration) => {
  const file = await migration.load();
  expect(Object.keys(file)).toEqual([migration.name]);
  expect(Object.keys(Object.getOwnPropertyDescriptors(file[migration.name]?.prototype))).toContain('down');
});

test.each(migrations.filter(({ name }) => !name.endsWith('_breaking')))(
  '$name lets the version before go on; what breaks it has a name that ends in _breaking (Migrations in CONTRIBUTING.md)',
  async ({ name, load }) => {
    const up = String((await load())[name]?.prototype.up).toLowerCase();
    expect(BREAKS.filter((pattern) => pattern.test(up)).map(String)).toEqual([]);
  },
);
