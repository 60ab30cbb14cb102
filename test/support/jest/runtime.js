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
    delete globalThis[Symbol.for('EVENT_HANDLERS')];
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
