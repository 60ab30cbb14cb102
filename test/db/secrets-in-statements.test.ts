/** OWASP ASVS 16.2.5: hashes and sealed secrets travel as parameters, never in the text of a statement. */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { createApiKey, rotateApiKey } from '../../src/admin/api-keys.js';
import { createCronKey } from '../../src/admin/cron-keys.js';
import { setUserPassword, setUserRole } from '../../src/admin/user-changes.js';
import { logIn, startGateway, type TestGateway } from '../support/gateway/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ passwords: 'argon2' });
  await gateway.rows('create table seen (statement text)');
  await gateway.rows(`
    create function note() returns trigger language plpgsql as
    $$ begin insert into seen values (current_query()); return new; end $$`);
  for (const table of ['users', 'api_keys', 'cron_keys']) {
    await gateway.rows(`create trigger note before insert or update on ${table} for each row execute function note()`);
  }
});
afterAll(() => gateway.close());

test('ASVS 16.2.5: no statement that writes a user or a key has a hash or a sealed secret in its text', async () => {
  const { app } = gateway;
  const user = await gateway.user();
  await logIn(gateway, user.email);
  await setUserPassword(app, COMMAND_LINE, user.id, 'another long enough password');
  await setUserRole(app, COMMAND_LINE, user.id, 'analyst');
  const { key } = await createApiKey(app, COMMAND_LINE, { serviceName: 'x', scopes: [], rateLimit: 1 });
  await rotateApiKey(app, COMMAND_LINE, key.keyId, { overlapSeconds: 60 });
  await createCronKey(app, COMMAND_LINE, { serviceName: 'x', scopes: [] });

  const statements = (await gateway.rows<{ statement: string }>('select statement from seen')).map(
    (row) => row.statement,
  );
  const [{ password_hash = '' } = {}] = await gateway.rows<{ password_hash: string }>(
    'select password_hash from users',
  );
  const [{ secret_sha256 = '' } = {}] = await gateway.rows<{ secret_sha256: string }>(
    'select secret_sha256 from cron_keys',
  );
  const [{ sealed_secret = '' } = {}] = await gateway.rows<{ sealed_secret: string }>(
    'select sealed_secret from api_keys',
  );
  expect(statements.length).toBeGreaterThanOrEqual(7);
  for (const secret of ['$argon2id', password_hash, secret_sha256, sealed_secret, 'eyJ']) {
    expect(secret).not.toBe('');
    expect(statements.filter((statement) => statement.includes(secret))).toEqual([]);
  }
});
