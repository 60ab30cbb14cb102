/** What stands in a page of docs/, to be run as it is printed there. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { textOf } from '../../documents/printed.js';

const DOCS = join(import.meta.dirname, '../../../docs');

/** A block in that language of a page, the first one unless said otherwise. */
export async function blockOf(page: string, language: string, number = 1): Promise<string> {
  const text = textOf(join(DOCS, page));
  const block = text.split(`\`\`\`${language}\n`)[number]?.split('\n```')[0];
  if (block === undefined) throw new Error(`${page} has no block in ${language}`);
  return block;
}

/** Skipped if a program is missing, unless all are required. */
export function testWith(programs: string[], name: string, work: () => Promise<void>): void {
  const missing = programs.filter((program) => {
    try {
      execFileSync('sh', ['-c', `command -v ${program}`]);
      return false;
    } catch {
      return true;
    }
  });
  const here = missing.length === 0 || process.env['REQUIRE_PROGRAMS'] === '1';
  (here ? test : test.skip)(missing.length === 0 ? name : `${name} (without ${missing.join(', ')})`, work);
}
