/** Writes a file atomically, readable only by its owner, and never replaces one. */
import { link, lstat, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import { randomBase62 } from '../platform/ids.js';
import { FIRST_BYTES } from './format.js';
import { ArchiveRefusal } from './refusal.js';

/** @throws {ArchiveRefusal} if the file exists */
export async function refuseExisting(file: string): Promise<void> {
  const found = await lstat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found !== undefined) throw exists(file);
}

function exists(file: string): ArchiveRefusal {
  return new ArchiveRefusal(`the file ${file} exists and is not replaced`);
}

/** Writes a temporary file in the same folder, syncs it, and links it. The temporary name is always removed. */
export async function writeCompressed(
  file: string,
  pieces: AsyncIterable<Buffer>,
  stopped: AbortSignal,
): Promise<void> {
  const written = `${file}.${randomBase62(8)}`;
  const handle = await open(written, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new ArchiveRefusal(`there is no folder ${dirname(file)}`);
    throw error;
  });
  try {
    await pipeline(
      pieces,
      createGzip({ level: constants.Z_BEST_SPEED }),
      async (compressed: AsyncIterable<Buffer>) => {
        let isFirst = true;
        for await (const piece of compressed) {
          if (isFirst) FIRST_BYTES.copy(piece); // zlib's header, in the first piece, names the system
          isFirst = false;
          await handle.writeFile(piece);
        }
      },
      { signal: stopped },
    );
    await handle.sync();
    await link(written, file);
  } catch (error) {
    throw stopped.aborted ? new ArchiveRefusal('cancelled; no file was written') : refusalOf(error, file);
  } finally {
    await handle.close();
    await rm(written, { force: true });
  }
  const folder = await open(dirname(file));
  await folder.sync().finally(() => folder.close());
}

/** A refusal if the target cannot take the file; otherwise the error itself. */
function refusalOf(error: unknown, file: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return new ArchiveRefusal(`no room for ${file}; no file was written`);
  return code === 'EEXIST' && syscall === 'link' ? exists(file) : error; // created meanwhile
}
