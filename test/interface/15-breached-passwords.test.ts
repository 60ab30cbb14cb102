/** Breached passwords that become unreadable are an outage for setting a password, and never for login. (Interface 15) */
import { renameSync } from 'node:fs';
import { writeBreached } from '../support/breached.js';
import { PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { ask, newcomer, type SignedIn } from '../support/gateway/graphql.js';
import { login } from '../support/gateway/routes.js';
import { wholeState } from '../support/gateway/rows.js';

const path = writeBreached(['a breached passphrase']);
let gateway: TestGateway;
let admin: SignedIn;
beforeAll(async () => {
  gateway = await startGateway({ env: { BREACHED_PASSWORDS: path } });
  admin = await newcomer(gateway, 'admin');
});
afterAll(() => gateway.close());

const SET = 'mutation ($input: SetUserPasswordInput!) { setUserPassword(input: $input) { user { id } } }';
const CREATE = 'mutation ($input: CreateUserInput!) { createUser(input: $input) { user { id } } }';

test('Interface 15: without the file nothing is set, users log in, and when it is back passwords can be set', async () => {
  const { id, email } = await gateway.user();
  const set = () => ask(gateway, admin.as, SET, { input: { id, password: 'a new passphrase' } });
  const create = () =>
    ask(gateway, admin.as, CREATE, {
      input: { email: 'new@example.com', password: 'a new passphrase', role: 'viewer' },
    });
  renameSync(path, `${path}.away`);
  const before = await wholeState(gateway);
  for (const refused of [await set(), await create()]) {
    expect([refused.status, refused.reason]).toEqual([503, 'unavailable']);
  }
  expect(await wholeState(gateway)).toEqual(before);
  expect((await login(gateway, email, PASSWORD)).status).toBe(200);

  renameSync(`${path}.away`, path);
  expect((await set()).status).toBe(200);
  expect((await login(gateway, email, 'a new passphrase')).status).toBe(200);
});
