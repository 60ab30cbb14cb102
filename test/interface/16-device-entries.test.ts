/** The cookie `device`: what a login makes of it, and of what a thief could send in its place. (Interface 16) */
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateKeys, writeKeyringFile } from '../../src/credentials/keyring/keyring-file.js';
import { deviceOf, loginFrom, newDevice } from '../support/gateway/devices.js';
import { type Answer, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { quickPasswords } from '../support/gateway/quick-passwords.js';
import { login, WRONG } from '../support/gateway/routes.js';
import { auditDuring, userRow } from '../support/gateway/rows.js';
import { setCookiesOf } from '../support/independent/cookies.js';
import { KEYRING_FILE, required } from '../support/postgres/postgres.js';

const MOST = 5;
const DAY_SECONDS = 86_400;

const env = { KNOWN_DEVICES: 'on', LOGIN_LOCKOUT_SECONDS: String(300 * DAY_SECONDS) };
const passwords = quickPasswords();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env, passwords });
});
afterAll(() => gateway.close());

interface Locked {
  id: string;
  email: string;
  /** The cookie of the owner */
  device: string;
}

/** Somebody with a device, whose account strangers have locked: a login reveals whether its device is known. */
async function lockedOut(device?: string): Promise<Locked> {
  const { id, email } = await gateway.user();
  const value = await newDevice(gateway, email, device);
  for (let i = 0; i < MOST; i += 1) await login(gateway, email, WRONG);
  expect((await login(gateway, email)).status).toBe(429);
  return { id, email, device: value };
}

const statusFrom = async (device: string | undefined, email: string): Promise<number> =>
  (await loginFrom(device, gateway, email)).status;

test.each([
  [{ PUBLIC_URL: 'http://auth.test', COOKIE_SECURE: 'false' }, { samesite: 'Strict' }],
  [
    { PUBLIC_URL: 'https://auth.example.com', COOKIE_SAMESITE: 'lax', COOKIE_DOMAIN: 'example.com' },
    { samesite: 'Lax', secure: true, domain: 'example.com' },
  ],
])(
  'Interface 16: the cookie has the attributes of the refresh cookie, for logins alone: %o',
  async (given, attributes) => {
    await using running = new AsyncDisposableStack();
    const other = await startGateway({ env: { ...env, ...given } });
    running.defer(other.close);
    const { email } = await other.user();
    const answer = await login(other, email);
    const cookie = setCookiesOf(answer).find(({ name }) => name === 'device');
    expect(cookie?.attributes).toEqual({
      ...attributes,
      httponly: true,
      path: '/auth/login',
      'max-age': String(180 * DAY_SECONDS),
    });
    expect(setCookiesOf(await login(other, email, WRONG))).toEqual([]);
  },
);

test('Interface 16: while KNOWN_DEVICES is off, nothing is set, read or stored', async () => {
  await using running = new AsyncDisposableStack();
  const off = await startGateway({ env: { KNOWN_DEVICES: 'off' } });
  running.defer(off.close);
  const { id, email } = await off.user();
  const [answer, events] = await auditDuring(off, () => loginFrom('x'.repeat(100), off, email));
  expect(setCookiesOf(answer).map(({ name }) => name)).toEqual(['refresh_token']);
  expect(events).toMatchObject([{ event_type: 'login_success', metadata: { role: 'viewer' } }]);
  for (let i = 0; i < MOST; i += 1) await login(off, email, WRONG);
  const [, locked] = await auditDuring(off, () => login(off, email));
  expect(locked.map(({ metadata }) => Object.keys(metadata))).toEqual([['locked_until']]);
  expect(await off.rows('select id from known_devices')).toEqual([]);
  expect(await off.rows('select jti from refresh_tokens where device_id is not null')).toEqual([]);
  expect((await userRow(off, id)).failed_login_attempts).toBe(MOST);
});

test('Interface 16: five users of one browser are remembered; the sixth displaces the one who logged in longest ago', async () => {
  const users: Locked[] = [];
  let device: string | undefined;
  for (let i = 0; i < 6; i += 1) {
    const user = await lockedOut(device);
    users.push(user);
    device = user.device;
  }
  expect(device?.split('~')).toHaveLength(5);
  const statuses = await Promise.all(users.map(({ email }) => statusFrom(device, email)));
  expect(statuses).toEqual([429, 200, 200, 200, 200, 200]);
});

test('Interface 16: the entry is renewed at each login; after 180 days without one the device is a stranger', async () => {
  const { email, device } = await lockedOut();
  gateway.clock.advance(100 * DAY_SECONDS);
  const answer = await loginFrom(device, gateway, email);
  expect(answer.status).toBe(200);
  const renewed = deviceOf(answer);
  expect(renewed).not.toBe(device);
  gateway.clock.advance(100 * DAY_SECONDS);
  expect(await statusFrom(device, email)).toBe(429);
  expect(await statusFrom(renewed, email)).toBe(200);
  gateway.clock.advance(-200 * DAY_SECONDS);
});

const keys: Array<{ k: string; kid: string; alg: string }> = JSON.parse(
  readFileSync(required(KEYRING_FILE), 'utf8'),
).keys;
const refreshKey = keys.find(({ alg }) => alg === 'HS256') ?? { k: '', kid: '' };

type Part = Record<string, unknown>;
const decoded = (part = ''): Part => JSON.parse(Buffer.from(part, 'base64url').toString());
const encoded = (part: Part): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** The entry with other parts, signed by this key. */
function signed(entry: string, key: Buffer, claims: Part = {}, header: Part = {}): string {
  const [first, second] = entry.split('.');
  const text = `${encoded({ ...decoded(first), ...header })}.${encoded({ ...decoded(second), ...claims })}`;
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
}

const ownKey = Buffer.from(refreshKey.k, 'base64url');

const FORGERIES: Array<[what: string, forge: (owner: Locked) => Promise<string | undefined> | string | undefined]> = [
  ['no cookie', () => undefined],
  ['an empty one', () => ''],
  ['a random one', () => 'x'.repeat(300)],
  ['a cookie of 5 KB', ({ device }) => `${device}~${'x'.repeat(5_000)}`],
  ['one cut short', ({ device }) => device.slice(0, -1)],
  ['one without a signature', ({ device }) => device.split('.').slice(0, 2).join('.')],
  ['one with two signatures', ({ device }) => `${device}.${device.split('.')[2]}`],
  ['one of a random key', ({ device }) => signed(device, Buffer.alloc(32, 7))],
  ['one that the refresh key signed', ({ device }) => signed(device, ownKey)],
  ['one without an algorithm', ({ device }) => signed(device, ownKey, {}, { alg: 'none' })],
  ['one of an unknown key', ({ device }) => signed(device, ownKey, {}, { kid: 'unknown' })],
  [
    'the entry of another user, under this name',
    async ({ id }) => signed((await lockedOut()).device, ownKey, { sub: id }),
  ],
  ['the entry of another user', async () => (await lockedOut()).device],
  ['an id that was guessed', ({ device }) => signed(device, ownKey, { jti: 'AAAAAAAAAAAAAAAAAAAAAA' })],
  ['claims that are no JSON', ({ device }) => device.replace(/\.[^.]+\./, '.e30x.')],
  ['a forged entry in front of the good one', ({ device }) => `${signed(device, ownKey)}~${device}`],
  ['the good one behind five others', ({ device }) => `${'a.b.c~'.repeat(5)}${device}`],
  ['two cookies', ({ device }) => `${device}; device=${device.slice(0, -4)}AAAA`],
];

test.each(FORGERIES)('Interface 16: %s counts as none', async (_what, forge) => {
  const owner = await lockedOut();
  const before = await gateway.rows('select * from known_devices where user_id = $1', [owner.id]);
  expect(await statusFrom(await forge(owner), owner.email)).toBe(429);
  expect(await gateway.rows('select * from known_devices where user_id = $1', [owner.id])).toEqual(before);
  expect(await statusFrom(owner.device, owner.email)).toBe(200);
});

test('Interface 16: what is no JWT is not sent back', async () => {
  const [one, other] = [await gateway.user(), await gateway.user()];
  const device = await newDevice(gateway, one.email);
  const [header, claims, mac] = device.split('.');
  const junk = [`${header}.${claims}.${mac}%3B%0D%0A`, `${header}.${claims}`, 'x'];
  for (const value of junk) expect((await newDevice(gateway, other.email, value)).split('~')).toHaveLength(1);
  expect((await newDevice(gateway, other.email, device)).split('~')).toEqual([expect.any(String), device]);
});

test('Interface 16: an entry of a gateway with another keyring counts as none', async () => {
  await using running = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'keyring-'));
  running.defer(() => rm(folder, { recursive: true }));
  const keyring = join(folder, 'keyring.json');
  await writeKeyringFile(keyring, await generateKeys(), 'create');
  const foreign = await startGateway({ env: { ...env, KEYRING_FILE: keyring } });
  running.defer(foreign.close);
  const { id, email } = await gateway.user();
  await foreign.user({ email });
  await foreign.rows('update users set id = $1', [id]); // the same user, as after a move without the keyring
  const device = await newDevice(foreign, email);
  for (let i = 0; i < MOST; i += 1) await login(gateway, email, WRONG);
  expect(await statusFrom(device, email)).toBe(429);
});

/** All that an answer says, without what differs between any two. */
function said({ status, headers, text }: Answer): unknown {
  const { date: _, 'x-request-id': __, ratelimit: ___, ...others } = headers;
  return { status, others, text };
}

test('Interface 16: while nothing is locked, no answer reveals whether an entry was good', async () => {
  const { email } = await gateway.user();
  const device = await newDevice(gateway, email);
  const answers = await Promise.all(
    [device, signed(device, ownKey), undefined].map((value) => loginFrom(value, gateway, email, WRONG)),
  );
  expect(new Set(answers.map((answer) => JSON.stringify(said(answer)))).size).toBe(1);
});

test('Interface 16: the table has hashes alone', async () => {
  const { id, email } = await gateway.user();
  const device = await newDevice(gateway, email);
  const { jti } = decoded(device.split('.')[1]);
  const [row] = await gateway.rows('select known_devices::text as text from known_devices where user_id = $1', [id]);
  expect(String(jti)).toMatch(/^[\w-]{22}$/);
  expect(row?.['text']).not.toContain(jti);
  expect(row?.['text']).not.toContain(Buffer.from(String(jti)).toString('hex'));
});
