/** Clients that act for different people in one process, or with a storage of their own, never meet. (Interface 13) */
import { createAuthClient } from '../../client/src/browser.js';
import type { AuthClient, AuthClientOptions } from '../../client/src/types.js';
import { memoryStorage, startBrowser } from '../support/browser/client-environment.js';
import { openPage, type PageSetup } from '../support/browser/client-page.js';
import { cookieFetch } from '../support/browser/cookie-fetch.js';
import { runningClock } from '../support/gateway/clock.js';
import { claimsOf, PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { hold } from '../support/held-promise.js';
import { until } from '../support/until.js';

interface Person {
  id: string;
  client: AuthClient;
  events: string[];
  /** Subjects of the tokens that were sent to `/graphql` */
  sent: unknown[];
  logIn(): Promise<unknown>;
  /** @returns the e-mail of the user for whom the gateway takes this person */
  ask(): Promise<string | undefined>;
}

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ clock: runningClock() });
});
afterAll(() => gateway.close());

/** Somebody with cookies of their own, whose client is that of applications. */
async function person(options: Partial<AuthClientOptions> = {}): Promise<Person> {
  const { id, email } = await gateway.user();
  const sent: unknown[] = [];
  const jar = cookieFetch(undefined, (input, init) => {
    const request = new Request(input, init);
    const token = request.headers.get('authorization')?.replace('Bearer ', '');
    if (token !== undefined) sent.push(claimsOf(token)['sub']);
    return fetch(request);
  });
  const client = createAuthClient({ url: gateway.url, fetch: jar.fetch, ...options });
  const events: string[] = [];
  for (const event of ['signed-in', 'refreshed', 'signed-out', 'offline'] as const) {
    client.on(event, () => events.push(event));
  }
  const ask = async (): Promise<string | undefined> => {
    const body = JSON.stringify({ query: '{ me { email } }' });
    const headers = { 'content-type': 'application/json' };
    const answer = await client.fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body });
    return (await answer.json()).data?.me.email;
  };
  return { id, client, events, sent, logIn: () => client.login({ email, password: PASSWORD }), ask };
}

/** The name of channel, lock and stored item */
const sharedName = (): string => `auth-gateway ${gateway.url}`;

/** Listens where clients of one browser speak. @returns what was said so far */
function overhear(): { said(): Promise<object[]>; close(): void } {
  const [ear, mouth] = [new BroadcastChannel(sharedName()), new BroadcastChannel(sharedName())];
  const heard: object[] = [];
  ear.onmessage = ({ data }: { data: object }) => heard.push(data);
  return {
    said: async () => {
      mouth.postMessage({ isAll: true }); // arrives after whatever was said before
      await until('all is heard', () => heard.some((message) => 'isAll' in message));
      return heard.splice(0).filter((message) => !('isAll' in message));
    },
    close: () => {
      ear.close();
      mouth.close();
    },
  };
}

test.each<[string, () => Partial<AuthClientOptions>]>([
  ['with storage of their own', () => ({ storage: memoryStorage() })],
  ['without storage', () => ({})],
])('Interface 13: two clients in one process, %s, have two sessions', async (_, options) => {
  const channel = overhear();
  const [viewer, admin] = [await person(options()), await person(options())];
  await viewer.logIn();
  expect([await admin.client.getAccessToken(), admin.client.state().status]).toEqual([undefined, 'signed-out']);
  expect([await admin.ask(), admin.sent]).toEqual([undefined, []]);

  await admin.logIn();
  const asked = [await viewer.ask(), await admin.ask()];
  expect(new Set(asked).size).toBe(2);
  expect([viewer.sent, admin.sent]).toEqual([[viewer.id], [admin.id]]);

  await admin.client.logout();
  expect(admin.client.state().status).toBe('signed-out');
  expect([await viewer.ask(), await admin.ask()]).toEqual([asked[0], undefined]);
  expect([viewer.sent, admin.sent]).toEqual([[viewer.id, viewer.id], [admin.id]]);

  expect(await channel.said()).toEqual([]);
  expect([viewer.events, admin.events]).toEqual([['signed-in'], ['signed-in', 'signed-out']]);
  channel.close();
});

test('Interface 13: outside a browser no client waits for another', async () => {
  const held = hold();
  const lock = navigator.locks.request(sharedName(), () => held.promise);
  const { client, logIn } = await person();
  const login = logIn();
  const isWaiting = async () => (await navigator.locks.query()).pending?.some(({ name }) => name === sharedName());
  await until('it has an answer, or waits', async () => client.state().status === 'signed-in' || !!(await isWaiting()));
  expect(await isWaiting()).toBe(false);
  await login;
  held.end();
  await lock;
});

test('Interface 13: a page speaks to others only about the session of its own `localStorage`', async () => {
  const browser = startBrowser(gateway.config.publicUrl);
  const channel = overhear();
  const channels: BroadcastChannel[] = [];
  const openChannel = (): BroadcastChannel => {
    const opened = new BroadcastChannel(sharedName());
    channels.push(opened);
    return opened;
  };
  const { email } = await gateway.user();
  const logIn = (setup: Partial<PageSetup>) => {
    const page = openPage(browser, { url: gateway.url, environment: { openChannel }, ...setup });
    return page.client.login({ email, password: PASSWORD });
  };
  await logIn({ options: { storage: memoryStorage() } });
  await logIn({ without: ['storage'] });
  expect([channels, await channel.said()]).toEqual([[], []]);
  await logIn({});
  await logIn({ options: { storage: browser.storage } }); // the same one
  expect((await channel.said()).filter((message) => 'isNew' in message && message.isNew)).toHaveLength(2);
  for (const { close } of [channel, browser]) close();
  for (const opened of channels) opened.close();
});
