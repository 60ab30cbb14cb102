/** Reads an archive from beginning to end, once. Rows are passed on in pieces, so that they may have any length. */
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import type * as z from 'zod';
import {
  anyHeader,
  END_OF_ROWS,
  FIRST_BYTES,
  FORMAT_VERSION,
  type Header,
  header,
  MAX_LINE_BYTES,
  OLDEST_FORMAT_VERSION,
} from './format.js';
import { ArchiveRefusal, refuseStopped } from './refusal.js';

/** After a stop, reading throws {ArchiveRefusal}. */
export interface Archive {
  header: Header;
  /** The next line, in JSON. @throws {ArchiveRefusal} if it does not have this form */
  line<T>(form: z.ZodType<T>): Promise<T>;
  /** The rows of a table, in pieces that may end within a row. */
  rows(): AsyncGenerator<Buffer>;
  /** SHA-256 of the unpacked content that was read so far */
  digest(): Buffer;
  /** @throws {ArchiveRefusal} unless this is the end of the file */
  end(): Promise<void>;
  close(): Promise<void>;
}

export function damaged(how: string): ArchiveRefusal {
  return new ArchiveRefusal(`the file is damaged or cut short (${how}): nothing was imported`);
}

function notOurs(): ArchiveRefusal {
  return new ArchiveRefusal(
    'database export did not write this file, its beginning is damaged, or it was unpacked and packed again',
  );
}

/** @throws {ArchiveRefusal} for a foreign file or a later format; or the error of the file */
export async function openArchive(file: string, stopped: AbortSignal): Promise<Archive> {
  const handle = await open(file);
  try {
    if ((await handle.stat()).isDirectory()) throw new ArchiveRefusal(`${file} is a folder`);
    const first = Buffer.alloc(FIRST_BYTES.length);
    await handle.read(first, 0, first.length, 0);
    if (!first.equals(FIRST_BYTES)) throw notOurs();
    const content = unpack(handle, stopped);
    return { ...content, header: await readHeader(content) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function readHeader({ json }: Pick<Content, 'json'>): Promise<Header> {
  const first = await json();
  const any = anyHeader.safeParse(first);
  if (!any.success) throw notOurs();
  const { format_version } = any.data;
  if (format_version < OLDEST_FORMAT_VERSION || format_version > FORMAT_VERSION) {
    const ours = `this version reads ${OLDEST_FORMAT_VERSION} to ${FORMAT_VERSION}`;
    throw new ArchiveRefusal(`the file has format ${format_version}, and ${ours}: use the version that wrote it`);
  }
  const { success, data } = header.safeParse(first);
  if (!success) throw damaged('its header is incomplete');
  return data;
}

interface Content extends Omit<Archive, 'header'> {
  json(): Promise<unknown>;
}

const NEWLINE = '\n'.charCodeAt(0);
/** With the newline of the line before: the last row or the table's head. */
const END = Buffer.from(`\n${END_OF_ROWS}\n`);

function unpack(handle: FileHandle, stopped: AbortSignal): Content {
  const source = handle.createReadStream({ start: 0, autoClose: false });
  const gunzip = createGunzip();
  source.once('error', (error) => gunzip.destroy(error));
  const unpacked: AsyncIterator<Buffer> = source.pipe(gunzip)[Symbol.asyncIterator]();
  /** Unpacked and not read yet */
  let rest: Buffer = Buffer.alloc(0);
  const taken = createHash('sha256');

  /** @returns undefined at the end of the file */
  const unpackMore = async (): Promise<Buffer | undefined> => {
    refuseStopped(stopped);
    if (rest.length > 0) {
      const more = rest;
      rest = Buffer.alloc(0);
      return more;
    }
    const next = await unpacked.next().catch((error: NodeJS.ErrnoException) => {
      throw error.syscall === undefined ? damaged('it does not unpack') : error;
    });
    return next.done ? undefined : next.value;
  };
  const take = async (): Promise<Buffer> => {
    const piece = await unpackMore();
    if (piece === undefined) throw damaged('it has no end');
    return piece;
  };
  const json = async (): Promise<unknown> => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    for (let end = 0; end === 0; ) {
      const piece = await take();
      end = piece.indexOf(NEWLINE) + 1;
      pieces.push(end === 0 ? piece : piece.subarray(0, end));
      if (end > 0) rest = piece.subarray(end);
      bytes += piece.length;
      if (bytes > MAX_LINE_BYTES) throw damaged('a line is too long');
    }
    const text = Buffer.concat(pieces);
    taken.update(text);
    try {
      return JSON.parse(text.toString('utf8'));
    } catch {
      throw damaged('a line is not JSON');
    }
  };
  return {
    json,
    line: async (form) => {
      const read = form.safeParse(await json());
      if (!read.success) throw damaged('a line has the wrong form');
      return read.data;
    },
    rows: async function* () {
      let held: Buffer = Buffer.from([NEWLINE]); // that of the head, in case there are no rows
      let passed = 1;
      for (;;) {
        const bytes = Buffer.concat([held, await take()]);
        const end = bytes.indexOf(END);
        if (end >= 0) {
          rest = bytes.subarray(end + END.length);
          taken.update(bytes.subarray(passed, end + END.length));
          if (end + 1 > passed) yield bytes.subarray(passed, end + 1);
          return;
        }
        const until = bytes.length - END.length + 1; // END may begin after this
        held = bytes;
        if (until <= passed) continue;
        taken.update(bytes.subarray(passed, until));
        yield bytes.subarray(passed, until);
        held = bytes.subarray(until);
        passed = 0;
      }
    },
    digest: () => taken.copy().digest(),
    end: async () => {
      const isOver = (await unpackMore()) === undefined;
      const { size } = await handle.stat();
      if (!isOver || gunzip.bytesWritten !== size) throw damaged('something follows its end'); // gunzip ignores it
    },
    close: async () => {
      source.destroy();
      gunzip.destroy();
      await handle.close();
    },
  };
}
