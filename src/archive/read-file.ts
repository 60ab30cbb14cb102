/** Reads the file of an export from its first byte to its last, in order, with memory for one line. */
import { type FileHandle, open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import type * as z from 'zod';
import { anyHeader, END_OF_ROWS, FIRST_BYTES, FORMAT_VERSION, type Header, header, MAX_LINE_BYTES } from './format.js';
import { ArchiveRefusal } from './refusal.js';

export interface Archive {
  header: Header;
  /** The next line, which is JSON of this form. @throws {ArchiveRefusal} for another */
  line<T>(form: z.ZodType<T>): Promise<T>;
  /** The rows of a table, in pieces that end where a row does. */
  rows(): AsyncGenerator<Buffer>;
  /** @throws {ArchiveRefusal} where anything follows */
  end(): Promise<void>;
  close(): Promise<void>;
}

export function damaged(how: string): ArchiveRefusal {
  return new ArchiveRefusal(`the file is damaged or cut short (${how}): nothing was imported`);
}

function notOurs(): ArchiveRefusal {
  return new ArchiveRefusal(
    'the file is none that database export has written, its beginning is damaged, or it was unpacked and packed again',
  );
}

/** @throws {ArchiveRefusal} for a file that is none of ours, or of a later format; or the error of the file */
export async function openArchive(file: string): Promise<Archive> {
  const handle = await open(file);
  try {
    if ((await handle.stat()).isDirectory()) throw new ArchiveRefusal(`${file} is a folder`);
    const first = Buffer.alloc(FIRST_BYTES.length);
    await handle.read(first, 0, first.length, 0);
    if (!first.equals(FIRST_BYTES)) throw notOurs();
    const content = unpack(handle);
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
  if (format_version !== FORMAT_VERSION) {
    const ours = `this version reads format ${FORMAT_VERSION}`;
    throw new ArchiveRefusal(`the file has format ${format_version}, and ${ours}: use the version that wrote it`);
  }
  const { success, data } = header.safeParse(first);
  if (!success) throw damaged('its header is not whole');
  return data;
}

interface Content extends Omit<Archive, 'header'> {
  json(): Promise<unknown>;
}

const NEWLINE = '\n'.charCodeAt(0);
const END = Buffer.from(`${END_OF_ROWS}\n`);

function unpack(handle: FileHandle): Content {
  const source = handle.createReadStream({ start: 0, autoClose: false });
  const gunzip = createGunzip();
  source.once('error', (error) => gunzip.destroy(error));
  const unpacked: AsyncIterator<Buffer> = source.pipe(gunzip)[Symbol.asyncIterator]();
  /** Unpacked, and not yet taken */
  let rest: Buffer = Buffer.alloc(0);

  /** @returns false at the end of the file */
  const unpackMore = async (): Promise<boolean> => {
    const next = await unpacked.next().catch((error: NodeJS.ErrnoException) => {
      throw error.syscall === undefined ? damaged('it does not unpack') : error;
    });
    if (next.done) return false;
    rest = Buffer.concat([rest, next.value]);
    return true;
  };
  /** Takes what ends with the newline that `find` finds. */
  const take = async (find: () => number): Promise<Buffer> => {
    let newline = find();
    while (newline < 0) {
      if (rest.length > MAX_LINE_BYTES) throw damaged('a line is too long');
      if (!(await unpackMore())) throw damaged('it has no end');
      newline = find();
    }
    const taken = rest.subarray(0, newline + 1);
    rest = rest.subarray(newline + 1);
    return taken;
  };
  const json = async (): Promise<unknown> => {
    const text = (await take(() => rest.indexOf(NEWLINE))).toString('utf8');
    try {
      return JSON.parse(text);
    } catch {
      throw damaged('a line is not JSON');
    }
  };
  return {
    json,
    line: async (form) => {
      const read = form.safeParse(await json());
      if (!read.success) throw damaged('a line does not say what it should');
      return read.data;
    },
    rows: async function* () {
      for (;;) {
        const lines = await take(() => rest.lastIndexOf(NEWLINE));
        const end = endOfRows(lines);
        if (end !== 0) yield lines.subarray(0, end);
        if (end === undefined) continue;
        rest = Buffer.concat([lines.subarray(end + END.length), rest]);
        return;
      }
    },
    end: async () => {
      const isOver = rest.length === 0 && !(await unpackMore());
      const { size } = await handle.stat();
      if (!isOver || gunzip.bytesWritten !== size) throw damaged('something follows its end'); // gunzip passes over it
    },
    close: async () => {
      source.destroy();
      gunzip.destroy();
      await handle.close();
    },
  };
}

/** Where the line is that ends the rows; undefined: it is not among these. */
function endOfRows(lines: Buffer): number | undefined {
  if (lines.subarray(0, END.length).equals(END)) return 0;
  const before = lines.indexOf(`\n${END}`);
  return before < 0 ? undefined : before + 1;
}
