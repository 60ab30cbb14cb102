/** Citations, links and anchors of code, tests and documents lead to something that is there. */
import { existsSync, readdirSync } from 'node:fs';
import {
  anchorsOf,
  badFormsIn,
  badTitlesIn,
  citationsIn,
  filesIn,
  linksIn,
  opensWithCitation,
  read,
  resolveLink,
  sectionsOf,
  titlesIn,
} from './support/documents/citations.js';
import { CITED, rowsOf } from './support/documents/section-map.js';

const pages = [
  ...readdirSync('.').filter((name) => name.endsWith('.md')),
  ...filesIn('docs'),
  'client/README.md',
].filter((path) => path.endsWith('.md'));
/** But for what has faults on purpose: this test. */
const citing = [
  ...pages,
  ...filesIn('src', 'test', 'proof', 'client/src', 'pages', 'migrations', 'scripts', '.ci', 'bin').filter(
    (path) =>
      /\.([cm]?[jt]sx?|graphql|html|md|json)$|\/[^.]+$/.test(path) && !/citations(\.rule\.test)?\.ts$/.test(path),
  ),
];
const sections = Object.entries(CITED).map(([of, path]) => ({ of, path, ...sectionsOf(read(path)) }));
const known = new Set(sections.flatMap(({ of, numbers }) => numbers.map((number) => `${of} ${number}`)));
const numbers = sections.flatMap((document) => document.numbers);

/** What is wrong with the citations of a text, as lines of a failure. */
function faultsOf(text: string): string[] {
  const unknown = citationsIn(text).filter((cited) => !known.has(cited));
  return [
    ...unknown.map((cited) => `${cited} has no heading in ${cited.startsWith('Spec') ? CITED.Spec : CITED.Interface}`),
    ...badFormsIn(text, numbers).map((form) => `"${form}" is to be cited as Spec n or Interface n`),
  ];
}

/** What is wrong with the links of a document. */
function brokenLinks(page: string, text: string): string[] {
  return linksIn(text).flatMap((link) => {
    const { path, anchor } = resolveLink(page, link);
    if (!existsSync(path)) return [`${page}: ${link.target} is not there`];
    const isThere = anchor === undefined || !path.endsWith('.md') || anchorsOf(read(path)).has(anchor);
    return isThere ? [] : [`${page}: ${link.target} has no such anchor`];
  });
}

test.each(sections)('$path: each number has its anchor, and comes once', ({ numbers, misplaced }) => {
  expect(numbers.length).toBeGreaterThan(10);
  expect(misplaced).toEqual([]);
  expect(numbers.filter((number, i) => numbers.indexOf(number) < i)).toEqual([]);
});

test('what is cited has its heading, or its step', () => {
  const faults = citing.flatMap((path) => faultsOf(read(path)).map((fault) => `${path}: ${fault}`));
  expect(faults).toEqual([]);
  const cited = new Set(citing.filter((path) => !path.startsWith('docs/')).flatMap((path) => citationsIn(read(path))));
  expect(cited.size).toBeGreaterThan(40);
});

test('the first line of a file says what it is about, and cites last', () => {
  expect(citing.filter((path) => opensWithCitation(read(path)))).toEqual([]);
});

test('titles of tests cite with a word, and go on with a colon', () => {
  const titles = citing.filter((path) => path.startsWith('test/'));
  expect(titles.flatMap((path) => badTitlesIn(read(path)).map((title) => `${path}: ${title}`))).toEqual([]);
});

test('every section and step is cited by the title of a fast test', () => {
  const fast = filesIn('test').filter((path) => path.endsWith('.test.ts') && !path.endsWith('.slow.test.ts'));
  const cited = fast.flatMap((path) => titlesIn(read(path)).flatMap(citationsIn));
  expect(
    [...known].filter((section) => !cited.some((one) => one === section || one.startsWith(`${section}.`))),
  ).toEqual([]);
});

test('links between documents lead to a file and an anchor that are there', () => {
  expect(pages.flatMap((page) => brokenLinks(page, read(page)))).toEqual([]);
  expect(pages.flatMap((page) => linksIn(read(page))).length).toBeGreaterThan(100);
});

test('each section, or each of its steps, is cited by the code that implements it: docs/map.md', () => {
  const rows = [...rowsOf('Spec'), ...rowsOf('Interface')];
  const isCited = (name: string) =>
    rows.some(
      (row) =>
        (row.code.main.length > 0 || row.code.others.length > 0) &&
        (row.name === name || row.name.startsWith(`${name}.`)),
    );
  const uncited = rows.map(({ name }) => name).filter((name) => !isCited(name));
  expect(uncited).toEqual(['Spec 9']); // the versions of the routes: there are none
});

test.each([
  ['/** Spec 4.2.10: a step that there is not */', ['Spec 4.2.10 has no heading in docs/specification.md']],
  ['// Spec 4.2 steps 8 to 10', ['Spec 4.2.10 has no heading in docs/specification.md']],
  ['// Spec 3.1 row 2 and 4.4 step 1', ['Spec 4.4.1 has no heading in docs/specification.md']],
  [' * as Spec\n * 5.4 says', ['Spec 5.4 has no heading in docs/specification.md']],
  ["test('Interface 5, 7 and 99: …')", ['Interface 99 has no heading in docs/interface.md']],
  ['-- as 4.2.9 has it', ['"4.2.9" is to be cited as Spec n or Interface n']],
  [
    '/** CONTRACT 7 and SPEC 4.1 */',
    ['"CONTRACT" is to be cited', '"SPEC" is to be cited'].map((text) => `${text} as Spec n or Interface n`),
  ],
  ['Spec 4.2.7. Interface 12, in 40 rounds; 4.2.9-rotation.test.ts, version 4.2.9.1', []],
])('finds what is wrong with %j', (text, faults) => {
  expect(faultsOf(text)).toEqual(faults);
});

test.each([
  [
    '[a](dashboards.md#errors) [b](../src/start/compose.ts) [c](#1) [d](https://example.com/x.md) ```[e](none.md)```',
    ['docs/interface.md: none.md is not there'],
  ],
  ['[a](none.md)', ['docs/interface.md: none.md is not there']],
  [
    '[a](dashboards.md#none) [b](#99)',
    ['docs/interface.md: dashboards.md#none has no such anchor', 'docs/interface.md: #99 has no such anchor'],
  ],
  ['<img src="none.svg">', ['docs/interface.md: none.svg is not there']],
  ['```md\n[a](none.md)\n```', []],
])('finds what is wrong with the links %j', (text, broken) => {
  expect(brokenLinks('docs/interface.md', text)).toEqual(broken);
});

test.each([
  ['/** Spec 4.2: refresh. */\n', true],
  ['/**\n * Interface 17 and 18: webhooks. */\n', true],
  ['#!/bin/sh\n# Interface 9: the command', true],
  ['/** Refresh, as Spec 4.2 has it. (Spec 4.2) */\n', false],
])('sees what %j begins with', (text, isCitation) => {
  expect(opensWithCitation(text)).toBe(isCitation);
});

test.each([
  ["test('Spec 4.2 refuses', …)", ['Spec 4.2 refuses']],
  ["])('Interface 5 and 7 %s', …)", ['Interface 5 and 7 %s']],
  ["test('17: refuses', …)", ['17: refuses']],
  ["test('Spec 4.2: refuses', …); test('Interface 5 and 7: %s', …); test('401: refused', …)", []],
])('finds the titles without a colon or a word in %j', (text, titles) => {
  expect(badTitlesIn(text)).toEqual(titles);
});

test.each([
  ['## <a id="1"></a>1. One\n### 1.1 Two\n', ['### 1.1 Two']],
  ['## <a id="1"></a>1. One\n### <a id="1.2"></a>1.1 Two\n', ['### <a id="1.2"></a>1.1 Two']],
  ['## <a id="1"></a>1. One\n2. <a id="1.1"></a>Step\n', ['2. <a id="1.1"></a>Step']],
  ['## <a id="1"></a>1. One\n1. <a id="1.1"></a>Step\n| <a id="1.2"></a>2 | row |\n', []],
])('finds the numbers without their anchor in %j', (text, misplaced) => {
  expect(sectionsOf(text).misplaced).toEqual(misplaced);
});
