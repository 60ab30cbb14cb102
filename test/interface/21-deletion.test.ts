/** People delete their own account, as an operator would erase it. (Interface 21) */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { deleteUser, setUserActive, setUserEmail } from '../../src/admin/user-changes.js';
import {
  beginChange,
  changeEmail,
  deleteAccount,
  redeemEmail,
  requestEmail,
  startUnmailed,
  undoEmail,
} from '../support/gateway/account.js';
import { deviceOf, loginFrom } from '../support/gateway/devices.js';
import { addTotp, codeAt, confirm, halfLogin, withTotp } from '../support/gateway/factors.js';
import { claimsOf, logIn, PASSWORD, type TestGateway } from '../support/gateway/gateway.js';
import { ask, newcomer, signIn } from '../support/gateway/graphql.js';
import { check, issueLink } from '../support/gateway/passwords.js';
import { login, logout, refresh, WRONG } from '../support/gateway/routes.js';
import { auditDuring, wholeState } from '../support/gateway/rows.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startUnmailed({ env: { KNOWN_DEVICES: 'on', TRUST_PROXY: '127.0.0.1' } });
});
afterAll(() => gateway.close());

test('Interface 21: it is 204, clears the cookie, and ends all that the user could come in with', async () => {
  const person = await newcomer(gateway);
  const { wayBack, email } = await changeEmail(gateway, person);
  const link = await beginChange(gateway, person);
  const passwordLink = await issueLink(gateway, person.user.id);
  const other = await logIn(gateway, email);
  const answer = await deleteAccount(gateway, person.accessToken);
  expect([answer.status, answer.text, answer.cookies]).toEqual([
    204,
    '',
    [expect.stringMatching(/^refresh_token=; Max-Age=0; Path=\/auth; /)],
  ]);
  expect((await login(gateway, email)).json.reason).toBe('invalid_credentials');
  for (const token of [person.refreshToken, other.refreshToken])
    expect((await refresh(gateway, token)).status).toBe(401);
  expect((await check(gateway, passwordLink)).status).toBe(401);
  expect((await undoEmail(gateway, wayBack)).json.reason).toBe('link_invalid');
  expect((await redeemEmail(gateway, person.accessToken, link)).json.reason).toBe('invalid_token');
  expect((await deleteAccount(gateway, person.accessToken)).json.reason).toBe('invalid_token');
  expect((await gateway.user({ email })).email).toBe(email);
  expect((await gateway.user({ email: person.user.email })).email).toBe(person.user.email);
});

/** Tables with any of these texts in them */
async function tablesWith(...texts: string[]): Promise<string[]> {
  const tables = await gateway.rows<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_name <> 'rate_limits'`,
  );
  const found = [];
  for (const { name } of tables) {
    const rows = await gateway.rows(
      `select from ${name} where exists (select from unnest($1::text[]) as text where strpos(to_jsonb(${name})::text, text) > 0)`,
      [texts],
    );
    if (rows.length > 0) found.push(name);
  }
  return found.sort();
}

const FROM = { 'x-forwarded-for': '198.51.100.77', 'user-agent': 'Browser of one person' };

/** Somebody who has used everything, from one address. */
async function livedHere() {
  const user = await gateway.user({ role: 'admin' });
  await login(gateway, user.email, WRONG, FROM);
  const first = await login(gateway, user.email, PASSWORD, FROM);
  await logout(gateway, (await logIn(gateway, user.email)).refreshToken, FROM);
  const app = await addTotp(gateway, await signIn(gateway, user));
  await loginFrom(deviceOf(first), gateway, user.email);
  const emails = [user.email];
  let session: Parameters<typeof changeEmail>[1] = app;
  for (let i = 0; i < 2; i += 1) {
    const changed = await changeEmail(gateway, session);
    emails.push(changed.email);
    session = changed;
  }
  await setUserEmail(gateway.app, COMMAND_LINE, user.id, `moved-${user.email}`);
  emails.push(`moved-${user.email}`);
  const headers = { authorization: `Bearer ${app.accessToken}`, ...FROM };
  const wanted = `wanted-${user.email}`;
  await gateway.send('POST', '/auth/email', { headers, body: { email: wanted } });
  await issueLink(gateway, user.id);
  await halfLogin(gateway, `moved-${user.email}`);
  const colleague = await gateway.user();
  const mutation = `mutation { setUserRole(input: { id: "${colleague.id}", role: analyst }) { user { id } } }`;
  expect((await ask(gateway, (body) => ({ ...app.as(body), ...FROM }), mutation)).errors).toEqual([]);
  return { id: user.id, emails: [...emails, wanted], headers, userAgent: FROM['user-agent'] };
}

test('Interface 21: nothing is left that names the person, in any table; ids, times and order stay', async () => {
  await newcomer(gateway, 'admin');
  const { id, emails, headers, userAgent } = await livedHere();
  const named = [...emails, userAgent, FROM['x-forwarded-for']];
  expect(await tablesWith(...named)).toEqual(expect.arrayContaining(['audit_events', 'email_changes', 'users']));
  const order = () => gateway.rows('select id, event_type, created_at from audit_events order by written_at, id');
  const before = await order();
  const [answer, events] = await auditDuring(gateway, () => gateway.send('DELETE', '/auth/account', { headers }));
  expect(answer.status).toBe(204);
  expect(await tablesWith(...named)).toEqual([]);
  expect(await tablesWith(id)).toEqual(['audit_events', 'refresh_tokens', 'sessions']);

  const pseudonym = expect.stringMatching(/^erased-\w{20}$/);
  const actor = { caller_type: 'user', sub: id };
  const by = { user_id: id, ip_address: pseudonym, user_agent: pseudonym };
  expect(events.sort((a, b) => a.event_type.localeCompare(b.event_type))).toMatchObject([
    { ...by, event_type: 'user_deleted', metadata: { actor, email: pseudonym, role: 'admin' } },
    { ...by, event_type: 'user_erased', metadata: { actor, pseudonym, events: expect.any(Number) } },
  ]);
  expect((await order()).filter((row) => before.some((one) => one['id'] === row['id']))).toEqual(before);
});

test('Interface 21: it needs a proof of the last 300 seconds, by a factor if there is one', async () => {
  const person = await newcomer(gateway);
  gateway.clock.advance(300);
  const before = await wholeState(gateway);
  const stale = await deleteAccount(gateway, person.accessToken);
  expect([stale.status, stale.json.reason, stale.cookies]).toEqual([401, 'confirmation_required', []]);
  const challenge = 'Bearer realm="auth-gateway", error="insufficient_user_authentication", max_age="300"';
  expect(stale.headers['www-authenticate']).toBe(challenge);
  expect(await wholeState(gateway)).toEqual(before);
  await confirm(gateway, person.accessToken, { password: PASSWORD });
  expect((await deleteAccount(gateway, person.accessToken)).status).toBe(204);

  const app = await withTotp(gateway);
  gateway.clock.advance(300);
  const again = await deleteAccount(gateway, app.accessToken);
  expect(again.headers['www-authenticate']).toBe(`${challenge}, acr_values="aal2"`);
  await confirm(gateway, app.accessToken, { code: codeAt(app.secret, gateway.clock.now()) });
  expect((await deleteAccount(gateway, app.accessToken)).status).toBe(204);
});

test('Interface 21: the last administrator who can log in is 409, and nothing changes', async () => {
  for (const { id } of await gateway.rows<{ id: string }>(`select id from users where role = 'admin'`))
    await gateway.rows(`update users set role = 'viewer' where id = $1`, [id]);
  const last = await newcomer(gateway, 'admin');
  const passwordless = await gateway.user({ role: 'admin', password: null });
  const inactive = await gateway.user({ role: 'admin' });
  await setUserActive(gateway.app, COMMAND_LINE, inactive.id, false);
  const before = await wholeState(gateway);
  const answer = await deleteAccount(gateway, last.accessToken);
  expect([answer.status, answer.json, answer.cookies]).toEqual([
    409,
    { detail: 'The last administrator cannot be deleted', reason: 'last_administrator' },
    [],
  ]);
  expect(await wholeState(gateway)).toEqual(before);
  const other = await newcomer(gateway, 'admin');
  expect((await deleteAccount(gateway, last.accessToken)).status).toBe(204);
  expect((await deleteAccount(gateway, other.accessToken)).status).toBe(409);
  await deleteUser(gateway.app, COMMAND_LINE, passwordless.id);
});

test('Interface 21: an ended session deletes nothing', async () => {
  const person = await newcomer(gateway);
  await logout(gateway, person.refreshToken);
  expect((await deleteAccount(gateway, person.accessToken)).json.reason).toBe('invalid_token');
  expect((await login(gateway, person.user.email)).status).toBe(200);
  expect(claimsOf(person.accessToken)['sub']).toBe(person.user.id);
});

test('Interface 21: only the caller is deleted, and a request for an e-mail of somebody else stays theirs', async () => {
  const [person, neighbour] = [await newcomer(gateway), await newcomer(gateway)];
  await requestEmail(gateway, neighbour.accessToken, person.user.email);
  await deleteAccount(gateway, person.accessToken);
  expect((await refresh(gateway, neighbour.refreshToken)).status).toBe(200);
  expect(await gateway.rows('select email from email_changes where user_id = $1', [neighbour.user.id])).toHaveLength(1);
});
