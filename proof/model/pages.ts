/** The pages of the model's browser, each with the real client in an environment of the model. */
import { createClient } from '../../client/src/client.js';
import type { AuthClient } from '../../client/src/types.js';
import type { Page, Shared } from './browser.js';
import type { Network } from './network.js';
import type { Story } from './story.js';
import type { VirtualTime } from './virtual-time.js';

/** Of the gateway too: it is behind the same proxy */
export const ORIGIN = 'http://localhost:3000';

export interface Tab extends Page {
  client: AuthClient;
  close(): void;
}

export interface Pages {
  /** Those that are open; never changed while somebody looks */
  open(): readonly Tab[];
  /** Of those that are open, counted round; a new one where there is none. */
  at(index: number): Tab;
  /** A new page, which asks so many times at once for a token. */
  load(asks: number): Tab;
  /** Its place is taken by a new one. */
  reload(index: number, asks: number): void;
  /** Reports to them that the network is back. */
  comeOnline(): void;
}

export function createPages(
  time: VirtualTime,
  network: Pick<Network, 'fetch'>,
  shared: Shared,
  random: (bytes: number) => Uint8Array,
  story: Story,
): Pages {
  let tabs: readonly Tab[] = [];
  let loaded = 0;
  const onlineListeners = new Set<{ page: Page; run: () => void }>();

  function load(asks: number): Tab {
    loaded += 1;
    let isGone = false;
    const timers = new Set<object>();
    const page: Page = { name: `page ${loaded}`, isGone: () => isGone };
    const { name } = page;
    const client = createClient(
      { url: ORIGIN },
      {
        origin: ORIGIN,
        fetch: (input, init) => network.fetch(page, new Request(input, init)),
        now: time.now,
        after: (ms, run) => {
          if (isGone) return () => undefined;
          const timer = time.after(ms, () => {
            timers.delete(timer);
            run();
          });
          timers.add(timer);
          return () => time.cancel(timer);
        },
        random,
        locks: shared.locksOf(page),
        openChannel: (channel) => shared.channelOf(page, channel),
        storage: shared.storage,
        onOnline: (run) => {
          const listener = { page, run };
          onlineListeners.add(listener);
          return () => onlineListeners.delete(listener);
        },
      },
    );
    client.on('signed-out', () => {
      if (!isGone) story.add(`${name} is signed out`);
    });
    const close = (): void => {
      isGone = true;
      for (const timer of timers) time.cancel(timer);
      shared.forget(page);
      for (const listener of onlineListeners) if (listener.page === page) onlineListeners.delete(listener);
      tabs = tabs.filter((other) => other !== tab);
    };
    const tab: Tab = { ...page, client, close };
    tabs = [...tabs, tab];
    story.add(`${name} opens${asks === 2 ? ', and asks twice' : ''}`);
    for (let i = 0; i < asks; i += 1) ask(tab, story);
    return tab;
  }

  const at = (index: number): Tab => tabs[index % Math.max(1, tabs.length)] ?? load(0);

  return {
    open: () => tabs,
    at,
    load,
    reload: (index, asks) => {
      const gone = at(index);
      story.add(`${gone.name} is reloaded`);
      gone.close();
      load(asks);
    },
    comeOnline: () => {
      for (const { run } of onlineListeners) run();
    },
  };
}

/** Asks for a token, and adds the outcome to the story. */
export function ask(tab: Tab, story: Story): void {
  const asked = tab.client.getAccessToken();
  asked.then(
    (token) => tab.isGone() || story.add(`${tab.name} ${token === undefined ? 'has no token' : 'has a token'}`),
    () => tab.isGone() || story.add(`${tab.name} is given no token: its request failed`),
  );
}
