/** docs/passwords.md, "Users of another system": each export is run on tables of that system, and its lines are imported. */
import { execFileSync } from 'node:child_process';
import { testWith } from '../support/documents/documents.js';
import { runHere } from '../support/gateway/cli.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { login } from '../support/gateway/routes.js';
import { FOREIGN_HASHES } from '../support/independent/foreign-hashes.js';
import { blocksOf } from './printed.js';

const blocks = blocksOf('docs/passwords.md');
const sqlOf = (system: string): string =>
  blocks.find(({ language, text }) => language === 'sql' && text.startsWith(`-- ${system}.sql`))?.text ?? '';

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startGateway({ passwords: 'argon2' });
});
afterEach(() => gateway.close());

const known = (of: string) => {
  const found = FOREIGN_HASHES.find((one) => one.of.startsWith(of));
  if (found === undefined) throw new Error(`no hash of ${of}`);
  return found;
};

async function importLines(lines: string[]): Promise<void> {
  const config = { ...gateway.config, databaseUrl: gateway.database.url };
  const ran = await runHere(['user', 'import', '-'], () => config, `${lines.join('\n')}\n`);
  expect([ran.code, ran.stderr]).toEqual([0, expect.not.stringContaining('line ')]);
}

/** The lines that psql -At prints. */
async function linesOf(sql: string): Promise<string[]> {
  const rows = await gateway.rows<{ json_build_object: object }>(sql);
  return rows.map(({ json_build_object }) => JSON.stringify(json_build_object));
}

const users = () => gateway.rows('select email, is_active, password_hash is null as without from users order by email');

test('docs/passwords.md: Keycloak', async () => {
  const { hash, password } = known('PBKDF2-SHA256, RFC');
  const [, , , salt = '', value = ''] = hash.split('$');
  const argon = known('argon2i');
  const [, , , , argonSalt, argonValue] = argon.hash.split('$');
  await gateway.rows(`
    create table realm (id text, name text);
    insert into realm values ('r1', 'people'), ('r2', 'master');
    create table user_entity (id text, realm_id text, email text, enabled boolean, created_timestamp bigint);
    create table credential (id text, user_id text, type text, secret_data text, credential_data text)`);
  for (const [id, realm, email, enabled] of [
    ['u1', 'r1', 'pbkdf2@example.com', true],
    ['u2', 'r1', 'argon2@example.com', true],
    ['u3', 'r1', 'none@example.com', false],
    ['u4', 'r2', 'other@example.com', true],
  ]) {
    await gateway.rows('insert into user_entity values ($1, $2, $3, $4, 1580702706123)', [id, realm, email, enabled]);
  }
  const credentials = [
    [
      'u1',
      { value: `${value}=`, salt: `${salt}=`, additionalParameters: {} },
      { hashIterations: 80_000, algorithm: 'pbkdf2-sha256', additionalParameters: {} },
    ],
    [
      'u2',
      { value: `${argonValue}=`, salt: `${argonSalt}=`, additionalParameters: {} },
      {
        hashIterations: 2,
        algorithm: 'argon2',
        additionalParameters: {
          hashLength: ['32'],
          memory: ['65536'],
          type: ['i'],
          version: ['1.3'],
          parallelism: ['1'],
        },
      },
    ],
  ];
  for (const [userId, secret, data] of credentials) {
    await gateway.rows(`insert into credential values ($1, $1, 'password', $2, $3)`, [
      userId,
      JSON.stringify(secret),
      JSON.stringify(data),
    ]);
  }
  await importLines(await linesOf(sqlOf('keycloak').replace('REALM', 'people')));
  expect(await users()).toEqual([
    { email: 'argon2@example.com', is_active: true, without: false },
    { email: 'none@example.com', is_active: false, without: true },
    { email: 'pbkdf2@example.com', is_active: true, without: false },
  ]);
  expect((await login(gateway, 'pbkdf2@example.com', password)).status).toBe(200);
  expect((await login(gateway, 'argon2@example.com', argon.password)).status).toBe(200);
});

test('docs/passwords.md: Supabase', async () => {
  const [bcrypt, firebase] = [known('bcrypt 2a'), known('Firebase')];
  await gateway.rows('create schema auth');
  await gateway.rows(
    'create table auth.users (email text, encrypted_password text, created_at timestamptz default now(), deleted_at timestamptz)',
  );
  for (const row of [
    ['bcrypt@example.com', bcrypt.hash, null],
    ['firebase@example.com', firebase.hash, null],
    ['link@example.com', '', null],
    ['gone@example.com', bcrypt.hash, new Date()],
    [null, '', null],
  ]) {
    await gateway.rows('insert into auth.users (email, encrypted_password, deleted_at) values ($1, $2, $3)', row);
  }
  await importLines(await linesOf(sqlOf('supabase')));
  expect((await users()).map(({ email, without }) => [email, without])).toEqual([
    ['bcrypt@example.com', false],
    ['firebase@example.com', false],
    ['link@example.com', true],
  ]);
  expect((await login(gateway, 'bcrypt@example.com', bcrypt.password)).status).toBe(200);
  expect((await login(gateway, 'firebase@example.com', firebase.password)).status).toBe(200);
});

test('docs/passwords.md: Django', async () => {
  const [django, argon, bcrypt] = [known('Django'), known('argon2i'), known('bcrypt 2b')];
  await gateway.rows(
    'create table auth_user (email text, password text, is_active boolean default true, date_joined timestamptz default now())',
  );
  for (const row of [
    ['pbkdf2@example.com', django.hash],
    ['argon2@example.com', `argon2${argon.hash}`],
    ['bcrypt@example.com', `bcrypt$${bcrypt.hash}`],
    ['unusable@example.com', '!bHVtcA'],
    ['', django.hash],
  ]) {
    await gateway.rows('insert into auth_user (email, password) values ($1, $2)', row);
  }
  await importLines(await linesOf(sqlOf('django')));
  expect(await users()).toHaveLength(4);
  for (const [name, { password }] of Object.entries({ pbkdf2: django, argon2: argon, bcrypt })) {
    expect((await login(gateway, `${name}@example.com`, password)).status).toBe(200);
  }
});

test('docs/passwords.md: keratin’s authn-server', async () => {
  const { hash, password } = known('bcrypt 2a');
  await gateway.rows(
    `create table accounts (id serial, username text, password text, locked boolean default false,
       created_at timestamptz default now(), deleted_at timestamptz)`,
  );
  await gateway.rows('insert into accounts (username, password) values ($1, $2)', ['ada@example.com', hash]);
  await importLines(await linesOf(sqlOf('keratin')));
  expect((await login(gateway, 'ada@example.com', password)).status).toBe(200);
});

testWith(['jq'], 'docs/passwords.md: Firebase', async () => {
  const { hash, password } = known('Firebase');
  const [, , , salt, key = ''] = hash.split('$');
  const signerKey = /sk=([^$]+)/.exec(hash)?.[1];
  const exported = JSON.stringify({
    users: [
      // As the API has it: the alphabet for URLs
      {
        email: 'ada@example.com',
        passwordHash: key.replaceAll('+', '-').replaceAll('/', '_'),
        salt,
        createdAt: '1580702706123',
      },
      { email: 'google@example.com', disabled: true, createdAt: '1580702706123' },
      { phoneNumber: '+4912345', createdAt: '1580702706123' },
    ],
  });
  const command = blocks.find(({ text }) => text.startsWith('jq '))?.text ?? '';
  const lines = execFileSync('bash', ['-c', command.replace('users.json > users.jsonl', '')], {
    env: { PATH: process.env['PATH'], SIGNER_KEY: signerKey, SALT_SEPARATOR: 'Bw==' },
    input: exported,
    encoding: 'utf8',
  });
  await importLines(lines.trimEnd().split('\n'));
  expect(await users()).toEqual([
    { email: 'ada@example.com', is_active: true, without: false },
    { email: 'google@example.com', is_active: false, without: true },
  ]);
  expect((await login(gateway, 'ada@example.com', password)).status).toBe(200);
});
