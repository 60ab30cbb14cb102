/** The client's `fetch` with the token: to whom it is sent, and what follows a 401. (Interface 13) */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Browser, startBrowser } from '../support/browser/client-environment.js';
import { openPage, type Page, type PageSetup } from '../support/browser/client-page.js';
import { runningClock } from '../support/gateway/clock.js';
import { PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';

interface Api {
  url: string;
  /** What came, in order */
  got: Array<{ method: string; path: string; token: string | undefined; body: string }>;
  server: Server;
}

let gateway: TestGateway;
/** Two hosts: the page's own, and one that nothing is said of. */
let own: Api;
let foreign: Api;
let browser: Browser;
let email: string;
beforeAll(async () => {
  gateway = await startGateway({ clock: runningClock() });
  own = await startApi();
  foreign = await startApi();
});
afterAll(async () => {
  for (const { server } of [own, foreign]) server.close();
  await gateway.close();
});
beforeEach(async () => {
  browser = startBrowser(own.url);
  ({ email } = await gateway.user());
  for (const { got } of [own, foreign]) got.length = 0;
});
afterEach(() => browser.close());

async function startApi(): Promise<Api> {
  const got: Api['got'] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    got.push({ method, path, token: headers.authorization?.replace('Bearer ', ''), body: await text(request) });
    respond(request, response, got.length);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, got, server };
}

function respond({ url = '' }: IncomingMessage, response: ServerResponse, count: number): void {
  const to = new URL(url, 'http://unused').searchParams.get('to');
  if (to !== null) response.writeHead(307, { location: to });
  else if (url.startsWith('/refused') || (url.startsWith('/once') && count === 1)) response.writeHead(401);
  response.end('answered');
}

const open = (setup: Partial<PageSetup> = {}): Page => openPage(browser, { url: gateway.url, ...setup });

async function signedIn(setup: Partial<PageSetup> = {}): Promise<Page & { token: string }> {
  const page = open(setup);
  await page.client.login({ email, password: PASSWORD });
  return { ...page, token: (await page.client.getAccessToken()) ?? '' };
}

test('Interface 13: the token goes to the gateway, to the page’s own origin and to those that are allowed', async () => {
  const { client, token } = await signedIn();
  const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
  const body = JSON.stringify({ query: '{ caller { callerType } }' });
  const answer = await client.fetch(`${gateway.url}/graphql`, { ...init, body });
  expect(await answer.json()).toEqual({ data: { caller: { callerType: 'user' } } });
  await client.fetch(`${own.url}/`);
  await client.fetch(`${foreign.url}/`);
  const allowing = await signedIn({ options: { allowedOrigins: [`${foreign.url}/any/path`] } });
  await allowing.client.fetch(`${foreign.url}/`);
  expect(own.got.map((one) => one.token)).toEqual([token]);
  expect(foreign.got.map((one) => one.token)).toEqual([undefined, allowing.token]);
});

test.each<[string, (url: string) => [RequestInfo | URL, RequestInit?]]>([
  ['text', (url) => [url]],
  ['a URL', (url) => [new URL(url)]],
  ['a Request', (url) => [new Request(url)]],
  ['a Request and options', (url) => [new Request(url), { headers: { 'x-other': 'y' } }]],
])('Interface 13: %s is looked at for its origin', async (_, inputOf) => {
  const { client, token } = await signedIn();
  for (const api of [own, foreign]) await client.fetch(...inputOf(`${api.url}/a`));
  expect([own.got, foreign.got].map(([one]) => one?.token)).toEqual([token, undefined]);
});

test.each([
  ['another port', (url: string) => url.replace(/:(\d+)$/, (_, port) => `:${port === '1' ? 2 : 1}`)],
  ['another scheme', (url: string) => url.replace('http:', 'https:')],
  ['a name before an @', (url: string) => url.replace('http://', 'http://user@localhost.')],
])('Interface 13: %s is another origin', async (_, change) => {
  const sent: Array<string | null> = [];
  const { client } = await signedIn({
    wire: async (request, next) => {
      if (request.url.startsWith(gateway.url)) return next();
      sent.push(request.headers.get('authorization'));
      return new Response();
    },
  });
  await client.fetch(change(own.url)).catch(() => undefined); // credentials in a URL are no request at all
  expect(sent.filter((token) => token !== null)).toEqual([]);
});

test('Interface 13: a redirect keeps the token within its origin and loses it elsewhere, and a 401 from there changes nothing', async () => {
  const page = await signedIn();
  await page.client.fetch(`${own.url}/?to=/there`);
  expect(own.got.map(({ path, token }) => [path, token])).toEqual([
    ['/?to=/there', page.token],
    ['/there', page.token],
  ]);
  const refused = await page.client.fetch(`${own.url}/?to=${foreign.url}/refused`);
  expect([refused.status, foreign.got.map(({ token }) => token)]).toEqual([401, [undefined]]);
  expect(page.refreshes()).toBe(0);
});

test.each<[string, () => [RequestInfo | URL, RequestInit?], string]>([
  ['nothing', () => [`${own.url}/once`], ''],
  ['text', () => [`${own.url}/once`, { method: 'POST', body: 'text' }], 'text'],
  ['a blob', () => [`${own.url}/once`, { method: 'PUT', body: new Blob(['blob']) }], 'blob'],
  ['a Request', () => [new Request(`${own.url}/once`, { method: 'POST', body: 'request' })], 'request'],
  [
    'a Request whose body is replaced',
    () => [new Request(`${own.url}/once`, { method: 'POST', body: 'old' }), { body: 'new' }],
    'new',
  ],
])('Interface 13: a 401 is answered with one refresh and one repetition: of %s', async (_, inputOf, body) => {
  const page = await signedIn();
  const answer = await page.client.fetch(...inputOf());
  expect([answer.status, await answer.text()]).toEqual([200, 'answered']);
  expect(own.got.map((one) => one.body)).toEqual([body, body]);
  expect(own.got.map((one) => one.token)).toEqual([page.token, await page.client.getAccessToken()]);
  expect(own.got[0]?.token).not.toBe(own.got[1]?.token);
  expect(page.refreshes()).toBe(1);
});

test('Interface 13: never twice', async () => {
  const page = await signedIn();
  expect((await page.client.fetch(`${own.url}/refused`)).status).toBe(401);
  expect([own.got.length, page.refreshes()]).toEqual([2, 1]);
});

test('Interface 13: many that meet a 401 at once share one refresh', async () => {
  const page = await signedIn();
  await Promise.all(Array.from({ length: 5 }, () => page.client.fetch(`${own.url}/refused`)));
  expect([own.got.length, page.refreshes()]).toEqual([10, 1]);
});

test('Interface 13: a stream cannot be sent again, and is not', async () => {
  const page = await signedIn();
  const stream = new Blob(['stream']).stream();
  const init = { method: 'POST', body: stream, duplex: 'half' } as RequestInit;
  expect((await page.client.fetch(`${own.url}/once`, init)).status).toBe(401);
  expect([own.got.length, page.refreshes()]).toEqual([1, 0]);
});

test('Interface 13: what asks with a credential of its own is left alone', async () => {
  const page = await signedIn();
  const answer = await page.client.fetch(`${own.url}/refused`, { headers: { authorization: 'Bearer mine' } });
  expect([answer.status, own.got.map(({ token }) => token), page.refreshes()]).toEqual([401, ['mine'], 0]);
});

test('Interface 13: a token that the server’s clock has ended is replaced after its 401, whatever the page’s clock says', async () => {
  const page = await signedIn();
  gateway.clock.advance(1_000); // the machine slept: the page's clock stood still
  const body = JSON.stringify({ query: '{ caller { callerType } }' });
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  const answer = await page.client.fetch(`${gateway.url}/graphql`, init);
  expect([answer.status, page.refreshes()]).toEqual([200, 1]);
});

test('Interface 13: what was asked for in one session is not repeated in another', async () => {
  const other = await gateway.user();
  const page = await signedIn({
    wire: async (request, next) => {
      const response = await next();
      if (request.url.endsWith('/once')) await page.client.login({ email: other.email, password: PASSWORD });
      return response;
    },
  });
  expect((await page.client.fetch(`${own.url}/once`)).status).toBe(401);
  expect(own.got).toHaveLength(1);
});

test('Interface 13: a 401 stays the answer if the session is over or there is no token', async () => {
  let isAway = false;
  const page = await signedIn({
    wire: (request, next) =>
      isAway && request.url.includes('/auth/')
        ? Promise.resolve(Response.json({ detail: 'No' }, { status: 403 }))
        : next(),
  });
  isAway = true;
  expect((await page.client.fetch(`${own.url}/refused`)).status).toBe(401);
  expect(page.client.state().status).toBe('signed-in');
  isAway = false;
  await gateway.rows('update refresh_tokens set revoked = true');
  expect((await page.client.fetch(`${own.url}/refused`)).status).toBe(401);
  expect(page.client.state()).toEqual({ status: 'signed-out' });
});

test('13 `/` is the page’s own origin', async () => {
  const page = open({ url: '/', environment: { origin: gateway.url } });
  await page.client.login({ email, password: PASSWORD });
  expect(page.asked.map(({ path }) => path)).toEqual(['/auth/login']);
});
