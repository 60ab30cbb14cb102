/** Tables of client/README.md: the members of its public types, with their comments. */
import { readFileSync } from 'node:fs';
import { table } from './table.js';

type Member = [member: string, comment: string];

/** @returns name and comment of each member that has one */
function membersOf(path: string, name: string): Member[] {
  const [, body = ''] = new RegExp(`^export interface ${name} {\n(.*?)^}`, 'ms').exec(readFileSync(path, 'utf8')) ?? [];
  return inWords(body.matchAll(/^ {2}\/\*\*(.*?)\*\/\n {2}(\S.*?);$/gms));
}

function inWords(found: Iterable<RegExpExecArray>): Member[] {
  return Array.from(found, ([, comment = '', member = '']) => [
    `\`${member.replace(/\s*\n\s*/g, ' ').replaceAll('|', '\\|')}\``,
    comment
      .replace(/\s*\n\s*\*\s*/g, ' ')
      .trim()
      .replaceAll('|', '\\|'),
  ]);
}

function functionTable(functions: Member[]): string {
  const rows = functions.map(([member, comment]) => {
    const [does = '', throws = ''] = comment.split('@throws {AuthError} ');
    const sentences = does.split(/\.? @|^@|\.? *$/).filter((text) => text !== '');
    const words = sentences.map((text) => text.replace(/^param \w+ /, '').replace(/^returns/, 'Returns'));
    return [member, `${words.join('. ')}.`, throws];
  });
  return table(['function', 'does', 'throws an `AuthError`'], rows);
}

export function clientOptions(): string {
  return table(['option', 'means'], membersOf('client/src/types.ts', 'AuthClientOptions'));
}

export const clientFunctions = (): string => functionTable(membersOf('client/src/types.ts', 'AuthClient'));

/** Each takes the client first. */
export function accountFunctions(): string {
  const text = readFileSync('client/src/account.ts', 'utf8').replaceAll('client: AuthClient', 'auth');
  const found = text.matchAll(/^\/\*\*((?:(?!\*\/).)*)\*\/\nexport async function (.*?) \{$/gms);
  return functionTable(inWords(found));
}

export function questionOptions(): string {
  return table(['option', 'means'], membersOf('client/src/server.ts', 'Question'));
}
