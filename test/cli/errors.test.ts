/** The error that is reported if there are several. (Interface 9) */
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCli } from '../../src/cli/cli.js';
import { CliRefusal } from '../../src/cli/refusal.js';
import { readConfig } from '../../src/config/config.js';

test('the first error is reported: later ones come from closing what was open', async () => {
  const ofClosing = (suppressed: Error) => Object.assign(new Error('of closing'), { suppressed }); // SuppressedError
  const serve = () => Promise.reject(ofClosing(ofClosing(new CliRefusal('the first one'))));
  const stderr = new PassThrough();
  const stopSignal = () => new AbortController().signal;
  const terminal = { stdin: Readable.from([]), stdout: stderr, stderr, command: 'auth-gateway', stopSignal };
  expect(await runCli(['start'], { readConfig: async () => readConfig({}), terminal, serve })).toBe(1);
  stderr.end();
  expect(await text(stderr)).toBe('the first one\n');
});
