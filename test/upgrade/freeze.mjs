/**
 * Writes what a version of the program leaves in its database: `npm run freeze -- TAG test/upgrade/VERSION`. The program is built
 * from its tag, on a new server of Debian's PostgreSQL, the oldest here. All is done over HTTP and by the program's own commands.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { chmodSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import '../support/jest/typescript.js';

const { checkOut } = await import('./checkout.js');
const { codeAt } = await import('../support/independent/authenticator-app.js');
const { SoftwareAuthenticator } = await import('../support/independent/passkeys/software-authenticator.js');

const [tag, asked, ...rest] = process.argv.slice(2);
if (!tag || !asked || rest.length > 0) refuse('usage: npm run freeze -- TAG test/upgrade/VERSION');
if (globSync('/usr/lib/postgresql/*/bin/initdb').length === 0) refuse('it needs: apt-get install postgresql');
const folder = resolve(asked);
const { folder: checkout, commit } = checkOut(tag);
const program = join(checkout, 'bin/auth-gateway');
const postgres = startPostgres();
const databaseUrl = postgres.url;
const PORT = 18180;
const HOOK_PORT = 18181;
const SMTP_PORT = 18182;
const GATEWAY = `http://localhost:${PORT}`;
/** Of every user who has one of their own */
const PASSWORD = 'a password of the fixture';
/** bcrypt of `an imported password` */
const FOREIGN_HASH = '$2y$04$7hojdEBqzTtqRFl1sI2clOLyguJ.rgEI0BaDcOIfFUECiGXFh0xOu';

function refuse(why) {
  process.stderr.write(`${why}\n`);
  process.exit(64);
}

/** With pg_dump next to it, which the package of npm lacks. */
function startPostgres() {
  const [newest = ''] = globSync('/usr/lib/postgresql/*/bin/initdb').toSorted();
  const bin = dirname(newest);
  const data = mkdtempSync(join(tmpdir(), 'gateway-freeze-'));
  chmodSync(data, 0o755);
  const isRoot = process.getuid() === 0;
  const run = (name, ...words) => {
    const command = [
      ...(isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : []),
      join(bin, name),
    ];
    execFileSync(command[0], [...command.slice(1), ...words], { cwd: '/', stdio: ['ignore', 'ignore', 'inherit'] });
  };
  if (isRoot) execFileSync('chown', ['postgres', data]);
  const cluster = join(data, 'pg');
  run('initdb', '-D', cluster, '-U', 'auth_gateway', '--encoding=UTF8', '--locale=C', '--no-sync', '--auth=trust');
  const settings = `-c fsync=off -c listen_addresses= -c unix_socket_directories=${data} -c timezone=UTC`;
  run('pg_ctl', '-D', cluster, '-w', '-l', join(data, 'log'), '-o', settings, 'start');
  const stop = () => {
    run('pg_ctl', '-D', cluster, '-m', 'immediate', 'stop');
    rmSync(data, { recursive: true });
  };
  process.once('exit', stop);
  return { bin, url: `postgresql://auth_gateway@${encodeURIComponent(data)}/postgres` };
}

mkdirSync(folder, { recursive: true });
const env = {
  PATH: process.env.PATH,
  DATABASE_URL: databaseUrl,
  KEYRING_FILE: join(folder, 'keyring.json'),
  PORT: String(PORT),
  PUBLIC_URL: GATEWAY,
  LOGIN_RATE_LIMIT: '1000',
  KNOWN_DEVICES: 'on',
  REFRESH_RETRY: 'true',
  INVITATION_TTL_SECONDS: '31536000',
  RESET_TTL_SECONDS: '31536000',
  WEBHOOK_HOSTS: `localhost:${HOOK_PORT}`,
  MAIL: 'smtp',
  SMTP_URL: `smtp://localhost:${SMTP_PORT}`,
  MAIL_FROM: 'auth@example.com',
  ACCOUNT: 'on',
};

async function command(words, input = '') {
  const running = promisify(execFile)(program, words.split(' '), { env });
  running.child.stdin?.end(input);
  return (await running).stdout;
}
const json = async (words, input) => JSON.parse(await command(`${words} --json`, input));

async function start(more = {}) {
  const gateway = spawn(program, ['start'], { env: { ...env, ...more }, stdio: ['ignore', 'ignore', 'inherit'] });
  process.once('exit', () => gateway.kill('SIGKILL'));
  const ended = new Promise((done) => gateway.once('exit', done));
  await command('health --wait 60s');
  return () => {
    gateway.kill('SIGTERM');
    return ended;
  };
}

/** @returns the body, and the refresh token and the device that the answer sets */
async function post(path, body, { cookie = '', ...headers } = {}) {
  const answer = await fetch(`${GATEWAY}${path}`, {
    method: 'POST',
    headers: { ...(body && { 'content-type': 'application/json' }), ...(cookie && { cookie }), ...headers },
    body: body && JSON.stringify(body),
  });
  const set = (name) =>
    answer.headers
      .getSetCookie()
      .find((one) => one.startsWith(`${name}=`))
      ?.split(/[=;]/)[1];
  const text = await answer.text();
  return {
    status: answer.status,
    ...(text.startsWith('{') && JSON.parse(text)),
    refresh: set('refresh_token'),
    device: set('device'),
  };
}
const logIn = (email, password = PASSWORD, headers = {}) => post('/auth/login', { email, password }, headers);
const refresh = (token, headers) => post('/auth/refresh', undefined, { cookie: `refresh_token=${token}`, ...headers });

async function until(what, isSo) {
  for (let i = 0; i < 600; i += 1) {
    if (await isSo()) return;
    await setTimeout(100);
  }
  throw new Error(`it never came about: ${what}`);
}

const [received, mails] = [[], []];
let hookFails = () => false;
let mailFails = false;
const hook = createHttpServer((req, res) => {
  let body = '';
  req.on('data', (chunk) => {
    body += chunk;
  });
  req.on('end', () => {
    const { type } = JSON.parse(body);
    const fails = hookFails(type);
    if (!fails) received.push(req.headers['webhook-id']);
    res.writeHead(fails ? 500 : 204).end();
  });
}).listen(HOOK_PORT, 'localhost');
const smtp = createServer((socket) => {
  let mail;
  let rest = '';
  socket.on('error', () => undefined).write('220 fixture\r\n');
  socket.on('data', (chunk) => {
    rest += chunk.toString('utf8');
    const lines = rest.split('\r\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (mail !== undefined && line !== '.') mail += `${line}\n`;
      else if (mail !== undefined) {
        mails.push(mail);
        mail = undefined;
        socket.write('250 taken\r\n');
      } else if (line === 'DATA') {
        mail = '';
        socket.write('354 go on\r\n');
      } else if (line.startsWith('RCPT') && mailFails) socket.write('451 later\r\n');
      else socket.write('250 fixture\r\n');
    }
  });
}).listen(SMTP_PORT, 'localhost');

await command(`keyring create --out ${env.KEYRING_FILE}`);
await command('migrate up');

/* A session that has expired by the time of the dump */
let stop = await start({ REFRESH_TOKEN_TTL_SECONDS: '1' });
const users = {};
for (const [name, role] of Object.entries({
  admin: 'admin',
  analyst: 'analyst',
  viewer: 'viewer',
  locked: 'viewer',
  inactive: 'viewer',
  forgetful: 'viewer',
  waiting: 'viewer',
  stranded: 'viewer',
  former: 'viewer',
  deleted: 'viewer',
  erased: 'viewer',
  proved: 'analyst',
  keyed: 'viewer',
  moving: 'viewer',
  moved: 'viewer',
})) {
  users[name] = (await json(`user create ${name}@example.com --role ${role} --password-stdin`, PASSWORD)).id;
}
const expired = (await logIn('viewer@example.com')).refresh;
await setTimeout(2_000);
await stop();

stop = await start();
/* Keys, and a nonce that was used */
const query = join(tmpdir(), 'query.json');
writeFileSync(query, JSON.stringify({ query: '{ caller { callerType } }' }));
const reader = await json('api-key create --service reader --scope users:read --rate-limit 1000');
const rotated = await json(`api-key rotate ${reader.key_id} --overlap 30d`);
await command(`sign POST ${GATEWAY}/graphql --key-id ${reader.key_id} --body ${query} --send`, `${rotated.secret}\n`);
const revokedKey = await json('api-key create --service former --scope users:read --rate-limit 60');
await command(`api-key revoke ${revokedKey.key_id} --yes`);
const cron = await json('cron-key create --service nightly --scope reports:write');
const rotatedCron = await json(`cron-key rotate ${cron.key_id} --overlap 30d --yes`);
const expiredCron = await json('cron-key create --service temporary --expires 1s');
const revokedCron = await json('cron-key create --service former');
await command(`cron-key revoke ${revokedCron.key_id} --yes`);

/* Webhooks: one that is paused, and one that has failed for one kind of event and has not heard the last ones */
const url = `http://localhost:${HOOK_PORT}`;
const hooked = await json(`webhook create --url ${url}/all --include-emails`);
const paused = await json(`webhook create --url ${url}/paused --event login_success`);
await command(`webhook pause ${paused.webhook_id}`);
await command(`webhook rotate ${hooked.webhook_id} --overlap 30d`);

/* Sessions */
const live = await logIn('viewer@example.com', PASSWORD, { 'user-agent': 'a browser of the fixture' });
const used = (await logIn('viewer@example.com')).refresh;
const successor = await refresh(used);
const key = (byte) => `:${Buffer.alloc(32, byte).toString('base64')}:`;
const retried = (await logIn('analyst@example.com')).refresh;
const lost = await refresh(retried, { 'refresh-retry': `this=${key(1)}` });
const loggedOut = (await logIn('admin@example.com')).refresh;
await post('/auth/logout', undefined, { cookie: `refresh_token=${loggedOut}` });
const stolen = (await logIn('admin@example.com')).refresh;
await refresh(stolen);
await refresh(stolen);
const revoked = (await logIn('admin@example.com')).refresh;
const { sid } = JSON.parse(Buffer.from(revoked.split('.')[1], 'base64url').toString());
await command(`session revoke ${sid}`);
const admin = await logIn('admin@example.com');

/* Second factors: an app whose owner has logged in by a recovery code, and a passkey */
const as = ({ access_token }) => ({ authorization: `Bearer ${access_token}` });
const owning = await logIn('proved@example.com');
const app = await post('/auth/factors/totp', {}, as(owning));
const { recovery_codes } = await post(
  `/auth/factors/totp/${app.id}`,
  { code: codeAt(app.secret, new Date()) },
  as(owning),
);
const { challenge } = await logIn('proved@example.com');
const proved = await post('/auth/login/factor', { challenge, recovery_code: recovery_codes[0] });
const keyed = await logIn('keyed@example.com');
const { ceremony, publicKey } = await post('/auth/factors/passkey/options', {}, as(keyed));
const authenticator = new SoftwareAuthenticator({ rpId: 'localhost', origin: GATEWAY });
await post(
  '/auth/factors/passkey',
  { ceremony, credential: authenticator.create(publicKey), name: 'Laptop' },
  as(keyed),
);
const [passkey] = authenticator.passkeys;

/* A change of an e-mail that is pending, and one that can be taken back */
const linkTo = async (email, kind) => {
  const link = new RegExp(`${kind}_[0-9A-Za-z]+`);
  const texts = () => mails.filter((mail) => mail.includes(`To: ${email}`)).map((mail) => mail.replaceAll('=\n', ''));
  await until(`a link arrives at ${email}`, () => texts().some((text) => link.test(text)));
  return link.exec(texts().find((text) => link.test(text)))[0];
};
await post('/auth/email', { email: 'movingto@example.com' }, as(await logIn('moving@example.com')));
const change = await linkTo('movingto@example.com', 'el');
const mover = await logIn('moved@example.com');
await post('/auth/email', { email: 'movedto@example.com' }, as(mover));
await post('/auth/email/redeem', { token: await linkTo('movedto@example.com', 'el') }, as(mover));
const undo = await linkTo('moved@example.com', 'eu');

/* Users */
const ended = {};
for (const name of ['inactive', 'deleted', 'erased']) ended[name] = (await logIn(`${name}@example.com`)).refresh;
await command('user deactivate inactive@example.com');
await command('user delete deleted@example.com --yes');
await command('user erase erased@example.com --yes');
await command('user set-email former@example.com --to renamed@example.com');
await command('user set-role renamed@example.com --role analyst');
const imported = [
  { email: 'imported@example.com', password_hash: FOREIGN_HASH },
  { email: 'renewed@example.com', password_hash: FOREIGN_HASH, role: 'analyst' },
  { email: 'nothing@example.com' },
];
await command('user import -', imported.map((user) => `${JSON.stringify(user)}\n`).join(''));
await logIn('renewed@example.com', 'an imported password');

/* A right password on a device of its own goes on while strangers have locked the account */
const owner = await logIn('locked@example.com');
for (let i = 0; i < 5; i += 1) await logIn('locked@example.com', 'a wrong password');

/* Links */
const tokenIn = (text) => /pl_[0-9A-Za-z]+/.exec(text)?.[0];
const invited = await json('user invite invited@example.com --role viewer');
const operators = await json('user reset-link stranded@example.com');
await post('/auth/password/forgot', { email: 'forgetful@example.com' });
await until('the mail arrives', () => mails.some((mail) => mail.includes('To: forgetful@example.com')));
await until('everything is delivered', async () => (await json('webhook list'))[0].lag_seconds === 0);

/* A half delivered outbox: failed mail and events that wait, and events that nobody has tried yet */
mailFails = true;
await post('/auth/password/forgot', { email: 'waiting@example.com' });
hookFails = (type) => type === 'login_failure';
await logIn('viewer@example.com', 'a wrong password');
await logIn('analyst@example.com');
await until('an event has failed and a later one came', async () => {
  const [{ parked_count, lag_seconds, last_outcome }] = await json('webhook list');
  return parked_count === 1 && lag_seconds > 0 && last_outcome === 'delivered';
});
await setTimeout(3_000); // and the mail has failed
await stop();
hook.close();
smtp.close();
const delivered = [...received];
await command('user unlock renewed@example.com');
await json('user create late@example.com --role viewer --password-stdin', PASSWORD);

await promisify(execFile)(join(postgres.bin, 'pg_dump'), [
  '--inserts',
  '--no-owner',
  '--no-privileges',
  '-f',
  join(folder, 'dump.sql'),
  databaseUrl,
]);
const { taken_at } = await json(`database export --out ${join(folder, 'database.export')}`);
const known = {
  taken_at,
  password: PASSWORD,
  imported_password: 'an imported password',
  users,
  access_token: admin.access_token,
  live: live.refresh,
  used,
  successor: successor.refresh,
  retried,
  retried_successor: lost.refresh,
  ended: { ...ended, logged_out: loggedOut, stolen, revoked, expired },
  device: owner.device,
  links: {
    invitation: tokenIn(invited.link),
    operators: tokenIn(operators.link),
    forgotten: tokenIn(mails.find((mail) => mail.includes('To: forgetful@example.com')).replaceAll('=\n', '')),
  },
  api_key: { key_id: reader.key_id, secrets: [reader.secret, rotated.secret] },
  revoked_api_key: { key_id: revokedKey.key_id, secret: revokedKey.secret },
  cron_key: cron.header_value,
  rotated_cron_key: rotatedCron.header_value,
  expired_cron_key: expiredCron.header_value,
  revoked_cron_key: revokedCron.header_value,
  webhook: { id: hooked.webhook_id, origin: url, delivered },
  proved: { refresh: proved.refresh, secret: app.secret, recovery_codes },
  passkey: {
    id: passkey.id.toString('base64url'),
    user_handle: passkey.userHandle,
    private_key: passkey.privateKey.export({ format: 'jwk' }),
  },
  email_change: { token: change, email: 'movingto@example.com' },
  email_undo: { token: undo, email: 'moved@example.com' },
};
writeFileSync(join(folder, 'known.json'), `${JSON.stringify(known, null, 2)}\n`);
writeFileSync(
  join(folder, 'README.md'),
  `# What the program of commit ${commit} wrote\n\nBy \`npm run freeze -- ${tag}\`, and never changed: [0.9](../0.9/README.md) says what it is for.\n`,
);
process.exit();
