/** The words that CONTRIBUTING.md, "Style", replaces do not come back: in comments, messages, titles, names and documents. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Each with the words to write instead. */
const WORDS: Array<[word: RegExp, instead: string]> = [
  [/\bmend(?:s|ed|ing)?\b/gi, 'fix'],
  [/\bbeside\b/gi, 'next to, as well as'],
  [/\bwho(?:m)?ever\b/gi, 'the noun'],
  [/\bwhat (?:has )?(?:comes?|came|becomes?|became) of\b/gi, 'result, outcome'],
  [/\bcures\b|\bcuring\b/gi, 'fix, remedy'],
  [/\btells\b(?!(?: \S+){1,6} apart)/gi, 'report, log, print'],
  [/@(?:throws|returns)(?: \{\w+\})?(?: \w+){0,2} where\b/g, 'if'],
  [/\b(?:network|proxy|balancer|pooler|stands) before (?:it|its|them|the)\b/gi, 'in front of'],
];

/** Texts for people outside, which tests of behaviour write down, and names of figures that were published. */
const STAYS = [
  /whoever (?:could write the file|wrote it may have added|gave you your account|sent you|has forgotten the password'\])/g,
  /whoever has it can choose/gi,
  /tells (?:its other services|over GraphQL) who is calling/g,
  /(?:refused|theft|thefts) beside (?:each other|a rotation)/g,
];

/** Documents that are given, that name these words, or that are printed from others; and the figures of the benchmark. */
const UNREAD =
  /^(?:CONTRIBUTING\.md|docs\/specification\.md|test\/words\.rule\.test\.ts|proof\/bench\/|.*package-lock\.json)|^pages\/(?:kit\/choice\.tsx|console\/styles\/keys\.css)$/;

const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' })
  .split('\n')
  .filter((path) => /(?:\.(?:[cm]?[jt]sx?|md|css|html|sh|ya?ml|graphql)|\/[^.]+)$/.test(path) && !UNREAD.test(path));

/** What is found in a text, as lines of a failure. Comments are read over the ends of their lines. */
function foundIn(text: string): string[] {
  const plain = STAYS.reduce(
    (rest, pattern) => rest.replace(pattern, ''),
    text.replace(/\n[ \t]*(?:\*(?!\/)|\/\/|#)?[ \t]*/g, ' '),
  );
  return WORDS.flatMap(([word, instead]) =>
    Array.from(plain.matchAll(word), ([found]) => `"${found}": write ${instead}`),
  );
}

test('no text has a word that CONTRIBUTING.md replaces', () => {
  expect(files.length).toBeGreaterThan(1_000);
  expect(files.flatMap((path) => foundIn(readFileSync(path, 'utf8')).map((found) => `${path}: ${found}`))).toEqual([]);
});

test.each([
  ['// it mends what broke', ['"mends": write fix']],
  [
    '/** Whoever asks\n * is told what\n * came of it. */',
    ['"Whoever": write the noun', '"what came of": write result, outcome'],
  ],
  ['/** @throws {TypeError} where it is none */', ['"@throws {TypeError} where": write if']],
  [
    'the proxy before it, beside Redis',
    ['"beside": write next to, as well as', '"proxy before it": write in front of'],
  ],
  ['a path tells webhooks of one receiver apart; besides, it amends', []],
])('finds the words in %j', (text, found) => {
  expect(foundIn(text)).toEqual(found);
});
