/** People download what is stored about them. (Interface 21) */
import { connect } from 'node:net';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { setUserActive } from '../../src/admin/user-changes.js';
import { changeEmail, exportAccount, newAddress, requestEmail, startUnmailed } from '../support/gateway/account.js';
import { runHere } from '../support/gateway/cli.js';
import { newDevice } from '../support/gateway/devices.js';
import { addPasskey, codeAt, confirm, withTotp } from '../support/gateway/factors.js';
import { PASSWORD, type TestGateway } from '../support/gateway/gateway.js';
import { newcomer, signIn } from '../support/gateway/graphql.js';
import { captureLog } from '../support/gateway/log.js';
import { issueLink } from '../support/gateway/passwords.js';
import { login, logout, WRONG } from '../support/gateway/routes.js';
import { auditDuring, wholeState } from '../support/gateway/rows.js';
import { until } from '../support/until.js';

const captured = captureLog();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startUnmailed({ env: { KNOWN_DEVICES: 'on' }, log: captured.log });
});
afterAll(() => gateway.close());

const printed = async (id: string): Promise<string> => {
  const { code, stdout } = await runHere(['user', 'export', id], () => ({
    ...gateway.config,
    databaseUrl: gateway.database.url,
  }));
  expect(code).toBe(0);
  return stdout;
};

/** A person with a bit of everything, and the secrets that they and the tables hold. */
async function lived() {
  const user = await gateway.user();
  const device = await newDevice(gateway, user.email);
  await login(gateway, user.email, WRONG, { 'user-agent': 'Mozilla <script>\u00e9"\\' });
  const app = await withTotp(gateway);
  const withBoth = await addPasskey(gateway, app);
  const person = await changeEmail(gateway, { ...withBoth, user: app.user });
  await requestEmail(gateway, person.accessToken, newAddress());
  const passwordLink = await issueLink(gateway, app.user.id);
  const { challenge } = (await login(gateway, person.email)).json;
  const secrets = [device, app.secret, ...app.recoveryCodes, person.wayBack, passwordLink, challenge, PASSWORD];
  return { person, secrets: [...secrets, person.accessToken, person.refreshToken] };
}

test('Interface 21: the download is what user export prints at that moment, and a file of JSON', async () => {
  const { person } = await lived();
  const [answer, events] = await auditDuring(gateway, () => exportAccount(gateway, person.accessToken));
  expect([answer.status, answer.cookies, events]).toEqual([200, [], []]);
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'content-disposition': 'attachment; filename="account.json"',
    'cache-control': 'no-store',
  });
  const exported_at = gateway.clock.now().toISOString();
  expect(answer.json).toEqual({ ...JSON.parse(await printed(person.user.id)), exported_at }); // the command has its own clock
  expect(answer.json).toMatchObject({
    id: person.user.id,
    user: { email: person.email },
    emails: [person.email, person.former].sort(),
    email_change: { email: expect.any(String) },
    email_undos: [{ email: person.former }],
    factors: [{ kind: 'totp' }, { kind: 'passkey' }],
    recovery_codes: 10,
  });
});

test('Interface 21: it has no secret and no hash, and nothing of anybody else', async () => {
  const { person: other } = await lived();
  const { person, secrets } = await lived();
  const { text } = await exportAccount(gateway, person.accessToken);
  const hashes = await gateway.rows<{ bytes: Buffer }>(
    `select decode(password_hash, 'hex') as bytes from users where id = $1
     union all select secret_sha256 from known_devices where user_id = $1
     union all select code_sha256 from recovery_codes where user_id = $1
     union all select token_sha256 from ceremonies where user_id = $1
     union all select token_sha256 from email_changes where user_id = $1
     union all select token_sha256 from email_undos where user_id = $1
     union all select token_sha256 from password_links where user_id = $1
     union all select public_key from factors where user_id = $1 and public_key is not null`,
    [person.user.id],
  );
  expect(hashes.length).toBeGreaterThan(15);
  const forms = hashes.flatMap(({ bytes }) => [
    bytes.toString('hex'),
    bytes.toString('base64url'),
    bytes.toString('base64'),
  ]);
  for (const secret of [...secrets, ...forms]) expect(text).not.toContain(secret);
  for (const theirs of [other.user.id, other.email, other.former]) expect(text).not.toContain(theirs);
});

test('Interface 21: HEAD has the fields alone, and a download changes nothing', async () => {
  const { accessToken } = await newcomer(gateway);
  const before = await wholeState(gateway);
  const headers = { authorization: `Bearer ${accessToken}` };
  const head = await gateway.send('HEAD', '/auth/account/export', { headers });
  expect([head.status, head.text, head.headers['content-disposition']]).toEqual([
    200,
    '',
    'attachment; filename="account.json"',
  ]);
  await exportAccount(gateway, accessToken);
  expect(await wholeState(gateway)).toEqual(before);
});

test('Interface 21: a download needs a proof of the last 300 seconds, by a factor if there is one', async () => {
  const { accessToken } = await newcomer(gateway);
  gateway.clock.advance(300);
  const stale = await exportAccount(gateway, accessToken);
  expect([stale.status, stale.json]).toEqual([401, { detail: 'Confirm who you are', reason: 'confirmation_required' }]);
  const challenge = 'Bearer realm="auth-gateway", error="insufficient_user_authentication", max_age="300"';
  expect(stale.headers['www-authenticate']).toBe(challenge);
  await confirm(gateway, accessToken, { password: PASSWORD });
  expect((await exportAccount(gateway, accessToken)).status).toBe(200);

  const app = await withTotp(gateway);
  gateway.clock.advance(300);
  expect((await exportAccount(gateway, app.accessToken)).headers['www-authenticate']).toBe(
    `${challenge}, acr_values="aal2"`,
  );
  await confirm(gateway, app.accessToken, { code: codeAt(app.secret, gateway.clock.now()) });
  expect((await exportAccount(gateway, app.accessToken)).status).toBe(200);
});

test('Interface 21: after logout and for a deactivated user it is 401', async () => {
  const gone = await newcomer(gateway);
  await logout(gateway, gone.refreshToken);
  const deactivated = await signIn(gateway, await gateway.user());
  await setUserActive(gateway.app, COMMAND_LINE, deactivated.user.id, false);
  for (const { accessToken } of [gone, deactivated]) {
    const answer = await exportAccount(gateway, accessToken);
    expect([answer.status, answer.json.reason]).toEqual([401, 'invalid_token']);
  }
});

/** So many events that they do not fit in the buffers of a connection */
const manyEvents = (id: string) =>
  gateway.rows(
    `insert into audit_events (event_type, user_id, ip_address, metadata, created_at)
     select 'login_failure', $1, '192.0.2.7', jsonb_build_object('email', repeat('x', 4000)), now()
     from generate_series(1, 6000)`,
    [id],
  );

/** Begins a download, and stops reading after the first bytes. */
async function begin(accessToken: string) {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  socket.write(`GET /auth/account/export HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${accessToken}\r\n\r\n`);
  const chunk = await new Promise<Buffer>((resolve) => void socket.once('data', resolve));
  socket.pause();
  expect(chunk.toString()).toMatch(/^HTTP\/1.1 200 /);
  return socket;
}

const requestLine = () =>
  captured.lines().find(({ msg, route }) => msg === 'request' && route === '/auth/account/export');
const wrong = () =>
  captured.lines().filter(({ msg, level }) => msg !== 'request' && ['warn', 'error'].includes(String(level)));

test('Interface 21: a client that goes away in the middle is no error of ours', async () => {
  const { user, accessToken } = await newcomer(gateway);
  await manyEvents(user.id);
  captured.clear();
  (await begin(accessToken)).destroy();
  await until('it is logged', () => requestLine() !== undefined);
  expect(requestLine()).toMatchObject({ status: 499, outcome: 'client_closed' });
  expect(wrong()).toEqual([]);
});

test('Interface 21: an error in the middle breaks the download off, and is logged without what it was about', async () => {
  const { user, accessToken } = await newcomer(gateway);
  await manyEvents(user.id);
  captured.clear();
  const socket = await begin(accessToken);
  await gateway.rows('alter table audit_events rename column user_agent to agent');
  try {
    const chunks: Buffer[] = [];
    socket.on('error', () => undefined); // it is reset
    socket.on('data', (chunk: Buffer) => void chunks.push(chunk)).resume();
    await new Promise((resolve) => socket.once('close', resolve));
    expect(Buffer.concat(chunks).toString().endsWith('0\r\n\r\n')).toBe(false);
  } finally {
    await gateway.rows('alter table audit_events rename column agent to user_agent');
  }
  expect(wrong()).toMatchObject([{ msg: 'unexpected error' }]);
  expect(captured.text()).not.toContain(user.email);
});
