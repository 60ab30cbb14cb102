/**
 * The command `health` asks the gateway that this environment configures. Containers run it every few seconds.
 * (Interface 9 and 10)
 */
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { localOrigin } from '../config/local-origin.js';
import { type Command, command } from './command.js';
import { duration } from './parameter-types.js';
import { flag, optional } from './parameters.js';
import { CliRefusal } from './refusal.js';
import { print } from './terminal.js';

/** The gateway gives its stores 3 s to answer. */
const ANSWER_WITHIN_MS = 5_000;
/** Pause between two requests. */
const PAUSE_MS = 500;

const Health = z.object({
  status: z.enum(['ok', 'unavailable']),
  checks: z.record(z.string(), z.string()).default({}),
  clocks: z.object({ meaning: z.string() }).optional(),
});
type Health = z.infer<typeof Health>;

export const healthCommands: Record<string, Command> = {
  health: command({
    summary: 'ask the gateway at LISTEN_HOST and PORT whether it is ready; exit code 1 if it is not',
    example: 'health --wait 60s',
    prints: '`{status, checks}`; exit code 1 if it is not `ok` within `--wait`',
    on: 'configuration',
    takes: {
      wait: optional(duration, 'wait until it is ready, at most this long'),
      live: flag('ask only whether it runs, not whether its database and Redis work'),
    },
    run: async ({ config, terminal }, { wait = 0, live, json }) => {
      const url = `${localOrigin(config)}${live ? '/health/live' : '/health/ready'}`;
      const untilMs = performance.now() + wait * 1000;
      let health = await ask(url);
      while (health?.status !== 'ok' && performance.now() + PAUSE_MS < untilMs) {
        await sleep(PAUSE_MS);
        health = await ask(url);
      }
      if (health === undefined)
        throw new CliRefusal(`no gateway answers at ${url}`, 'set PORT to that of the instance');
      const { status, checks, clocks } = health;
      print(terminal, json ? { status, checks } : { status, ...checks }, json);
      if (status !== 'ok') throw new CliRefusal('the gateway is not ready', clocks?.meaning);
      return undefined;
    },
  }),
};

/** @returns undefined if nothing answers in time, or something other than a gateway */
async function ask(url: string): Promise<Health | undefined> {
  try {
    const { httpGet } = await import('../platform/http-get.js');
    return Health.parse(await json(await httpGet(url, ANSWER_WITHIN_MS)));
  } catch {
    return undefined;
  }
}
