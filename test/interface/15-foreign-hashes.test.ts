/** Users who come with the hash of another system log in, and get a hash of our own. (Interface 15) */
import { runHere } from '../support/gateway/cli.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { captureLog } from '../support/gateway/log.js';
import { login, WRONG } from '../support/gateway/routes.js';
import { userRow } from '../support/gateway/rows.js';
import { FOREIGN_HASHES } from '../support/independent/foreign-hashes.js';

const captured = captureLog();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ passwords: 'argon2', log: captured.log });
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

test('ASVS 6.2.8: a slip behind byte 72 of a bcrypt password does not lock the right one out', async () => {
  const { id, email } = await gateway.user();
  // Of 72 times "x", and so of everything that begins with them
  const hash = '$2b$04$9ik4/q3YTurgc1ZCgjmSNee0IDfSUauKriH4rGckkfNq6y/54SBXa';
  await gateway.rows('update users set password_hash = $2 where id = $1', [id, hash]);
  const right = 'x'.repeat(80);
  for (const password of [`${right.slice(1)}y`, 'x'.repeat(72), right, `${right} `, right]) {
    expect((await login(gateway, email, password)).status).toBe(200);
  }
  expect((await login(gateway, email, 'x'.repeat(71))).status).toBe(401);
  expect((await userRow(gateway, id)).password_hash).toBe(hash);
});

test.each([
  `$argon2id$v=19$m=1024,t=1,p=1$AAAA$${'A'.repeat(43)}`,
  `$argon2id$v=19$m=8,t=1,p=16$c29tZXNhbHRzb21lc2FsdA$${'B'.repeat(43)}`,
])('Interface 15: a stored hash that its library refuses is a failed login: %s', async (hash) => {
  const { id, email } = await gateway.user();
  await gateway.rows('update users set password_hash = $2 where id = $1', [id, hash]);
  captured.clear();
  const answer = await login(gateway, email);
  expect([answer.status, answer.json.reason]).toEqual([401, 'invalid_credentials']);
  expect((await userRow(gateway, id)).failed_login_attempts).toBe(1);
  expect(captured.lines()).toContainEqual(
    expect.objectContaining({ kind: 'argon2', msg: expect.stringContaining('cannot be checked') }),
  );
  expect(captured.text()).not.toContain(hash.slice(-20));
  const config = { ...gateway.config, databaseUrl: gateway.database.url };
  const { stdout } = await runHere(['user', 'explain', email], () => config);
  expect(stdout).toMatch(/hash \(argon2\) has parameters or lengths that cannot be checked\. No login can use it/);
});
