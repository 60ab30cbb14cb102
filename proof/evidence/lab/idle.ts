/** A connection that a proxy or a client has used once and keeps open. */
import { Agent, get } from 'node:http';
import type { Lab } from './lab.js';

export interface IdleConnection {
  /** @returns the status, or undefined without an answer. A new connection is not an answer while nobody listens */
  ask(): Promise<number | undefined>;
}

/** Asks once, so that the server knows it. */
export async function openIdle(lab: Lab, url: string): Promise<IdleConnection> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  lab.defer(() => agent.destroy());
  const ask = (): Promise<number | undefined> =>
    new Promise((resolve) => {
      get(`${url}/health/live`, { agent }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode));
      }).on('error', () => resolve(undefined));
    });
  await ask();
  return { ask };
}
