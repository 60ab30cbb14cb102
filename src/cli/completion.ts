/** The command `completion SHELL`: scripts that complete commands, options and enumerated values. (Interface 9) */
import { INSTALLED } from '../platform/explained.js';
import type { Commands } from './help.js';
import type { ParameterType } from './parameter-types.js';

/** Shells complete a program with a name of one word only. */
const PROGRAM = INSTALLED;

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

interface Next {
  word: string;
  about: string;
}

/** An option and the values to complete; a flag has none. */
interface Option extends Next {
  value: 'none' | 'any' | 'file' | readonly string[];
}

interface Completed {
  /** Next words after the program or after a noun */
  words: Array<{ after: string; next: Next[] }>;
  commands: Array<{ name: string; options: Option[]; choices: readonly string[] }>;
}

export function completionOf(shell: Shell, commands: Commands): string {
  return { bash, zsh, fish }[shell](completedBy(commands));
}

function completedBy(all: Commands): Completed {
  const nouns = Map.groupBy(Object.keys(all), (name) => name.split(' ')[0] ?? '');
  const first = Array.from(nouns, ([noun, names]) => ({
    word: noun,
    about: all[noun]?.summary ?? verbsOf(names).join(', '),
  }));
  const afterNouns = Array.from(nouns).filter(([noun]) => all[noun] === undefined);
  return {
    words: [
      { after: '', next: first },
      ...afterNouns.map(([noun, names]) => ({
        after: noun,
        next: names.map((name) => ({ word: verbsOf([name])[0] ?? '', about: all[name]?.summary ?? '' })),
      })),
    ],
    commands: Object.entries(all).map(([name, { takes }]) => ({
      name,
      choices: Object.values(takes).flatMap(({ isWord, type }) => (isWord ? (type?.choices ?? []) : [])),
      options: [
        ...Object.entries(takes).flatMap(([option, { about, type, options = [option] }]) =>
          options.map((word): Option => ({ word: `--${word}`, about, value: completedValue(type) })),
        ),
        { word: '--help', about: 'show help', value: 'none' },
      ],
    })),
  };
}

function verbsOf(names: readonly string[]): string[] {
  return names.map((name) => name.split(' ')[1] ?? '');
}

function completedValue(type: ParameterType<unknown> | undefined): Option['value'] {
  if (type === undefined) return 'none';
  return type.choices ?? (type.isFile ? 'file' : 'any');
}

/** The nested `case` statements, equal in bash and zsh except for how they offer words. */
function cases({ words, commands }: Completed, give: (words: readonly string[]) => string, giveFiles: string): string {
  const values = commands.flatMap(({ name, options }) =>
    options
      .filter(({ value }) => value !== 'none')
      .map(({ word, value }) => {
        const gives = value === 'file' ? giveFiles : value === 'any' ? ':' : give(value as readonly string[]);
        return `    '${name} ${word}') ${gives} ;;`;
      }),
  );
  const nexts = [
    ...words.map(({ after, next }) => [after, next.map(({ word }) => word)] as const),
    ...commands.map(({ name, options, choices }) => [name, [...choices, ...options.map(({ word }) => word)]] as const),
  ];
  return [
    '  case "$command $previous" in',
    ...values,
    '    *) case "$command" in',
    ...nexts.map(([command, next]) => `      '${command}') ${give(next)} ;;`),
    '    esac ;;',
    '  esac',
  ].join('\n');
}

/** Sets `$command` to the words of the command that precede the word `$at`. */
function commandOf({ words }: Completed): string {
  const nouns = words.flatMap(({ after }) => (after === '' ? [] : [after]));
  return `  local command=
  if [ "$at" -gt 1 ]; then command=$first; fi
  case "$command" in ${nouns.join('|')}) if [ "$at" -gt 2 ]; then command="$command $second"; fi ;; esac`;
}

function bash(completed: Completed): string {
  return `# bash completion of ${PROGRAM}: source <(${PROGRAM} completion bash)
_auth_gateway() {
  local at=$COMP_CWORD words=
  local current="\${COMP_WORDS[at]}" previous="\${COMP_WORDS[at-1]}" first="\${COMP_WORDS[1]}" second="\${COMP_WORDS[2]:-}"
  # bash splits --option=value at the =
  if [ "$current" = = ]; then current=; elif [ "$previous" = = ]; then previous="\${COMP_WORDS[at-2]}"; fi
${commandOf(completed)}
${cases(completed, (words) => `words='${words.join(' ')}'`, 'compopt -o default')}
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _auth_gateway ${PROGRAM}
`;
}

function zsh(completed: Completed): string {
  return `#compdef ${PROGRAM}
# zsh completion: source <(${PROGRAM} completion zsh), or as a file _${PROGRAM} in a folder of $fpath
_auth_gateway() {
  local at=$((CURRENT - 1)) previous="\${words[CURRENT-1]}" first="\${words[2]:-}" second="\${words[3]:-}"
${commandOf(completed)}
${cases(completed, (words) => `compadd -- ${words.join(' ')}`, '_files')}
}
if [ "$funcstack[1]" = _auth_gateway ]; then _auth_gateway "$@"; else compdef _auth_gateway ${PROGRAM}; fi
`;
}

function fish({ words, commands }: Completed): string {
  const line = (when: string, rest: string, about: string) =>
    `complete -c ${PROGRAM} -n '${when}' ${rest} -d '${about.replace(/[\\']/g, '\\$&')}'`;
  const value = ({ value }: Option): string => {
    if (value === 'none') return '';
    if (value === 'file') return ' -r -F';
    return value === 'any' ? ' -x' : ` -x -a '${value.join(' ')}'`;
  };
  return [
    `# fish completion of ${PROGRAM}: ${PROGRAM} completion fish | source`,
    'function __auth_gateway_after # exactly these words',
    '  set -l words (commandline -opc)',
    '  test "$words[2..]" = "$argv"',
    'end',
    'function __auth_gateway_in # these words first',
    '  set -l words (commandline -opc)',
    '  set -l last (math (count $argv) + 1)',
    '  test (count $words) -ge $last; and test "$words[2..$last]" = "$argv"',
    'end',
    `complete -c ${PROGRAM} -f`,
    ...words.flatMap(({ after, next }) =>
      next.map(({ word, about }) => line(`__auth_gateway_after ${after}`.trim(), `-a ${word}`, about)),
    ),
    ...commands.flatMap(({ name, options, choices }) => [
      ...choices.map((choice) => line(`__auth_gateway_after ${name}`, `-a ${choice}`, '')),
      ...options.map((option) =>
        line(`__auth_gateway_in ${name}`, `-l ${option.word.slice(2)}${value(option)}`, option.about),
      ),
    ]),
    '',
  ].join('\n');
}
