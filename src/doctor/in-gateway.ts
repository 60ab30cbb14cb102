/** Interface 9 and 11: `doctor` in the running gateway, which has its own variables and its own database. */
import type { Config } from '../config/config.js';
import { systemClock } from '../platform/clock.js';
import { type Around, CHECKS, examine } from './examine.js';
import { type PrintedFinding, printable } from './finding.js';
import { readMachine } from './machine.js';

/** Without the speed of passwords, which would take a core and memory from logins; the line `ready` has it. */
export const CHECKS_IN_GATEWAY = CHECKS.filter(([name]) => name !== 'password_speed');

export function aroundGateway(config: Config, databaseUrl: string, signal: AbortSignal): Around {
  const locate = async () => databaseUrl;
  return { clock: systemClock, config, isGateway: true, machine: readMachine(), signal, locate };
}

/**
 * Runs every check once.
 * @throws the reason of the signal
 */
export async function examineGateway(
  config: Config,
  databaseUrl: string,
  signal: AbortSignal,
): Promise<PrintedFinding[]> {
  const found = await examine(aroundGateway(config, databaseUrl, signal), CHECKS_IN_GATEWAY);
  return found.map((finding) => printable(finding));
}
