/** Tar archives (POSIX ustar) that are the same for the same files: nothing of the machine that makes them is inside. */

const BLOCK_BYTES = 512;
/** The time that npm gives to all files of a package: a time of 0 is refused by some programs. */
const MTIME_SECONDS = Date.UTC(1985, 9, 26, 8, 15) / 1000;

/**
 * @param files `{ path, content }`: plain files, with paths of at most 100 bytes
 * @throws {RangeError} if a path is longer
 */
export function tar(files) {
  const entries = files.flatMap(({ path, content }) => [header(path, content.length), padded(content)]);
  return Buffer.concat([...entries, Buffer.alloc(2 * BLOCK_BYTES)]);
}

function header(path, bytes) {
  if (Buffer.byteLength(path) > 100) throw new RangeError(`a path of more than 100 bytes: ${path}`);
  const block = Buffer.alloc(BLOCK_BYTES);
  block.write(path, 0);
  block.write(octal(0o644, 8), 100);
  block.write(octal(0, 8), 108); // owner
  block.write(octal(0, 8), 116); // group
  block.write(octal(bytes, 12), 124);
  block.write(octal(MTIME_SECONDS, 12), 136);
  block.write(' '.repeat(8), 148); // what the sum below counts in its own place
  block.write('0', 156); // a plain file
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 7)} `, 148);
  return block;
}

/** As many digits as fill a field whose last byte is NUL. */
function octal(number, fieldBytes) {
  return `${number.toString(8).padStart(fieldBytes - 1, '0')}\0`;
}

function padded(content) {
  return Buffer.concat([content, Buffer.alloc(-content.length & (BLOCK_BYTES - 1))]);
}
