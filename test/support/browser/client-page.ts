/** A page of a browser made of Node, with a clock and timers that the test moves, and a wire that it cuts. */

import { createClient } from '../../../client/src/client.js';
import type { Environment } from '../../../client/src/environment.js';
import { type AuthClient, type AuthClientOptions, type AuthEvents } from '../../../client/src/types.js';
import { until } from '../until.js';
import type { Browser } from './client-environment.js';

export interface Page {
  client: AuthClient;
  /** What it has asked the network for, in order: the path, and the field of Interface 12 */
  asked: Array<{ path: string; retry: string | null; authorization: string | null }>;
  /** How often a refresh was asked for */
  refreshes(): number;
  /** Events that listeners received */
  events: Array<{ event: keyof AuthEvents; happened: unknown }>;
  time: HandTime;
}

export interface HandTime {
  /** Waits until there is a timer that is due after that time, or more, and moves there. */
  pass(ms: number): Promise<void>;
  /** Moves the clock alone, as for a tab whose timers sleep. */
  skip(ms: number): void;
  /** In how many milliseconds timers are due */
  due(): number[];
}

/** Carries a request of a page; what it throws is a network error. */
export type Wire = (request: Request, next: () => Promise<Response>) => Promise<Response>;

export interface PageSetup {
  url: string;
  wire?: Wire;
  without?: ReadonlyArray<'locks' | 'openChannel' | 'storage'>;
  environment?: Partial<Environment>;
  options?: Partial<AuthClientOptions>;
}

/** Opens a page with a client; what is wrong in `without` is missing. */
export function openPage(browser: Browser, { url, wire, without = [], environment, options }: PageSetup): Page {
  const asked: Page['asked'] = [];
  const timers = new Map<object, { run: () => void; at: number }>();
  let now = 0;
  const send: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const { pathname } = new URL(request.url);
    const { headers } = request;
    asked.push({ path: pathname, retry: headers.get('refresh-retry'), authorization: headers.get('authorization') });
    return wire === undefined ? fetch(request) : wire(request, () => fetch(request));
  };
  const tab = browser.tab(
    {
      now: () => now,
      after: (ms, run) => {
        const timer = {};
        timers.set(timer, { run, at: now + ms });
        return () => void timers.delete(timer);
      },
      ...environment,
    },
    send,
  );
  for (const part of without) delete tab[part];
  const client = createClient({ url, ...options }, tab);
  const events: Page['events'] = [];
  for (const event of ['signed-in', 'refreshed', 'signed-out', 'offline'] as const) {
    client.on(event, (happened) => events.push({ event, happened }));
  }
  const due = (): number[] => [...timers.values()].map(({ at }) => at - now);
  return {
    client,
    asked,
    refreshes: () => asked.filter(({ path }) => path === '/auth/refresh').length,
    events,
    time: {
      due,
      skip: (ms) => {
        now += ms;
      },
      pass: async (ms) => {
        await until(`a timer of ${ms} ms at most`, () => due().some((left) => left <= ms));
        now += ms;
        for (const [timer, { run, at }] of timers) {
          if (at > now || !timers.delete(timer)) continue;
          run();
        }
      },
    },
  };
}
