/** Acts that make the gateway forget a device, and those that do not. (Interface 16) */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { forgetDevice } from '../../src/admin/devices.js';
import { deleteUser, setUserActive, setUserEmail, setUserPassword, unlockUser } from '../../src/admin/user-changes.js';
import { deviceOf, loginFrom, newDevice } from '../support/gateway/devices.js';
import { PASSWORD, refreshTokenOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { ANOTHER, CHOSEN, changePassword, issueLink, redeem } from '../support/gateway/passwords.js';
import { quickPasswords } from '../support/gateway/quick-passwords.js';
import { login, logout, refresh, WRONG } from '../support/gateway/routes.js';
import { auditDuring, userRow } from '../support/gateway/rows.js';

const MOST = 5;

const passwords = quickPasswords();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { KNOWN_DEVICES: 'on' }, passwords });
});
afterAll(() => gateway.close());

interface Owner {
  id: string;
  email: string;
  device: string;
  accessToken: string;
  refreshToken: string;
}

async function owner(): Promise<Owner> {
  const { id, email } = await gateway.user();
  const device = await newDevice(gateway, email);
  const answer = await loginFrom(device, gateway, email);
  return { id, email, device, accessToken: answer.json.access_token, refreshToken: refreshTokenOf(answer) ?? '' };
}

const idsOf = async (userId: string): Promise<string[]> =>
  (await gateway.rows<{ id: string }>('select id from known_devices where user_id = $1', [userId])).map(({ id }) => id);

/** Whether the device is not held by the lock of strangers. */
async function isKnown({ email, device }: Owner, password = PASSWORD): Promise<boolean> {
  for (let i = 0; i < MOST; i += 1) await login(gateway, email, WRONG);
  return (await loginFrom(device, gateway, email, password)).status === 200;
}

const ENDS: Array<[what: string, end: (of: Owner) => Promise<unknown>, password: string]> = [
  ['a new password of the user', ({ accessToken }) => changePassword(gateway, accessToken), CHOSEN],
  ['a new password by a link', async ({ id }) => redeem(gateway, await issueLink(gateway, id), ANOTHER), ANOTHER],
  ['a new password by an operator', ({ id }) => setUserPassword(gateway.app, COMMAND_LINE, id, CHOSEN), CHOSEN],
  ['deactivation, even if the user is activated again', ({ id }) => reactivate(id), PASSWORD],
  ['a request of its user', async ({ id }) => forget(id), PASSWORD],
  ['theft in a session that it began', ({ refreshToken }) => steal(refreshToken), PASSWORD],
  ['theft after rotations', async ({ refreshToken }) => steal(await rotated(refreshToken)), PASSWORD],
];

async function reactivate(id: string): Promise<void> {
  for (const isActive of [false, true]) await setUserActive(gateway.app, COMMAND_LINE, id, isActive);
}

async function forget(userId: string): Promise<void> {
  for (const id of await idsOf(userId)) await forgetDevice(gateway.app, COMMAND_LINE, userId, id);
}

async function steal(refreshToken: string): Promise<void> {
  expect((await refresh(gateway, refreshToken)).status).toBe(200);
  expect((await refresh(gateway, refreshToken)).status).toBe(401);
}

async function rotated(refreshToken: string): Promise<string> {
  let token = refreshToken;
  for (let i = 0; i < 3; i += 1) token = refreshTokenOf(await refresh(gateway, token)) ?? '';
  return token;
}

test.each(ENDS)('Interface 16: %s ends the device', async (_what, end, password) => {
  const user = await owner();
  await end(user);
  expect(await idsOf(user.id)).toEqual([]);
  expect(await isKnown(user, password)).toBe(false);
});

test('Interface 16: a device whose row outlives a password, as by an earlier version of the gateway, is a stranger', async () => {
  const user = await owner();
  await gateway.rows('update users set password_version = password_version + 1 where id = $1', [user.id]);
  expect(await idsOf(user.id)).toHaveLength(1);
  expect(await isKnown(user)).toBe(false);
});

test('Interface 16: deletion leaves no device', async () => {
  const { id } = await owner();
  await deleteUser(gateway.app, COMMAND_LINE, id);
  expect(await idsOf(id)).toEqual([]);
});

const STAYS: Array<[what: string, act: (of: Owner) => Promise<unknown>]> = [
  ['a logout', ({ refreshToken }) => logout(gateway, refreshToken)],
  ['a logout, whose token then comes back', ({ refreshToken }) => endedToken(refreshToken)],
  ['theft in a session of another device', async ({ email }) => stolenElsewhere(email)],
  ['an expired session', async () => gateway.clock.advance(20 * 86_400)],
];

async function endedToken(refreshToken: string): Promise<void> {
  await logout(gateway, refreshToken);
  expect((await refresh(gateway, refreshToken)).status).toBe(401);
}

async function stolenElsewhere(email: string): Promise<void> {
  await steal(refreshTokenOf(await login(gateway, email)) ?? '');
}

test.each(STAYS)('Interface 16: %s does not end the device', async (_what, act) => {
  const user = await owner();
  await act(user);
  expect(await isKnown(user)).toBe(true);
});

test('Interface 16: a user whose e-mail changes keeps the device', async () => {
  const user = await owner();
  const email = `new-${user.email}`;
  await setUserEmail(gateway.app, COMMAND_LINE, user.id, email);
  expect(await isKnown({ ...user, email })).toBe(true);
});

test('Interface 16: a forgotten device is audited with its operator', async () => {
  const { id } = await owner();
  const [device = ''] = await idsOf(id);
  const [, events] = await auditDuring(gateway, () => forget(id));
  expect(events).toMatchObject([
    { event_type: 'device_forgotten', user_id: id, metadata: { actor: { caller_type: 'cli' }, device_id: device } },
  ]);
});

test('Interface 16: an operator unlocks the account and its devices', async () => {
  const user = await owner();
  for (let i = 0; i < MOST; i += 1) await loginFrom(user.device, gateway, user.email, WRONG);
  expect((await loginFrom(user.device, gateway, user.email)).status).toBe(429);
  const [, events] = await auditDuring(gateway, () => unlockUser(gateway.app, COMMAND_LINE, user.id));
  expect(events).toMatchObject([{ event_type: 'user_unlocked', user_id: user.id }]);
  expect((await loginFrom(user.device, gateway, user.email)).status).toBe(200);
});

test('Interface 16: a guess that is being checked when its device is forgotten counts for the account', async () => {
  const user = await owner();
  using held = passwords.hold();
  const guess = loginFrom(user.device, gateway, user.email, WRONG);
  await held.reached(1);
  await forget(user.id);
  held.release();
  expect((await guess).status).toBe(401);
  expect((await userRow(gateway, user.id)).failed_login_attempts).toBe(1);
});

async function lockAccount(id: string): Promise<void> {
  const until = new Date(gateway.clock.now().getTime() + 60_000);
  await gateway.rows('update users set locked_until = $2 where id = $1', [id, until]);
}

/** The device goes, and the password stays. */
const FORGOTTEN: Array<[what: string, end: (of: Owner) => Promise<unknown>]> = [
  ['is forgotten', ({ id }) => forget(id)],
  ['ends by deactivation, and the user is activated again', ({ id }) => reactivate(id)],
  ['ends by theft', ({ refreshToken }) => steal(refreshToken)],
  ['is swept', ({ id }) => gateway.rows('delete from known_devices where user_id = $1', [id])],
];

test.each(FORGOTTEN)(
  'Interface 16: right passwords that are being checked when their device %s begin new devices',
  async (_what, end) => {
    const user = await owner();
    using held = passwords.hold();
    const logins = Array.from({ length: 2 }, () => loginFrom(user.device, gateway, user.email));
    await held.reached(2);
    await end(user);
    const [answers, events] = await auditDuring(gateway, () => {
      held.release();
      return Promise.all(logins);
    });
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(events.map(({ event_type }) => event_type)).toEqual(['login_success', 'login_success']);
    expect(await idsOf(user.id)).toHaveLength(2);
    for (const answer of answers) expect(await isKnown({ ...user, device: deviceOf(answer) ?? '' })).toBe(true);
    expect((await loginFrom(user.device, gateway, user.email)).status).toBe(429); // the former one is a stranger's
  },
);

test('Interface 16: a right password whose device is forgotten is refused if the account is locked, or the password is replaced', async () => {
  for (const [status, change] of [
    [429, ({ id }: Owner) => lockAccount(id)],
    [401, ({ id }: Owner) => setUserPassword(gateway.app, COMMAND_LINE, id, CHOSEN)],
  ] as const) {
    const user = await owner();
    using held = passwords.hold();
    const right = loginFrom(user.device, gateway, user.email);
    await held.reached(1);
    await forget(user.id);
    await change(user);
    held.release();
    expect([(await right).status, await idsOf(user.id)]).toEqual([status, []]);
  }
});

test('Interface 16: a right password that is being checked when its device is locked is refused', async () => {
  const user = await owner();
  const sessions = () => gateway.rows('select family_id from sessions where user_id = $1', [user.id]);
  const before = await sessions();
  using held = passwords.hold();
  const right = loginFrom(user.device, gateway, user.email);
  const wrong = Array.from({ length: MOST }, () => loginFrom(user.device, gateway, user.email, WRONG));
  await held.reached(MOST + 1);
  await gateway.rows(`update known_devices set locked_until = $2 where user_id = $1`, [
    user.id,
    new Date(gateway.clock.now().getTime() + 60_000),
  ]);
  held.release();
  const answers = await Promise.all([right, ...wrong]);
  expect(answers.map(({ status }) => status)).toEqual(Array(MOST + 1).fill(429));
  expect(await sessions()).toEqual(before);
});
