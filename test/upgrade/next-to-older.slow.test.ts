/**
 * The programs of older versions run next to this one on its tables, and take over from it. `OLDER=1` runs this, since each is
 * built from its commit, and needs the history of this repository. (Interface 8 and 9)
 */
import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MIGRATION_NAMES } from '../../src/db/migrate.js';
import { startReceiver } from '../outbox/receiver.js';
import { connected } from '../support/gateway/archives.js';
import { codeAt } from '../support/gateway/factors.js';
import { type Answer, claimsOf, type Instance, PASSWORD, refreshTokenOf, send } from '../support/gateway/gateway.js';
import { login, logout, refresh } from '../support/gateway/routes.js';
import { signByHand } from '../support/independent/signer.js';
import { createDatabase, KEYRING_FILE, required, type TestDatabase } from '../support/postgres/postgres.js';
import { freePort } from '../support/programs/redis.js';
import { until } from '../support/until.js';
import { checkOut } from './checkout.js';

const AUTHORITY = 'localhost:18190';
const SECOND_FACTORS = 'Migration20261127000001_second_factors';
const isBreaking = (name: string) => name.endsWith('_breaking');
const WRONG = 'not the password at all';

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

interface Running extends Pick<Instance, 'send'> {
  program: Program;
  /** @returns the exit code */
  stop(signal?: NodeJS.Signals): Promise<unknown>;
}

/** A version of the program on a database. */
class Program {
  readonly #folder: string;
  readonly #env: Record<string, string | undefined>;
  readonly #running = new Set<Running>();

  constructor(folder: string, { url }: TestDatabase, env: Record<string, string> = {}) {
    this.#folder = folder;
    this.#env = {
      PATH: process.env['PATH'],
      DATABASE_URL: url,
      KEYRING_FILE: required(KEYRING_FILE),
      PUBLIC_URL: `http://${AUTHORITY}`,
      LOGIN_RATE_LIMIT: '100000',
      KNOWN_DEVICES: 'off',
      ...env,
    };
  }

  get #file(): string {
    return join(this.#folder, 'bin/auth-gateway');
  }

  run(words: string, input = ''): Promise<Ran> {
    return new Promise((resolve) => {
      const child = execFile(this.#file, words.split(' '), { env: this.#env }, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
      );
      child.stdin?.end(input);
    });
  }

  // biome-ignore lint/suspicious/noExplicitAny: each test knows what the command prints
  async json(words: string, input?: string): Promise<any> {
    const { code, stdout, stderr } = await this.run(`${words} --json`, input);
    if (code !== 0) throw new Error(`${words}: ${stderr}`);
    return JSON.parse(stdout);
  }

  async start(): Promise<Running> {
    const port = await freePort();
    const child = spawn(this.#file, ['start'], { env: { ...this.#env, PORT: String(port) }, stdio: 'ignore' });
    const exited = once(child, 'exit').then(([code]) => code);
    const url = `http://127.0.0.1:${port}`;
    const running: Running = {
      program: this,
      send: (method, path, options) => send(url, method, path, options),
      stop: (signal = 'SIGTERM') => {
        this.#running.delete(running);
        child.kill(signal);
        return exited;
      },
    };
    this.#running.add(running);
    await until('it is ready, or has ended', async () => child.exitCode !== null || (await isReady(running)));
    if (child.exitCode !== null) throw new Error(`it has ended with ${child.exitCode}`);
    return running;
  }

  async stopAll(): Promise<void> {
    for (const running of this.#running) await running.stop('SIGKILL');
  }
}

const isReady = (on: Running): Promise<boolean> =>
  on.send('GET', '/health/ready').then(
    ({ status }) => status === 200,
    () => false,
  );

const post = (on: Running, path: string, body: object, token?: string): Promise<Answer> =>
  on.send('POST', path, { body, headers: token === undefined ? {} : { authorization: `Bearer ${token}` } });

const QUERY = JSON.stringify({ query: '{ caller { callerType } }' });
const callerAs = async (on: Running, headers: Record<string, string>) =>
  (await on.send('POST', '/graphql', { headers: { 'content-type': 'application/json', ...headers }, body: QUERY })).json
    .data?.caller?.callerType;

function signedBy(key: { key_id: string; secret: string }): Record<string, string> {
  const nowSeconds = Math.floor(Date.now() / 1000);
  const { headers } = signByHand({
    keyId: key.key_id,
    secret: key.secret,
    authority: AUTHORITY,
    nowSeconds,
    body: QUERY,
  });
  return Object.fromEntries(headers);
}

/** A refresh that must succeed. @returns the next token */
async function renew(on: Running, token: string | undefined): Promise<string> {
  const answer = await refresh(on, token);
  const next = refreshTokenOf(answer);
  if (next === undefined) throw new Error(`a session has ended: ${answer.text}`);
  return next;
}

async function signIn(on: Running, email: string, password = PASSWORD): Promise<{ token: string; access: string }> {
  const answer = await login(on, email, password);
  const token = refreshTokenOf(answer);
  if (token === undefined) throw new Error(`no login: ${answer.text}`);
  return { token, access: answer.json.access_token };
}

const statusOf = async (answer: Promise<Answer>) => (await answer).status;

async function newUser({ program }: Running): Promise<string> {
  const email = `${randomUUID()}@example.com`;
  await program.json(`user create ${email} --role viewer --password-stdin`, PASSWORD);
  return email;
}

/** What one instance writes holds at the other. */
async function isOneGateway(here: Running, there: Running): Promise<void> {
  const email = await newUser(here);
  const left = await signIn(here, email);
  expect(await callerAs(there, { authorization: `Bearer ${left.access}` })).toBe('user');
  expect(await statusOf(logout(here, left.token))).toBe(200);
  expect(await statusOf(refresh(there, left.token))).toBe(401);

  const { token: stolen } = await signIn(here, email);
  const next = await renew(there, stolen);
  expect(await statusOf(refresh(here, stolen))).toBe(401);
  expect(await statusOf(refresh(there, next))).toBe(401);

  const { token: revoked } = await signIn(there, email);
  await here.program.json(`session revoke ${claimsOf(revoked)['sid']}`);
  expect(await statusOf(refresh(there, revoked))).toBe(401);

  const key = await here.program.json('api-key create --service reader --scope users:read --rate-limit 1000');
  const request = signedBy(key);
  expect(await callerAs(there, request)).toBe('api_key');
  expect(await callerAs(here, request)).toBeUndefined();
  expect(await callerAs(here, signedBy(key))).toBe('api_key');
  const { secret } = await there.program.json(`api-key rotate ${key.key_id} --overlap 1d`);
  expect(await callerAs(here, signedBy({ ...key, secret }))).toBe('api_key');
  await here.program.json(`api-key revoke ${key.key_id} --yes`);
  expect(await callerAs(there, signedBy({ ...key, secret }))).toBeUndefined();
  const cron = await here.program.json('cron-key create --service nightly');
  expect(await callerAs(there, { 'x-internal-key': cron.header_value })).toBe('cron');
  await there.program.json(`cron-key revoke ${cron.key_id} --yes`);
  expect(await callerAs(here, { 'x-internal-key': cron.header_value })).toBeUndefined();

  const { link } = await here.program.json(`user reset-link ${email}`);
  const redeemed = { token: /pl_\w+/.exec(link)?.[0], new_password: 'a new password, by a link' };
  expect(await statusOf(post(there, '/auth/password/redeem', redeemed))).toBe(204);
  expect(await statusOf(post(here, '/auth/password/redeem', redeemed))).toBe(401);
  const { token } = await signIn(here, email, redeemed.new_password);
  await here.program.json(`user deactivate ${email}`);
  expect(await statusOf(refresh(there, token))).toBe(401);
  await there.program.json(`user activate ${email}`);
  for (let i = 0; i < 5; i += 1) expect(await statusOf(login(here, email, WRONG))).toBe(401);
  expect(await statusOf(login(there, email, redeemed.new_password))).toBe(429);
  await here.program.json(`user unlock ${email}`);
  expect(await statusOf(login(there, email, redeemed.new_password))).toBe(200);
  for (const words of [`user explain ${email}`, `user export ${email}`, `session list ${email}`]) {
    expect(await here.program.run(words)).toMatchObject({ code: 0 });
  }
  await here.program.json(`user set-role ${email} --role analyst`);
  await here.program.json(`user delete ${email} --yes`);
  expect(await statusOf(login(there, email, redeemed.new_password))).toBe(401);
}

(process.env['OLDER'] === '1' ? describe : describe.skip).each(
  globSync('test/upgrade/*/README.md').map((file) => dirname(file)),
)('%s', (folder) => {
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  const known: readonly string[] = readFileSync(join(folder, 'dump.sql'), 'utf8').match(/Migration\d+_\w+/g) ?? [];
  /** The migrations of this version that the older one lacks */
  const added = MIGRATION_NAMES.filter((name) => !known.includes(name));
  /** If one is breaking, both never serve next to each other, and the last test alone has something to prove. */
  const testTogether = added.some(isBreaking) ? test.skip : test;
  let older: Program;
  let newer: Program;
  let database: TestDatabase;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  beforeEach(async () => {
    const checkout = checkOut(/commit ([0-9a-f]{7,40})/.exec(readme)?.[1] ?? '');
    database = await createDatabase('empty');
    receiver = await startReceiver();
    const env = { WEBHOOK_HOSTS: receiver.authority };
    older = new Program(checkout.folder, database, env);
    newer = new Program('.', database, env);
    expect((await older.json('migrate up')).applied.toSorted()).toEqual(
      MIGRATION_NAMES.filter((name) => known.includes(name)).toSorted(),
    );
  });
  afterEach(async () => {
    await older.stopAll();
    await newer.stopAll();
    await receiver.close();
    await database.drop();
  });

  testTogether(
    'an older program serves next to this one, and alone again; no session, logout or event is lost or doubled',
    async () => {
      let old = await older.start();
      const email = await newUser(old);
      const { webhook_id } = await older.json(`webhook create --url ${receiver.url}/all`);
      const { link } = await older.json('user invite invited@example.com --role viewer');
      let { token } = await signIn(old, email);
      const out = (await signIn(old, email)).token;
      expect(await statusOf(logout(old, out))).toBe(200);

      let latest = await newer.start(); // it migrates
      expect(await newer.json('migrate up')).toEqual({ applied: [] });
      for (let i = 0; i < 6; i += 1) token = await renew(i % 2 === 0 ? latest : old, token);
      await isOneGateway(old, latest);
      await isOneGateway(latest, old);
      for (const words of [
        'user list',
        'api-key list',
        'cron-key list',
        'webhook list',
        'audit tail',
        'migrate status',
      ]) {
        expect(await older.run(words)).toMatchObject({ code: 0 });
      }
      const redeemed = { token: /pl_\w+/.exec(link)?.[0], new_password: 'a new password, by a link' };
      expect(await statusOf(post(latest, '/auth/password/redeem', redeemed))).toBe(204);

      const sent = () => receiver.received.map(({ headers }) => String(headers['webhook-id'])).toSorted();
      const written = () =>
        connected(database.url, async (client) => {
          const sql = `select id::text from audit_events where written_at >= (
          select written_at from audit_events where event_type = 'webhook_created' and metadata ->> 'webhook_id' = $1
        ) order by 1`;
          return (await client.query<{ id: string }>(sql, [webhook_id])).rows.map(({ id }) => id);
        });
      const allIsSent = () => until('every event is sent', async () => sent().length >= (await written()).length);

      await allIsSent(); // what is on its way at a kill would be sent again
      await old.stop('SIGKILL');
      await latest.stop('SIGKILL');
      [old, latest] = [await older.start(), await newer.start()];
      for (let i = 0; i < 4; i += 1) token = await renew(i % 2 === 0 ? latest : old, token);

      expect(await latest.stop()).toBe(0);
      expect(await old.stop()).toBe(0);
      old = await older.start(); // the way back
      expect(await older.json('migrate up')).toEqual({ applied: [] });
      token = await renew(old, token);
      await isOneGateway(old, old);

      latest = await newer.start(); // and forward again
      expect(await statusOf(refresh(latest, out))).toBe(401);
      token = await renew(latest, token);
      expect(await old.stop()).toBe(0);
      token = await renew(latest, token);
      await isOneGateway(latest, latest);
      await allIsSent();
      expect(sent()).toEqual(await written());
    },
  );

  testTogether('an older program asks for a second factor only if it knows them', async () => {
    const latest = await newer.start();
    const old = await older.start();
    const email = await newUser(old);
    const { access } = await signIn(latest, email);
    const { id, secret } = (await post(latest, '/auth/factors/totp', {}, access)).json;
    const enrolled = await post(latest, `/auth/factors/totp/${id}`, { code: codeAt(secret, new Date()) }, access);
    const half = (await login(latest, email)).json;
    expect(half.reason).toBe('second_factor_required');
    const proof = { challenge: half.challenge, recovery_code: enrolled.json.recovery_codes[0] };
    const proved = await post(latest, '/auth/login/factor', proof);
    expect(claimsOf(proved.json.access_token)).toMatchObject({ acr: 'aal2' });
    const knows = !added.includes(SECOND_FACTORS);

    expect(await statusOf(login(old, email))).toBe(knows ? 401 : 200);
    const back = await refresh(latest, await renew(old, refreshTokenOf(proved)));
    expect(claimsOf(back.json.access_token)).toMatchObject({ acr: knows ? 'aal2' : 'aal1' });
    expect((await login(latest, email)).json.reason).toBe('second_factor_required');
    await older.json(`user delete ${email} --yes`);
    expect(await statusOf(login(latest, email))).toBe(401);
    const factors = await connected(database.url, (client) => client.query('select from factors'));
    expect(factors.rowCount).toBe(knows ? 0 : 1);
  });

  test('an older program refuses to start and to run commands after a breaking migration', async () => {
    await newer.json('migrate up');
    const sql = `insert into mikro_orm_migrations (name) values ('Migration20990101000002_x_breaking')`;
    if (!added.some(isBreaking)) await connected(database.url, (client) => client.query(sql));
    for (const words of ['start', 'user list']) {
      const { code, stderr } = await older.run(words);
      expect([code, stderr]).toEqual([
        expect.any(Number),
        expect.stringMatching(/cannot use \(Migration\d+_\w+_breaking\)/),
      ]);
      expect(code).not.toBe(0);
    }
  });
});
