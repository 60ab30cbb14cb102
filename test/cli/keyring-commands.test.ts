/** `keyring create` and `keyring rotate`, while an instance runs. (Interface 3 and 9) */
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  decodeProtectedHeader,
  type JSONWebKeySet,
  type JWK,
  jwtVerify,
} from 'jose';
import { messagesOf, type Ran, runHere, runWith } from '../support/gateway/cli.js';
import { logIn, refreshTokenOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type CapturedLog, captureLog } from '../support/gateway/log.js';
import { logout, refresh } from '../support/gateway/routes.js';
import { KEYRING_FILE, required } from '../support/postgres/postgres.js';
import { until } from '../support/until.js';

const REFUSED = 'changed keyring refused; the keys in use stay';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-keyring-'));
});
afterAll(() => rm(folder, { recursive: true }));

const keysOf = async (file: string): Promise<JWK[]> => JSON.parse(await readFile(file, 'utf8')).keys;

test('Interface 9: keyring create writes three keys that only the owner may read, and prints their kids alone', async () => {
  const file = join(folder, 'new.json');
  const { code, stdout, stderr } = await runWith(['keyring', 'create', '--out', file, '--json'], {});
  expect([code, stderr]).toEqual([0, '']);
  const keys = await keysOf(file);
  expect(JSON.parse(stdout)).toEqual({ file, kids: keys.map(({ kid }) => kid) });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(keys.map(({ kty, use, alg, crv }) => [kty, use, alg, crv])).toEqual([
    ['OKP', 'sig', 'EdDSA', 'Ed25519'],
    ['oct', 'sig', 'HS256', undefined],
    ['oct', 'enc', 'A256GCM', undefined],
  ]);
  for (const { k } of keys.slice(1)) expect(Buffer.from(k ?? '', 'base64url')).toHaveLength(32);
  for (const secret of [keys[0]?.d, keys[1]?.k, keys[2]?.k]) expect(stdout).not.toContain(secret);
});

const noConfig = () => {
  throw new Error('no command gets as far');
};

test.each(['EdDSA', 'ES256', 'RS256'])(
  'Interface 9: keyring create --alg %s makes an access key of that algorithm',
  async (alg) => {
    const file = join(folder, `${alg}.json`);
    const { code, stdout } = await runHere(['keyring', 'create', '--alg', alg, '--out', file, '--json'], noConfig);
    const keys = await keysOf(file);
    expect([code, keys.map((key) => key.alg)]).toEqual([0, [alg, 'HS256', 'A256GCM']]);
    expect(JSON.parse(stdout).kids[0]).toBe(await calculateJwkThumbprint(keys[0] ?? {}));
  },
);

const NO_ALGS = ['HS256', 'PS256', 'Ed25519', 'es256', 'none', ''];
test.each(NO_ALGS)('Interface 9: keyring create and rotate refuse the algorithm %j: exit code 2', async (alg) => {
  const out = join(folder, 'never.json');
  for (const args of [['create', '--out', out], ['rotate']]) {
    const { code, stdout, stderr } = await runHere(['keyring', ...args, '--alg', alg], noConfig);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch('--alg must be one of EdDSA, ES256, RS256\n');
  }
  await expect(stat(out)).rejects.toThrow('ENOENT');
});

test('Interface 9: keyring create refuses to overwrite: exit code 1, and the file stays as it is', async () => {
  const file = join(folder, 'there.json');
  await writeFile(file, 'precious');
  const { code, stdout, stderr } = await runHere(['keyring', 'create', '--out', file, '--json'], noConfig);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/exists/);
  expect(await readFile(file, 'utf8')).toBe('precious');
});

test('Interface 9: keyring create refuses a folder in which others may replace the file, which no gateway would start with', async () => {
  const open = join(folder, 'open');
  await mkdir(open);
  await chmod(open, 0o777);
  const out = join(open, 'keyring.json');
  const { code, stdout, stderr } = await runHere(['keyring', 'create', '--out', out, '--json'], noConfig);
  expect([code, stdout, await readdir(open)]).toEqual([1, '', []]);
  expect(stderr).toMatch(`; run: chmod o-w ${open}, or for a shared folder: chmod +t ${open}\n`);
});

describe('keyring rotate', () => {
  let gateway: TestGateway;
  let file: string;
  let captured: CapturedLog;
  beforeEach(async () => {
    file = join(folder, 'rotated.json');
    await copyFile(required(KEYRING_FILE), file);
    captured = captureLog();
    gateway = await startGateway({ env: { KEYRING_FILE: file }, log: captured.log });
  });
  afterEach(() => gateway.close());

  const here = (...args: string[]): Promise<Ran> =>
    runHere(args, () => ({ ...gateway.config, databaseUrl: gateway.database.url }));
  const published = async (): Promise<JSONWebKeySet> =>
    JSON.parse((await gateway.send('GET', '/.well-known/jwks.json')).text);

  test('Interface 3: publishes the new keys before they are used, on a running instance, and old tokens go on being good', async () => {
    const { email } = await gateway.user();
    const old = await logIn(gateway, email);
    const other = await logIn(gateway, email);
    const env = { DATABASE_URL: gateway.database.url, KEYRING_FILE: file };
    const ran = await runWith(['keyring', 'rotate', '--json'], env);
    expect([ran.code, messagesOf(ran)]).toEqual([0, '']);
    const { added, kept, dropped, used_from: usedFrom } = JSON.parse(ran.stdout);
    expect([added.length, kept.length, dropped]).toEqual([3, 3, []]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await keysOf(file)).map(({ kid }) => kid)).toEqual([...added, ...kept]);

    await until('the running instance has read the file', async () => (await published()).keys.length === 2);
    const jwks = await published();
    expect(jwks.keys.map(({ kid, kty, d, k }) => [kid, kty, d, k])).toEqual([
      [added[0], 'OKP', undefined, undefined],
      [kept[0], 'OKP', undefined, undefined],
    ]);
    const before = await logIn(gateway, email); // published, not yet used
    expect(decodeProtectedHeader(before.answer.json.access_token).kid).toBe(kept[0]);
    expect(decodeProtectedHeader(before.refreshToken).kid).toBe(kept[1]);

    const loggedInMs = gateway.clock.now().getTime();
    gateway.clock.set(new Date(usedFrom));
    const refreshed = await refresh(gateway, old.refreshToken); // signed by the key before
    expect(refreshed.status).toBe(200);
    expect(decodeProtectedHeader(refreshed.json.access_token).kid).toBe(added[0]);
    expect(decodeProtectedHeader(refreshTokenOf(refreshed) ?? '').kid).toBe(added[1]);
    expect((await refresh(gateway, refreshTokenOf(refreshed))).status).toBe(200);
    expect((await logout(gateway, other.refreshToken)).status).toBe(200);

    const keys = createLocalJWKSet(jwks);
    const currentDate = new Date(loggedInMs + 890_000); // both live
    for (const token of [before.answer.json.access_token, refreshed.json.access_token]) {
      await expect(jwtVerify(token, keys, { currentDate })).resolves.toBeDefined();
    }
  });

  test('Interface 3: --alg says how the new access key signs; a rotation without it stays with the newest, used or not', async () => {
    const algs = async () => (await keysOf(file)).filter(({ kty }) => kty !== 'oct').map(({ alg }) => alg);
    let usedFrom = '';
    const rotate = async (...words: string[]) => {
      const { code, stdout } = await here('keyring', 'rotate', ...words, '--json');
      usedFrom = JSON.parse(stdout).used_from;
      return [code, ...(await algs())];
    };
    expect(await rotate()).toEqual([0, 'EdDSA', 'EdDSA']);
    expect(await rotate('--alg', 'ES256')).toEqual([0, 'ES256', 'EdDSA', 'EdDSA']);
    expect(await rotate()).toEqual([0, 'ES256', 'ES256', 'EdDSA', 'EdDSA']);
    expect(await rotate('--alg', 'RS256')).toEqual([0, 'RS256', 'ES256', 'ES256', 'EdDSA', 'EdDSA']);

    await until('the running instance has read the file', async () => (await published()).keys.length === 5);
    gateway.clock.set(new Date(usedFrom));
    const { answer } = await logIn(gateway, (await gateway.user()).email);
    expect(decodeProtectedHeader(answer.json.access_token).alg).toBe('RS256');
    const keys = createLocalJWKSet(await published());
    const options = { currentDate: gateway.clock.now(), algorithms: ['RS256'] };
    await expect(jwtVerify(answer.json.access_token, keys, options)).resolves.toBeDefined();
  });

  test('Interface 11: a rotation is in the audit log, with the kids alone; one that is refused is not', async () => {
    const env = { DATABASE_URL: gateway.database.url, KEYRING_FILE: file };
    const { stdout } = await here('keyring', 'rotate', '--json');
    const { added, dropped } = JSON.parse(stdout);
    const events = () =>
      gateway.rows(`select entity_type, user_id, ip_address, metadata from audit_events
        where event_type = 'keyring_rotated'`);
    const metadata = { actor: { caller_type: 'cli' }, added, dropped };
    const written = [{ entity_type: 'keyring', user_id: null, ip_address: 'cli', metadata }];
    expect(await events()).toEqual(written);
    await chmod(file, 0o602);
    expect((await runWith(['keyring', 'rotate'], env)).code).toBe(78);
    expect(await events()).toEqual(written);
  });

  test('Interface 3: a changed keyring that is refused leaves the keys as they are', async () => {
    const { refreshToken } = await logIn(gateway, (await gateway.user()).email);
    const count = (await published()).keys.length;
    await writeFile(file, '{"keys":[]}');
    await until('the running instance has refused the file', () => captured.text().includes(REFUSED));
    expect((await published()).keys).toHaveLength(count);
    expect((await refresh(gateway, refreshToken)).status).toBe(200);
  });

  test('Interface 3: a keyring that others may write starts no gateway, and no command takes it: exit code 78', async () => {
    await chmod(file, 0o602);
    const env = { DATABASE_URL: gateway.database.url, KEYRING_FILE: file, PORT: '1' };
    const key = ['api-key', 'create', '--service', 's', '--scope', 'a:b', '--rate-limit', '1'];
    for (const args of [['start'], ['keyring', 'rotate'], key]) {
      const ran = await runWith(args, env);
      expect([ran.code, ran.stdout]).toEqual([78, '']);
      expect(messagesOf(ran)).toBe(
        `the keyring ${file} is refused: others may write ${file}; run: chmod o-w ${file}\n`,
      );
    }
  });
});
