/** One file of all hashes, sorted, some 40 GB: searched by halves, by offset in bytes. */
import { type FileHandle, open } from 'node:fs/promises';
import { firstLine, hasHash, hashOfLine, NotDownloaded } from './breached-lines.js';

/**
 * How far a hash may be from where it is expected: three standard deviations in 40 GB. Two comparisons there save ten; a
 * hash that is further away is found by halves all the same.
 */
const SPREAD_BYTES = 2 ** 21;
/** A shorter part is read at once. */
const PART_BYTES = 16_384;
/** More than twice the longest line: the rest of one and the next. */
const LINES_BYTES = 256;
/** Lines that are compared at the start. They would hardly be in order if the file were sorted by count. */
const SAMPLES = 16;

/** @throws {NotDownloaded} if it is not sorted by hash, or the error of the file system */
export async function checkSortedFile(path: string): Promise<void> {
  await using file = await open(path);
  const { size } = await file.stat();
  const last = Math.max(0, size - LINES_BYTES);
  let previous = '';
  for (let n = 0; n < SAMPLES; n += 1) {
    const { hash } = await lineAfter(file, Math.floor((last * n) / SAMPLES));
    if (hash < previous) throw new NotDownloaded('is not sorted by hash');
    previous = hash;
  }
}

/** @param sha1 in upper case @throws {NotDownloaded}, or the error of the file system */
export async function findInSortedFile(path: string, sha1: string): Promise<boolean> {
  await using file = await open(path);
  let from = 0; // the start of a line that is not greater than the hash, or of the first
  let to = (await file.stat()).size; // the start of a greater line, or the end
  const compareAt = async (offset: number): Promise<void> => {
    const { start, hash } = await lineAfter(file, Math.floor(offset));
    if (hash <= sha1) from = start;
    else to = start;
  };
  const expected = to * fractionOf(sha1);
  if (expected > SPREAD_BYTES) await compareAt(expected - SPREAD_BYTES);
  if (expected + SPREAD_BYTES < to - PART_BYTES) await compareAt(expected + SPREAD_BYTES);
  while (to - from > PART_BYTES) await compareAt((from + to) / 2);
  const lines = await readText(file, from, to - from);
  hashOfLine(firstLine(lines), 0);
  return hasHash(lines, sha1);
}

/** Which part of all hashes is smaller: hashes are spread evenly. */
function fractionOf(sha1: string): number {
  return Number.parseInt(sha1.slice(0, 12), 16) / 2 ** 48;
}

/** The first line that starts after an offset; at 0, the first line. */
async function lineAfter(file: FileHandle, offset: number): Promise<{ start: number; hash: string }> {
  const text = await readText(file, offset, LINES_BYTES);
  const skipped = offset === 0 ? 0 : text.indexOf('\n') + 1;
  return { start: offset + skipped, hash: hashOfLine(firstLine(text.slice(skipped)), 0) };
}

async function readText(file: FileHandle, offset: number, bytes: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, offset);
  return buffer.toString('latin1', 0, bytesRead);
}
