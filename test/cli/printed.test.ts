/** The names under which keys and sessions are printed, lists of any length, and `sign --send`. (Interface 9 and 11) */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { print } from '../../src/cli/terminal.js';
import { type Cli, cliOnDatabase, messagesOf, type Ran, runHere } from '../support/gateway/cli.js';
import { runningClock } from '../support/gateway/clock.js';
import { claimsOf, type Instance, logIn, PASSWORD, startInstance } from '../support/gateway/gateway.js';
import { ask, internalKey } from '../support/gateway/graphql.js';
import { refresh } from '../support/gateway/routes.js';

let cli: Cli;
let gateway: Instance;
beforeAll(async () => {
  cli = await cliOnDatabase();
  gateway = await startInstance(cli.database, { clock: runningClock(), passwords: 'argon2' });
});
afterAll(async () => {
  await gateway.close();
  await cli.database.drop();
});

const here = (args: string[], stdin?: string): Promise<Ran> =>
  runHere(args, () => ({ ...gateway.config, databaseUrl: cli.database.url }), stdin);

async function json<T>(args: string[], stdin?: string): Promise<T> {
  const { code, stdout, stderr } = await here([...args, '--json'], stdin);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

test('Interface 9: lists that are empty say so on standard error, and are [] as JSON', async () => {
  const empty = await cliOnDatabase();
  try {
    for (const list of ['user list', 'api-key list', 'cron-key list', 'audit tail']) {
      const ran = await empty.run(list.split(' '));
      expect([list, ran.code, ran.stdout, messagesOf(ran)]).toEqual([list, 0, '', 'no results\n']);
      expect(await empty.json(list.split(' '))).toEqual([]);
    }
  } finally {
    await empty.database.drop();
  }
});

test('Interface 9: cron-key create prints the value of X-Internal-Key; the list has when a key was revoked, and no secret', async () => {
  const words = ['cron-key', 'create', '--service', 'nightly', '--scope', 'reports:write'];
  const made = await json<Record<string, string>>(words);
  const { key_id, header_value = '' } = made;
  expect(made).toEqual({
    key_id,
    header_value: expect.stringMatching(new RegExp(`^${key_id}\\.cks_`)),
    key: header_value,
    service_name: 'nightly',
    scopes: ['reports:write'],
  });
  const answer = await ask(gateway, internalKey(header_value), '{ caller { callerType } }');
  expect(answer.data).toEqual({ caller: { callerType: 'cron' } });

  const once = await here(words); // a person is shown it under one name
  expect(once.stdout.match(/\bcks_/g)).toHaveLength(1);
  expect(once.stdout).toMatch(/^header_value: ck_/m);

  const listed = { key_id, service_name: 'nightly', scopes: ['reports:write'], created_at: TIME, last_used_at: TIME };
  const valid = { revoked_at: null, expires_at: null, live_secret_count: 1, previous_secret_ends_at: null };
  expect((await json<unknown[]>(['cron-key', 'list']))[0]).toEqual({ ...listed, ...valid });
  const ended = { ...valid, revoked_at: TIME, live_secret_count: 0 };
  expect(await json(['cron-key', 'revoke', key_id ?? '', '--yes'])).toEqual({ ...listed, ...ended });
});

test('Interface 9: cron-key rotate prints a second header value, and when the one before ends; --expires sets an end', async () => {
  const create = ['cron-key', 'create', '--service', 'weekly', '--scope', 'a:b', '--expires', '2099-01-31T09:00:00Z'];
  const { key_id = '', header_value: first = '', ...made } = await json<Record<string, string>>(create);
  expect(made).toMatchObject({ service_name: 'weekly', expires_at: '2099-01-31T09:00:00.000Z' });
  const rotated = await json<Record<string, string>>(['cron-key', 'rotate', key_id, '--expires', '90d']);
  const { header_value: second = '', expires_at = '' } = rotated;
  expect(rotated).toEqual({ key_id, header_value: second, previous_secret_ends_at: TIME, expires_at });
  expect(Math.round((Date.parse(expires_at) - Date.now()) / 86_400_000)).toBe(90);
  const callers = () =>
    Promise.all(
      [first, second].map(
        async (value) => (await ask(gateway, internalKey(value), '{ caller { callerType } }')).status,
      ),
    );
  expect(await callers()).toEqual([200, 200]);
  expect((await here(['cron-key', 'rotate', key_id])).stderr).toContain('--overlap 0');
  expect((await here(['cron-key', 'rotate', key_id, '--overlap', '0', '--yes'])).code).toBe(0);
  expect(await callers()).toEqual([401, 401]);
  const past = await here([...create.slice(0, -1), '2020-01-01T00:00:00Z']);
  expect([past.code, past.stderr]).toEqual([1, expect.stringContaining('The key must expire in the future')]);
});

test('Interface 9: api-key list has how many secrets are live, and when the one before ends', async () => {
  const made = await json<Record<string, string>>([
    ...['api-key', 'create', '--service', 'billing', '--scope', 'a:b', '--rate-limit', '60'],
  ]);
  const { key_id = '', secret } = made;
  expect(made).toEqual({ key_id, secret, service_name: 'billing', scopes: ['a:b'], rate_limit: 60 });
  const listed = {
    key_id,
    service_name: 'billing',
    scopes: ['a:b'],
    created_at: TIME,
    last_used_at: null,
    revoked_at: null,
    expires_at: null,
    rate_limit: 60,
    live_secret_count: 1,
    previous_secret_ends_at: null,
  };
  expect(await json(['api-key', 'list'])).toEqual([listed]);

  const rotated = await json<Record<string, string>>(['api-key', 'rotate', key_id, '--overlap', '2d']);
  const { previous_secret_ends_at } = rotated;
  expect(rotated).toEqual({ key_id, secret: expect.stringMatching(/^aks_/), previous_secret_ends_at: TIME });
  const hours = (Date.parse(previous_secret_ends_at ?? '') - Date.now()) / 3_600_000;
  expect(Math.round(hours)).toBe(48);
  expect(await json(['api-key', 'list'])).toEqual([{ ...listed, live_secret_count: 2, previous_secret_ends_at }]);

  const again = await here(['api-key', 'rotate', key_id]);
  expect([again.code, again.stdout]).toEqual([1, '']);
  expect(again.stderr).toContain(`until ${previous_secret_ends_at}`);
  const forced = await here(['api-key', 'rotate', key_id, '--force']);
  expect(forced.code).toBe(0);
  const [, ends] = /^previous_secret_ends_at: (.+)$/m.exec(forced.stdout) ?? [];
  expect(forced.stderr).toContain(
    `the previous secret is valid until ${ends}; to rotate again before then, use --force or --overlap 0`,
  );

  const revoked = { ...listed, revoked_at: TIME, live_secret_count: 0, previous_secret_ends_at: null };
  expect(await json(['api-key', 'revoke', key_id, '--yes'])).toEqual(revoked);
});

test('Interface 9: session list shows the sessions of a user, by e-mail or ID; session revoke ends one', async () => {
  const email = 'sessions@example.com';
  const { id } = await json<{ id: string }>(
    ['user', 'create', email, '--role', 'viewer', '--password-stdin'],
    PASSWORD,
  );
  expect(await json(['session', 'list', email])).toEqual([]);
  const logins = [await logIn(gateway, email), await logIn(gateway, email)];
  const families = logins.map(({ refreshToken }) => claimsOf(refreshToken)['sid']);
  const session = {
    user_id: id,
    started_at: TIME,
    last_used_at: TIME,
    expires_at: TIME,
    ended_at: null as unknown,
    end_reason: null as unknown,
    is_live: true,
    ip_address: '127.0.0.1',
    user_agent: '',
  };
  const sessions = await json<Array<{ id: string }>>(['session', 'list', email]);
  expect(sessions.map((session) => session.id).sort()).toEqual(families.sort());
  expect(sessions[0]).toEqual({ id: sessions[0]?.id, ...session });
  expect(await json(['session', 'list', '--id', id])).toEqual(sessions);

  const [family] = families;
  const ended = { id: family, ...session, is_live: false, ended_at: TIME, end_reason: 'revoked' };
  expect(await json(['session', 'revoke', String(family)])).toEqual(ended);
  expect(await json(['session', 'revoke', String(family)])).toEqual(ended); // again changes nothing
  const isLive = (await json<Array<{ id: string; is_live: boolean }>>(['session', 'list', id])).map(
    (session) => [session.id, session.is_live] as const,
  );
  expect(Object.fromEntries(isLive)).toEqual({ [String(families[0])]: false, [String(families[1])]: true });
  const answers = await Promise.all(logins.map(({ refreshToken }) => refresh(gateway, refreshToken)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);

  const unknown = await here(['session', 'revoke', '00000000-0000-7000-8000-000000000000']);
  expect([unknown.code, messagesOf(unknown)]).toEqual([1, 'There is no such session\n']);
});

test('Interface 9: sign --send prints the answer, and exits with 1 where it is a refusal', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-sign-'));
  try {
    const key = ['api-key', 'create', '--service', 's', '--rate-limit', '60'];
    const { key_id = '', secret = '' } = await json<Record<string, string>>(key);
    const body = join(folder, 'body.json');
    await writeFile(body, '{"query":"{ caller { callerType } }"}');
    const { publicAuthority } = gateway.config;
    const send = (path: string, stdin: string, authority = publicAuthority) =>
      here(
        ['sign', 'post', gateway.url + path, '--key-id', key_id, '--body', body, '--authority', authority, '--send'],
        stdin,
      );
    const good = await send('/graphql', `${secret}\n`);
    expect([good.code, good.stderr]).toEqual([0, '']);
    expect(good.stdout).toContain('status: 200\nbody: {"data":{"caller":{"callerType":"api_key"}}}');
    const other = (await json<Record<string, string>>(key))['secret'] ?? '';
    const wrong = await send('/graphql', other);
    expect(wrong.code).toBe(1);
    expect(wrong.stdout).toMatch(/^status: 401\nbody: .*invalid_signature.*\nsignature_base: "@method": POST/);
    expect(wrong.stderr).toMatch(
      /^The text below is the one that the gateway expected, so the secret is wrong, .*\n"@method": POST\n[\s\S]*\nthe request was refused with 401\n$/,
    );
    const elsewhere = await send('/graphql', secret, 'other.example');
    expect(elsewhere.stderr).toContain(
      `Signed, and not expected:\n"@authority": other.example\nExpected in its place:\n"@authority": ${publicAuthority}\nThe whole text`,
    );
    for (const text of [
      '',
      'secret',
      'aks_',
      secret.slice(0, -1),
      `${secret} `,
      secret.replace(/.$/, (c) => (c === '0' ? '1' : '0')),
    ]) {
      const none = await send('/graphql', text);
      expect([none.code, none.stdout, none.stderr]).toEqual([
        1,
        '',
        'this is no secret of an API key; give the whole text, aks_…\n',
      ]);
    }
    const asId = await here(['sign', 'GET', gateway.url, '--key-id', secret], secret);
    expect([asId.code, asId.stderr.split('\n')[0]]).toEqual([
      2,
      '--key-id takes the ID of the key, ak_…, not its secret',
    ]);
    const missing = await send('/nowhere', secret);
    expect([missing.code, missing.stdout.split('\n')[0], missing.stderr]).toEqual([
      1,
      'status: 404',
      'the request was refused with 404\n',
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('Interface 9: a table may have 200,000 rows', () => {
  const stdout = new PassThrough();
  const rows = Array.from({ length: 200_000 }, (_, n) => ({ n, text: n === 199_999 ? 'the widest of all' : 'x' }));
  print({ stdout, stderr: new PassThrough() }, rows, false);
  const lines = String(stdout.read()).trimEnd().split('\n');
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([200_001, 'n       text', '199999  the widest of all']);
});
