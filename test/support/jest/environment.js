import fc from 'fast-check';

/** Random tests draw the same for everybody; another `SEED` draws other values. */
fc.configureGlobal({ seed: Number(process.env.SEED ?? 1) });

/** The global object of Node itself, for tests that `runtime.js` runs. What a test file leaves in it is taken back. */
export default class SharedEnvironment {
  isShared = true;
  global = {};
  fakeTimers = null;
  fakeTimersModern = null;
  #console = globalThis.console;
  #env = { ...process.env };
  #directory = process.cwd();
  #listeners = listenersOfProcess();

  async setup() {
    globalThis.console = this.global.console;
  }

  async teardown() {
    globalThis.console = this.#console;
    for (const name of Object.keys(process.env)) if (!(name in this.#env)) delete process.env[name];
    Object.assign(process.env, this.#env);
    process.chdir(this.#directory);
    process.exitCode = undefined;
    for (const [event, listener] of listenersOfProcess()) {
      const isOld = this.#listeners.some(([name, known]) => name === event && known === listener);
      if (!isOld) process.removeListener(event, listener);
    }
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return null;
  }
}

function listenersOfProcess() {
  return process.eventNames().flatMap((event) => process.rawListeners(event).map((listener) => [event, listener]));
}
