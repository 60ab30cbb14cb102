/** ZITADEL CVE-2023-22492: deactivation, a new password and deletion end every session, also one that is being made. */
import { randomUUID } from 'node:crypto';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { deleteUser, setUserActive, setUserPassword } from '../../src/admin/user-changes.js';
import {
  type Answer,
  type Instance,
  logIn,
  PASSWORD,
  refreshTokenOf,
  startGateway,
  type TestGateway,
} from '../support/gateway/gateway.js';
import { quickPasswords } from '../support/gateway/quick-passwords.js';
import { login, refresh } from '../support/gateway/routes.js';
import { auditDuring, recordsOf, type UserRow } from '../support/gateway/rows.js';
import { holdNewRecords } from '../support/postgres/hold.js';

const NEW_PASSWORD = 'another horse entirely';

const passwords = quickPasswords();
let gateway: TestGateway;
let one: Instance;
let two: Instance;

beforeAll(async () => {
  gateway = await startGateway({ instances: 2, passwords });
  [one, two] = gateway.two();
  await gateway.user({ role: 'admin' });
});
afterAll(() => gateway.close());

type User = { id: string; email: string };

const changes: Array<[string, string, (user: User) => Promise<unknown>]> = [
  ['deactivation', 'user_deactivated', ({ id }) => setUserActive(one.app, COMMAND_LINE, id, false)],
  ['a new password', 'user_password_set', ({ id }) => setUserPassword(one.app, COMMAND_LINE, id, NEW_PASSWORD)],
  ['deletion', 'user_deleted', ({ id }) => deleteUser(one.app, COMMAND_LINE, id)],
];

const live = async ({ id }: User) => (await recordsOf(gateway, id)).filter(({ revoked }) => !revoked);

describe.each(changes)('%s', (_name, event, change) => {
  test('ends every session and says how many, in one event', async () => {
    const user = await gateway.user();
    const used = await logIn(gateway, user.email);
    await refresh(gateway, used.refreshToken);
    await logIn(gateway, user.email);
    const other = await gateway.user();
    await logIn(gateway, other.email);
    const [, events] = await auditDuring(gateway, () => change(user));
    const metadata = { actor: { caller_type: 'cli' }, sessions_ended: 2 };
    expect(events).toMatchObject([{ event_type: event, user_id: user.id, metadata }]);
    expect(await live(user)).toEqual([]);
    expect(await live(other)).toHaveLength(1);
  });

  test('leaves no live token during concurrent logins and rotations, 15 rounds', async () => {
    for (let round = 0; round < 15; round += 1) {
      const user = await gateway.user();
      const { refreshToken } = await logIn(gateway, user.email);
      const rotateOn = async (): Promise<void> => {
        let token: string | undefined = refreshToken;
        for (let i = 0; i < 1000 && token !== undefined; i += 1) token = refreshTokenOf(await refresh(two, token));
      };
      const logins = (): Array<Promise<Answer>> => [login(one, user.email), login(two, user.email)];
      await Promise.all([...logins(), rotateOn(), change(user), ...logins()]);
      expect(await live(user)).toEqual([]);
    }
  });

  test('voids a login whose password was being checked: 401, no session, one login_failure', async () => {
    const user = await gateway.user();
    using held = passwords.hold();
    const pending = login(two, user.email);
    await held.reached(1);
    await change(user);
    const [answer, events] = await auditDuring(gateway, () => {
      held.release();
      return pending;
    });
    expect([answer.status, answer.json, answer.cookies]).toEqual([
      401,
      { detail: 'Invalid credentials', reason: 'invalid_credentials' },
      [],
    ]);
    expect(events).toMatchObject([{ event_type: 'login_failure', metadata: { email: user.email } }]);
    expect(await recordsOf(gateway, user.id)).toEqual([]);
    const rows = await gateway.rows<UserRow>('select last_login_at from users where id = $1', [user.id]);
    expect(rows.filter(({ last_login_at }) => last_login_at !== null)).toEqual([]);
  });

  test('takes the session of a login that stands just before its commit', async () => {
    const user = await gateway.user();
    await using held = await holdNewRecords(gateway);
    const pending = login(two, user.email);
    await held.waiting(1);
    const changed = change(user);
    await held.waiting(2);
    await held.release();
    await Promise.all([pending, changed]);
    expect(await recordsOf(gateway, user.id)).toHaveLength(1);
    expect(await live(user)).toEqual([]);
  });

  test('takes the successor of a rotation that stands just before its commit', async () => {
    const user = await gateway.user();
    const { refreshToken } = await logIn(gateway, user.email);
    await using held = await holdNewRecords(gateway);
    const pending = refresh(two, refreshToken);
    await held.waiting(1);
    const changed = change(user);
    await held.waiting(2);
    await held.release();
    await Promise.all([pending, changed]);
    expect(await recordsOf(gateway, user.id)).toHaveLength(2);
    expect(await live(user)).toEqual([]);
  });
});

test('a new password refuses the old one from then on', async () => {
  const { id, email } = await gateway.user();
  await setUserPassword(one.app, COMMAND_LINE, id, NEW_PASSWORD);
  expect((await login(two, email, PASSWORD)).status).toBe(401);
  expect((await login(two, email, NEW_PASSWORD)).status).toBe(200);
});

test.each([
  ['deactivate', (on: Instance, id: string) => setUserActive(on.app, COMMAND_LINE, id, false)],
  ['delete', (on: Instance, id: string) => deleteUser(on.app, COMMAND_LINE, id)],
])('two administrators who %s each other at once: one of them stays, 10 rounds', async (_what, remove) => {
  for (let round = 0; round < 10; round += 1) {
    await gateway.rows(`update users set role = 'viewer' where role = 'admin'`);
    const [a, b] = [await gateway.user({ role: 'admin' }), await gateway.user({ role: 'admin' })];
    const results = await Promise.allSettled([remove(one, a.id), remove(two, b.id)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refusal = results.find(({ status }) => status === 'rejected');
    expect(refusal).toMatchObject({ reason: { reason: 'last_administrator' } });
    const admins = await gateway.rows(`select id from users where role = 'admin' and is_active`);
    expect(admins).toHaveLength(1);
  }
});

test('an unknown user is refused and nothing is written', async () => {
  const [refused, events] = await auditDuring(gateway, () =>
    Promise.allSettled([
      setUserActive(one.app, COMMAND_LINE, randomUUID(), false),
      setUserPassword(one.app, COMMAND_LINE, 'x', NEW_PASSWORD),
      deleteUser(one.app, COMMAND_LINE, randomUUID()),
    ]),
  );
  expect(refused.map((result) => result.status === 'rejected' && result.reason.reason)).toEqual(
    Array(3).fill('user_unknown'),
  );
  expect(events).toEqual([]);
});
