/** Steps that undo what was started, taken in the reverse order. */
export interface CleanUp {
  defer(step: () => unknown): void;
  /** Takes every step once, also after one that fails; then throws the first failure. */
  run(): Promise<void>;
  /** Runs `work`; where it fails, undoes what it had started. */
  guard<T>(work: () => Promise<T>): Promise<T>;
}

export function createCleanUp(): CleanUp {
  const steps: Array<() => unknown> = [];
  const run = async (): Promise<void> => {
    const failures: unknown[] = [];
    for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
      try {
        await step();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  };
  return {
    defer: (step) => void steps.push(step),
    run,
    guard: async (work) => {
      try {
        return await work();
      } catch (error) {
        await run().catch(() => undefined); // the first failure is the one to tell
        throw error;
      }
    },
  };
}
