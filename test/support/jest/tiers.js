/** `npm test` runs the fast tests, `npm run test:slow` those in `*.slow.test.ts`. A slow file that is named always runs. */
import { globSync } from 'node:fs';

export const tier = process.env.TIER ?? (process.argv.some((arg) => arg.includes('.slow')) ? 'all' : 'fast');

const FILES = {
  fast: ['{test,proof}/**/*.test.ts', '!**/*.slow.test.ts'],
  slow: ['{test,proof}/**/*.slow.test.ts'],
  all: ['{test,proof}/**/*.test.ts'],
};

/** As Jest matches them. */
export const testMatch = FILES[tier].map((glob) => glob.replace(/^(?=[^!])/, '<rootDir>/'));

/** @returns the files of the tier that runs */
export function selectedFiles() {
  const [files, ...without] = FILES[tier];
  return globSync(files, { exclude: without.map((glob) => glob.slice(1)) });
}
