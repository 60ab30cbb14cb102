/**
 * What the version before e-mail changes does next to this one gives nobody an address of another.
 * (Interface 8 and 21)
 */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { eraseUser } from '../../src/admin/user-erasure.js';
import { askForEmail, changeEmail, startWithAccount } from '../support/gateway/email-changes.js';
import { post } from '../support/gateway/factors.js';
import type { TestGateway } from '../support/gateway/gateway.js';
import { dataOf, newcomer } from '../support/gateway/graphql.js';
import { refresh } from '../support/gateway/routes.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startWithAccount();
});
afterAll(() => gateway.close());

test('a password that the previous version sets ends the link to a new e-mail', async () => {
  const user = await newcomer(gateway);
  const token = await askForEmail(gateway, user, 'wanted@example.com');
  await gateway.rows('update users set password_version = password_version + 1 where id = $1', [user.user.id]);
  expect((await dataOf(gateway, user.as, '{ me { pendingEmail } }')).me).toEqual({ pendingEmail: null });
  const redeemed = await post(gateway, 'email/redeem', { token }, user.accessToken);
  expect([redeemed.status, redeemed.json.reason]).toEqual([401, 'link_invalid']);
});

test('a reserved e-mail that the previous version gives to another user stays theirs', async () => {
  const user = await newcomer(gateway);
  const token = await changeEmail(gateway, user, 'moved@example.com');
  const { id } = await gateway.user();
  await gateway.rows('update users set email = $2 where id = $1', [id, user.user.email]);
  const undone = await post(gateway, 'email/undo', { token });
  expect([undone.status, undone.json.reason]).toEqual([409, 'email_taken']);
  expect((await refresh(gateway, user.refreshToken)).status).toBe(200);
});

test('links of a user whom the previous version has deleted do nothing, and an erasure removes them', async () => {
  const user = await newcomer(gateway);
  const undo = await changeEmail(gateway, user, 'of-a-deleted@example.com');
  const change = await askForEmail(gateway, user, 'never@example.com');
  await gateway.rows('delete from users where id = $1', [user.user.id]);
  const answers = [
    await post(gateway, 'email/undo', { token: undo }),
    await post(gateway, 'email/redeem', { token: change }, user.accessToken),
  ];
  expect(answers.map(({ status }) => status)).toEqual([401, 401]);
  await eraseUser(gateway.app, COMMAND_LINE, user.user.id);
  const left =
    'select id from email_undos where user_id = $1 union select user_id from email_changes where user_id = $1';
  expect(await gateway.rows(left, [user.user.id])).toEqual([]);
});
