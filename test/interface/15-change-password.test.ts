/** The route `POST /auth/password`. (Interface 15) */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { deleteUser, setUserActive } from '../../src/admin/user-changes.js';
import { PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newCronKey, newcomer, signIn } from '../support/gateway/graphql.js';
import { ANOTHER, CHOSEN, changePassword, check, issueLink, redeem } from '../support/gateway/passwords.js';
import { quickPasswords } from '../support/gateway/quick-passwords.js';
import { login, refresh, WRONG } from '../support/gateway/routes.js';
import { auditDuring, recordsOf, userRow, wholeState } from '../support/gateway/rows.js';

const passwords = quickPasswords();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ instances: 2, env: { LOGIN_MAX_FAILURES: '5' }, passwords });
});
afterAll(() => gateway.close());

test('Interface 15: a change stores the password, ends every other session, and audits itself', async () => {
  const { user, accessToken, refreshToken } = await newcomer(gateway);
  const other = await signIn(gateway, user);
  await login(gateway, user.email, WRONG);
  const [answer, events] = await auditDuring(gateway, () => changePassword(gateway, accessToken));
  expect([answer.status, answer.json, answer.cookies]).toEqual([200, { sessions_ended: 1 }, []]);
  const own = (await recordsOf(gateway, user.id)).find(({ revoked }) => !revoked);
  expect(events).toMatchObject([
    {
      event_type: 'user_password_changed',
      user_id: user.id,
      ip_address: '127.0.0.1',
      metadata: { family_id: own?.family_id, sessions_ended: 1 },
    },
  ]);
  expect(await userRow(gateway, user.id)).toMatchObject({
    failed_login_attempts: 0,
    password_version: 1,
    password_chosen_by_user: true,
  });
  expect((await refresh(gateway, refreshToken)).status).toBe(200);
  expect((await refresh(gateway, other.refreshToken)).json.detail).toMatch(/^Session invalidated/);
  expect((await login(gateway, user.email)).status).toBe(401);
  expect((await login(gateway, user.email, CHOSEN)).status).toBe(200);
});

test('Interface 15: a wrong current password is 403, counts as a failed login, and changes nothing else', async () => {
  const { user, accessToken } = await newcomer(gateway);
  const [{ family_id } = { family_id: '' }] = await recordsOf(gateway, user.id);
  const before = await userRow(gateway, user.id);
  const [answer, events] = await auditDuring(gateway, () => changePassword(gateway, accessToken, CHOSEN, WRONG));
  expect([answer.status, answer.json]).toEqual([
    403,
    { detail: 'Current password is wrong', reason: 'current_password_wrong' },
  ]);
  expect(answer.headers['www-authenticate']).toBeUndefined();
  expect(events).toMatchObject([
    {
      event_type: 'password_change_failed',
      user_id: user.id,
      metadata: { reason: 'current_password_wrong', family_id },
    },
  ]);
  expect(await userRow(gateway, user.id)).toEqual({ ...before, failed_login_attempts: 1 });
});

test('Interface 15: a thief with an access token has five guesses, then the account is locked', async () => {
  const { user, accessToken } = await newcomer(gateway);
  const guess = () => changePassword(gateway, accessToken, CHOSEN, WRONG);
  for (let i = 0; i < 5; i += 1) expect((await guess()).status).toBe(403);
  const [locked, events] = await auditDuring(gateway, guess);
  expect([locked.status, locked.json, locked.headers['retry-after']]).toEqual([
    429,
    { detail: 'Account temporarily locked due to too many failed attempts', reason: 'account_locked' },
    '900',
  ]);
  expect(events.map(({ event_type }) => event_type)).toEqual(['account_locked']);
  expect((await changePassword(gateway, accessToken)).status).toBe(429); // the right one too
  expect((await login(gateway, user.email)).status).toBe(429);
});

test('Interface 15: of 40 guesses at once over two instances five are answered, and logins share the count', async () => {
  const { user, accessToken } = await newcomer(gateway);
  const [one, two] = gateway.two();
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      i % 4 === 0 ? login(one, user.email, WRONG) : changePassword(i % 2 ? one : two, accessToken, CHOSEN, WRONG),
    ),
  );
  expect(answers.filter(({ status }) => status === 403 || status === 401)).toHaveLength(5);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(35);
  expect((await userRow(gateway, user.id)).failed_login_attempts).toBe(5);
});

test('Interface 15: of several right changes at once one wins', async () => {
  const { user, accessToken } = await newcomer(gateway);
  using held = passwords.hold();
  const changes = gateway.instances.flatMap((on) =>
    [0, 1].map((i) => changePassword(on, accessToken, `${CHOSEN} ${i} ${on.url}`)),
  );
  await held.reached(4);
  held.release();
  const answers = await Promise.all(changes);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403]);
  expect((await userRow(gateway, user.id)).password_version).toBe(1);
});

test('Interface 15: a right password that was being checked when the account was locked changes nothing', async () => {
  const { user, accessToken } = await newcomer(gateway);
  using held = passwords.hold();
  const change = changePassword(gateway, accessToken);
  await held.reached(1);
  const until = new Date(gateway.clock.now().getTime() + 60_000);
  await gateway.rows('update users set locked_until = $2 where id = $1', [user.id, until]);
  const before = await wholeUser(user.id);
  held.release();
  const answer = await change;
  expect([answer.status, answer.headers['retry-after']]).toEqual([429, '60']);
  expect(await wholeUser(user.id)).toEqual(before);
});

const wholeUser = async (id: string) => [await userRow(gateway, id), await recordsOf(gateway, id)];

test.each([
  ['none', undefined, 'missing_credentials', 'Bearer realm="auth-gateway"'],
  ['one that is no token', 'Bearer x', 'invalid_token', 'Bearer realm="auth-gateway", error="invalid_token"'],
  ['another scheme', 'Basic x', 'unsupported_scheme', 'Bearer realm="auth-gateway"'],
  ['a malformed one', 'Bearer', 'invalid_request', 'Bearer realm="auth-gateway", error="invalid_request"'],
])('Interface 15: with %s it is 401 with the challenge of RFC 6750', async (_, authorization, reason, challenge) => {
  const answer = await gateway.send('POST', '/auth/password', {
    headers: authorization === undefined ? {} : { authorization },
    body: { current_password: PASSWORD, new_password: CHOSEN },
  });
  expect([answer.status, answer.json.reason]).toEqual([401, reason]);
  expect(answer.headers['www-authenticate']).toMatch(challenge);
});

test('Interface 15: other credentials, and tokens of deactivated and deleted users, are no access tokens', async () => {
  const { as } = await newCronKey(gateway, ['users:write']);
  const body = { current_password: PASSWORD, new_password: CHOSEN };
  expect((await gateway.send('POST', '/auth/password', { headers: as(''), body })).status).toBe(401);
  const [inactive, gone] = [await newcomer(gateway), await newcomer(gateway)];
  await setUserActive(gateway.app, COMMAND_LINE, inactive.user.id, false);
  await deleteUser(gateway.app, COMMAND_LINE, gone.user.id);
  for (const { accessToken, refreshToken } of [inactive, gone]) {
    const answer = await changePassword(gateway, accessToken);
    expect([answer.status, answer.json.reason]).toEqual([401, 'invalid_token']);
    expect((await changePassword(gateway, refreshToken)).json.reason).toBe('invalid_token');
  }
});

test('Interface 15: a new password that breaks a rule is 422 before the current one is looked at', async () => {
  const { user, accessToken } = await newcomer(gateway);
  for (const [newPassword, reason] of [
    ['too short', 'too_short'],
    ['x'.repeat(1_025), 'too_long'],
    [user.email, 'context'],
  ]) {
    const before = await wholeState(gateway);
    const answer = await changePassword(gateway, accessToken, newPassword, WRONG);
    expect([answer.status, answer.json]).toEqual([
      422,
      {
        detail: 'Request body is invalid',
        reason: 'body_invalid',
        errors: [{ field: 'new_password', message: expect.stringMatching(/^must /), reason }],
      },
    ]);
    expect(await wholeState(gateway)).toEqual(before);
  }
});

test('Interface 15: two same passwords are refused before they are looked at, so that no right guess goes without a trace', async () => {
  const { accessToken } = await newcomer(gateway);
  const before = await wholeState(gateway);
  for (const password of [PASSWORD, `${WRONG} of fifteen letters`]) {
    const same = await changePassword(gateway, accessToken, password, password);
    expect([same.status, same.json.errors[0].reason]).toEqual([422, 'current']);
  }
  expect(await wholeState(gateway)).toEqual(before);
  const wrong = await changePassword(gateway, accessToken, PASSWORD, WRONG);
  expect([wrong.status, wrong.json.reason]).toEqual([403, 'current_password_wrong']);
});

test('Interface 15: a body of another form lists what is wrong, and repeats nothing', async () => {
  const { accessToken } = await newcomer(gateway);
  const send = (body: unknown) =>
    gateway.send('POST', '/auth/password', { headers: { authorization: `Bearer ${accessToken}` }, body });
  expect((await send({})).json.errors.map(({ field }: { field: string }) => field)).toEqual([
    'current_password',
    'new_password',
  ]);
  const answer = await send({ current_password: 5, new_password: `${CHOSEN}\0` });
  expect(answer.status).toBe(422);
  expect(answer.json.errors).toEqual([
    { field: 'current_password', message: 'must be a string' },
    { field: 'new_password', message: 'must be text without NUL' },
  ]);
  expect((await send('[')).status).toBe(415);
});

test('Interface 15: a new password ends the link of the user', async () => {
  const { user, accessToken } = await newcomer(gateway);
  const token = await issueLink(gateway, user.id);
  expect((await changePassword(gateway, accessToken)).status).toBe(200);
  expect((await redeem(gateway, token, ANOTHER)).status).toBe(401);
});

test('Interface 15: it counts for the login limit of the address', async () => {
  const limited = await startGateway({ env: { LOGIN_RATE_LIMIT: '4' } });
  const { accessToken } = await newcomer(limited);
  expect((await changePassword(limited, accessToken)).headers['ratelimit']).toBe('"login";r=2;t=900');
  expect((await check(limited, 'pl_x')).headers['ratelimit']).toBe('"login";r=1;t=900');
  expect((await redeem(limited, 'pl_x')).headers['ratelimit']).toBe('"login";r=0;t=900');
  const answer = await changePassword(limited, accessToken);
  expect([answer.status, answer.json.detail]).toEqual([429, 'Too many login attempts, try again later']);
  await limited.close();
});

test('Interface 15: a call of another site is refused, and another method', async () => {
  for (const path of ['/auth/password', '/auth/password/check', '/auth/password/redeem']) {
    expect((await gateway.send('POST', path, { headers: { origin: 'https://evil.example' } })).status).toBe(403);
    expect((await gateway.send('GET', path)).status).toBe(405);
  }
});
