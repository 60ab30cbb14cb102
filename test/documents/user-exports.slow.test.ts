/**
 * docs/import-users.md: each export is run on tables of that system with users of every state, and its
 * lines are imported. Who could not log in there cannot log in here.
 */
import { execFileSync } from 'node:child_process';
import { scryptSync } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runHere } from '../support/gateway/cli.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { login } from '../support/gateway/routes.js';
import { FOREIGN_HASHES } from '../support/independent/foreign-hashes.js';
import { testWith } from '../support/programs/with-programs.js';
import { testedBlock } from './printed.js';

const EXPORTS = resolve('examples/import-users');
const COMMANDS = testedBlock('docs/import-users.md', 'exports').split('\n');
const sqlOf = (system: string): string => readFileSync(join(EXPORTS, `${system}.sql`), 'utf8');

let gateway: TestGateway;
let folder: string;
beforeEach(async () => {
  gateway = await startGateway({ passwords: 'argon2' });
  folder = await mkdtemp(join(tmpdir(), 'user-exports-'));
});
afterEach(async () => {
  await gateway.close();
  await rm(folder, { recursive: true });
});

const known = (of: string) => {
  const found = FOREIGN_HASHES.find((one) => one.of.startsWith(of));
  if (found === undefined) throw new Error(`no hash of ${of}`);
  return found;
};
const { hash: BCRYPT, password: PASSWORD } = known('bcrypt 2a');

/** The user after the import; undefined: left out */
type Fate = 'logs in' | 'without password' | 'inactive' | undefined;

/** Every combination of the values of each name. */
function everyState<Values extends Record<string, readonly unknown[]>>(
  values: Values,
): Array<{ [Name in keyof Values]: Values[Name][number] } & { email: string }> {
  const states = Object.entries(values).reduce<object[]>(
    (sofar, [name, each]) => sofar.flatMap((state) => each.map((value) => ({ ...state, [name]: value }))),
    [{}],
  );
  return states.map((state, i) => ({ ...state, email: `state${i}@example.com` })) as never;
}

async function insert(table: string, row: Record<string, unknown>): Promise<void> {
  const columns = Object.keys(row).map((name) => `"${name}"`);
  const values = columns.map((_, i) => `$${i + 1}`);
  await gateway.rows(`insert into ${table} (${columns}) values (${values})`, Object.values(row));
}

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

/** The lines that the command with this program prints, which reads these files. */
async function linesOfJq(program: string, files: Record<string, string>, env: object = {}): Promise<string[]> {
  const command = COMMANDS.find((one) => one.includes(program))?.replace(program, join(EXPORTS, program)) ?? '';
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const options = { cwd: folder, env: { PATH: process.env['PATH'], ...env }, encoding: 'utf8' } as const;
  return execFileSync('bash', ['-c', command.replace(' > users.jsonl', '')], options)
    .trimEnd()
    .split('\n');
}

/** @param fates by e-mail, of everybody who was there */
async function expectFates(fates: Array<[email: string, fate: Fate]>, passwordOf = (_email: string) => PASSWORD) {
  const users = await gateway.rows<{ email: string; is_active: boolean; has: boolean }>(
    'select email, is_active, password_hash is not null as has from users',
  );
  const found = new Map(
    users.map(({ email, is_active, has }) => [email, is_active ? (has ? 'logs in' : 'without password') : 'inactive']),
  );
  expect(fates.map(([email]) => [email, found.get(email)])).toEqual(fates);
  expect(found.size).toBe(fates.filter(([, fate]) => fate !== undefined).length);
  const oneOfEach = new Map(fates.map(([email, fate]) => [fate, email]));
  expect(oneOfEach.size).toBeGreaterThan(1);
  for (const [fate, email] of oneOfEach) {
    const { status } = await login(gateway, email, passwordOf(email));
    expect([fate, status]).toEqual([fate, fate === 'logs in' ? 200 : 401]);
  }
}

const JUST_MADE = new Date('2020-02-03T04:05:06Z');
const PAST = '2020-01-01T00:00:00Z';
const FUTURE = '2999-01-01T00:00:00Z';

test('docs/import-users.md has the command of each file', () => {
  const files = COMMANDS.map((command) => / -f (\S+) /.exec(command)?.[1]);
  expect(files.toSorted()).toEqual(readdirSync(EXPORTS).toSorted());
});

test('docs/import-users.md: Keycloak', async () => {
  const { hash, password } = known('PBKDF2-SHA256, RFC');
  const [, , , salt = '', value = ''] = hash.split('$');
  const argon = known('argon2i');
  const [, , , , argonSalt, argonValue] = argon.hash.split('$');
  const pbkdf2 = {
    secret: { value: `${value}=`, salt: `${salt}=`, additionalParameters: {} },
    data: { hashIterations: 80_000, algorithm: 'pbkdf2-sha256', additionalParameters: {} },
  };
  const additionalParameters = { memory: ['65536'], type: ['i'], version: ['1.3'], parallelism: ['1'] };
  const argon2 = {
    secret: { value: `${argonValue}=`, salt: `${argonSalt}=`, additionalParameters: {} },
    data: { hashIterations: 2, algorithm: 'argon2', additionalParameters },
  };
  await gateway.rows(`
    create table realm (id text, name text, enabled boolean default true, verify_email boolean);
    insert into realm values ('r1', 'people', true, false), ('r2', 'strict', true, true), ('r3', 'master', true, false);
    create table user_entity (id text, realm_id text, email text, enabled boolean, created_timestamp bigint,
      email_verified boolean, federation_link text, service_account_client_link text);
    create table credential (id text, user_id text, type text, secret_data text, credential_data text);
    create table user_required_action (user_id text, required_action text)`);
  const states = everyState({
    realm: ['r1', 'r2', 'r3'],
    enabled: [true, false],
    email_verified: [true, false],
    action: [undefined, 'VERIFY_EMAIL', 'UPDATE_PASSWORD'],
    of: ['realm', 'directory', 'service'],
    credential: [pbkdf2, argon2, undefined],
  });
  for (const { realm, email, enabled, email_verified, action, of, credential } of states) {
    await insert('user_entity', {
      ...{ id: email, realm_id: realm, email, enabled, created_timestamp: 1_580_702_706_123, email_verified },
      federation_link: of === 'directory' ? 'ldap' : null,
      service_account_client_link: of === 'service' ? 'client' : null,
    });
    const ofUser = { user_id: email };
    if (action) await insert('user_required_action', { ...ofUser, required_action: action });
    if (credential) {
      const [secret_data, credential_data] = [credential.secret, credential.data].map((data) => JSON.stringify(data));
      await insert('credential', { ...ofUser, id: email, type: 'password', secret_data, credential_data });
    }
  }
  await insert('user_entity', { id: 'nobody', realm_id: 'r1', enabled: true, email_verified: true });
  for (const realm of ['people', 'strict'])
    await importLines(await linesOf(sqlOf('keycloak').replace(":'realm'", `'${realm}'`)));
  const fates = states.map(({ realm, email, enabled, email_verified, action, of, credential }): [string, Fate] => {
    const mustConfirm = !email_verified && (realm === 'r2' || action === 'VERIFY_EMAIL');
    if (realm === 'r3' || of !== 'realm' || mustConfirm) return [email, undefined];
    if (!enabled) return [email, 'inactive'];
    return [email, credential && action !== 'UPDATE_PASSWORD' ? 'logs in' : 'without password'];
  });
  const passwords = new Map(
    states.map(({ email, credential }) => [email, credential === argon2 ? argon.password : password]),
  );
  await expectFates(fates, (email) => passwords.get(email) ?? '');
});

test('docs/import-users.md: Supabase', async () => {
  const firebase = known('Firebase');
  await gateway.rows(`create schema auth; create table auth.users (email text, encrypted_password text, created_at timestamptz,
    email_confirmed_at timestamptz, banned_until timestamptz, deleted_at timestamptz, is_sso_user boolean not null,
    is_anonymous boolean not null)`);
  const states = everyState({
    banned_until: [null, PAST, FUTURE, 'infinity'],
    email_confirmed_at: [PAST, null],
    deleted_at: [null, PAST],
    is_sso_user: [false, true],
    is_anonymous: [false, true],
    encrypted_password: [BCRYPT, firebase.hash, '', null],
  });
  for (const state of states) await insert('auth.users', { ...state, created_at: JUST_MADE });
  const none = { email_confirmed_at: PAST, is_sso_user: false, is_anonymous: false };
  for (const email of [null, '']) await insert('auth.users', { ...none, email, encrypted_password: BCRYPT });
  await importLines(await linesOf(sqlOf('supabase')));
  const fates = states.map((state): [string, Fate] => {
    const isPerson = state.email_confirmed_at && !state.deleted_at && !state.is_sso_user && !state.is_anonymous;
    if (!isPerson) return [state.email, undefined];
    if (state.banned_until !== null && state.banned_until !== PAST) return [state.email, 'inactive'];
    return [state.email, state.encrypted_password ? 'logs in' : 'without password'];
  });
  const hashes = new Map(states.map(({ email, encrypted_password }) => [email, encrypted_password]));
  await expectFates(fates, (email) => (hashes.get(email) === firebase.hash ? firebase.password : PASSWORD));
});

test.each(['', 'with django-allauth'])('docs/import-users.md: Django %s', async (allauth) => {
  const [django, argon] = [known('Django'), known('argon2i')];
  await gateway.rows(`create table auth_user (id text, email text, password text, is_active boolean, date_joined timestamptz);
    create table account_emailaddress (user_id text, email text, verified boolean)`);
  const forms = [django.hash, `argon2${argon.hash}`, `bcrypt$${BCRYPT}`, '!bHVtcA', ''];
  const states = everyState({ is_active: [true, false], password: forms, verified: [true, false, null] });
  for (const { email, is_active, password, verified } of states) {
    await insert('auth_user', { id: email, email, password, is_active, date_joined: JUST_MADE });
    const address = verified === null ? `other-${email}` : email.toUpperCase();
    await insert('account_emailaddress', { user_id: email, email: address, verified: verified ?? true });
  }
  await insert('auth_user', { id: 'nobody', email: '', password: django.hash, is_active: true });
  const sql = sqlOf('django');
  await importLines(await linesOf(allauth ? sql.replace('-- and exists', 'and exists') : sql));
  const fates = states.map(({ email, is_active, password, verified }): [string, Fate] => {
    if (allauth && !verified) return [email, undefined];
    if (!is_active) return [email, 'inactive'];
    return [email, password === '' || password.startsWith('!') ? 'without password' : 'logs in'];
  });
  const passwords = new Map(
    states.map(({ email, password }) => [
      email,
      [django.password, argon.password][forms.indexOf(password)] ?? PASSWORD,
    ]),
  );
  await expectFates(fates, (email) => passwords.get(email) ?? '');
});

test('docs/import-users.md: keratin’s authn-server', async () => {
  await gateway.rows(`create table accounts (username text, password text, locked boolean, require_new_password boolean,
    created_at timestamptz, deleted_at timestamptz)`);
  const states = everyState({
    password: [BCRYPT, ''],
    locked: [false, true],
    require_new_password: [false, true],
    deleted_at: [null, PAST],
  });
  for (const { email, ...state } of states) {
    await insert('accounts', { ...state, username: email, created_at: JUST_MADE });
  }
  await importLines(await linesOf(sqlOf('keratin')));
  const fates = states.map((state): [string, Fate] => {
    if (state.deleted_at) return [state.email, undefined];
    if (state.locked) return [state.email, 'inactive'];
    return [state.email, state.password && !state.require_new_password ? 'logs in' : 'without password'];
  });
  await expectFates(fates);
});

testWith(['jq'], 'docs/import-users.md: Firebase', async () => {
  const { hash, password } = known('Firebase');
  const [, , , salt, key = ''] = hash.split('$');
  // As the API has it: the alphabet for URLs
  const passwordHash = key.replaceAll('+', '-').replaceAll('/', '_');
  const states = everyState({
    passwordHash: [passwordHash, '', undefined],
    disabled: [false, true, undefined],
    emailVerified: [true, false],
  });
  const people = states.map((state) => ({ ...state, salt, createdAt: '1580702706123' }));
  const nobody = { phoneNumber: '+4912345', createdAt: '1580702706123' };
  const env = { SIGNER_KEY: /sk=([^$]+)/.exec(hash)?.[1], SALT_SEPARATOR: 'Bw==' };
  const users = JSON.stringify({ users: [...people, nobody] });
  await importLines(await linesOfJq('firebase.jq', { 'users.json': users }, env));
  const fates = states.map((state): [string, Fate] => {
    if (state.disabled) return [state.email, 'inactive'];
    return [state.email, state.passwordHash ? 'logs in' : 'without password'];
  });
  await expectFates(fates, () => password);
});

test.each(['', 'with plugins'])('docs/import-users.md: Better Auth %s', async (plugins) => {
  await gateway.rows(`create table "user" (id text, email text, "emailVerified" boolean, "createdAt" timestamp);
    create table account ("userId" text, "providerId" text, password text, "createdAt" timestamp)`);
  const columns = 'add column banned boolean, add column "banExpires" timestamp, add column "isAnonymous" boolean';
  if (plugins) await gateway.rows(`alter table "user" ${columns}`);
  const states = everyState({
    provider: ['credential', 'github'],
    ...(plugins
      ? { banned: [null, false, true], banExpires: [null, PAST, FUTURE], isAnonymous: [null, false, true] }
      : { banned: [undefined], banExpires: [undefined], isAnonymous: [undefined] }),
  });
  const salt = '0a1b2c3d4e5f60718293a4b5c6d7e8f9';
  const derived = scryptSync(PASSWORD.normalize('NFKC'), salt, 64, { N: 16_384, r: 16, p: 1, maxmem: 2 ** 26 });
  for (const { provider, email, ...state } of states) {
    const ofPlugins = plugins ? state : {};
    await insert('"user"', { ...ofPlugins, id: email, email, emailVerified: true, createdAt: JUST_MADE });
    const password = provider === 'credential' ? `${salt}:${derived.toString('hex')}` : null;
    await insert('account', { userId: email, providerId: provider, password, createdAt: JUST_MADE });
  }
  await importLines(await linesOf(sqlOf('better-auth')));
  const fates = states.map(({ email, banned, banExpires, isAnonymous, provider }): [string, Fate] => {
    if (isAnonymous) return [email, undefined];
    if (banned && banExpires !== PAST) return [email, 'inactive'];
    return [email, provider === 'credential' ? 'logs in' : 'without password'];
  });
  await expectFates(fates);
});

testWith(['jq'], 'docs/import-users.md: Auth0', async () => {
  const states = everyState({
    connection: ['auth0', 'google-oauth2', 'samlp'],
    blocked: [undefined, false, true],
    hash: ['by _id', 'by alt_id', undefined],
  });
  const users = states.map(({ email, connection, blocked }) => ({
    ...{
      user_id: `${connection}|${email}`,
      email,
      email_verified: false,
      blocked,
      created_at: '2020-02-03T04:05:06.789Z',
    },
  }));
  const hashes = states
    .filter(({ hash, connection }) => hash && connection === 'auth0')
    .map(({ email, hash }) => ({
      ...(hash === 'by _id' ? { _id: { $oid: email } } : { _id: { $oid: 'x' }, alt_id: email }),
      ...{ email, email_verified: false, passwordHash: BCRYPT, connection: 'Username-Password-Authentication' },
    }));
  const lines = (rows: object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const files = { 'users.json': lines([...users, { user_id: 'auth0|phone' }]), 'hashes.json': lines(hashes) };
  await importLines(await linesOfJq('auth0.jq', files));
  const fates = states.map(({ email, connection, blocked, hash }): [string, Fate] => {
    if (connection !== 'auth0') return [email, undefined];
    if (blocked) return [email, 'inactive'];
    return [email, hash ? 'logs in' : 'without password'];
  });
  await expectFates(fates);
});
