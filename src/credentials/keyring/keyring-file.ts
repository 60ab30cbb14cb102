/** Reads and writes the file of the keyring, a private JWKS (RFC 7517), and generates its keys. (Interface 3) */
import { type FileHandle, link, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import * as z from 'zod';
import { randomBase62, randomBase64url } from '../../platform/ids.js';
import { describeError } from '../../platform/logger.js';
import { type OpenToOthers, othersMayRead, othersMayReplaceIn, othersMayWrite } from '../../platform/permissions.js';
import { KeyringError, keyringMissing } from './keyring-error.js';
import { type AccessAlg, type PrivateJwk, privateJwk } from './private-jwks.js';

/**
 * @returns `warning` if others may read the file, as is usual for a mounted secret
 * @throws {KeyringError} also for a file that others may write, or put another in the place of
 */
export async function readKeyringFile(
  file: string,
): Promise<{ jwks: PrivateJwk[]; warning: OpenToOthers | undefined }> {
  try {
    const handle = await open(file);
    try {
      const text = (await handle.readFile('utf8')).replace(/^\uFEFF/, '');
      const stats = await handle.stat(); // of the file that was read, even if it has been replaced since
      throwIfUnsafe(othersMayWrite(file, stats), file);
      await requireSafeFolders(file, dirname(file), dirname(await realpath(file))); // the name may be a link
      return { jwks: parsePrivateJwks(text, file), warning: othersMayRead(file, stats) };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof KeyringError) throw error;
    const { code = 'error' } = describeError(error);
    if (code === 'ENOENT') throw keyringMissing(file);
    const remedy =
      code === 'EACCES' ? `give it to the user that the gateway runs as; run: chown USER ${file}` : undefined;
    throw new KeyringError(`cannot read the keyring ${file} (${code})`, remedy);
  }
}

async function requireSafeFolders(file: string, ...folders: string[]): Promise<void> {
  for (const folder of new Set(folders)) throwIfUnsafe(othersMayReplaceIn(folder, await stat(folder)), file);
}

function throwIfUnsafe(fault: OpenToOthers | undefined, file: string): void {
  if (fault !== undefined) throw new KeyringError(`the keyring ${file} is refused: ${fault.reason}`, fault.remedy);
}

/** It names no command, because a new one would end every session. */
const RESTORE =
  'restore it from another instance or a backup; with a new one every session would end and no API key would work';

function parsePrivateJwks(text: string, file: string): PrivateJwk[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new KeyringError(`the keyring ${file} is not JSON, or cut short`, RESTORE);
  }
  const parsed = z
    .looseObject({ keys: z.array(privateJwk, 'must be a list of keys') }, 'must be an object')
    .safeParse(json);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'keyring'}: ${issue.message}`);
    throw new KeyringError(`the keyring ${file} is refused: ${faults.join('; ')}`, RESTORE);
  }
  const { keys } = parsed.data;
  if (new Set(keys.map(({ kid }) => kid)).size < keys.length) {
    throw new KeyringError(`the keyring ${file} is refused: two keys share a kid`);
  }
  return keys;
}

/**
 * One new key for each purpose, that of access tokens first.
 * @param notBefore seconds since the epoch, if the keys must not be used at once
 */
export async function generateKeys(alg: AccessAlg = 'EdDSA', notBefore?: number): Promise<PrivateJwk[]> {
  const nbf = notBefore === undefined ? {} : { nbf: notBefore };
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(privateKey);
  const kid = await calculateJwkThumbprint(jwk); // RFC 7638
  return [
    privateJwk.parse({ ...jwk, kid, use: 'sig', alg, ...nbf }),
    { kty: 'oct', k: randomBase64url(32), kid: randomBase62(22), use: 'sig', alg: 'HS256', ...nbf },
    { kty: 'oct', k: randomBase64url(32), kid: randomBase62(22), use: 'enc', alg: 'A256GCM', ...nbf },
  ];
}

/**
 * Writes the file atomically. `create` makes it readable by its owner only and fails if it exists (EEXIST); `replace`
 * follows symbolic links to the file and keeps its owner, group and mode.
 * @throws {KeyringError} if it cannot be written, or other users may write in its folder. The file is unchanged then
 */
export async function writeKeyringFile(
  file: string,
  keys: readonly PrivateJwk[],
  how: 'create' | 'replace',
): Promise<void> {
  if (how === 'create') {
    try {
      await requireSafeFolders(file, dirname(file)); // otherwise no gateway would start with it
      return await writeWhole(file, keys, (written) => link(written, file));
    } catch (error) {
      const { code = 'error' } = error as NodeJS.ErrnoException;
      if (error instanceof KeyringError || code === 'EEXIST') throw error;
      throw new KeyringError(`cannot write the keyring ${file} (${code})`);
    }
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
      : new KeyringError(`cannot replace the keyring ${target} (${code})`, 'if it is mounted, rotate a copy of it');
  }
}

/** Writes a temporary file in the same folder and lets `put` link or rename it. The temporary name is always removed. */
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

/** So that the same accounts can read the new file, such as the gateway's own. */
async function keepOwnerAndMode(handle: FileHandle, target: string): Promise<void> {
  const [{ uid, gid, mode }, ours] = await Promise.all([stat(target), handle.stat()]);
  try {
    if (uid !== ours.uid || gid !== ours.gid) await handle.chown(uid, gid);
    await handle.chmod(mode & 0o777);
    await handle.sync();
  } catch (error) {
    const { code = 'error' } = describeError(error);
    const reason = `cannot keep the owner ${uid}:${gid} of the keyring ${target} (${code})`;
    throw new KeyringError(reason, 'rotate it as that user, or as root');
  }
}
