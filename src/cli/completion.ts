/** Interface 9: `completion SHELL`: a script by which a shell completes commands, options and the values of enums. */
import { INSTALLED } from '../platform/explained.js';
import type { Commands } from './help.js';
import type { Kind } from './kinds.js';

/** A shell completes the words of a command that is one word. */
const PROGRAM = INSTALLED;

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** What may stand next in the line. */
interface Next {
  word: string;
  about: string;
}

/** An option, and what its value may be; no value for a flag. */
interface Option extends Next {
  value: 'none' | 'any' | 'file' | readonly string[];
}

interface Completed {
  /** Behind the program, or behind a noun: what may come next */
  words: Array<{ behind: string; next: Next[] }>;
  commands: Array<{ name: string; options: Option[]; choices: readonly string[] }>;
}

export function completionOf(shell: Shell, commands: Commands): string {
  return { bash, zsh, fish }[shell](completedBy(commands));
}

function completedBy(all: Commands): Completed {
  const nouns = Map.groupBy(Object.keys(all), (name) => name.split(' ')[0] ?? '');
  const first = Array.from(nouns, ([noun, names]) => ({
    word: noun,
    about: all[noun]?.does ?? verbsOf(names).join(', '),
  }));
  const behindNouns = Array.from(nouns).filter(([noun]) => all[noun] === undefined);
  return {
    words: [
      { behind: '', next: first },
      ...behindNouns.map(([noun, names]) => ({
        behind: noun,
        next: names.map((name) => ({ word: verbsOf([name])[0] ?? '', about: all[name]?.does ?? '' })),
      })),
    ],
    commands: Object.entries(all).map(([name, { takes }]) => ({
      name,
      choices: Object.values(takes).flatMap(({ isWord, kind }) => (isWord ? (kind?.choices ?? []) : [])),
      options: [
        ...Object.entries(takes).flatMap(([option, { about, kind, options = [option] }]) =>
          options.map((word): Option => ({ word: `--${word}`, about, value: valueOfKind(kind) })),
        ),
        { word: '--help', about: 'what it takes', value: 'none' },
      ],
    })),
  };
}

function verbsOf(names: readonly string[]): string[] {
  return names.map((name) => name.split(' ')[1] ?? '');
}

function valueOfKind(kind: Kind<unknown> | undefined): Option['value'] {
  if (kind === undefined) return 'none';
  return kind.choices ?? (kind.isFile ? 'file' : 'any');
}

/** The parts of `case "$command $previous"` and `case "$command"`, the same in bash and zsh but for how words are given. */
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
    ...words.map(({ behind, next }) => [behind, next.map(({ word }) => word)] as const),
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

/** `$command`: what is typed of a command before the word `$at`; a noun has a verb behind it. */
function commandOf({ words }: Completed): string {
  const nouns = words.flatMap(({ behind }) => (behind === '' ? [] : [behind]));
  return `  local command=
  if [ "$at" -gt 1 ]; then command=$first; fi
  case "$command" in ${nouns.join('|')}) if [ "$at" -gt 2 ]; then command="$command $second"; fi ;; esac`;
}

function bash(completed: Completed): string {
  return `# bash completion of ${PROGRAM}: source <(${PROGRAM} completion bash)
_auth_gateway() {
  local at=$COMP_CWORD words=
  local current="\${COMP_WORDS[at]}" previous="\${COMP_WORDS[at-1]}" first="\${COMP_WORDS[1]}" second="\${COMP_WORDS[2]:-}"
  # bash takes the = of --option=value for a word of its own
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
    'function __auth_gateway_behind # these words and no more',
    '  set -l words (commandline -opc)',
    '  test "$words[2..]" = "$argv"',
    'end',
    'function __auth_gateway_in # these words, whatever follows',
    '  set -l words (commandline -opc)',
    '  set -l last (math (count $argv) + 1)',
    '  test (count $words) -ge $last; and test "$words[2..$last]" = "$argv"',
    'end',
    `complete -c ${PROGRAM} -f`,
    ...words.flatMap(({ behind, next }) =>
      next.map(({ word, about }) => line(`__auth_gateway_behind ${behind}`.trim(), `-a ${word}`, about)),
    ),
    ...commands.flatMap(({ name, options, choices }) => [
      ...choices.map((choice) => line(`__auth_gateway_behind ${name}`, `-a ${choice}`, '')),
      ...options.map((option) =>
        line(`__auth_gateway_in ${name}`, `-l ${option.word.slice(2)}${value(option)}`, option.about),
      ),
    ]),
    '',
  ].join('\n');
}
