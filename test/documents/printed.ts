/** What a document prints: its code blocks, in order. */
import { readFileSync } from 'node:fs';

export interface Block {
  language: string;
  text: string;
  /** Of `<!-- tested: NAME -->` above it */
  mark: string | undefined;
}

/**
 * The text of a page, or of one section with those below it: `docs/backup.md#restore`.
 * @throws {Error} if the page has no such heading
 */
export function textOf(place: string): string {
  const [page = '', anchor] = place.split('#');
  const text = readFileSync(page, 'utf8');
  if (anchor === undefined) return text;
  const prose = text.replace(/^( *)```.*?^\1```$/gms, (block) => ' '.repeat(block.length)); // `#` is a comment in a shell
  const headings = Array.from(
    prose.matchAll(/^(#+) (.+)$/gm),
    ({ index, 1: { length: level } = '', 2: title = '' }) => ({
      index,
      level,
      anchor: title.toLowerCase().replaceAll(' ', '-'),
    }),
  );
  const begin = headings.find((heading) => heading.anchor === anchor);
  if (begin === undefined) throw new Error(`${page} has no section #${anchor}`);
  const end = headings.find(({ index, level }) => index > begin.index && level <= begin.level);
  return text.slice(begin.index, end?.index);
}

/** @param place as for `textOf` */
export function blocksOf(place: string): Block[] {
  const found = textOf(place).matchAll(/^(?:<!-- tested: ([\w-]+) -->\n+)?```(\w*)\n(.*?)\n```$/gms);
  return Array.from(found, ([, mark, language = '', text = '']) => ({ language, text, mark }));
}

/**
 * The block under `<!-- tested: NAME -->` of a page, however the page around it changes.
 * @throws {Error} unless there is exactly one
 */
export function testedBlock(page: string, name: string): string {
  const found = readFileSync(page, 'utf8').matchAll(/^ *<!-- tested: ([\w-]+) -->\n+( *)```\w*\n(.*?)\n\2```$/gms);
  const [block, another] = Array.from(found).filter(([, marked]) => marked === name);
  if (block === undefined || another !== undefined)
    throw new Error(`not one block <!-- tested: ${name} --> in ${page}`);
  const [, , indent = '', text = ''] = block;
  return text.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
}

/** `text` as it is printed, where `…` stands for anything. Spaces and line breaks do not count. */
export function isPrinted(text: string, printed: string): boolean {
  const dense = (words: string) => words.replace(/\s/g, '');
  const parts = dense(printed)
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(dense(text));
}
