/** Receivers of webhooks that are killed and start again, and what they have received. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../test/support/programs/redis.js';
import type { Gateways } from './gateways.js';
import type { Lab } from './lab.js';
import { type Program, startProgram } from './program.js';

const PROGRAM = fileURLToPath(new URL('./webhook-receiver.js', import.meta.url));

/** A request that was received */
export interface Received {
  /** Its `webhook-id` */
  id: string;
  /** The id of the event in its body */
  event: string;
  sequence: string;
  /** Whether `standardwebhooks` accepts its signature and time */
  isGenuine: boolean;
}

export interface WebhookReceiver extends Pick<Program, 'kill' | 'start'> {
  received(): Received[];
}

/** Ports of receivers to be, for WEBHOOK_HOSTS. */
export async function portsOfReceivers(count: number): Promise<{ ports: number[]; WEBHOOK_HOSTS: string }> {
  const ports: number[] = [];
  for (let i = 0; i < count; i += 1) ports.push(await freePort());
  return { ports, WEBHOOK_HOSTS: ports.map((port) => `127.0.0.1:${port}`).join() };
}

/** Creates a webhook for every event, and starts its receiver. */
export async function startWebhookReceiver(lab: Lab, { cli }: Gateways, port: number): Promise<WebhookReceiver> {
  const url = `http://127.0.0.1:${port}/events`;
  const { secret } = await cli<{ secret: string }>('webhook', 'create', '--url', url);
  const file = join(lab.folder, `received-${port}.jsonl`);
  const words = [process.execPath, PROGRAM, String(port), file];
  const program = startProgram(lab, `receiver-${port}`, words, { WEBHOOK_SECRET: secret });
  return {
    kill: program.kill,
    start: program.start,
    received: () => readLines(file).map((line) => JSON.parse(line) as Received),
  };
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(0, -1); // a last line without an end is being written
  } catch {
    return []; // nothing has come yet
  }
}
