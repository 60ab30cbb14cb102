import { SWC } from './test/support/jest/swc.js';
import { testMatch } from './test/support/jest/tiers.js';

/**
 * Tests of a worker share what they import, unless Jest watches the sources for changes or counts their lines. `PLAIN=1` is
 * Jest as it comes, three seconds of a processor a file.
 */
const isShared = process.env.PLAIN !== '1' && !process.argv.some((arg) => /^--(watch|watchAll|coverage)\b/.test(arg));

/** Jest on ES modules, compiled by swc with the same decorator metadata as tsc. */
export default {
  testEnvironment: isShared ? '<rootDir>/test/support/jest/environment.js' : 'node',
  runtime: '<rootDir>/test/support/jest/runtime.js',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': ['@swc/jest', SWC],
  },
  testMatch,
  reporters: ['default', '<rootDir>/test/support/jest/reporter.js'],
  globalSetup: '<rootDir>/test/support/jest/global-setup.js',
  globalTeardown: '<rootDir>/test/support/jest/global-teardown.js',
  maxWorkers: 4, // two for each processor of a small machine: half of their time they wait
  // A worker that has grown gives way to another, and has time to free a gigabyte at the end: by default Jest kills it after
  // half a second and calls that a leak.
  workerIdleMemoryLimit: '1GB',
  workerGracefulExitTimeout: 10_000,
  coverageProvider: 'v8',
  collectCoverageFrom: ['src/**/*.ts'],
  coverageReporters: ['text-summary', 'html'],
  testTimeout: 300_000, // for machines that do something else too
};
