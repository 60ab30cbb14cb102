/** The commands `user …`, and what every command has in common. (Interface 2 and 9) */
import { Readable } from 'node:stream';
import { writeBreached } from '../support/breached.js';
import { type Cli, cliOnDatabase, messagesOf, run, runHere, runWith } from '../support/gateway/cli.js';
import { handClock } from '../support/gateway/clock.js';
import { type Instance, PASSWORD, startInstance } from '../support/gateway/gateway.js';
import { CHOSEN, redeem } from '../support/gateway/passwords.js';
import { login, WRONG } from '../support/gateway/routes.js';
import { documentsFile, sha256 } from '../support/gateway/trusted-documents.js';

let cli: Cli;
let gateway: Instance;
beforeAll(async () => {
  cli = await cliOnDatabase();
  const env = { LOGIN_MAX_FAILURES: '2', BREACHED_PASSWORDS: writeBreached([BREACHED]) };
  gateway = await startInstance(cli.database, { env, clock: handClock(), passwords: 'argon2' }); // the command line's
});
afterAll(async () => {
  await gateway.close();
  await cli.database.drop();
});

interface PrintedUser {
  id: string;
  email: string;
  role: string;
  is_active: boolean;
  has_password: boolean;
  failed_login_attempts: number;
  locked_until: string | null;
  last_login_at: string | null;
}

interface PrintedLink {
  id: string;
  email: string;
  purpose: string;
  link: string;
  expires_at: string;
}

const tokenOf = ({ link }: PrintedLink) => new URLSearchParams(new URL(link).hash.slice(1)).get('token');

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const signsIn = async (email: string, password: string): Promise<number> =>
  (await login(gateway, email, password)).status;

/** In this process, on the same database. */
const here = (args: string[], stdin?: string) =>
  runHere(args, () => ({ ...gateway.config, databaseUrl: cli.database.url }), stdin);

const BREACHED = 'fifteen letters, breached';

/** What a command prints with --json; fails with its message. */
async function json<T>(args: string[], stdin?: string): Promise<T> {
  const { code, stdout, stderr } = await here([...args, '--json'], stdin);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

const create = (email: string, role = 'viewer', password = PASSWORD): Promise<{ id: string }> =>
  json(['user', 'create', email, '--role', role, '--password-stdin'], `${password}\n`);

test('Interface 9: user create --password-stdin prints id, email and role, and the user can log in', async () => {
  const email = ' New.User@Example.com ';
  const user = await cli.json(['user', 'create', '--email', email, '--role', 'analyst', '--password-stdin'], PASSWORD);
  expect(user).toEqual({ id: expect.stringMatching(UUID), email: 'new.user@example.com', role: 'analyst' });
  expect(await signsIn('new.user@example.com', PASSWORD)).toBe(200);
});

test('Interface 15: user invite creates a user without a password and prints the link, by which they choose one', async () => {
  const invited = await cli.json<PrintedLink>(['user', 'invite', 'invited@example.com', '--role', 'analyst']);
  expect(invited).toEqual({
    id: expect.stringMatching(UUID),
    email: 'invited@example.com',
    role: 'analyst',
    purpose: 'invitation',
    link: expect.stringMatching(/^http:\/\/localhost:3000\/set-password\?for=invitation#token=pl_\w{49}$/),
    expires_at: expect.any(String),
  });
  expect(await signsIn(invited.email, CHOSEN)).toBe(401);
  const again = await json<PrintedLink>(['user', 'reset-link', invited.id]);
  expect(again).toMatchObject({ purpose: 'invitation' });
  expect((await redeem(gateway, tokenOf(invited))).status).toBe(401); // the newer link has ended it
  expect((await redeem(gateway, tokenOf(again))).status).toBe(204);
  expect(await signsIn(invited.email, CHOSEN)).toBe(200);
});

test('Interface 15: user reset-link prints a link of half an hour, and nothing for whom there is not', async () => {
  await create('forgetful@example.com');
  const reset = await json<PrintedLink>(['user', 'reset-link', 'forgetful@example.com']);
  expect(reset.purpose).toBe('reset');
  const lifeSeconds = (Date.parse(reset.expires_at) - Date.now()) / 1000;
  expect(lifeSeconds).toBeGreaterThan(1_700);
  expect(lifeSeconds).toBeLessThanOrEqual(1_800);
  expect((await redeem(gateway, tokenOf(reset))).status).toBe(204);
  expect(await here(['user', 'reset-link', 'nobody@example.com'])).toMatchObject({ code: 1, stdout: '' });
  await json(['user', 'deactivate', 'forgetful@example.com']);
  const refused = await here(['user', 'reset-link', 'forgetful@example.com']);
  expect([refused.code, refused.stdout, refused.stderr]).toEqual([1, '', expect.stringContaining('deactivated')]);
});

test('Interface 9: user create without a terminal makes a password, prints it this once, and it works', async () => {
  const made = await cli.json<{ password: string }>([
    'user',
    'create',
    '--email',
    'made@example.com',
    '--role',
    'viewer',
  ]);
  expect(made).toEqual({
    id: expect.stringMatching(UUID),
    email: 'made@example.com',
    role: 'viewer',
    password: expect.stringMatching(/^[0-9A-Za-z]{24}$/),
  });
  expect(await signsIn('made@example.com', made.password)).toBe(200);
  const listed = await cli.run(['user', 'list']);
  expect(listed.stdout).toContain('made@example.com');
  expect(listed.stdout).not.toContain(made.password);
  expect(listed.stdout).not.toContain('argon2');
});

test('Interface 9: user create refuses a taken or bad e-mail and a bad password with exit code 1 and one line', async () => {
  await create('taken@example.com');
  const refusals: Array<[email: string, password: string, message: RegExp]> = [
    ['TAKEN@example.com', PASSWORD, /exists/],
    ['no-address', PASSWORD, /e-mail address is not valid/],
    ['short@example.com', 'only 14 chars!', /at least 15 characters/],
    ['long@example.com', 'x'.repeat(1025), /at most 1024 bytes/],
    ['ada.lovelace@example.com', 'Ada Lovelace 1815', /more than the e-mail address/],
    ['common@example.com', '1Q2W3E4R5T6Y7U8I', /commonly used/],
    ['breached@example.com', BREACHED, /data breach/],
  ];
  for (const [email, password, message] of refusals) {
    const args = ['user', 'create', '--email', email, '--role', 'viewer', '--password-stdin', '--json'];
    const ran = await here(args, password);
    expect([email, ran.code, ran.stdout]).toEqual([email, 1, '']);
    expect(messagesOf(ran)).toMatch(message);
    expect(messagesOf(ran).trimEnd().split('\n')).toHaveLength(1);
    expect(ran.stderr).not.toContain(password);
  }
});

test('Interface 15: user set-password refuses a bad password and the current one, and changes nothing', async () => {
  const email = 'grace.hopper@example.com';
  await create(email);
  const refusals: Array<[password: string, message: RegExp]> = [
    ['only 14 chars!', /at least 15 characters/],
    ['x'.repeat(1025), /at most 1024 bytes/],
    ['Grace.Hopper.1906', /more than the e-mail address/],
    ['1q2w3e4r5t6y7u8i', /commonly used/],
    [BREACHED, /data breach/],
    [PASSWORD, /must differ from the current password/],
  ];
  for (const [password, message] of refusals) {
    const ran = await here(['user', 'set-password', email, '--password-stdin'], password);
    expect([ran.code, ran.stdout]).toEqual([1, '']);
    expect(messagesOf(ran)).toMatch(message);
    expect(ran.stderr).not.toContain(password);
  }
  expect(await signsIn(email, PASSWORD)).toBe(200);
});

test('Interface 15: a command that sets a password fails with exit code 78 without the breached passwords; others work', async () => {
  await create('without.breaches@example.com');
  const readConfig = () => ({ ...gateway.config, databaseUrl: cli.database.url, breachedPasswords: '/missing' });
  const set = await runHere(['user', 'set-password', 'without.breaches@example.com'], readConfig);
  expect([set.code, set.stdout]).toEqual([78, '']);
  expect(messagesOf(set)).toContain('BREACHED_PASSWORDS: /missing cannot be read (ENOENT); see docs/passwords.md');
  expect((await runHere(['user', 'list'], readConfig)).code).toBe(0);
  expect(await signsIn('without.breaches@example.com', PASSWORD)).toBe(200);
});

test('Interface 9: the rules for a password are printed before one is typed: in the help and in the question', async () => {
  const { id } = await create('asked@example.com');
  const commands = [
    ['user', 'create', 'asked2@example.com', '--role', 'viewer'],
    ['user', 'set-password', id],
  ];
  for (const args of commands) {
    expect((await here([...args, '--help'])).stdout).toContain('at least 15 characters');
    const stdin = Object.assign(Readable.from([]), { isTTY: true });
    const readConfig = () => ({ ...gateway.config, databaseUrl: cli.database.url });
    const asked = await runHere(args, readConfig, '', { stdin });
    expect([asked.code, messagesOf(asked).split('\n')[0]]).toEqual([1, 'New password, at least 15 characters: ']);
  }
});

test('Interface 9: the commands that change a user print the user; deactivate and set-password end its sessions', async () => {
  const email = 'life@example.com';
  const { id } = await create(email);
  const user: PrintedUser & { created_at: string } = {
    id,
    email,
    role: 'viewer',
    is_active: true,
    has_password: true,
    failed_login_attempts: 0,
    locked_until: null,
    last_login_at: null,
    created_at: expect.any(String),
  };
  expect(await json(['user', 'set-role', '--email', email, '--role', 'admin'])).toEqual({ ...user, role: 'admin' });
  expect(await json(['user', 'set-role', '--id', id, '--role', 'viewer']).catch(String)).toMatch(/last active admin/i);
  await create('admin2@example.com', 'admin');
  expect(await json(['user', 'set-role', id, '--role', 'viewer'])).toEqual(user);

  const other = 'another@example.com';
  expect(await json(['user', 'set-email', email, '--to', other])).toEqual({ ...user, email: other });
  expect(await json(['user', 'set-email', '--id', id, '--to', email])).toEqual(user);

  for (let i = 0; i < 2; i += 1) await signsIn(email, WRONG);
  expect(await signsIn(email, PASSWORD)).toBe(429);
  expect(await json(['user', 'unlock', '--email', email])).toEqual(user);
  expect(await signsIn(email, PASSWORD)).toBe(200);

  const lastLogin = { last_login_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) };
  const inactive = await json(['user', 'deactivate', '--email', email]);
  expect(inactive).toEqual({ ...user, ...lastLogin, is_active: false });
  expect(await signsIn(email, PASSWORD)).toBe(401);
  expect(await json(['user', 'activate', '--email', email])).toEqual({ ...user, ...lastLogin });

  const set = await json(['user', 'set-password', '--email', email, '--password-stdin'], `${PASSWORD} 2\r\n`);
  expect(set).toEqual({ ...user, ...lastLogin });
  expect([await signsIn(email, PASSWORD), await signsIn(email, `${PASSWORD} 2`)]).toEqual([401, 200]);
  const made = await json<{ password: string }>(['user', 'set-password', '--email', email]);
  expect(await signsIn(email, made.password)).toBe(200);

  const { rows: records } = await gateway.app.db.pool.query<{ revoked: boolean; revoked_reason: string | null }>(
    'select revoked, revoked_reason from refresh_tokens where user_id = $1',
    [id],
  );
  expect(records.map(({ revoked_reason }) => revoked_reason).sort()).toEqual(
    ['user_password_set', 'user_deactivated', null].sort(),
  );
  expect(records.filter(({ revoked }) => !revoked)).toHaveLength(1);
  const { rows: events } = await gateway.app.db.pool.query<{ event_type: string; metadata: unknown }>(
    `select event_type, metadata from audit_events
     where user_id = $1 and event_type not like 'log%' and event_type <> 'account_locked' order by created_at`,
    [id],
  );
  expect(events.map(({ event_type }) => event_type)).toEqual([
    'user_created',
    'user_role_changed',
    'user_role_changed',
    'user_email_changed',
    'user_email_changed',
    'user_unlocked',
    'user_deactivated',
    'user_activated',
    'user_password_set',
    'user_password_set',
  ]);
  for (const { metadata } of events) expect(metadata).toMatchObject({ actor: { caller_type: 'cli' } });
});

test('Interface 9: user list is an array of users by e-mail, and a table for people', async () => {
  await Promise.all([create('zz@example.com'), create('aa@example.com', 'analyst')]);
  const users = await cli.json<PrintedUser[]>(['user', 'list']);
  const emails = users.map(({ email }) => email);
  expect(emails).toEqual([...emails].sort());
  expect(users.find(({ email }) => email === 'aa@example.com')).toMatchObject({ role: 'analyst', is_active: true });
  const table = (await cli.run(['user', 'list'])).stdout.trimEnd().split('\n');
  expect(table).toHaveLength(users.length + 1);
  expect(table[0]).toMatch(/^id +email +role +is_active/);
});

test('Interface 9: an unknown user is refused with exit code 1', async () => {
  for (const who of ['nobody@example.com', '018f3a3e-1111-7000-8000-000000000000']) {
    const ran = await here(['user', 'unlock', who, '--json']);
    expect([ran.code, ran.stdout, messagesOf(ran)]).toEqual([1, '', 'There is no such user\n']);
  }
});

test('Interface 9: a usage error is exit code 2, with the usage on stderr and nothing on stdout', async () => {
  const wrong = [
    ['nonsense'],
    ['user', 'explode'],
    ['user', '--json'],
    ['help', 'nonsense'],
    ['start', 'now'],
    ['start', '--port', '1'],
    ['completion'],
    ['completion', 'csh'],
    ['user', 'create', '--role', 'viewer'],
    ['user', 'create', '--email', 'a@x.io', '--role', 'king'],
    ['user', 'create', '--email', 'a@x.io', '--role', 'viewer', '--admin'],
    ['user', 'unlock'],
    ['user', 'unlock', 'a@x.io', 'b@x.io'],
    ['user', 'unlock', '--email', 'a@x.io', '--id', 'b'],
    ['user', 'create', 'a@x.io', '--email', 'a@x.io', '--role', 'viewer'],
    ['session', 'revoke'],
    ['keyring', 'create'],
    ['keyring', 'create', '--out', ''],
    ['api-key', 'create', '--service', 's', '--scope', 'a:b', '--rate-limit', 'x'],
    ['api-key', 'create', '--service', 's', '--rate-limit', '1', '--scope', 'a:b', 'c:d'],
    ['api-key', 'rotate'],
    ...['1.5', '-1', '24 h', '1w', 'h', '36501d', '9999999999d'].map((text) => [
      'api-key',
      'rotate',
      'ak_x',
      '--overlap',
      text,
    ]),
    ...['2026-02-30T00:00:00Z', '2026-01-31', '0000-01-01T00:00:00Z', '31 Jan 2026', '1w'].map((text) => [
      'audit',
      'tail',
      '--since',
      text,
    ]),
    ['sign', 'GET'],
    ['sign', 'GET', 'no-url', '--key-id', 'ak_x'],
  ];
  for (const args of wrong) {
    const { code, stdout, stderr } = await here(args, PASSWORD);
    expect([args, code, stdout]).toEqual([args, 2, '']);
    expect(stderr).toContain('usage: ');
  }
  for (const words of ['0', '1000001', '05', '1e1'])
    expect((await here(['audit', 'tail', '--lines', words])).code).toBe(2);
  expect((await run(['nonsense'])).code).toBe(2);
});

test('Interface 9: --scope is repeated, or has commas', async () => {
  const words = ['--scope', 'a:b,c:d', '--scope', 'g:h', '--service', 's', '--scope', 'i:j'];
  const { scopes } = await json<{ scopes: string[] }>(['cron-key', 'create', ...words]);
  expect(scopes.sort()).toEqual(['a:b', 'c:d', 'g:h', 'i:j']);
});

test('Interface 2: four wrong variables at once give four clear lines and exit code 78, for the server and for a command', async () => {
  const env = { PORT: '0', LOGIN_MAX_FAILURES: 'many', COOKIE_SAMESITE: 'loose', ARGON2_MEMORY_KIB: '1024' };
  for (const args of [['start'], ['user', 'list', '--json']]) {
    const { code, stdout, stderr } = await runWith(args, env);
    expect([code, stdout]).toEqual([78, '']);
    const lines = stderr.trimEnd().split('\n');
    expect(lines.map((line) => line.slice(0, line.indexOf(':'))).sort()).toEqual(Object.keys(env).sort());
    for (const line of lines) expect(line).toMatch(/^[A-Z0-9_]+: must be /);
  }
});

test('Interface 3: without a keyring a server, and a command that needs it, end with exit code 78, and make none', async () => {
  const env = { DATABASE_URL: cli.database.url, KEYRING_FILE: '/nowhere/keyring.json', PORT: '1' };
  const key = ['api-key', 'create', '--service', 's', '--scope', 'a:b', '--rate-limit', '1'];
  for (const args of [['start'], key, ['api-key', 'rotate', 'ak_x'], ['keyring', 'rotate']]) {
    const ran = await runWith(args, env);
    expect([args, ran.code, ran.stdout]).toEqual([args, 78, '']);
    expect(messagesOf(ran)).toMatch(/^cannot read the keyring \/nowhere\/keyring\.json \(ENOENT\).*\n$/);
  }
  expect((await runWith(['api-key', 'list'], env)).code).toBe(0);
});

test('Interface 24: a server with a wrong hash in its trusted documents ends with exit code 78, and names file and key', async () => {
  using file = documentsFile(JSON.stringify({ [sha256('{ a }')]: '{ b }' }));
  const { keyringFile } = gateway.config;
  const env = { DATABASE_URL: cli.database.url, KEYRING_FILE: keyringFile, TRUSTED_DOCUMENTS: file.path };
  const ran = await runWith(['start'], env);
  expect([ran.code, ran.stdout]).toEqual([78, '']);
  expect(messagesOf(ran)).toBe(
    `TRUSTED_DOCUMENTS: ${file.path} has a key that is not the SHA-256 of its document: "${sha256('{ a }')}"; ` +
      'write it again by the tool that made it\n',
  );
});

test('Interface 15: a server without the breached passwords ends with exit code 78, and says how to get them', async () => {
  const { keyringFile } = gateway.config;
  const env = { DATABASE_URL: cli.database.url, KEYRING_FILE: keyringFile, BREACHED_PASSWORDS: '/nowhere/pwned' };
  const ran = await runWith(['start'], env);
  expect([ran.code, ran.stdout]).toEqual([78, '']);
  expect(messagesOf(ran)).toMatch(/^BREACHED_PASSWORDS: \/nowhere\/pwned cannot be read \(ENOENT\); see docs\/.*\n$/);
});
