/** Tables of client/README.md: the members of its public types, with their comments. */
import { readFileSync } from 'node:fs';
import { table } from './table.js';

/** @returns name and comment of each member that has one */
function membersOf(path: string, name: string): Array<[member: string, comment: string]> {
  const [, body = ''] = new RegExp(`^export interface ${name} {\n(.*?)^}`, 'ms').exec(readFileSync(path, 'utf8')) ?? [];
  const found = body.matchAll(/^ {2}\/\*\*(.*?)\*\/\n {2}(\S.*?);$/gms);
  return Array.from(found, ([, comment = '', member = '']) => [
    `\`${member.replaceAll('|', '\\|')}\``,
    comment
      .replace(/\s*\n\s*\*\s*/g, ' ')
      .trim()
      .replaceAll('|', '\\|'),
  ]);
}

export function clientOptions(): string {
  return table(['option', 'means'], membersOf('client/src/types.ts', 'AuthClientOptions'));
}

export function clientFunctions(): string {
  const rows = membersOf('client/src/types.ts', 'AuthClient').map(([member, comment]) => {
    const [does = '', throws = ''] = comment.split('@throws {AuthError} ');
    const sentences = does.split(/\.? @|^@|\.? *$/).filter((text) => text !== '');
    const inWords = sentences.map((text) => text.replace(/^param \w+ /, '').replace(/^returns/, 'Returns'));
    return [member, `${inWords.join('. ')}.`, throws];
  });
  return table(['function', 'does', 'throws an `AuthError`'], rows);
}

export function questionOptions(): string {
  return table(['option', 'means'], membersOf('client/src/server.ts', 'Question'));
}
