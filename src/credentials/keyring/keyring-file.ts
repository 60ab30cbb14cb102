/** Interface 3: the keyring's file, one private JWKS (RFC 7517) with three kinds of key: read, made and written. */
import { type FileHandle, link, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import * as z from 'zod';
import { randomBase62, randomBase64url } from '../../platform/ids.js';
import { describeError } from '../../platform/logger.js';
import { othersMayRead, othersMayReplaceIn, othersMayWrite } from '../../platform/permissions.js';
import { missingKeyringMessage } from './missing-keyring.js';
import { type AccessAlg, type PrivateJwk, privateJwk } from './private-jwks.js';

/** The file is missing, not a keyring, or lacks a kind; the message names the fault and never a key. */
export class KeyringError extends Error {
  override readonly name = 'KeyringError';
}

/**
 * @returns `warning` where others may read the file, as they may a mounted secret
 * @throws {KeyringError} also for a file that others may write, or put another in the place of
 */
export async function readKeyringFile(file: string): Promise<{ jwks: PrivateJwk[]; warning: string | undefined }> {
  try {
    const handle = await open(file);
    try {
      const text = await handle.readFile('utf8');
      const stats = await handle.stat(); // of what was read, whatever the name leads to by now
      refuse(othersMayWrite(file, stats), file);
      await refuseOpenFolders(file, dirname(file), dirname(await realpath(file))); // the name may be a link
      return { jwks: parsePrivateJwks(text, file), warning: othersMayRead(file, stats) };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof KeyringError) throw error;
    const { code = 'error' } = describeError(error);
    if (code === 'ENOENT') throw new KeyringError(missingKeyringMessage(file));
    throw new KeyringError(`cannot read the keyring ${file} (${code})`);
  }
}

async function refuseOpenFolders(file: string, ...folders: string[]): Promise<void> {
  for (const folder of new Set(folders)) refuse(othersMayReplaceIn(folder, await stat(folder)), file);
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
  if (new Set(keys.map(({ kid }) => kid)).size < keys.length) refuse('two keys share a kid', file);
  return keys;
}

/**
 * One fresh key of each kind, that of access tokens first.
 * @param notBefore seconds since the epoch, only where they must not be used at once
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
 * Writes the file whole or not at all. `create` makes it readable by its owner only and refuses to replace a file
 * (EEXIST); `replace` follows symbolic links to the file and keeps its owner, group and mode.
 * @throws {KeyringError} where it cannot do so, the file is as it was then; or others may write in its folder
 */
export async function writeKeyringFile(
  file: string,
  keys: readonly PrivateJwk[],
  how: 'create' | 'replace',
): Promise<void> {
  if (how === 'create') {
    try {
      await refuseOpenFolders(file, dirname(file)); // no gateway would start with it
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

/** Says whether the file is still the one that was read. */
export async function fileVersion(file: string): Promise<string> {
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  return found === undefined ? 'missing' : `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`; // chmod: ctime
}
