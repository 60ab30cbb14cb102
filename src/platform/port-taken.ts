/** Interface 2: a port that another program has. */

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
