/**
 * Every command of these pages runs as it is printed, and prints what stands in the block behind it. Commands are in blocks
 * of `sh`; those in `shell` are for readers alone, and those with a mark are run below, by another test, or by `.ci/run`.
 */
import { execFileSync } from 'node:child_process';
import { asSuperuser, required, TEMPLATE_URL } from '../support/postgres/postgres.js';
import { type Block, blocksOf, isPrinted, testedBlock } from './printed.js';
import { createReader, type Shell } from './reader.js';

const READY = '"msg":"ready"}';

const hasCurl = (() => {
  try {
    return execFileSync('curl', ['--version']).length > 0;
  } catch {
    return process.env['REQUIRE_PROGRAMS'] === '1';
  }
})();

/** A command a line, or on several that end with a backslash. */
const commandsOf = (block: string): string[] => block.split(/(?<!\\)\n/);

async function typeAll(shell: Shell, block: string): Promise<string> {
  let printed = '';
  for (const command of commandsOf(block)) printed += await shell.type(command);
  return printed;
}

/** The marked block, and the one with what it prints. */
const marked = (page: string, name: string): Block[] => [
  { language: 'sh', text: testedBlock(page, name), mark: undefined },
  { language: 'text', text: testedBlock(page, `${name}-prints`), mark: undefined },
];

/** Shows both if they differ. */
function expectPrinted(printed: string, said: string): void {
  expect(isPrinted(printed, said) ? said : printed).toBe(said);
}

(hasCurl ? test : test.skip)(
  'README.md and the pages behind it: each command succeeds, and prints what is said',
  async () => {
    const keys = [...marked('docs/services.md', 'api-key'), ...marked('docs/scheduled-jobs.md', 'cron-key')];
    const [readme, dashboards] = ['README.md', 'docs/dashboards.md'].map(blocksOf);
    const operate = ['locked-out', 'personal-data', 'keyring'].flatMap((name) => blocksOf(`docs/${name}.md`));

    await using reader = await createReader();
    const log = `${await reader.shell().type('npm start', READY)}${READY}`;
    expectPrinted(log, `…${reader.fillIn(testedBlock('README.md', 'started')).replaceAll('\n', '…')}`);

    const shell = reader.shell();
    const isRun = ({ language, mark }: Block) => language === 'sh' && mark === undefined;
    for (const blocks of [readme, operate, keys, dashboards]) {
      expect(blocks?.some(isRun)).toBe(true);
      for (const [i, block] of (blocks ?? []).entries()) {
        if (!isRun(block)) continue;
        const printed = await typeAll(shell, block.text);
        const said = blocks?.[i + 1];
        if (said?.language === 'text' || said?.language === 'json') expectPrinted(printed, said.text);
      }
    }
  },
  900_000, // more than twenty commands, each a start of Node or two
);

test('docs/operate.md: the steps for a PostgreSQL of your own end with a gateway on it', async () => {
  const [sql, steps] = [testedBlock('docs/operate.md', 'create-database'), testedBlock('docs/operate.md', 'set-up')];
  const url = new URL(required(TEMPLATE_URL));
  url.username = 'gateway';
  url.pathname = 'gateway';
  try {
    for (const statement of sql.split('\n')) await asSuperuser(statement);
    await using reader = await createReader({
      'postgresql://gateway:PASSWORD@db.example.com/gateway': url.href,
      '/etc/auth-gateway/keyring.json': 'keyring.json',
    });
    const commands = commandsOf(steps);
    const shell = reader.shell();
    for (const command of commands.slice(0, -1)) await shell.type(command);
    expect(commands.at(-1)).toBe('npm start');
    const log = await shell.type('npm start', READY);
    expect(log).toContain('"public_url":"https://auth.example.com"');
  } finally {
    await asSuperuser('drop database if exists gateway with (force)');
    await asSuperuser('drop role if exists gateway');
  }
});
