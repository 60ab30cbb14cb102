/** The old address of a user who has changed the e-mail is reserved for them for 72 hours. (Interface 21) */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { createUser, deleteUser, setUserEmail } from '../../src/admin/user-changes.js';
import { importUsers } from '../../src/admin/user-import.js';
import { beginChange, type Changed, redeemEmail, startUnmailed, withChangedEmail } from '../support/gateway/account.js';
import { PASSWORD, type TestGateway } from '../support/gateway/gateway.js';
import { ask, newcomer } from '../support/gateway/graphql.js';
import { userRow } from '../support/gateway/rows.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startUnmailed();
});
afterAll(() => gateway.close());

const HOURS_72 = 72 * 3_600;

/** Tries to get an address for somebody else. @returns the reason of a refusal, or undefined */
type Attempt = (email: string) => Promise<unknown>;

const reasonOf = async (act: Promise<unknown>): Promise<unknown> => {
  try {
    await act;
    return undefined;
  } catch (error) {
    return (error as { reason?: unknown }).reason;
  }
};

const ATTEMPTS: Array<[who: string, attempt: Attempt]> = [
  [
    'creation',
    (email) => reasonOf(createUser(gateway.app, COMMAND_LINE, { email, password: PASSWORD, role: 'viewer' })),
  ],
  [
    'creation over GraphQL',
    async (email) => {
      const { as } = await newcomer(gateway, 'admin');
      const query = `mutation ($email: String!) { createUser(input: { email: $email, role: viewer }) { user { id } } }`;
      return (await ask(gateway, as, query, { email })).reason;
    },
  ],
  [
    'import',
    async (email) => {
      const lines = [{ line: 1, user: { email } }];
      const { faults } = await importUsers(gateway.app, COMMAND_LINE, lines, false);
      return faults.length === 0 ? undefined : 'email_taken';
    },
  ],
  [
    'an operator’s change of another user',
    async (email) => reasonOf(setUserEmail(gateway.app, COMMAND_LINE, (await gateway.user()).id, email)),
  ],
  [
    'the change of another user',
    async (email) => {
      const other = await newcomer(gateway);
      return (await redeemEmail(gateway, other.accessToken, await beginChange(gateway, other, email))).json.reason;
    },
  ],
];

test.each(ATTEMPTS)('Interface 21: it is reserved against %s for 72 hours', async (_who, attempt) => {
  const { former } = await withChangedEmail(gateway);
  gateway.clock.advance(HOURS_72 - 2);
  expect(await attempt(former)).toBe('email_taken');
  expect(await gateway.rows('select from users where email = $1', [former])).toEqual([]);
  gateway.clock.advance(1);
  expect(await attempt(former)).toBeUndefined();
  expect(await gateway.rows('select from users where email = $1', [former])).toHaveLength(1);
});

const BY_OWNER: Array<[who: string, act: (person: Changed) => Promise<unknown>]> = [
  [
    'by themselves',
    async (person) => {
      const link = await beginChange(gateway, person, person.former);
      expect((await redeemEmail(gateway, person.accessToken, link)).json).toEqual({ email: person.former });
    },
  ],
  ['by an operator', ({ user, former }) => setUserEmail(gateway.app, COMMAND_LINE, user.id, former)],
];

test.each(BY_OWNER)('Interface 21: its user can have it back before, %s', async (_who, act) => {
  const person = await withChangedEmail(gateway);
  await act(person);
  expect((await userRow(gateway, person.user.id)).email).toBe(person.former);
});

test('Interface 21: it is free once its user is deleted', async () => {
  const { user, former } = await withChangedEmail(gateway);
  await deleteUser(gateway.app, COMMAND_LINE, user.id);
  expect((await gateway.user({ email: former })).email).toBe(former);
});
