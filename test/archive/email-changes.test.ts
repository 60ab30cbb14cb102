/** E-mail changes in an archive: their links, and the reservations of former e-mails, go on as they were. (Interface 9 and 21) */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { here } from '../support/gateway/archives.js';
import { ACCOUNT_ENV, askForEmail, changeEmail, startWithAccount } from '../support/gateway/email-changes.js';
import { post } from '../support/gateway/factors.js';
import { startInstance } from '../support/gateway/gateway.js';
import { dataOf, newcomer } from '../support/gateway/graphql.js';
import { createDatabase } from '../support/postgres/postgres.js';

test('Interface 9 and 21: after an import a new e-mail is confirmed, a former one is reserved, and takes the account back', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-archive-'));
  const gateway = await startWithAccount();
  const database = await createDatabase();
  const file = join(folder, 'database.export');
  try {
    const user = await newcomer(gateway);
    const undo = await changeEmail(gateway, user, 'new@example.com');
    const change = await askForEmail(gateway, user, 'newer@example.com');
    expect(await here(gateway.database, ['database', 'export', '--out', file])).toMatchObject({ code: 0 });
    expect(await here(database, ['database', 'import', file])).toMatchObject({ code: 0 });

    const moved = await startInstance(database, { clock: gateway.clock, env: ACCOUNT_ENV, outboxPollMs: 3_600_000 });
    try {
      expect((await dataOf(moved, user.as, '{ me { email pendingEmail } }')).me).toEqual({
        email: 'new@example.com',
        pendingEmail: 'newer@example.com',
      });
      const taken = await here(database, ['user', 'invite', user.user.email, '--role', 'viewer']);
      expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining('already exists') });
      const redeemed = await post(moved, 'email/redeem', { token: change }, user.accessToken);
      expect([redeemed.status, redeemed.json]).toEqual([200, { email: 'newer@example.com' }]);
      expect((await post(moved, 'email/undo', { token: undo })).status).toBe(204);
    } finally {
      await moved.close();
    }
  } finally {
    await gateway.close();
    await database.drop();
    await rm(folder, { recursive: true });
  }
});
