/** The documents can be found and read: the index names every page, and none is longer than its readers take time for. */
import { dirname, join } from 'node:path';
import { testedBlock } from './documents/printed.js';
import { filesIn, linksIn, read } from './support/documents/citations.js';

const INDEX = 'docs/README.md';
const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'client/README.md', 'examples/README.md'],
  ...filesIn('docs').filter((path) => path.endsWith('.md')),
];

const WORDS_OF_A_PAGE = 1200;
const WORDS_OF_ALL = 40_000;

/** Pages with a limit of their own, and why. */
const LIMITS: Record<string, [words: number, why: string]> = {
  'README.md': [900, 'it is read first, by everybody'],
  'docs/decisions.md': [2150, 'a list, of which a reader looks up one item'],
  'docs/interface.md': [6200, 'a contract: code and tests cite its sections by their numbers'],
  'docs/runbook.md': [1900, 'an entry for each alert, of which a reader looks up one'],
  'docs/specification.md': [2450, 'a contract, in the words that were agreed'],
};

/** A fast test behind each row of the README's last table, by the first page that the row links. */
const DOORS: Record<string, string> = {
  'docs/login.md': 'test/interface/5-browsers.test.ts',
  'docs/sign-up.md': 'test/docs/sign-up.test.ts',
  'docs/console.md': 'test/browser/console/keyboard.test.ts',
  'docs/services.md': 'test/callers/api-key.test.ts',
  'docs/forward-authentication.md': 'test/authz/nginx.test.ts',
  'docs/websites.md': 'test/interface/22-gate.test.ts',
  'docs/verify-access-tokens.md': 'test/docs/verify-by-configuration.test.ts',
  'docs/webhooks.md': 'test/outbox/delivery.test.ts',
  'docs/operate.md': 'test/smoke.test.ts',
  'docs/specification.md': 'test/citations.rule.test.ts',
  'CONTRIBUTING.md': 'test/architecture.rule.test.ts',
};

/** Written by hand: without printed blocks, code, the marks of tables, and the versions before the newest. */
function wordsOf(page: string): number {
  const [head = '', unreleased = '', newest = ''] = read(page).split(/^(?=## \[)/m);
  const prose = (head + unreleased + newest)
    .replace(/<!-- printed: .*?<!-- \/printed -->/gs, '')
    .replace(/^( *)```.*?^\1```$/gms, '');
  return prose.split(/\s+/).filter((word) => /\w/.test(word)).length;
}

const words = new Map(pages.map((page) => [page, wordsOf(page)]));

test('docs/README.md links every page', () => {
  const linked = linksIn(read(INDEX)).map(({ target }) => join(dirname(INDEX), target.split('#')[0] ?? ''));
  expect(pages.filter((page) => page !== INDEX && !linked.includes(page))).toEqual([]);
});

test('no page has more words by hand than it may have, nor have all', () => {
  const limitOf = (page: string) => LIMITS[page]?.[0] ?? WORDS_OF_A_PAGE;
  const tooLong = [...words].filter(([page, count]) => count > limitOf(page));
  expect(tooLong.map(([page, count]) => `${page}: ${count} words, of ${limitOf(page)}`)).toEqual([]);
  expect([...words.values()].reduce((sum, count) => sum + count)).toBeLessThanOrEqual(WORDS_OF_ALL);
});

test('the README has its two commands, in at most 130 lines', () => {
  expect([testedBlock('README.md', 'start'), testedBlock('README.md', 'tests')]).toEqual([
    'npm ci && npm start',
    'npm ci && npm test',
  ]);
  expect(read('README.md').split('\n').length).toBeLessThanOrEqual(130);
});

test('each door of the README has a fast test', () => {
  const [, table = ''] = /^\| you \| read \|\n((?:\|.*\n)+)/m.exec(read('README.md')) ?? [];
  const first = table.split('\n').flatMap((row) => linksIn(row)[0]?.target ?? []);
  expect(first).toEqual(Object.keys(DOORS));
  expect(Object.values(DOORS).filter((path) => !filesIn('test').includes(path))).toEqual([]);
});
