/** Commands whose effect cannot be undone ask on a terminal, and need `--yes` without one. (Interface 9) */
import { spawn, spawnSync } from 'node:child_process';
import { Readable } from 'node:stream';
import { messagesOf, type Ran, runHere } from '../support/gateway/cli.js';
import { logIn, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { KEYRING_FILE, required } from '../support/postgres/postgres.js';

/** Nobody listens there. */
const HOOK_HOST = '127.0.0.1:9';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { WEBHOOK_HOSTS: HOOK_HOST } });
});
afterAll(() => gateway.close());

/** @param typed on a terminal; undefined: there is none */
function cli(args: string[], typed?: string): Promise<Ran> {
  const stdin = Object.assign(Readable.from(typed === undefined ? [] : [typed]), { isTTY: typed !== undefined });
  return runHere(args, () => ({ ...gateway.config, databaseUrl: gateway.database.url }), '', { stdin });
}

async function json(...args: string[]): Promise<Record<string, string>> {
  const { code, stdout, stderr } = await cli([...args, '--json']);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

const apiKey = async (): Promise<string> =>
  (await json('api-key', 'create', '--service', 's', '--rate-limit', '1'))['key_id'] ?? '';
const cronKey = async (): Promise<string> => (await json('cron-key', 'create', '--service', 's'))['key_id'] ?? '';

/** Two secrets of it are good. */
async function rotatedKey(): Promise<string> {
  const id = await apiKey();
  await json('api-key', 'rotate', id);
  return id;
}

const webhook = async (): Promise<string> =>
  (await json('webhook', 'create', '--url', `http://${HOOK_HOST}/`))['webhook_id'] ?? '';

const user = async (): Promise<string> => (await gateway.user()).id;

/** What is lost, and how it is seen that it is. */
const DESTROYS: Array<[words: string, make: () => Promise<string>, lost: (id: string) => Promise<boolean>]> = [
  ['api-key revoke ID', apiKey, (id) => isRevoked('api_keys', id)],
  ['cron-key revoke ID', cronKey, (id) => isRevoked('cron_keys', id)],
  ['user delete ID', user, async (id) => (await gateway.rows('select from users where id = $1', [id])).length === 0],
  ['user erase ID', user, async (id) => (await gateway.rows('select from users where id = $1', [id])).length === 0],
  [
    'webhook delete ID',
    webhook,
    async (id) => (await gateway.rows('select from webhooks where id = $1', [id])).length === 0,
  ],
  ['api-key rotate ID --overlap 0', apiKey, isRotated],
  ['api-key rotate ID --overlap 0d', apiKey, isRotated],
  ['api-key rotate ID --force --overlap 0', rotatedKey, isForced],
];

async function isRevoked(table: string, id: string): Promise<boolean> {
  return (await gateway.rows(`select from ${table} where key_id = $1 and revoked_at is not null`, [id])).length > 0;
}

async function isRotated(id: string): Promise<boolean> {
  const text = `select from audit_events where event_type = 'api_key_rotated' and metadata ->> 'key_id' = $1`;
  return (await gateway.rows(text, [id])).length > 0;
}

async function isForced(id: string): Promise<boolean> {
  const text = `select from audit_events where event_type = 'api_key_rotated' and metadata ->> 'key_id' = $1`;
  return (await gateway.rows(text, [id])).length > 1;
}

test.each(DESTROYS)('Interface 9: %s', async (words, make, isLost) => {
  const id = await make();
  const args = words.replace('ID', id).split(' ');
  const refused = await cli(args);
  expect([refused.code, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toMatch(
    /^(the|every) (key|current secret of the key|user|webhook) will be (revoked|refused|deleted).*; add --yes .*\nusage: auth-gateway .*\n$/,
  );

  for (const typed of ['no\n', 'y\n', '\n', '']) {
    const cancelled = await cli(args, typed);
    expect([typed, cancelled.code, cancelled.stdout]).toEqual([typed, 1, '']);
    expect(messagesOf(cancelled)).toMatch(/^(the|every) .* will be .*\nType yes to continue: .*cancelled/);
  }
  expect(await isLost(id)).toBe(false);
  expect(await cli(args, 'yes\n')).toMatchObject({ code: 0, stdout: expect.stringContaining(id) });
  expect(await isLost(id)).toBe(true);

  const another = await make();
  expect((await cli([...words.replace('ID', another).split(' '), '--yes'])).code).toBe(0);
  expect(await isLost(another)).toBe(true);
});

test('Interface 9: what can be made good again, or only ends sessions, is not asked about', async () => {
  const { email } = await gateway.user();
  await logIn(gateway, email);
  const [session] = await gateway.rows<{ id: string }>('select family_id as id from refresh_tokens');
  const commands = [
    ['session', 'revoke', session?.id ?? ''],
    ['user', 'set-password', email],
    ['user', 'deactivate', email],
    ['api-key', 'rotate', await apiKey()],
    ['api-key', 'rotate', await apiKey(), '--overlap', '1h'],
  ];
  for (const args of commands) expect([args, (await cli(args)).code]).toEqual([args, 0]);
  const { code, stderr } = await cli(['user', 'deactivate', email, '--yes']);
  expect([code, stderr.split('\n')[0]]).toEqual([2, 'unknown option: --yes']);
});

const hasScript = spawnSync('script', ['--version']).status === 0;
(hasScript ? test : test.skip)('Interface 9: a real terminal is asked', async () => {
  const id = await apiKey();
  const env = { PATH: process.env['PATH'], DATABASE_URL: gateway.database.url, KEYRING_FILE: required(KEYRING_FILE) };
  const command = `${process.execPath} dist/program/main.js api-key revoke ${id}`;
  const script = spawn('script', ['-qec', command, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  let shown = '';
  for await (const chunk of script.stdout.setEncoding('utf8')) {
    shown += chunk;
    if (shown.endsWith('Type yes to continue: ')) script.stdin.write('yes\n');
  }
  expect(shown).toMatch(/Type yes to continue: yes\r?\n/);
  expect(shown).toContain(`key_id: ${id}`);
  expect(await isRevoked('api_keys', id)).toBe(true);
});
