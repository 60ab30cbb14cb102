/** Second factors in an archive: they go on as they were, and what waited for a proof ends. (Interface 9 and 20) */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { here } from '../support/gateway/archives.js';
import { codeAt, finishLogin, halfLogin, withTotp } from '../support/gateway/factors.js';
import { claimsOf, refreshTokenOf, startGateway, startInstance } from '../support/gateway/gateway.js';
import { refresh } from '../support/gateway/routes.js';
import { createDatabase } from '../support/postgres/postgres.js';

test('Interface 9 and 20: after an import codes, recovery codes and sessions are as before, and a half login has ended', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-archive-'));
  const gateway = await startGateway();
  const database = await createDatabase();
  const file = join(folder, 'database.export');
  try {
    const { user, secret, recoveryCodes } = await withTotp(gateway);
    const { clock } = gateway;
    const used = { code: codeAt(secret, clock.now()) };
    const session = refreshTokenOf(await finishLogin(gateway, await halfLogin(gateway, user.email), used));
    const waiting = await halfLogin(gateway, user.email);
    expect(await here(gateway.database, ['database', 'export', '--out', file])).toMatchObject({ code: 0 });
    expect(await here(database, ['database', 'import', file])).toMatchObject({ code: 0 });

    const moved = await startInstance(database, { clock });
    try {
      const logInBy = async (proof: object, challenge?: string) => {
        const { status, json } = await finishLogin(moved, challenge ?? (await halfLogin(moved, user.email)), proof);
        return status === 200 ? claimsOf(json.access_token)['acr'] : json.reason;
      };
      expect(await logInBy({ recovery_code: recoveryCodes[0] }, waiting)).toBe('challenge_invalid');
      expect(await logInBy(used)).toBe('invalid_credentials'); // its step was used before the export
      expect(await logInBy({ recovery_code: recoveryCodes[0] })).toBe('aal2');
      expect(claimsOf((await refresh(moved, session)).json.access_token)['acr']).toBe('aal2');
      clock.advance(30);
      expect(await logInBy({ code: codeAt(secret, clock.now()) })).toBe('aal2');
    } finally {
      await moved.close();
    }
  } finally {
    await gateway.close();
    await database.drop();
    await rm(folder, { recursive: true });
  }
});
