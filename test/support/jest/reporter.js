/** After a whole tier: its results for `npm run names -- --check`, the titles of what failed, and what was not run. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { tier } from './tiers.js';

const MOST_FAILURES = 40;

export default class Reporter {
  #isWhole;

  constructor({ testPathPatterns, testNamePattern, onlyChanged, shard, watch }) {
    this.#isWhole = !(testPathPatterns?.patterns.length || testNamePattern || onlyChanged || shard || watch);
  }

  onRunComplete(_contexts, { testResults }) {
    if (!this.#isWhole) return;
    const files = testResults.map(({ testFilePath, testResults: tests, failureMessage, perfStats }) => ({
      file: relative('.', testFilePath),
      seconds: Math.round((perfStats.end - perfStats.start) / 1_000),
      tests: tests.map(({ fullName, status }) => [fullName, status]),
      isBroken: tests.length === 0 && Boolean(failureMessage),
    }));
    mkdirSync('dist/tests', { recursive: true });
    writeFileSync(`dist/tests/${tier}.json`, JSON.stringify(files));
    const failed = files.flatMap(({ file, tests, isBroken }) =>
      isBroken ? [file] : tests.filter(([, status]) => status === 'failed').map(([name]) => `${file}: ${name}`),
    );
    const lines = failed.slice(0, MOST_FAILURES).map((title) => `FAILED  ${title}\n`);
    if (tier === 'fast') lines.push(`${slowTests()} slow tests were not run: npm run test:slow\n`);
    process.once('exit', () => process.stderr.write(lines.join(''))); // after Jest's own summary
  }
}

function slowTests() {
  const lines = readFileSync('test/names.txt', 'utf8').matchAll(/\.slow\.test\.ts (\d+) /g);
  return Array.from(lines, ([, count]) => Number(count)).reduce((sum, count) => sum + count, 0);
}
