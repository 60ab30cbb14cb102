/** Whether people with a screen reader or a keyboard can use a page, as axe-core judges it. */
import { readFileSync } from 'node:fs';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = readFileSync('node_modules/axe-core/axe.min.js', 'utf8'); // of the checkout

/** In these a page is judged: contrast depends on the scheme, the layout on the width in pixels. */
export const LOOKS = [
  ['light', 1280],
  ['dark', 360],
] as const;

/** The rules that the page breaks, each with its elements. The page's policy does not hold for the debugger, which runs it. */
export async function violationsOf(page: Page): Promise<string[]> {
  if (await page.evaluate<boolean>('!window.axe')) await page.evaluate(AXE);
  const { violations, passes } = await page.evaluate<AxeResults>(`axe.run({ resultTypes: ['violations'] })`);
  if (passes.length === 0) throw new Error('axe has judged nothing');
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
