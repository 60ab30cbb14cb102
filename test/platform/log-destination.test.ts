/** Lines that are longer than what a pipe takes at once. (Interface 14) */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogDestination } from '../../src/platform/log-destination.js';

const folder = mkdtempSync(join(tmpdir(), 'gateway-log-'));
const fifo = join(folder, 'fifo');
execFileSync('mkfifo', [fifo]);
const fd = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
afterAll(() => {
  closeSync(fd);
  rmSync(folder, { recursive: true });
});

/** What the pipe holds. */
function read(): string {
  const chunk = Buffer.alloc(1 << 20);
  return chunk.toString('utf8', 0, readSync(fd, chunk));
}

test('a line that was written in part is ended before the next; those between are reported as lost', () => {
  let dropped = 0;
  const destination = createLogDestination({ fd }, () => {
    dropped += 1;
  });
  const lineOf = (number: number): string => `${JSON.stringify({ number, text: 'ä'.repeat(10_000) })}\n`;
  let written = 0;
  for (; dropped < 3; written += 1) destination.write(lineOf(written));
  let text = read();
  expect(text.endsWith('\n')).toBe(false); // the pipe is smaller than whole lines would fill
  destination.write(lineOf(written));
  text += read();
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const whole = written - dropped;
  expect(lines.map(({ number, dropped_lines }) => number ?? { dropped_lines })).toEqual([
    ...Array.from({ length: whole }, (_, number) => number),
    { dropped_lines: 3 },
    written,
  ]);
  expect(lines.at(-1)).toEqual(JSON.parse(lineOf(written)));
  expect(dropped).toBe(3);
});
