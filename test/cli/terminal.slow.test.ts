/** The command line prints only text, whatever others have sent: nothing in it steers a terminal. (Interface 9) */
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { type Printable, print, printMessage, printTable } from '../../src/cli/terminal.js';
import { run, runHere } from '../support/gateway/cli.js';
import { logIn, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { refresh } from '../support/gateway/routes.js';
import { KEYRING_FILE, required } from '../support/postgres/postgres.js';

/** Controls, formats, and breaks of lines; halves of pairs too. */
const STEERS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

/** What an HTTP field may hold as well as plain text: tab, and every byte from 0x80. */
const BYTES = `\t${Array.from({ length: 0x80 }, (_, i) => String.fromCharCode(0x80 + i)).join('')}`;
const USER_AGENT = `Mozilla \x9b31m red \x9d0;title\x9c \x90q\x9c ${BYTES} end`;
const ESCAPED = USER_AGENT.replace(
  new RegExp(STEERS, 'gu'),
  (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
);

let gateway: TestGateway;
let email: string;
beforeAll(async () => {
  gateway = await startGateway();
  ({ email } = await gateway.user());
  const { refreshToken } = await logIn(gateway, email);
  const headers = { 'user-agent': USER_AGENT };
  expect((await refresh(gateway, refreshToken, headers)).status).toBe(200);
  expect((await refresh(gateway, refreshToken, headers)).status).toBe(401); // theft: into the audit log
});
afterAll(() => gateway.close());

const cli = (...args: string[]) => runHere(args, () => ({ ...gateway.config, databaseUrl: gateway.database.url }));

test.each(['audit tail', 'session explain'])(
  'Interface 9: %s shows escapes of a User-Agent as text',
  async (command) => {
    const words = command.startsWith('audit') ? command.split(' ') : [...command.split(' '), email];
    const { code, stdout } = await cli(...words);
    expect(code).toBe(0);
    expect(stdout).toContain(ESCAPED);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.filter((line) => STEERS.test(line))).toEqual([]);
    const next = words[0] === 'audit' ? 'metadata' : 'detail'; // the columns stay straight
    const column = lines[0]?.indexOf(next) ?? -1;
    expect(new Set(lines.map((line) => line[column - 1]))).toEqual(new Set([' ']));
    expect(lines.filter((line) => line.slice(0, column).trimEnd().endsWith(ESCAPED))).not.toEqual([]);

    const json = await cli(...words, '--json');
    expect(json.stdout.trimEnd()).not.toMatch(STEERS);
    expect(JSON.parse(json.stdout)).toContainEqual(expect.objectContaining({ user_agent: USER_AGENT }));
  },
);

test('Interface 9: a table that goes on has one heading, also where nothing came for a while', () => {
  const stdout = new PassThrough();
  const append = printTable({ stdout });
  append([{ name: 'first' }]);
  append([]);
  append([{ name: 'second' }]);
  expect(String(stdout.read())).toBe('name\nfirst\nsecond\n');
});

test('Interface 9: a program of its own prints the same', async () => {
  const env = { DATABASE_URL: gateway.database.url, KEYRING_FILE: required(KEYRING_FILE) };
  expect((await run(['audit', 'tail'], { env })).stdout).toBe((await cli('audit', 'tail')).stdout);
});

test('Interface 9: a message shows what is wrong with a word as text', async () => {
  const { code, stdout, stderr } = await run(['user', 'list', '--\x9b31m\u202e']);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('--\\u009b31m\\u202e');
});

/** Any text, most of it of the kinds that steer. */
const steering = fc.constantFrom(
  ...'\n\r\t\0\x1b\x7f\x85\x9b\x9d\xad\u061c\u200d\u2028\u2029\u202e\u2066\ufeff',
  '\ud800',
  '\udfff',
  '\u{e0041}',
  '\u{1d173}',
);
const anyText = fc.string({ unit: fc.oneof(steering, fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })) });
const cell = fc.oneof(
  anyText,
  fc.array(anyText),
  fc.dictionary(anyText, fc.oneof(anyText, fc.array(anyText), fc.integer()), { noNullPrototype: true }),
  fc.constantFrom(null, true, 7),
);
const record = fc.dictionary(anyText, cell, { noNullPrototype: true });

function printed(result: Printable | Printable[], json: boolean): string {
  const stdout = new PassThrough();
  print({ stdout, stderr: new PassThrough() }, result, json);
  return String(stdout.read() ?? '');
}

test('Interface 9: nothing printed steers a terminal, and JSON stays the same value', () => {
  const results = fc.oneof(record, fc.array(record));
  fc.assert(
    fc.property(results, (result) => {
      const lines = printed(result, false).split('\n');
      const rows = Array.isArray(result) ? (result.length === 0 ? 0 : result.length + 1) : Object.keys(result).length;
      expect([lines.length, lines.filter((line) => STEERS.test(line))]).toEqual([rows + 1, []]);
      const json = printed(result, true);
      expect(json).toMatch(/^[^\n]*\n$/);
      expect(json.trimEnd()).not.toMatch(STEERS);
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(result)));
    }),
    { numRuns: 500 },
  );
});

test('Interface 9: nothing said on standard error steers a terminal', () => {
  fc.assert(
    fc.property(anyText, (message) => {
      const stderr = new PassThrough();
      printMessage({ stderr }, message);
      expect(String(stderr.read()).replaceAll('\n', '')).not.toMatch(STEERS);
    }),
  );
});
