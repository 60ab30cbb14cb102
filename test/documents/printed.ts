/** What a document prints: its code blocks, in order. */
import { readFileSync } from 'node:fs';

export interface Block {
  language: string;
  text: string;
}

export function blocksOf(page: string): Block[] {
  const found = readFileSync(page, 'utf8').matchAll(/^```(\w*)\n(.*?)\n```$/gms);
  return Array.from(found, ([, language = '', text = '']) => ({ language, text }));
}

/** `text` as it is printed, where `…` stands for anything. Spaces and line breaks do not count. */
export function isPrinted(text: string, printed: string): boolean {
  const dense = (words: string) => words.replace(/\s/g, '');
  const parts = dense(printed)
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(dense(text));
}
