/** CONTRACT 3: one private JWKS file (RFC 7517) with three kinds of key, picked up again when it changes. */
import { createPrivateKey, createPublicKey, webcrypto } from 'node:crypto';
import { type FileHandle, link, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { calculateJwkThumbprint } from 'jose';
import { z } from 'zod';
import type { Clock } from '../platform/clock.js';
import { epochSeconds } from '../platform/clock.js';
import { randomBase62, randomBase64url } from '../platform/ids.js';
import { describeError, type Logger } from '../platform/logger.js';
import { othersMayRead, othersMayReplaceIn, othersMayWrite } from '../platform/permissions.js';

type CryptoKey = webcrypto.CryptoKey;

/** How long a new key is published before it is used, so that every verifier has seen it: seconds. */
export const PUBLISH_AHEAD_SECONDS = 900;
/** How long a verifier may keep the JWKS: seconds, less than the delay above. */
export const JWKS_MAX_AGE_SECONDS = 300;
/** How often a running instance looks for a changed file: milliseconds. */
const LOOK_AGAIN_MS = 2_000;

const common = { kid: z.string().min(1).max(200), nbf: z.int().nonnegative().optional() };
/** 256 bits in base64url, as they stand in `k`, `d` and `x`. */
const bits256 = z.string().regex(/^[\w-]{42}[AEIMQUYcgkosw048]$/, 'must be 256 bits in base64url');

const accessJwk = z.looseObject({
  ...common,
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  use: z.literal('sig'),
  alg: z.literal('EdDSA'),
  x: bits256,
  d: bits256,
});
const secretJwk = { ...common, kty: z.literal('oct'), k: bits256 };
const refreshJwk = z.looseObject({ ...secretJwk, use: z.literal('sig'), alg: z.literal('HS256') });
const sealingJwk = z.looseObject({ ...secretJwk, use: z.literal('enc'), alg: z.literal('A256GCM') });
const privateJwk = z.discriminatedUnion('alg', [accessJwk, refreshJwk, sealingJwk]);

/** A private key as it stands in the file. */
export type PrivateJwk = z.infer<typeof privateJwk>;

export interface SigningKey {
  kid: string;
  alg: 'EdDSA' | 'HS256';
  notBefore: number;
  signWith: CryptoKey;
  verifyWith: CryptoKey;
}

export interface SealingKey {
  kid: string;
  notBefore: number;
  key: CryptoKey;
}

/** The keys of one reading of the file, newest first in each kind. */
export interface Keys {
  access: SigningKey[];
  refresh: SigningKey[];
  sealing: SealingKey[];
  /** Public halves of the access keys: the body of the JWKS endpoint. */
  publicJwks: { keys: Array<{ kty: string; crv: string; x: string; kid: string; use: string; alg: string }> };
}

/** The file is missing, not a keyring, or lacks a kind; the message names the fault and never a key. */
export class KeyringError extends Error {
  override readonly name = 'KeyringError';
}

/** The first key whose time has come (CONTRACT 3). */
export function keyInUse<K extends { notBefore: number }>(keys: readonly K[], now: Date): K {
  const key = keys.find(({ notBefore }) => notBefore <= epochSeconds(now));
  if (key === undefined) throw new KeyringError('no key of this kind may be used yet (nbf)');
  return key;
}

/** @throws {KeyringError} also for a file that others may write, or put another in the place of */
export async function readPrivateJwks(file: string): Promise<PrivateJwk[]> {
  return (await readKeyring(file)).jwks;
}

/** `warning`: others may read the file, as they may a mounted secret. */
async function readKeyring(file: string): Promise<{ jwks: PrivateJwk[]; warning: string | undefined }> {
  try {
    const handle = await open(file);
    try {
      const text = await handle.readFile('utf8');
      const stats = await handle.stat(); // of what was read, whatever the name leads to by now
      refuse(othersMayWrite(file, stats), file);
      await refuseOpenFolders(file);
      return { jwks: parsePrivateJwks(text, file), warning: othersMayRead(file, stats) };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof KeyringError) throw error;
    const { code = 'error' } = describeError(error);
    const hint = code === 'ENOENT' ? '; make one with `cli -- keyring create --out FILE`' : '';
    throw new KeyringError(`cannot read the keyring ${file} (${code})${hint}`);
  }
}

/** The folder that the name is in, and where the name is a link, that of the file itself. */
async function refuseOpenFolders(file: string): Promise<void> {
  for (const folder of new Set([dirname(file), dirname(await realpath(file))])) await refuseOpenFolder(folder, file);
}

async function refuseOpenFolder(folder: string, file: string): Promise<void> {
  refuse(othersMayReplaceIn(folder, await stat(folder)), file);
}

function refuse(fault: string | undefined, file: string): void {
  if (fault !== undefined) throw new KeyringError(`the keyring ${file} is refused: ${fault}`);
}

function parsePrivateJwks(text: string, file: string): PrivateJwk[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new KeyringError(`the keyring ${file} is not JSON`);
  }
  const parsed = z.looseObject({ keys: z.array(privateJwk) }).safeParse(json);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'keyring'}: ${issue.message}`);
    throw new KeyringError(`the keyring ${file} is refused: ${faults.join('; ')}`);
  }
  const { keys } = parsed.data;
  if (new Set(keys.map(({ kid }) => kid)).size < keys.length) {
    throw new KeyringError(`the keyring ${file} is refused: two keys share a kid`);
  }
  return keys;
}

/** @throws {KeyringError} where a kind is missing or an Ed25519 pair does not belong together */
export async function importKeys(jwks: readonly PrivateJwk[], now: Date): Promise<Keys> {
  const access = jwks.filter((jwk) => jwk.alg === 'EdDSA');
  const keys: Keys = {
    access: await Promise.all(access.map(importAccessKey)),
    refresh: await Promise.all(jwks.filter((jwk) => jwk.alg === 'HS256').map(importRefreshKey)),
    sealing: await Promise.all(jwks.filter((jwk) => jwk.alg === 'A256GCM').map(importSealingKey)),
    publicJwks: { keys: access.map(({ kty, crv, x, kid, use, alg }) => ({ kty, crv, x, kid, use, alg })) },
  };
  for (const kind of ['access', 'refresh', 'sealing'] as const) {
    if (!keys[kind].some(({ notBefore }) => notBefore <= epochSeconds(now))) {
      throw new KeyringError(`the keyring has no ${kind} key that may be used now`);
    }
  }
  return keys;
}

const { subtle } = webcrypto;

async function importAccessKey({ kty, crv, x, d, kid, nbf }: z.infer<typeof accessJwk>): Promise<SigningKey> {
  const derived = createPublicKey(createPrivateKey({ key: { kty, crv, x, d }, format: 'jwk' })).export({
    format: 'jwk',
  });
  if (derived.x !== x) throw new KeyringError('an Ed25519 key of the keyring has an x that is not of its d');
  return {
    kid,
    alg: 'EdDSA',
    notBefore: nbf ?? 0,
    signWith: await subtle.importKey('jwk', { kty, crv, x, d }, 'Ed25519', false, ['sign']),
    verifyWith: await subtle.importKey('jwk', { kty, crv, x }, 'Ed25519', false, ['verify']),
  };
}

async function importRefreshKey({ k, kid, nbf }: z.infer<typeof refreshJwk>): Promise<SigningKey> {
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await subtle.importKey('raw', Buffer.from(k, 'base64url'), hmac, false, ['sign', 'verify']);
  return { kid, alg: 'HS256', notBefore: nbf ?? 0, signWith: key, verifyWith: key };
}

async function importSealingKey({ k, kid, nbf }: z.infer<typeof sealingJwk>): Promise<SealingKey> {
  const bytes = Buffer.from(k, 'base64url');
  return {
    kid,
    notBefore: nbf ?? 0,
    key: await subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']),
  };
}

/** One fresh key of each kind; `notBefore` (seconds since the epoch) only where they must not be used at once. */
export async function generateKeys(notBefore?: number): Promise<PrivateJwk[]> {
  const nbf = notBefore === undefined ? {} : { nbf: notBefore };
  const pair = await subtle.generateKey('Ed25519', true, ['sign', 'verify']);
  if (!('privateKey' in pair)) throw new TypeError('Ed25519 makes pairs');
  const { kty, crv, x, d } = accessParts.parse(await subtle.exportKey('jwk', pair.privateKey));
  const kid = await calculateJwkThumbprint({ kty, crv, x }); // RFC 7638
  return [
    { kty, crv, x, d, kid, use: 'sig', alg: 'EdDSA', ...nbf },
    { kty: 'oct', k: randomBase64url(32), kid: randomBase62(22), use: 'sig', alg: 'HS256', ...nbf },
    { kty: 'oct', k: randomBase64url(32), kid: randomBase62(22), use: 'enc', alg: 'A256GCM', ...nbf },
  ];
}

const accessParts = accessJwk.pick({ kty: true, crv: true, x: true, d: true });

/**
 * Writes the file whole or not at all. `create` makes it readable by its owner only and refuses to replace a file
 * (EEXIST); `replace` follows symbolic links to the file and keeps its owner, group and mode.
 * @throws {KeyringError} where `replace` cannot do so, the file is as it was then; or others may write in its folder
 */
export async function writeKeyring(
  file: string,
  keys: readonly PrivateJwk[],
  how: 'create' | 'replace',
): Promise<void> {
  if (how === 'create') {
    await refuseOpenFolder(dirname(file), file); // no gateway would start with it
    return writeWhole(file, keys, (written) => link(written, file));
  }
  const target = await realpath(file);
  try {
    await writeWhole(target, keys, async (written, handle) => {
      await keepOwnerAndMode(handle, target);
      await rename(written, target);
    });
  } catch (error) {
    const code = describeError(error).code ?? 'error';
    throw error instanceof KeyringError
      ? error
      : new KeyringError(`cannot replace the keyring ${target} (${code}); where it is mounted, rotate a copy of it`);
  }
}

/** Writes beside the place, and lets `put` take the file there. Whatever happens, nothing is left beside it. */
async function writeWhole(
  file: string,
  keys: readonly PrivateJwk[],
  put: (written: string, handle: FileHandle) => Promise<void>,
): Promise<void> {
  const written = `${file}.${randomBase62(8)}`;
  const handle = await open(written, 'wx', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify({ keys }, null, 2)}\n`);
    await handle.sync();
    await put(written, handle);
  } finally {
    await handle.close();
    await rm(written, { force: true });
  }
  const folder = await open(dirname(file));
  await folder.sync().finally(() => folder.close());
}

/** Whoever may read the file now, such as the gateway's own account, may read the next one, and nobody else. */
async function keepOwnerAndMode(handle: FileHandle, target: string): Promise<void> {
  const [{ uid, gid, mode }, ours] = await Promise.all([stat(target), handle.stat()]);
  try {
    if (uid !== ours.uid || gid !== ours.gid) await handle.chown(uid, gid);
    await handle.chmod(mode & 0o777);
    await handle.sync();
  } catch (error) {
    const { code = 'error' } = describeError(error);
    throw new KeyringError(
      `cannot keep the owner ${uid}:${gid} of the keyring ${target} (${code}); rotate it as that user, or as root`,
    );
  }
}

/** The keyring of a running instance: always the newest reading that was sound. */
export interface Keyring {
  current(): Keys;
  close(): void;
}

/**
 * Reads the file, then looks every two seconds whether it has changed. A changed file that is refused leaves the
 * keys as they are and is logged.
 * @throws {KeyringError} for a file that is refused at the first reading
 */
export async function openKeyring(file: string, clock: Clock, log: Logger): Promise<Keyring> {
  const read = async (): Promise<Keys> => {
    const { jwks, warning } = await readKeyring(file);
    const taken = await importKeys(jwks, clock.now());
    if (warning !== undefined) log.warn(`the keyring holds secrets, and ${warning}`);
    return taken;
  };
  let version = await fileVersion(file);
  let refused = '';
  let keys = await read();
  const lookAgain = async (): Promise<void> => {
    const seen = await fileVersion(file);
    if (seen === version) return;
    try {
      keys = await read();
      version = seen;
      refused = '';
      log.info({ keys: keys.publicJwks.keys.map(({ kid }) => kid) }, 'keyring read again');
    } catch (error) {
      const reason = error instanceof KeyringError ? error.message : describeError(error);
      const refusal = `${seen} ${JSON.stringify(reason)}`;
      if (refusal === refused) return; // it is tried again, but said once
      refused = refusal;
      log.error({ reason }, 'changed keyring refused; the keys in use stay');
    }
  };
  const timer = setInterval(lookAgain, LOOK_AGAIN_MS);
  timer.unref();
  return { current: () => keys, close: () => clearInterval(timer) };
}

async function fileVersion(file: string): Promise<string> {
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  return found === undefined ? 'missing' : `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`; // chmod: ctime
}
