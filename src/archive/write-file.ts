/** A file that is there whole or not at all, that only its owner may read, and that replaces none. */
import { link, lstat, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import { randomBase62 } from '../platform/ids.js';
import { FIRST_BYTES } from './format.js';
import { ArchiveRefusal } from './refusal.js';

/** @throws {ArchiveRefusal} where there is such a file already */
export async function refuseExisting(file: string): Promise<void> {
  const found = await lstat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found !== undefined) throw exists(file);
}

function exists(file: string): ArchiveRefusal {
  return new ArchiveRefusal(`the file ${file} exists already and is left as it is`);
}

/** Writes beside the place, syncs, and links the file there. Whatever happens, nothing is left beside it. */
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
          if (isFirst) FIRST_BYTES.copy(piece); // zlib writes its header at once, and tells there of the system
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

/** What is wrong with the place for the file, for a person; another error stays as it is. */
function refusalOf(error: unknown, file: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return new ArchiveRefusal(`no room for ${file}; no file was written`);
  return code === 'EEXIST' && syscall === 'link' ? exists(file) : error; // made meanwhile
}
