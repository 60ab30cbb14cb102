/** docs/sign-up.md: its code creates an account whose owner gets the link, and reports the reasons of its table. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { testedBlock } from '../documents/printed.js';
import { redeem, requestReset, startMailing } from '../mail/mailing.js';
import { startSmtpServer } from '../mail/smtp-server.js';
import { runningClock } from '../support/gateway/clock.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newApiKey } from '../support/gateway/graphql.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sign-up-'));
  const signer = resolve('client/src/sign.ts'); // one file, which Node runs
  const code = testedBlock('docs/sign-up.md', 'sign-up').replace('@auth-gateway/client/sign', signer);
  await writeFile(join(folder, 'sign-up.mjs'), code);
});
afterAll(() => rm(folder, { recursive: true }));

/** What the form of a service is told for these addresses, one after the other; null is no refusal. */
async function signUp(gateway: TestGateway, scopes: string[], ...emails: string[]): Promise<unknown> {
  const { keyId, secret } = await newApiKey(gateway, scopes);
  const { publicAuthority: AUTHORITY } = gateway.config;
  const env = { ...process.env, GATEWAY_URL: gateway.url, AUTHORITY, KEY_ID: keyId, SECRET: secret };
  const code = `const { signUp } = await import('./sign-up.mjs'); const said = [];
    for (const email of ${JSON.stringify(emails)}) said.push((await signUp(email)) ?? null);
    console.log(JSON.stringify(said));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], {
    cwd: folder,
    env,
  });
  return JSON.parse(stdout);
}

test('docs/sign-up.md: the owner of the e-mail gets the link, and only a new one is invited', async () => {
  await using server = await startSmtpServer();
  const gateway = await startMailing(server.url, { clock: runningClock() });
  const said = await signUp(gateway, ['users:write'], 'ada@example.com', 'ada@example.com', 'none');
  expect(said).toEqual([null, 'email_taken', 'invalid_email']);
  const users = await gateway.rows<{ id: string; email: string; role: string }>(
    'select id, email, role from users where password_hash is null',
  );
  expect(users).toMatchObject([{ email: 'ada@example.com', role: 'viewer' }]);
  const [invitation] = await server.reached(1);
  expect(invitation?.headers.get('to')).toBe('ada@example.com');

  // The invitation was lost: the user asks for a link.
  if (users[0]) await requestReset(gateway, users[0]);
  const [, asked] = await server.reached(2);
  if (asked === undefined) throw new Error('no second mail');
  expect(await redeem(gateway, asked)).toBe(204);
  await gateway.close();
});

test('docs/sign-up.md: the reasons without mail, and without the scope', async () => {
  const gateway = await startGateway({ clock: runningClock() });
  expect(await signUp(gateway, ['users:write'], 'ada@example.com')).toEqual(['mail_off']);
  expect(await signUp(gateway, [], 'bob@example.com')).toEqual(['scope_missing']);
  await gateway.close();
});
