/** The field `User.devices` and the mutation `forgetDevice`. (Interface 16) */
import { loginFrom, newDevice } from '../support/gateway/devices.js';
import { PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, bearer, dataOf, newApiKey, newcomer } from '../support/gateway/graphql.js';
import { login, WRONG } from '../support/gateway/routes.js';
import { type Statement, watchStatements } from '../support/gateway/work.js';

let gateway: TestGateway;
let admin: As;
beforeAll(async () => {
  gateway = await startGateway({ env: { KNOWN_DEVICES: 'on', LOGIN_MAX_FAILURES: '2' } });
  admin = (await newApiKey(gateway, ['users:read', 'sessions:write'])).as;
});
afterAll(() => gateway.close());

const DEVICES = 'devices { id userAgent failedLoginAttempts lockedUntil createdAt lastUsedAt }';

test('Interface 16: a user sees their own devices, most recently used first, and forgets one', async () => {
  const { email } = await gateway.user();
  const first = gateway.clock.now();
  await login(gateway, email, PASSWORD, { 'user-agent': 'Phone/1' });
  gateway.clock.advance(60);
  const device = await newDevice(gateway, email);
  gateway.clock.advance(60);
  const as = bearer((await loginFrom(device, gateway, email)).json.access_token);
  for (let i = 0; i < 2; i += 1) await loginFrom(device, gateway, email, WRONG);

  const { me } = await dataOf(gateway, as, `{ me { ${DEVICES} } }`);
  const now = gateway.clock.now();
  const at = (instant: Date) => instant.toISOString();
  expect(me.devices).toEqual([
    {
      id: expect.any(String),
      userAgent: '',
      failedLoginAttempts: 2,
      lockedUntil: at(new Date(now.getTime() + 900_000)),
      createdAt: at(new Date(first.getTime() + 60_000)),
      lastUsedAt: at(now),
    },
    {
      id: expect.any(String),
      userAgent: 'Phone/1',
      failedLoginAttempts: 0,
      lockedUntil: null,
      createdAt: at(first),
      lastUsedAt: at(first),
    },
  ]);

  const forget = `mutation { forgetDevice(input: { id: "${me.devices[1].id}" }) { forgottenId } }`;
  expect((await dataOf(gateway, as, forget)).forgetDevice.forgottenId).toBe(me.devices[1].id);
  expect((await dataOf(gateway, as, '{ me { devices { id } } }')).me.devices).toEqual([{ id: me.devices[0].id }]);
  expect(await ask(gateway, as, forget)).toMatchObject({ code: 'FORBIDDEN' }); // nobody's device, so no longer their own
});

test('Interface 16: an administrator sees those of a page of users by one statement', async () => {
  for (let i = 0; i < 3; i += 1) await newDevice(gateway, (await gateway.user()).email);
  const statements: Statement[] = [];
  watchStatements(gateway.app.db, (statement) => statements.push(statement));
  const { users } = await dataOf(gateway, admin, '{ users { nodes { email devices { id } } } }');
  expect(users.nodes.filter(({ devices }: { devices: object[] }) => devices.length > 0).length).toBeGreaterThan(2);
  expect(statements.filter(({ sql }) => sql.includes('known_devices'))).toHaveLength(1);
});

test('Interface 16: while devices are unknown, nobody has one', async () => {
  await using running = new AsyncDisposableStack();
  const off = await startGateway();
  running.defer(off.close);
  const { as } = await newcomer(off);
  expect((await dataOf(off, as, '{ me { devices { id } } }')).me.devices).toEqual([]);
});
