/** Help everywhere, and hints for mistyped commands. (Interface 9) */
import { readFileSync } from 'node:fs';
import { commandTable } from '../../src/cli/cli.js';
import { REVISION } from '../../src/platform/versions.js';
import { type Ran, run, runHere } from '../support/gateway/cli.js';

/** None of this reads the environment. */
const here = (...args: string[]): Promise<Ran> =>
  runHere(args, () => {
    throw new Error('the environment was read');
  });

test('Interface 9: every command says what it does, how it is used, and what each word is for', async () => {
  const table = await commandTable();
  const { stdout: help } = await here('--help');
  const listed = Array.from(help.matchAll(/^ {2}([a-z]\S*(?: \S+)?)(?: {2,}\S|$)/gm), ([, name = '']) => name);
  expect(listed).toEqual(table.map(({ name }) => name));
  for (const { name } of table) {
    const { code, stdout, stderr } = await here(...name.split(' '), '--help');
    expect([name, code, stderr]).toEqual([name, 0, '']);
    const [does, , usage, , ...rows] = stdout.split('\n');
    expect(does).toMatch(/^[A-Z].*\.$/);
    expect(usage).toMatch(new RegExp(`^usage: auth-gateway ${name}( |$)`));
    const described = rows.filter((row) => row.startsWith('  ')).join('\n');
    for (const [option] of usage?.matchAll(/--[a-z-]+/g) ?? []) {
      expect(described).toMatch(new RegExp(`^ {2}.*${option}\\b[^\\n]*( {2,}|\\n {26})\\S`, 'm'));
    }
  }
});

test.each([
  [['--help'], ['-h'], ['help'], []],
  [['user', '--help'], ['user', '-h'], ['help', 'user'], ['--help', 'user'], ['user']],
  [
    ['user', 'create', '--help'],
    ['user', 'create', '-h'],
    ['help', 'user', 'create'],
    ['user', 'create', '--role', 'king', '--help'],
  ],
  [
    ['sign', '--help'],
    ['help', 'sign'],
  ],
  [
    ['start', '--help'],
    ['help', 'start'],
  ],
])('Interface 9: %j is asked for in other ways too', async (...ways: string[][]) => {
  const [first, ...others] = await Promise.all(ways.map((words) => here(...words)));
  expect([first?.code, first?.stderr]).toEqual([0, '']);
  expect(first?.stdout).toMatch(/^usage: auth-gateway /m);
  for (const other of others) expect(other).toEqual(first);
});

test('Interface 9: the help of a noun has its verbs alone', async () => {
  const { stdout } = await here('cron-key');
  expect(Array.from(stdout.matchAll(/^ {2}(\S+ \S+) {2}/gm), ([, name]) => name)).toEqual([
    'cron-key create',
    'cron-key list',
    'cron-key rotate',
    'cron-key revoke',
    '-h, --help',
  ]);
});

test('Interface 9: the help names the texts that an option may be', async () => {
  const { stdout } = await here('audit', 'tail', '--help');
  expect(stdout.replace(/\s+/g, ' ')).toContain('account_locked, login_failure, login_success, token_theft,');
});

test('Interface 9: behind -- nothing asks for help', async () => {
  expect((await here('session', 'revoke', '--', 'a', '--help')).code).toBe(2);
});

test.each([
  ['user lst', 'unknown command: user lst; did you mean user list?'],
  ['user delte', 'unknown command: user delte; did you mean user delete?'],
  ['users list', 'unknown command: users list; did you mean user list?'],
  ['usr list', 'unknown command: usr list; did you mean user list?'],
  ['sessions', 'unknown command: sessions; did you mean session?'],
  ['sig POST http://x', 'unknown command: sig POST; did you mean sign?'],
  ['strt', 'unknown command: strt; did you mean start?'],
  ['user explode', 'unknown command: user explode'],
  ['__proto__', 'unknown command: __proto__'],
  ['user list --jsn', 'unknown option: --jsn; did you mean --json?'],
  ['user create --mail a@x.io', 'unknown option: --mail; did you mean --email?'],
  ['user create --nonsense', 'unknown option: --nonsense'],
  ['user create --constructor x', 'unknown option: --constructor'],
])('Interface 9: %s: exit 2, one message and one line of usage', async (words, message) => {
  const { code, stdout, stderr } = await here(...words.split(' '));
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^[^\n]+\nusage: auth-gateway [^\n]+\n$/);
  expect(stderr.split('\n')[0]).toBe(message);
});

test('Interface 9: the usage is that of the command', async () => {
  const { stderr } = await here('api-key', 'rotate');
  expect(stderr).toBe(
    'name one key by its ID\nusage: auth-gateway api-key rotate ID [--overlap DURATION] [--force] [--expires TIME] [--yes] [--json]\n',
  );
  expect((await here('user', 'unlock')).stderr).toContain(
    'usage: auth-gateway user unlock (EMAIL|ID | --email EMAIL | --id ID) [--json]\n',
  );
});

test('Interface 9: no message repeats a value', async () => {
  const wrong = [
    ['user', 'create', 'a@x.io', '--role', 'hunter2'],
    ['api-key', 'rotate', 'a', '--overlap', 'hunter2'],
    ['audit', 'tail', '--since', 'hunter2'],
    ['audit', 'tail', '--lines', 'hunter2'],
    ['completion', 'hunter2'],
    ['user', 'list', 'hunter2'],
    ['user', 'list', '--json=hunter2'],
    ['user', 'list', '--nonsense=hunter2'],
  ];
  for (const args of wrong) {
    const { code, stderr } = await here(...args);
    expect([args, code]).toEqual([args, 2]);
    expect(stderr).not.toContain('hunter2');
  }
});

test('Interface 9: --version and version print the version of the package and of Node, and the commit', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const node = process.versions.node;
  const ran = await run(['--version']); // from the build, which is elsewhere
  expect(ran).toEqual({ code: 0, stdout: `version: ${version}\nnode: ${node}\nrevision: ${REVISION}\n`, stderr: '' });
  expect(await here('version')).toEqual(ran);
  expect(JSON.parse((await here('version', '--json')).stdout)).toEqual({ version, node, revision: REVISION });
});

test('Interface 9: without a word the program prints its help, and starts no gateway', async () => {
  expect(await run(['cli'])).toEqual(await here('--help'));
});
