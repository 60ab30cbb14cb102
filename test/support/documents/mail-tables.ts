/** Tables of docs/mail.md: names by the code, meanings by the page. */
import { MAIL_OUTCOMES } from '../../../src/mail/mail.js';
import { TEXT_NAMES, TEXTS } from '../../../src/mail/texts.js';
import { DELAYS, SPREAD } from '../../../src/outbox/schedule.js';
import { table } from './table.js';

/** The rows of the page in the order of the code, each with its own further columns. @throws if one has none */
function rowsOfPage(page: string, names: readonly string[]): string[][] {
  return names.map((name) => {
    const [, rest] = page.split(`\n| \`${name}\` | `);
    if (rest === undefined) throw new Error(`the page has no row for ${name}`);
    return [`\`${name}\``, ...(rest.split(' |\n')[0] ?? '').split(' | ')];
  });
}

export function mailOutcomes(page: string): string {
  return table(['outcome', 'means', 'tried again'], rowsOfPage(page, MAIL_OUTCOMES));
}

/** @param page what stands between the marks: the meanings */
export function mailPlaceholders(page: string): string {
  const placeholders = new Set(TEXT_NAMES.flatMap((name): string[] => [...TEXTS[name]]));
  const rows = rowsOfPage(
    page,
    [...placeholders].map((placeholder) => `{{${placeholder}}}`),
  );
  return table(
    ['placeholder', 'stands for', 'in'],
    rows.map(([name = '', meaning = '']) => {
      const texts = TEXT_NAMES.filter((text) => TEXTS[text].some((placeholder) => name === `\`{{${placeholder}}}\``));
      const inAll = texts.length === TEXT_NAMES.length;
      return [name, meaning, inAll ? 'every text' : texts.map((text) => `\`${text}\``).join(', ')];
    }),
  );
}

export function retryDelays(): string {
  const units = [
    [3600, 'h'],
    [60, 'min'],
    [1, 's'],
  ] as const;
  const inWords = (seconds: number) =>
    units.flatMap(([length, unit]) => (seconds % length === 0 ? [`${seconds / length} ${unit}`] : []))[0];
  const spread = `each up to ${SPREAD * 100} % earlier or later`;
  return `What fails is tried again after ${DELAYS.map(inWords).join(', ')}, then always after the last, ${spread}.`;
}
