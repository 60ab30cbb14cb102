/** One keep-alive connection on which requests follow each other, so that nothing but the answer is timed. */
import { Agent, request } from 'node:http';

export interface Timed {
  path: string;
  headers: Record<string, string>;
  body: Buffer;
  /** Expected of the answer: 401 unless given */
  status?: number;
}

export interface OneConnection {
  /** @returns milliseconds until the end of the answer. @throws if it has another status */
  ask(timed: Timed): Promise<number>;
  close(): void;
}

export function openOneConnection(url: string): OneConnection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = ({ path, headers, body, status = 401 }: Timed): Promise<number> =>
    new Promise((resolve, reject) => {
      const startedMs = performance.now();
      const options = { method: 'POST', agent, headers: { ...headers, 'content-length': body.length } };
      const sent = request(`${url}${path}`, options, (res) => {
        if (res.statusCode !== status) reject(new Error(`${path} answered ${res.statusCode}`));
        res.resume().once('end', () => resolve(performance.now() - startedMs));
      });
      sent.once('error', reject).end(body);
    });
  return { ask, close: () => agent.destroy() };
}
