/** The command `user import`: users of another system, all of them or none. (Interface 15) */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runHere } from '../support/gateway/cli.js';
import { PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { login } from '../support/gateway/routes.js';
import { auditDuring, wholeState } from '../support/gateway/rows.js';
import { FOREIGN_HASHES } from '../support/independent/foreign-hashes.js';

let gateway: TestGateway;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'user-import-'));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  gateway = await startGateway({ passwords: 'argon2' });
});
afterEach(() => gateway.close());

const jsonLines = (rows: unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/** On a terminal, whose progress is in `stderr`. */
async function importText(text: string, ...options: string[]) {
  const file = join(folder, 'users.jsonl');
  await writeFile(file, text);
  return runHere(['user', 'import', file, '--json', ...options], () => ({
    ...gateway.config,
    databaseUrl: gateway.database.url,
  }));
}

test('Interface 15: a user with each kind of hash is imported as it is', async () => {
  const rows = FOREIGN_HASHES.map(({ hash }, i) => ({ email: ` Person${i}@Example.com`, password_hash: hash }));
  const [ran, events] = await auditDuring(gateway, () => importText(jsonLines(rows)));
  expect(ran).toMatchObject({ code: 0 });
  const count = FOREIGN_HASHES.length;
  expect(JSON.parse(ran.stdout)).toEqual({ imported: count, with_password: count, without_password: 0 });
  expect(events).toHaveLength(count);
  expect(events[0]).toMatchObject({
    event_type: 'user_created',
    ip_address: 'cli',
    metadata: { actor: { caller_type: 'cli' }, email: expect.stringMatching(/^person/), role: 'viewer' },
  });
  const users = await gateway.rows('select email, password_hash from users');
  const expected = FOREIGN_HASHES.map(({ hash }, i) => ({ email: `person${i}@example.com`, password_hash: hash }));
  expect(users).toHaveLength(count);
  expect(users).toEqual(expect.arrayContaining(expected)); // which 15-foreign-hashes.test logs in with
});

test('Interface 15: all fields are taken over, and missing ones have their defaults', async () => {
  const created = '2020-02-03T04:05:06.000Z';
  const text = `\uFEFF${jsonLines([
    { email: 'all@example.com', role: 'admin', password_hash: null, is_active: false, created_at: created },
  ])}\r\n\n${jsonLines([{ email: 'none@example.com' }])}`;
  expect(JSON.parse((await importText(text)).stdout)).toEqual({ imported: 2, with_password: 0, without_password: 2 });
  const users = await gateway.rows(
    'select email, role, is_active, created_at, password_hash, password_chosen_by_user from users order by email',
  );
  const without = { password_hash: null, password_chosen_by_user: false };
  expect(users).toEqual([
    { email: 'all@example.com', role: 'admin', is_active: false, created_at: new Date(created), ...without },
    { email: 'none@example.com', role: 'viewer', is_active: true, created_at: expect.any(Date), ...without },
  ]);
});

test('Interface 15: every faulty line is reported with its number, and nothing is imported', async () => {
  await gateway.user({ email: 'taken@example.com' });
  const before = await wholeState(gateway);
  const hash = '5f4dcc3b5aa765d61d8327deb882cf99';
  const ran = await importText(
    `{"email":"fine@example.com"}\nnot json\n[]\n${jsonLines([
      { email: 'no address' },
      { email: 'a@example.com', role: 'owner' },
      { email: 'b@example.com', password_hash: hash },
      { email: 'c@example.com', created_at: 'yesterday', is_active: 'yes' },
      { email: 'd@example.com', passwordHash: 'x' },
      { email: 'Fine@example.com' },
      { email: 'taken@example.com' },
      {},
      { email: 'e@example.com', password_hash: `$argon2id$v=19$m=8,t=1,p=16$c29tZXNhbHRzb21l$${'A'.repeat(43)}` },
      { email: 'f@example.com', password_hash: `$2y$12$${'a'.repeat(53)}` },
      { email: 'g@example.com', created_at: '0000-01-31T09:00:00Z' },
      { email: 'h@example.com', created_at: '9999-12-31T23:59:59-00:01' },
    ])}`,
  );
  expect([ran.code, ran.stdout]).toEqual([1, '']);
  expect(ran.stderr.split('\n').filter((line) => !line.startsWith('database:'))).toEqual([
    'line 2: the line must be a JSON object',
    'line 3: the line must be a JSON object',
    'line 4: email must be an e-mail address',
    'line 5: role must be one of viewer, analyst, admin',
    'line 6: password_hash is MD5, which protects no password; import the user without it, and send a link',
    'line 7: is_active must be true or false',
    'line 7: created_at must be a time such as 2026-01-31T09:00:00Z',
    'line 8: the line has unknown members: passwordHash',
    'line 9: email is that of line 1',
    'line 10: email is that of an existing user',
    'line 11: email must be a string',
    'line 12: password_hash (argon2) has parameters or lengths that cannot be checked; import the user without it, and send a link',
    'line 13: password_hash (bcrypt) costs 10.0 times a hash of this gateway, and 5 times is the most; import the user without it, and send a link',
    'line 14: created_at must be a time such as 2026-01-31T09:00:00Z',
    'line 15: created_at must be a time such as 2026-01-31T09:00:00Z',
    expect.stringMatching(/15 faults; nothing was imported$/),
    '',
  ]);
  expect(ran.stderr).not.toContain(hash);
  expect(await wholeState(gateway)).toEqual(before);
});

test('Interface 15: --dry-run finds the same faults and imports nothing', async () => {
  const { email } = await gateway.user();
  const before = await wholeState(gateway);
  const fine = await importText(jsonLines([{ email: 'new@example.com' }]), '--dry-run');
  expect([fine.code, JSON.parse(fine.stdout)]).toEqual([0, { imported: 0, with_password: 0, without_password: 1 }]);
  expect((await importText(jsonLines([{ email }]), '--dry-run')).stderr).toContain(
    'line 1: email is that of an existing',
  );
  expect(await wholeState(gateway)).toEqual(before);
});

test('Interface 15: 5,000 users are imported at once, from standard input too', async () => {
  const kinds = FOREIGN_HASHES.length;
  const rows = Array.from({ length: 5_000 }, (_, i) => ({
    email: `user-${i}@example.com`,
    password_hash: FOREIGN_HASHES[i % kinds]?.hash,
  }));
  const ran = await runHere(
    ['user', 'import', '-', '--json'],
    () => ({ ...gateway.config, databaseUrl: gateway.database.url }),
    jsonLines(rows),
  );
  expect(JSON.parse(ran.stdout).imported).toBe(5_000);
  const [found] = await gateway.rows(
    `select count(*)::int as users, (select count(*)::int from audit_events where event_type = 'user_created') as events
     from users where password_chosen_by_user`,
  );
  expect(found).toEqual({ users: 5_000, events: 5_000 });
  for (const i of [0, 4_989, 4_995]) {
    const { password = PASSWORD } = FOREIGN_HASHES[i % kinds] ?? {};
    expect((await login(gateway, `user-${i}@example.com`, password)).status).toBe(200);
  }
});

test('Interface 15: a fault of the database in the middle imports nothing', async () => {
  await gateway.rows(`alter table users add constraint no_such_user check (email <> 'user-1500@example.com')`);
  const before = await wholeState(gateway);
  const rows = Array.from({ length: 2_000 }, (_, i) => ({ email: `user-${i}@example.com` }));
  expect((await importText(jsonLines(rows))).code).toBe(1);
  expect(await wholeState(gateway)).toEqual(before);
});

test('Interface 15: a file that is not there is a refusal in one line', async () => {
  const ran = await runHere(['user', 'import', join(folder, 'missing.jsonl')], () => ({
    ...gateway.config,
    databaseUrl: gateway.database.url,
  }));
  expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('cannot open')]);
});
