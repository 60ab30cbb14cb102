/** What docs/login.md and client/README.md print, for the tests that run it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = ['docs/login.md', 'client/README.md'].map((page) => readFileSync(join(ROOT, page), 'utf8')).join('\n');

/** Both pages with other origins in the place of those that it names. */
export function printed(origins: Record<string, string> = {}): string {
  return Object.entries(origins).reduce((text, [from, to]) => text.replaceAll(from, to), PAGE);
}

/** The block in a language that contains these words. @throws if there is none */
export function blockWith(language: string, words: string, text = PAGE): string {
  const blocks = Array.from(text.matchAll(/```(\w+)\n([\s\S]*?)\n```/g));
  const block = blocks.find(([, of, code]) => of === language && code?.includes(words))?.[2];
  if (block === undefined) throw new Error(`docs/login.md has no ${language} with ${words}`);
  return block;
}

/** The variables that a command line of the gateway begins with, in the block with these words. */
export function variablesOf(words: string, text = PAGE): Record<string, string> {
  const command = blockWith('shell', words, text);
  return Object.fromEntries(
    Array.from(command.matchAll(/([A-Z_]+)=(\S+)/g), ([, name = '', value = '']) => [name, value]),
  );
}
