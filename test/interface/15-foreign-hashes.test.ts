/** Interface 15: users who come with the hash of another system log in, and get a hash of our own. */
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { login, WRONG } from '../support/gateway/routes.js';
import { userRow } from '../support/gateway/rows.js';
import { FOREIGN_HASHES } from '../support/independent/foreign-hashes.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ passwords: 'argon2' });
});
afterAll(() => gateway.close());

test.each(FOREIGN_HASHES)(
  'Interface 15: a user with $of logs in, which renews the hash',
  async ({ hash, password }) => {
    const { id, email } = await gateway.user();
    await gateway.rows('update users set password_hash = $2 where id = $1', [id, hash]);
    expect((await login(gateway, email, WRONG)).status).toBe(401);
    expect((await userRow(gateway, id)).password_hash).toBe(hash);
    expect((await login(gateway, email, password)).status).toBe(200);
    const { password_hash, password_version } = await userRow(gateway, id);
    expect([password_hash, password_version]).toEqual([expect.stringMatching(/^\$argon2id\$v=19\$m=19456,/), 0]);
    expect((await login(gateway, email, password)).status).toBe(200);
    expect((await userRow(gateway, id)).password_hash).toBe(password_hash);
  },
);
