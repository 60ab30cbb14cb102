/** Interface 2: a port that another program has. */
import { once } from 'node:events';
import { connect } from 'node:net';

/** How long it may take to find out that somebody listens: milliseconds. */
const CONNECT_WITHIN_MS = 1_000;

/** The message is for a person: which variable to set. */
export class PortTaken extends Error {
  override readonly name = 'PortTaken';

  constructor(variable: string, host: string, port: number) {
    super(`port ${port} of ${host} is in use already: end what listens there, or set ${variable} to another port`);
  }
}

/** Passes on why a port cannot be had. @throws {PortTaken} in the place of EADDRINUSE, else the error */
export function namingVariable(variable: string, host: string, port: number) {
  return (error: NodeJS.ErrnoException): never => {
    throw error.code === 'EADDRINUSE' ? new PortTaken(variable, host, port) : error;
  };
}

/** Looks whether somebody listens, as far as a connection tells. @throws {PortTaken} */
export async function requireFree(variable: string, host: string, port: number): Promise<void> {
  const socket = connect({ host, port });
  const isTaken = await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_WITHIN_MS) }).then(
    () => true,
    () => false,
  );
  socket.on('error', () => undefined).destroy();
  if (isTaken) throw new PortTaken(variable, host, port);
}
