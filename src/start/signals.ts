/** The signals that end the gateway, and SIGHUP, which means something else to a service. */
import { closeSync, openSync } from 'node:fs';

/** SIGHUP only if there is a terminal: see `hasTerminal`. */
export const STOPS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];

/** Whether a terminal controls this process, and sends SIGHUP when it closes. No service has one, nor a container without `-t`. */
export function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r')); // tty(4)
    return true;
  } catch {
    return false;
  }
}
