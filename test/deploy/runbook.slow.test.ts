/** docs/runbook.md: its commands run as they are printed, and find something; those in `shell` are for readers alone. */
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { createWebhook } from '../../src/admin/webhooks.js';
import { sweepRound } from '../../src/db/sweeper.js';
import { expiringRows } from '../../src/start/compose.js';
import { blocksOf } from '../documents/printed.js';
import { type Receiver, startReceiver } from '../outbox/receiver.js';
import { askAs, FORWARD_AUTH } from '../support/gateway/authz.js';
import { runningClock } from '../support/gateway/clock.js';
import { visit } from '../support/gateway/gate.js';
import { logIn, startGateway, startInstance, type TestGateway } from '../support/gateway/gateway.js';
import { newApiKey } from '../support/gateway/graphql.js';
import { captureLog } from '../support/gateway/log.js';
import { login, refresh, WRONG } from '../support/gateway/routes.js';
import { lacksColumn, whileAway, withFault } from '../support/postgres/faults.js';
import { KEYRING_FILE, required } from '../support/postgres/postgres.js';
import { testWith } from '../support/programs/with-programs.js';
import { until } from '../support/until.js';

const run = promisify(execFile);

const EMAIL = 'admin@example.com';
const commands = new Set(
  blocksOf('docs/runbook.md')
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.split('\n')),
);
/** What only a process of its own writes, by the words that are looked for and the source that has them. */
const OF_PROCESSES: Record<string, [words: RegExp, source: string]> = {
  '"(ready|stopping|stopped)"': [/'ready'.*'stopping'.*'stopped'/s, 'src/start/gateway.ts'],
  '"dropped_lines"': [/\bdropped_lines\b/, 'src/platform/log-destination.ts'],
};

const captured = captureLog();
let gateway: TestGateway;
let receiver: Receiver;
let webhookId: string;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runbook-'));
  receiver = await startReceiver();
  const env = { LOGIN_MAX_FAILURES: '1', WEBHOOK_HOSTS: receiver.authority, ...FORWARD_AUTH };
  gateway = await startGateway({ clock: runningClock(), log: captured.log, env, outboxPollMs: 20 });
});
afterAll(async () => {
  await gateway.close();
  await receiver.close();
  await rm(folder, { recursive: true });
});

/** A receiver is down, and comes back. */
async function missAnEvent(): Promise<void> {
  receiver.reply(() => ({ status: 500 }));
  webhookId = (await createWebhook(gateway.app, COMMAND_LINE, { url: receiver.url })).webhook.id;
  await until('an event has failed', () => captured.text().includes('"msg":"a webhook failed'));
  receiver.reply(() => ({ status: 204 }));
}

/** A night in which everything goes wrong. */
async function happen(): Promise<void> {
  await missAnEvent();
  await gateway.user({ email: EMAIL, role: 'admin' });
  await gateway.user(); // another, so that the first can be changed
  const { refreshToken } = await logIn(gateway, EMAIL);
  await refresh(gateway, refreshToken);
  await refresh(gateway, refreshToken);
  await login(gateway, EMAIL, WRONG);
  await withFault(gateway, lacksColumn('users', 'password_hash'), () => login(gateway, EMAIL));
  await withFault(gateway, lacksColumn('signature_nonces', 'expires_at'), () =>
    sweepRound(gateway.app, expiringRows(gateway.config)),
  );
  await askAs(gateway, 'forward-auth', 'caller=user', { origin: 'https://new.example.com' });
  await visit(gateway);
  const env = { ...FORWARD_AUTH, FORWARD_AUTH_PROXIES: '192.0.2.1' };
  const unlisted = await startInstance(gateway.database, { env, log: captured.log });
  await askAs(unlisted, 'forward-auth', 'caller=user');
  await unlisted.close();
  await whileAway(gateway.database, async () => {
    await gateway.send('GET', '/health/ready');
    await login(gateway, EMAIL);
  });
}

testWith(['bash', 'curl'], 'each command succeeds and has something to show', async () => {
  await happen();
  const [log, keyring] = [join(folder, 'log'), join(folder, 'keyring.json')];
  await writeFile(log, captured.text());
  await copyFile(required(KEYRING_FILE), keyring); // which is rotated
  await symlink(resolve('bin/auth-gateway'), join(folder, 'auth-gateway'));
  const env = {
    PATH: `${folder}:${process.env['PATH']}`,
    DATABASE_URL: gateway.database.url,
    KEYRING_FILE: keyring,
    PUBLIC_URL: gateway.config.publicUrl,
    WEBHOOK_HOSTS: receiver.authority,
  };
  const prelude = `set -e; GATEWAY=${gateway.url}; log() { cat ${log}; }`;
  const [theft] = await gateway.rows<{ family: string }>(
    `select metadata ->> 'family_id' as family from audit_events where event_type = 'token_theft'`,
  );
  const { keyId } = await newApiKey(gateway);
  const silent: string[] = [];
  for (const command of commands) {
    const filledIn = command
      .replace('FAMILY_ID', theft?.family ?? '')
      .replace('WEBHOOK_ID', webhookId)
      .replace('KEY_ID', keyId);
    const { stdout } = await run('bash', ['-c', `${prelude}\n${filledIn}`], { env });
    if (stdout.trim() === '') silent.push(command);
  }
  expect(commands.size).toBeGreaterThan(10);
  const expected = [...commands].filter((command) =>
    Object.keys(OF_PROCESSES).some((words) => command.includes(words)),
  );
  expect(expected).toHaveLength(Object.keys(OF_PROCESSES).length);
  expect(silent).toEqual(expected);
  for (const [words, source] of Object.values(OF_PROCESSES)) expect(await readFile(source, 'utf8')).toMatch(words);
});
