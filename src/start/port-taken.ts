/** A port that another program listens on. (Interface 2) */
import { once } from 'node:events';
import { connect } from 'node:net';
import { ExplainedError } from '../platform/explained.js';

/** Longest wait for a connection that shows that somebody listens: milliseconds. */
const CONNECT_WITHIN_MS = 1_000;

export class PortTaken extends ExplainedError {
  override readonly name = 'PortTaken';

  constructor(variable: string, host: string, port: number) {
    super(`port ${port} of ${host} is in use already`, `end what listens there, or set ${variable} to another port`);
  }
}

/** @returns rethrows an error of `listen`, EADDRINUSE as {PortTaken} */
export function namingVariable(variable: string, host: string, port: number) {
  return (error: NodeJS.ErrnoException): never => {
    throw error.code === 'EADDRINUSE' ? new PortTaken(variable, host, port) : error;
  };
}

/** Tries to connect. @throws {PortTaken} if something listens */
export async function requireFree(variable: string, host: string, port: number): Promise<void> {
  const socket = connect({ host, port });
  const isTaken = await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_WITHIN_MS) }).then(
    () => true,
    () => false,
  );
  socket.on('error', () => undefined).destroy();
  if (isTaken) throw new PortTaken(variable, host, port);
}
