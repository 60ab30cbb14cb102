/**
 * Runs test files as plain modules of Node, so that a worker loads the gateway and its packages once, and not again for
 * each file: that was more than half of the time of all tests. A file that needs Jest's own modules (fake timers, mocks)
 * says so in its first comment: `@jest-environment node`.
 */
import { createRequire, enableCompileCache } from 'node:module';
import { pathToFileURL } from 'node:url';
import JestRuntime from 'jest-runtime';
import { sourceMaps } from './typescript.js';

enableCompileCache();
const require = createRequire(import.meta.url);
const loaded = new Set();

/** By which the test framework names, in the global object, what it does at each event */
const HANDLERS = Symbol.for('EVENT_HANDLERS');

/**
 * A module that several files share keeps the framework of the first one, and the tests that it makes for another would be lost
 * without a word.
 */
function refuseLate({ name }) {
  if (name !== 'add_test' && name !== 'start_describe_definition' && name !== 'add_hook') return;
  throw new Error(
    'A module that test files share keeps `test` or `describe` of an earlier file: name them in a function',
  );
}

class SharedRuntime {
  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(path) {
    const again = loaded.has(path) ? `?${loaded.size}-${Date.now()}` : ''; // while Jest watches
    loaded.add(path);
    await import(pathToFileURL(path).href + again);
  }

  /** The test framework, anew for each file: its state is global. */
  requireInternalModule(path) {
    globalThis[HANDLERS]?.unshift(refuseLate); // of the file before
    delete globalThis[HANDLERS];
    delete require.cache[path];
    return require(path);
  }

  requireModule(path) {
    return require(path);
  }

  setGlobalsForRuntime(globals) {
    Object.assign(globalThis, globals);
  }

  getSourceMaps() {
    return sourceMaps;
  }

  getAllCoverageInfoCopy() {
    return undefined;
  }

  enterTestCode() {}
  leaveTestCode() {}
  teardown() {}
}

export default class Runtime {
  constructor(config, environment, ...rest) {
    // biome-ignore lint/correctness/noConstructorReturn: Jest calls it with new
    return environment.isShared ? new SharedRuntime() : new JestRuntime(config, environment, ...rest);
  }
}
