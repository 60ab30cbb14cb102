/** CONTRACT 3: the keyring file, and its rotation over time. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { rotateKeyring } from '../../src/admin/keyring.js';
import { keyInUse, openKeyring } from '../../src/credentials/keyring.js';
import { createLogger } from '../../src/platform/logger.js';
import { handClock } from '../support/clock.js';
import { keyringJwk } from '../support/forge.js';
import { startGateway, type TestGateway } from '../support/gateway.js';

let folder: string;
let file: string;
let gateway: TestGateway;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-keyring-'));
  file = join(folder, 'keyring.json');
  gateway = await startGateway();
});
afterAll(async () => {
  await gateway.close();
  await rm(folder, { recursive: true });
});

const [access, refresh, sealing] = [keyringJwk('EdDSA'), keyringJwk('HS256'), keyringJwk('A256GCM')];
const SECRETS = [access.d, refresh.k, sealing.k];
const clock = handClock();
const now = (): number => Math.floor(clock.now().getTime() / 1000);

/** Why the keyring with these keys is refused, or undefined where it is taken. */
async function refusal(keys: unknown, text = JSON.stringify({ keys })): Promise<string | undefined> {
  await writeFile(file, text);
  try {
    (await openKeyring(file, clock, createLogger('silent'))).close();
    return undefined;
  } catch (error) {
    const { name, message } = error as Error;
    for (const secret of SECRETS) expect(message).not.toContain(secret);
    return name === 'KeyringError' ? message : `${name} ${message}`;
  }
}

test('3 a keyring has one key of each kind at least, in any order', async () => {
  expect(await refusal([sealing, refresh, access])).toBeUndefined();
  expect(await refusal([refresh, sealing])).toMatch(/no access key/);
  expect(await refusal([access, sealing])).toMatch(/no refresh key/);
  expect(await refusal([access, refresh])).toMatch(/no sealing key/);
  expect(await refusal([])).toMatch(/no access key/);
});

test('3 a key that may not be used yet is not enough', async () => {
  expect(await refusal([access, { ...refresh, nbf: now() + 1 }, sealing])).toMatch(
    /no refresh key that may be used now/,
  );
  expect(await refusal([access, { ...refresh, nbf: now() }, sealing])).toBeUndefined();
});

test.each<[string, unknown[]]>([
  ['an RSA alg', [{ ...access, alg: 'RS256' }, refresh, sealing]],
  ['Ed448', [{ ...access, crv: 'Ed448' }, refresh, sealing]],
  ['an X25519 key', [{ ...access, crv: 'X25519' }, refresh, sealing]],
  ['a public key alone', [(({ d: _d, ...rest }) => rest)(access), refresh, sealing]],
  ['a d of another pair', [{ ...access, d: randomBytes(32).toString('base64url') }, refresh, sealing]],
  ['an HMAC key of 128 bits', [access, { ...refresh, k: randomBytes(16).toString('base64url') }, sealing]],
  ['an HMAC key of 512 bits', [access, { ...refresh, k: randomBytes(64).toString('base64url') }, sealing]],
  ['HS512', [access, { ...refresh, alg: 'HS512' }, sealing]],
  ['a signing key for encryption', [access, { ...refresh, use: 'enc' }, sealing]],
  ['a sealing key for signing', [access, refresh, { ...sealing, use: 'sig' }]],
  ['a key without kid', [access, refresh, (({ kid: _kid, ...rest }) => rest)(sealing)]],
  ['two keys of one kid', [access, refresh, { ...sealing, kid: refresh.kid }]],
  ['an nbf that is no number', [access, { ...refresh, nbf: 'soon' }, sealing]],
])('3 refuses %s', async (_what, keys) => {
  expect(await refusal(keys)).toMatch(/^(the keyring .* is refused: |an Ed25519 key of the keyring )/);
});

test('3 refuses what is no keyring at all', async () => {
  expect(await refusal(undefined, 'not json')).toMatch(/is not JSON/);
  expect(await refusal(undefined, '[]')).toMatch(/is refused/);
  await rm(file);
  await expect(openKeyring(file, clock, createLogger('silent'))).rejects.toThrow(/^cannot read the keyring /);
});

test('3 the first key of a kind whose nbf has passed makes, also where a later one stands before it', async () => {
  const future = { ...refresh, kid: 'future', k: randomBytes(32).toString('base64url'), nbf: now() + 100 };
  const older = { ...refresh, kid: 'older', k: randomBytes(32).toString('base64url') };
  await writeFile(file, JSON.stringify({ keys: [future, access, refresh, older, sealing] }));
  const keyring = await openKeyring(file, clock, createLogger('silent'));
  keyring.close();
  const used = (seconds: number): string => keyInUse(keyring.current().refresh, new Date((now() + seconds) * 1000)).kid;
  expect([used(0), used(99), used(100)]).toEqual([refresh.kid, refresh.kid, 'future']);
  expect(keyring.current().refresh).toHaveLength(3); // all are used to check
});

test('3 kid of an Ed25519 key is its RFC 7638 thumbprint', async () => {
  expect(access.kid).toBe(await calculateJwkThumbprint(access));
});

test('3 rotation: new keys wait 900 s, old ones stay while their tokens live, and go after', async () => {
  await writeFile(file, JSON.stringify({ keys: [access, refresh, sealing] }));
  const config = { ...gateway.config, keyringFile: file, accessTokenSeconds: 600, refreshTokenSeconds: 5000 };
  const rotate = async () => {
    const keyring = await openKeyring(file, clock, createLogger('silent'));
    keyring.close();
    return rotateKeyring({ ...gateway.app, clock, config, keyring });
  };
  const kids = async (): Promise<string[]> =>
    (JSON.parse(await readFile(file, 'utf8')).keys as JWK[]).map(({ kid = '' }) => kid);

  const first = await rotate();
  expect(first.usedFrom.getTime()).toBe((now() + 900) * 1000);
  expect([first.added.length, first.kept, first.dropped]).toEqual([3, [access.kid, refresh.kid, sealing.kid], []]);
  expect(await kids()).toEqual([...first.added, ...first.kept]);

  clock.advance(900 + 600 + 1); // the last access token by the old key has just expired, its refresh tokens live
  const second = await rotate();
  expect(second.dropped).toEqual([access.kid, sealing.kid]);
  expect(second.kept).toEqual([...first.added, refresh.kid]);

  clock.advance(5000);
  const third = await rotate();
  expect(third.dropped).toContain(refresh.kid);
  expect(third.kept).toEqual(expect.arrayContaining(second.added));
});
