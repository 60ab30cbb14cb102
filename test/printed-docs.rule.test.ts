/** What the documents print from the code is what the code has. `npm run docs` runs this too, and writes it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { variables } from '../src/config/config.js';
import { filesIn } from './support/documents/citations.js';
import { interfaceNames } from './support/documents/interface-names.js';
import { withPrintedBlocks } from './support/documents/printed-docs.js';

const pages = ['README.md', 'CONTRIBUTING.md', 'client/README.md', ...filesIn('docs')].filter(
  (path) => path.endsWith('.md') && /^<!-- printed: /m.test(readFileSync(path, 'utf8')),
);

test.each(pages)('%s has the blocks that the code prints; if not: npm run docs', (path) => {
  const page = readFileSync(path, 'utf8');
  const printed = withPrintedBlocks(page);
  if (process.env['WRITE_DOCS'] === '1') writeFileSync(path, printed);
  else expect(page).toBe(printed);
});

test('docs/interface.txt has each name of the interface; if not: npm run docs', async () => {
  const printed = await interfaceNames();
  if (process.env['WRITE_DOCS'] === '1') writeFileSync('docs/interface.txt', printed);
  else expect(readFileSync('docs/interface.txt', 'utf8')).toBe(printed);
});

test('docs/configuration.md has a row for each variable, with its meaning', () => {
  const rows = readFileSync('docs/configuration.md', 'utf8').matchAll(/^\| `(\w+)` \|.*\| (.+) \|$/gm);
  const names = Array.from(rows, ([, name]) => name);
  expect(names.toSorted()).toEqual(
    variables()
      .map(({ name }) => name)
      .toSorted(),
  );
});
