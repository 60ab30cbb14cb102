/** The page `/gate` if an answer is lost or late, the session ends on the way, or the page is loaded ahead. (Interface 22) */
import type { Page, Route } from 'playwright-core';
import { whileAway } from '../../support/postgres/faults.js';
import { GOOD, lookAt } from '../console/console.js';
import { inChromium } from '../site.js';
import {
  DOWNLOAD,
  type GateSite,
  gateAddress,
  inside,
  logInBehind,
  newBrowser,
  startGate,
  submitLogin,
  type Visit,
} from './gate.js';

const WAY_BACK = '**/auth/gate';

inChromium('in Chromium, troubles on the way through the gate', () => {
  let site: GateSite;
  beforeAll(async () => {
    site = await startGate();
  });
  afterAll(() => site?.close());

  async function loggedIn(on = site): Promise<Visit & { id: string; email: string }> {
    const { id, email } = await on.gateway.user();
    const visit = await newBrowser(on);
    await logInBehind(on, visit, email);
    return { ...visit, id, email };
  }

  /** Treats the first question for the way back. */
  const first = (page: Page, act: (route: Route) => Promise<void>) => page.route(WAY_BACK, act, { times: 1 });

  async function expectTrouble(page: Page, text: string): Promise<void> {
    await page.getByRole('alert').getByText(text).waitFor();
    await page.getByText(`To reach ${site.service.host}.`).waitFor();
    expect(await lookAt(page)).toEqual(GOOD);
  }

  test('Interface 22: the database is away: the page says so, and its button tries again', async () => {
    const { page, wrong, close } = await loggedIn();
    await first(page, (route) =>
      whileAway(site.gateway.database, async () => route.fulfill({ response: await route.fetch() })),
    );
    await page.goto(`${site.service.origin}/deep?x=1`);
    await expectTrouble(page, 'Trying again.');
    await page.getByRole('button', { name: 'Try again' }).press('Enter');
    await inside(site, page, '/deep?x=1');
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 22: an answer is lost, then there is no network: it goes on by itself', async () => {
    const { profile, page, wrong, close } = await loggedIn();
    await first(page, async (route) => {
      await route.fetch(); // the gateway has made a code
      await profile.setOffline(true);
      await route.abort();
    });
    await page.goto(`${site.service.origin}/deep`);
    await expectTrouble(page, 'The gateway does not answer.');
    await profile.setOffline(false);
    await inside(site, page, '/deep');
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 22: the refresh gets no answer: the page says so, names the service, and goes on by itself', async () => {
    const { page, wrong, close } = await loggedIn();
    const { promise, resolve } = Promise.withResolvers<void>();
    site.edge.disturb((number) => (number === 0 ? { lost: true } : { reaches: promise }));
    await page.goto(site.service.origin);
    await page.getByRole('status').getByText('The gateway does not answer. Trying again…').waitFor();
    await page.getByText(`To reach ${site.service.host}.`).waitFor();
    expect(await lookAt(page)).toEqual(GOOD);
    resolve();
    await inside(site, page);
    site.edge.disturb();
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 22: too many requests: the page says how long to wait', async () => {
    const limited = await startGate({ env: { SESSION_RATE_LIMIT: '1' } });
    await limited.gateway.send('POST', '/auth/gate');
    const { page, close } = await loggedIn(limited);
    await page.goto(limited.service.origin);
    await page.getByRole('alert').getByText('Try again in a minute.').waitFor();
    limited.gateway.clock.advance(120);
    await page.getByRole('button', { name: 'Try again' }).press('Enter');
    await inside(limited, page);
    await close();
    await limited.close();
  });

  test('Interface 22: the service sends a file: the page stays, with a button', async () => {
    const { page, wrong, close } = await loggedIn();
    const downloads = page.waitForEvent('download');
    await page.goto(site.service.origin + DOWNLOAD).catch(() => undefined); // no page to wait for
    await downloads;
    await page.getByRole('button', { name: 'Go on' }).waitFor();
    await page.getByText(`To reach ${site.service.host}.`).waitFor();
    expect(await lookAt(page)).toEqual(GOOD);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 22: another tab replaces the cookie in that moment: one refresh more', async () => {
    const { profile, page, wrong, close } = await loggedIn();
    await first(page, async (route) => {
      const cookie = (await profile.cookies()).find(({ name }) => name === 'refresh_token');
      await profile.request.post(`${site.edge.url}/auth/refresh`);
      const headers = { ...route.request().headers(), cookie: `refresh_token=${cookie?.value}` };
      const response = await site.gateway.send('POST', '/auth/gate', { headers, body: route.request().postData() });
      expect(response.status).toBe(401);
      await route.fulfill({ status: 401, headers: { 'content-type': 'application/json' }, body: response.text });
    });
    await page.goto(site.service.origin);
    await inside(site, page);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 22: the session ends in that moment: the form says where one is going, and a login leads on', async () => {
    const { id, email, page, wrong, close } = await loggedIn();
    await first(page, async (route) => {
      await site.gateway.rows('update refresh_tokens set revoked = true where user_id = $1', [id]);
      await route.continue();
    });
    await page.goto(`${site.service.origin}/deep`);
    await page.getByLabel('Password').waitFor();
    await page.getByText(`To reach ${site.service.host}.`).waitFor();
    expect(await page.getByText('Your session has ended').count()).toBe(0);
    await submitLogin(page, email);
    await inside(site, page, '/deep');
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 22: a session is refused again after the refresh: the form', async () => {
    const { email, page, wrong, close } = await loggedIn();
    await page.route(WAY_BACK, async (route) => {
      const { text } = await site.gateway.send('POST', '/auth/gate', { body: route.request().postDataJSON() });
      await route.fulfill({ status: 401, headers: { 'content-type': 'application/json' }, body: text });
    });
    await page.goto(`${site.service.origin}/deep`);
    await page.getByLabel('Password').waitFor();
    await page.getByText(`To reach ${site.service.host}.`).waitFor();
    await page.unroute(WAY_BACK);
    await submitLogin(page, email);
    await inside(site, page, '/deep');
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 22: a page that is loaded ahead asks for nothing until it is shown', async () => {
    const { page, wrong, close } = await loggedIn();
    await page.addInitScript(
      `Object.defineProperty(document, 'prerendering', { get: () => sessionStorage.isShown === undefined })`,
    );
    const asked: string[] = [];
    page.on('request', (sent) => sent.url().includes('/auth/') && asked.push(sent.url()));
    await page.goto(gateAddress(site, { target: '/deep' }), { waitUntil: 'networkidle' });
    expect(asked).toEqual([]);
    await page.evaluate(
      `sessionStorage.isShown = true; document.dispatchEvent(new Event('prerenderingchange')); undefined`,
    );
    await inside(site, page, '/deep');
    expect(asked.length).toBeGreaterThan(0);
    expect(wrong).toEqual([]);
    await close();
  });
});
