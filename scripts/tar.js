/** Tar archives (POSIX ustar) that are the same for the same files: nothing of the machine that makes them is inside. */

const BLOCK_BYTES = 512;
const NAME_BYTES = 100;
/** The time that npm gives to all files of a package: a time of 0 is refused by some programs. */
const MTIME_SECONDS = Date.UTC(1985, 9, 26, 8, 15) / 1000;

/**
 * @param files `{ path, content, isProgram? }`: plain files, whose folder has at most 155 bytes and whose name has 100
 * @throws {RangeError} if a path is longer
 */
export function tar(files) {
  const entries = files.flatMap((file) => [header(file), padded(file.content)]);
  return Buffer.concat([...entries, Buffer.alloc(2 * BLOCK_BYTES)]);
}

function header({ path, content, isProgram = false }) {
  const [folder, name] = split(path);
  const block = Buffer.alloc(BLOCK_BYTES);
  block.write(name, 0);
  block.write(octal(isProgram ? 0o755 : 0o644, 8), 100);
  block.write(octal(0, 8), 108); // owner
  block.write(octal(0, 8), 116); // group
  block.write(octal(content.length, 12), 124);
  block.write(octal(MTIME_SECONDS, 12), 136);
  block.write(' '.repeat(8), 148); // what the sum below counts in its own place
  block.write('0', 156); // a plain file
  block.write('ustar\x0000', 257);
  block.write(folder, 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 7)} `, 148);
  return block;
}

/** A short path is a name alone. */
function split(path) {
  if (Buffer.byteLength(path) <= NAME_BYTES) return ['', path];
  const at = path.indexOf('/', path.length - NAME_BYTES - 1);
  const [folder, name] = [path.slice(0, Math.max(at, 0)), path.slice(at + 1)];
  const isLong =
    folder === '' || name === '' || Buffer.byteLength(name) > NAME_BYTES || Buffer.byteLength(folder) > 155;
  if (isLong) throw new RangeError(`a path that does not fit into a tar archive: ${path}`);
  return [folder, name];
}

/** As many digits as fill a field whose last byte is NUL. */
function octal(number, fieldBytes) {
  return `${number.toString(8).padStart(fieldBytes - 1, '0')}\0`;
}

function padded(content) {
  return Buffer.concat([content, Buffer.alloc(-content.length & (BLOCK_BYTES - 1))]);
}
