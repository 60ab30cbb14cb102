/** Stops what the global setup started, and removes its folder. */
import { rm } from 'node:fs/promises';

export default async function globalTeardown() {
  await globalThis.testServer.stop();
  await rm(globalThis.testDataDir, { recursive: true, force: true });
}
