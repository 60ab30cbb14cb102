/** A rotation of the keyring seals every stored secret again, and drops the key that nothing needs any more. (Interface 3) */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeProtectedHeader, type JWK } from 'jose';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { rotateKeyring } from '../../src/admin/keyring.js';
import { createWebhook, rotateWebhookSecret } from '../../src/admin/webhooks.js';
import { beginCeremony } from '../../src/auth/factors/ceremonies.js';
import { addTotp, findTotp } from '../../src/auth/factors/rows.js';
import { type Keyring, openKeyring } from '../../src/credentials/keyring/keyring.js';
import { generateKeys, writeKeyringFile } from '../../src/credentials/keyring/keyring-file.js';
import { openSealedSecret, sealSecret } from '../../src/credentials/sealed-secret.js';
import { addSeconds } from '../../src/platform/clock.js';
import { createLogger } from '../../src/platform/create-logger.js';
import { watchClock } from '../../src/platform/watched-clock.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { issueLink } from '../support/gateway/passwords.js';

const HOOK_HOST = '127.0.0.1:9'; // nobody listens there

let folder: string;
let file: string;
let gateway: TestGateway;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-reseal-'));
  file = join(folder, 'keyring.json');
  gateway = await startGateway({ env: { WEBHOOK_HOSTS: HOOK_HOST }, outboxPollMs: 3_600_000 });
  await writeKeyringFile(file, await generateKeys(), 'create');
});
afterEach(async () => {
  await gateway.close();
  await rm(folder, { recursive: true });
});

/** The services of a gateway with the keyring in the file, as it is now. */
async function withKeyring<T>(work: (deps: TestGateway['app'] & { keyring: Keyring }) => Promise<T>): Promise<T> {
  const keyring = await openKeyring(file, gateway.clock, createLogger('silent'));
  const config = { ...gateway.app.config, keyringFile: file };
  try {
    return await work({ ...gateway.app, clock: watchClock(gateway.clock), config, keyring });
  } finally {
    keyring.close();
  }
}

const rotate = () => withKeyring(rotateKeyring);

async function sealingKids(): Promise<string[]> {
  const keys = JSON.parse(await readFile(file, 'utf8')).keys as JWK[];
  return keys.filter(({ use }) => use === 'enc').map(({ kid = '' }) => kid);
}

async function sealed(): Promise<string[]> {
  const rows = await gateway.rows<{ sealed: string | null }>(
    `select unnest(array[sealed_secret, previous_sealed_secret]) as sealed from webhooks
     union all select sealed_token from password_links
     union all select sealed_token from requested_links`,
  );
  return rows.flatMap((row) => row.sealed ?? []);
}

/** Of a user and a sealed token */
const REQUESTED = `insert into requested_links
    (user_id, event_id, token_sha256, password_version, issued_at, expires_at, sealed_token, mailed_at)
  values ($1, $1, '', 0, now(), now(), $2, '{}')`;

const sealers = async () => [...new Set((await sealed()).map((jwe) => decodeProtectedHeader(jwe).kid))];

test('Interface 3: secrets of webhooks and tokens that wait for a mail are sealed again, and open as before', async () => {
  const [first = ''] = await sealingKids();
  const url = `http://${HOOK_HOST}/`;
  const { id: userId } = await gateway.user();
  const { id: another } = await gateway.user();
  const { webhook, secret, second, plain, token } = await withKeyring(async (deps) => {
    const { webhook, secret } = await createWebhook(deps, COMMAND_LINE, { url });
    const { secret: second } = await rotateWebhookSecret(deps, COMMAND_LINE, webhook.id);
    const plain = await createWebhook(deps, COMMAND_LINE, { url });
    const token = await issueLink(gateway, userId);
    await issueLink(gateway, another); // which was not mailed
    const sealed_token = await sealSecret(deps.keyring, userId, token, gateway.clock.now());
    await gateway.rows('update password_links set sealed_token = $1 where user_id = $2', [sealed_token, userId]);
    await gateway.rows(REQUESTED, [userId, sealed_token]);
    return { webhook, secret, second, plain, token };
  });
  expect(await sealers()).toEqual([first]);

  expect(await rotate()).toMatchObject({ resealed: 0 }); // the new key is not yet in use
  gateway.clock.advance(900);
  const { resealed, dropped } = await rotate();
  const [, current = ''] = await sealingKids();
  expect([resealed, await sealers(), dropped]).toEqual([5, [current], expect.arrayContaining([first])]);

  await withKeyring(async ({ keyring }) => {
    const [row] = await gateway.rows('select * from webhooks where id = $1', [webhook.id]);
    expect(await openSealedSecret(keyring, webhook.id, row?.['sealed_secret'])).toBe(second);
    expect(await openSealedSecret(keyring, webhook.id, row?.['previous_sealed_secret'])).toBe(secret);
    const [other] = await gateway.rows('select * from webhooks where id = $1', [plain.webhook.id]);
    expect(await openSealedSecret(keyring, plain.webhook.id, other?.['sealed_secret'])).toBe(plain.secret);
    expect(other?.['previous_sealed_secret']).toBeNull();
    const links = await gateway.rows('select user_id, sealed_token from password_links order by sealed_token');
    expect(links).toEqual([
      { user_id: userId, sealed_token: expect.any(String) },
      { user_id: another, sealed_token: null },
    ]);
    expect(await openSealedSecret(keyring, userId, links[0]?.['sealed_token'])).toBe(token);
    const [requested] = await gateway.rows('select sealed_token from requested_links');
    expect(await openSealedSecret(keyring, userId, requested?.['sealed_token'])).toBe(token);
  });
});

/** An authenticator app of a user, whose secret this keyring has sealed. @returns its id */
async function authenticatorApp(keyring: Keyring, userId: string, secret: string): Promise<string> {
  const [id, now] = [randomUUID(), gateway.clock.now()];
  const sealedSecret = await sealSecret(keyring, id, secret, now);
  await addTotp(gateway.app.db, { id, userId, name: 'phone', now, sealedSecret, step: 1 });
  return id;
}

test('Interface 3 and 20: secrets of authenticator apps are sealed again, however many, and open as before', async () => {
  const { id: userId } = await gateway.user();
  const secret = 'a secret of an authenticator app';
  await withKeyring(async ({ keyring }) => {
    await authenticatorApp(keyring, userId, secret);
    const others = Array.from({ length: 500 }, () => authenticatorApp(keyring, randomUUID(), secret));
    await Promise.all(others); // with the first more than one transaction seals again
  });
  const [first = ''] = await sealingKids();
  await rotate();
  gateway.clock.advance(900);
  expect(await rotate()).toMatchObject({ resealed: 501, dropped: expect.arrayContaining([first]) });
  await withKeyring(async ({ keyring }) => {
    const { id = '', sealed_secret } = (await findTotp(gateway.app.db, userId)) ?? {};
    expect(await openSealedSecret(keyring, id, sealed_secret ?? '')).toBe(secret);
  });
});

/** Rows with this sealed token, whose id is that of the user */
const EMAIL_TOKENS = `with change as (
    insert into email_changes (user_id, token_sha256, email, password_version, expires_at, sealed_token)
    values ($1, '', 'new@example.com', 0, now(), $2)
  )
  insert into email_undos (id, user_id, token_sha256, email, expires_at, sealed_token)
  values ($1, $1, '', 'old@example.com', now(), $2)`;

test('Interface 3 and 21: the tokens of an e-mail change and of the way back are sealed again, and open as before', async () => {
  const { id } = await gateway.user();
  await withKeyring(async ({ keyring }) =>
    gateway.rows(EMAIL_TOKENS, [id, await sealSecret(keyring, id, 'a token', gateway.clock.now())]),
  );
  const [first = ''] = await sealingKids();
  await rotate();
  gateway.clock.advance(900);
  expect(await rotate()).toMatchObject({ resealed: 2, dropped: expect.arrayContaining([first]) });
  await withKeyring(async ({ keyring }) => {
    for (const table of ['email_changes', 'email_undos']) {
      const [row] = await gateway.rows(`select sealed_token from ${table}`);
      expect(await openSealedSecret(keyring, id, row?.['sealed_token'])).toBe('a token');
    }
  });
});

test('Interface 3 and 20: a key stays while the secret of a new authenticator app that it sealed may be confirmed', async () => {
  const [first = ''] = await sealingKids();
  await rotate();
  gateway.clock.advance(899);
  const { id } = await gateway.user();
  await withKeyring(async ({ keyring }) => {
    const now = gateway.clock.now();
    const sealedSecret = await sealSecret(keyring, 'its id', 'x', now);
    const user = { id, password_version: 0 };
    const expiresAt = addSeconds(now, 600);
    await beginCeremony(gateway.app.db, { token: 'its id', purpose: 'totp_enrolment', user, sealedSecret, expiresAt });
  });
  gateway.clock.advance(599);
  expect((await rotate()).kept).toContain(first);
  gateway.clock.advance(1);
  expect((await rotate()).dropped).toContain(first);
});

test.each([
  ['webhooks', 'update webhooks set sealed_secret = $1'],
  ['password_links', 'update password_links set sealed_token = $1'],
  ['requested_links', 'update requested_links set sealed_token = $1'],
  ['email_changes', 'update email_changes set sealed_token = $1'],
  ['email_undos', 'update email_undos set sealed_token = $1'],
  ['factors', 'update factors set sealed_secret = $1'],
])(
  'Interface 3: a key stays in the keyring while it seals something in %s that cannot be sealed again',
  async (_table, text) => {
    const [first = ''] = await sealingKids();
    const { id: userId } = await gateway.user();
    await withKeyring(async (deps) => {
      await createWebhook(deps, COMMAND_LINE, { url: `http://${HOOK_HOST}/` });
      await issueLink(gateway, userId);
      await gateway.rows(REQUESTED, [userId, null]);
      await gateway.rows(EMAIL_TOKENS, [userId, null]);
      await authenticatorApp(deps.keyring, userId, 'x');
      await gateway.rows(text, [await sealSecret(deps.keyring, 'the id of another row', 'x', gateway.clock.now())]);
    });
    await rotate();
    gateway.clock.advance(900);
    expect((await rotate()).kept).toContain(first);
  },
);
