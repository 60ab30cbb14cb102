/** docs/mail.md says what the code does. */
import { readFileSync } from 'node:fs';
import { MAIL_OUTCOMES } from '../../src/mail/mail-consumer.js';
import { parseTemplate, TEXT_NAMES, TEXTS } from '../../src/mail/texts.js';
import { delaySeconds } from '../../src/outbox/schedule.js';
import { blockOf } from '../support/documents/documents.js';

const page = readFileSync('docs/mail.md', 'utf8');

/** The cells of each row whose first cell is in backticks, of the table with this first column. */
function rowsOf(column: string): string[][] {
  const table = page.split(`\n| ${column} |`)[1]?.split('\n\n')[0] ?? '';
  return table
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

test('the outcomes', () => {
  const rows = rowsOf('outcome').map(([outcome]) => outcome?.replaceAll('`', ''));
  expect(rows).toEqual([...MAIL_OUTCOMES]);
});

test('the placeholders of each text', () => {
  const documented = rowsOf('placeholder').flatMap(([placeholder = '', , texts = '']) => {
    const names = texts === 'every text' ? TEXT_NAMES : Array.from(texts.matchAll(/`([\w-]+)`/g), ([, name]) => name);
    return names.map((name) => `${name} ${placeholder.replace(/[`{}]/g, '')}`);
  });
  const ours = TEXT_NAMES.flatMap((name) => TEXTS[name].map((placeholder) => `${name} ${placeholder}`));
  expect(documented.toSorted()).toEqual(ours.toSorted());
});

test('the example is a text for a new password', async () => {
  const example = await blockOf('mail.md', 'text');
  expect(parseTemplate('reset', example)).toMatchObject({ subject: 'Choose a new password for {{site}}' });
});

test('when a mail is tried again', () => {
  const seconds = Array.from({ length: 9 }, (_, i) => delaySeconds(i + 1, 0.5));
  expect(seconds).toEqual([5, 300, 1_800, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * 3600)]);
  expect(page).toContain('5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h');
});
