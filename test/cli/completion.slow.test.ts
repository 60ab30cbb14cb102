/** The command `completion SHELL`, in the real shells. (Interface 9) */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runHere } from '../support/gateway/cli.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-completion-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The script of a shell, as a file. */
async function scriptOf(shell: string): Promise<string> {
  const { code, stdout, stderr } = await runHere(['completion', shell], () => {
    throw new Error('the environment was read');
  });
  expect([code, stderr]).toEqual([0, '']);
  const file = join(folder, shell);
  writeFileSync(file, stdout);
  return file;
}

/** What each shell offers for the last word of a line; `FILES` where it is left to the shell. */
const SHELLS: Record<string, (script: string, words: string[]) => string[]> = {
  bash: (script, words) => {
    const program = `source "$1"; shift; compopt() { echo FILES; }
      [[ $(complete -p auth-gateway) == *_auth_gateway* ]] || exit 1
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _auth_gateway; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return lines('bash', ['--norc', '-uc', program, 'bash', script, ...words]);
  },
  zsh: (script, words) => {
    const program = `autoload -U compinit; compdef() { [[ $2 == auth-gateway ]] || exit 1 }; source "$1"; shift
      compadd() { print -l -- "\${(M)@[2,-1]:#$current*}" }; _files() { echo FILES }
      words=("$@"); CURRENT=$#; current="\${words[CURRENT]}"; _auth_gateway`;
    return lines('zsh', ['-fuc', program, 'zsh', script, ...words]);
  },
  fish: (script, words) => {
    const offered = lines('fish', ['--no-config', '-c', `source ${script}; complete -C "$argv"`, ...words]);
    const found = offered.map((line) => line.split('\t')[0] ?? '');
    return found.some((word) => word.endsWith('/')) ? ['FILES'] : found;
  },
};

function lines(program: string, args: string[]): string[] {
  const text = execFileSync(program, args, {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: folder },
    cwd: '/',
  });
  return text.split('\n').filter(Boolean);
}

const OFFERS: Array<[line: string, offered: string[]]> = [
  ['u', ['user']],
  ['s', ['session', 'sign', 'start']],
  [
    'user ',
    [
      'create',
      'invite',
      'reset-link',
      'import',
      'list',
      'set-role',
      'set-email',
      'activate',
      'deactivate',
      'unlock',
      'explain',
      'devices',
      'forget-device',
      'reset-factors',
      'set-password',
      'delete',
      'export',
      'erase',
    ],
  ],
  ['user set-', ['set-role', 'set-email', 'set-password']],
  ['user create --', ['--email', '--role', '--password-stdin', '--json', '--help']],
  ['user create --role ', ['viewer', 'analyst', 'admin']],
  ['user set-role ada@example.com --role a', ['analyst', 'admin']],
  ['user create --role admin --pass', ['--password-stdin']],
  ['user create --email ', []],
  ['audit tail --type token', ['token_theft']],
  ['api-key revoke --y', ['--yes']],
  ['keyring create --out ', ['FILES']],
  ['completion ', ['bash', 'zsh', 'fish', '--help']],
  ['sign --s', ['--send']],
  ['nonsense ', []],
];

describe.each(Object.keys(SHELLS))('Interface 9: completion %s', (shell) => {
  const isHere = spawnSync(shell, ['--version']).status === 0;
  const testHere = isHere || process.env['REQUIRE_PROGRAMS'] === '1' ? test : test.skip;

  testHere.each(OFFERS)('%s', async (line, offered) => {
    const words = ['auth-gateway', ...line.split(' ')];
    const given = SHELLS[shell]?.(await scriptOf(shell), shell === 'fish' ? [words.join(' ')] : words) ?? [];
    // fish offers long options only after a dash.
    const expected =
      shell === 'fish' && !line.includes('--') ? offered.filter((word) => !word.startsWith('-')) : offered;
    expect(given.toSorted()).toEqual(expected.toSorted());
  });
});

const hasBash = spawnSync('bash', ['--version']).status === 0;
(hasBash ? test : test.skip).each([
  ['user create --role =', ['viewer', 'analyst', 'admin']],
  ['user create --role = a', ['analyst', 'admin']],
  ['user create --role = admin --pass', ['--password-stdin']],
  ['keyring create --out = k', ['FILES']],
  ['user create --email = ', []],
])('Interface 9: completion bash, of --option=value as bash splits it: %s', async (line, offered) => {
  const given = SHELLS['bash']?.(await scriptOf('bash'), ['auth-gateway', ...line.split(' ')]);
  expect(given?.toSorted()).toEqual(offered.toSorted());
});
