/** `npm test` runs the fast tests, `npm run test:slow` those in `*.slow.test.ts`. A path that slow files alone match runs them. */
import { globSync } from 'node:fs';
import { relative } from 'node:path';

const FILES = {
  fast: ['{test,proof}/**/*.test.ts', '!**/*.slow.test.ts'],
  slow: ['{test,proof}/**/*.slow.test.ts'],
  all: ['{test,proof}/**/*.test.ts'],
};

const filesOf = ([files, ...without]) => globSync(files, { exclude: without.map((glob) => glob.slice(1)) });
const [fast, slow] = [filesOf(FILES.fast), filesOf(FILES.slow)];
const isSlow = (path) => !fast.some((file) => file.includes(path)) && slow.some((file) => file.includes(path));

export const tier = process.env.TIER ?? (process.argv.some((arg) => isSlow(relative('.', arg))) ? 'all' : 'fast');

/** As Jest matches them. */
export const testMatch = FILES[tier].map((glob) => glob.replace(/^(?=[^!])/, '<rootDir>/'));

/** @returns the files of the tier that runs */
export const selectedFiles = () => filesOf(FILES[tier]);
