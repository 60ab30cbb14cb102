/**
 * One request to a gateway, by `node:http`: `fetch` refuses some ports. Commands import this only when they ask: with that
 * module Node loads `fetch` and more, a tenth of the time of a command.
 */
import { get, type IncomingMessage } from 'node:http';

/**
 * @param withinMs until the answer is there, body included: milliseconds
 * @throws the error of the system, or that of the time limit
 */
export function httpGet(url: string, withinMs: number): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  get(url, { agent: false, signal: AbortSignal.timeout(withinMs) }, resolve).on('error', reject);
  return promise;
}
