/** The page `/gate`: from a service to the login and back. (Interface 22) */
import type { Page } from 'playwright-core';
import { codeAt, withTotp } from '../../support/gateway/factors.js';
import { PASSWORD } from '../../support/gateway/gateway.js';
import { expectFocus, GOOD, lookAt } from '../console/console.js';
import { inChromium } from '../site.js';
import {
  expectNoSecrets,
  type GateSite,
  gateAddress,
  inside,
  logInBehind,
  newBrowser,
  startGate,
  submitLogin,
} from './gate.js';

/** The field, once the keyboard leads to it. */
const focused = (page: Page, label: string) => page.getByLabel(label).and(page.locator(':focus'));

inChromium('in Chromium, the gate', () => {
  let site: GateSite;
  beforeAll(async () => {
    site = await startGate();
  });
  afterAll(() => site?.close());
  beforeEach(() => {
    site.edge.disturb();
    site.service.lose();
  });

  test('Interface 22: a first visit, by keyboard: the form says whose it is and where one is going, then the page is there', async () => {
    const { email } = await site.gateway.user();
    const { page, wrong, close } = await newBrowser(site);
    const deep = '/reports?year=2026&x=%20';
    await page.goto(`${site.service.origin}${deep}`);
    await page.getByRole('heading', { level: 1, name: 'Log in' }).waitFor();
    await page.getByText(`To reach ${site.service.host}.`).waitFor();
    await page.getByText(new URL(site.edge.url).host, { exact: true }).waitFor();
    expect(await lookAt(page)).toEqual(GOOD);
    await submitLogin(page, email, 'wrong');
    await page.getByRole('alert').filter({ hasText: /./ }).waitFor();
    await expectNoSecrets(page);
    const entries = await page.evaluate<number>('history.length');
    await expectFocus(page, 'e.name', 'password');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await inside(site, page, deep);
    expect(await page.evaluate('history.length')).toBe(entries); // the gate has left none
    await page.reload();
    await inside(site, page, deep);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 22: a session that this page knows nothing of returns at once, without a form', async () => {
    const { email } = await site.gateway.user();
    const visit = await newBrowser(site);
    const { page, wrong, close } = visit;
    await logInBehind(site, visit, email);
    await page.addInitScript(`new MutationObserver(() => {
      if (document.querySelector('form')) console.error('a form was shown');
    }).observe(document, { childList: true, subtree: true });`);
    const before = site.edge.refreshes.length;
    await page.goto(site.service.origin);
    await inside(site, page);
    expect(site.edge.refreshes.length - before).toBe(1);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 22: the button Back leads to the page before the service, not to the gate', async () => {
    const { email } = await site.gateway.user();
    const visit = await newBrowser(site);
    const { page, close } = visit;
    await page.goto(`${site.edge.url}/gate/assets/none`);
    await page.goto(site.service.origin);
    await submitLogin(page, email);
    await inside(site, page);
    await page.goBack();
    expect(page.url()).toBe(`${site.edge.url}/gate/assets/none`);
    await page.goForward();
    await inside(site, page);
    await close();
  });

  test('Interface 22: of two tabs with the form, a login in one leads both to where they were going', async () => {
    const { email } = await site.gateway.user();
    const { profile, page, wrong, close } = await newBrowser(site);
    const other = await profile.newPage();
    await page.goto(`${site.service.origin}/one`);
    await other.goto(`${site.service.origin}/two`);
    await page.getByLabel('Password').waitFor();
    await other.getByLabel('Password').waitFor();
    await submitLogin(page, email);
    await inside(site, page, '/one');
    await inside(site, other, '/two');
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 22: a code of the app lets in; a recovery code too', async () => {
    const person = await withTotp(site.gateway);
    for (const way of ['code', 'recovery code']) {
      const { page, wrong, close } = await newBrowser(site);
      await page.goto(site.service.origin);
      await submitLogin(page, person.user.email);
      await page.getByLabel('Code').waitFor();
      await page.getByText(`To reach ${site.service.host}.`).waitFor();
      if (way === 'code') {
        site.gateway.clock.advance(30);
        await focused(page, 'Code').pressSequentially(codeAt(person.secret, site.gateway.clock.now()));
      } else {
        await page.getByRole('button', { name: 'Use a recovery code' }).press('Enter');
        await page.getByLabel('Recovery code').waitFor();
        await focused(page, 'Recovery code').pressSequentially(person.recoveryCodes[0] ?? '');
      }
      await page.keyboard.press('Enter');
      await inside(site, page);
      expect(wrong).toEqual([]);
      await close();
    }
  });

  test('Interface 22: a way back that did not work says why, and a button tries again', async () => {
    const { email } = await site.gateway.user();
    const visit = await newBrowser(site);
    const { page, wrong, close } = visit;
    await logInBehind(site, visit, email);
    await page.goto(`${site.service.origin}/.auth-gateway/callback?code=${'a'.repeat(43)}`);
    await page.getByRole('heading', { name: 'That did not work' }).waitFor();
    await page.getByText(`${site.service.host} could not let you in`).waitFor();
    expect(await lookAt(page)).toEqual(GOOD);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await inside(site, page);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 22: Try again leads to the page that was asked for, with its fragment', async () => {
    const { email } = await site.gateway.user();
    const visit = await newBrowser(site);
    const { page, wrong, close } = visit;
    await logInBehind(site, visit, email);
    site.service.lose('auth-gate-state');
    await page.goto(`${site.service.origin}/deep?x=1#/route/1`);
    await page.getByRole('heading', { name: 'That did not work' }).waitFor();
    site.service.lose();
    await page.getByRole('button', { name: 'Try again' }).press('Enter');
    await inside(site, page, '/deep?x=1#/route/1');
    expect(wrong).toEqual([]);
    await close();
  });

  test.each([
    ['of no service', { origin: 'https://evil.example.net' }],
    ['with a target of another host', { target: '//evil.example.net\\@' }],
    ['with a target that is no path', { target: 'evil' }],
  ])('Interface 22: an address %s leads nowhere, also with a session', async (_, query) => {
    const { email } = await site.gateway.user();
    const visit = await newBrowser(site);
    const { page, wrong, close } = visit;
    await logInBehind(site, visit, email);
    expect((await page.goto(gateAddress(site, query)))?.status()).toBe(400);
    await page.getByRole('heading', { name: 'This address leads nowhere' }).waitFor();
    await page.getByText('its operator has to add the site').waitFor();
    expect(await lookAt(page)).toEqual(GOOD);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 22: the fragment of the address comes back, with the form and without it', async () => {
    const { email } = await site.gateway.user();
    const { profile, page, wrong, close } = await newBrowser(site);
    await page.goto(`${site.service.origin}/z?x=1#/route/1`);
    await submitLogin(page, email);
    await inside(site, page, '/z?x=1#/route/1');
    await profile.clearCookies({ name: 'auth-gate' });
    await page.goto('about:blank');
    await page.goto(`${site.service.origin}/z#/route/2`);
    await inside(site, page, '/z#/route/2');
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 22: without a state, or with what is none, the service is asked again', async () => {
    const { email } = await site.gateway.user();
    for (const query of [{}, { state: 'short' }]) {
      const visit = await newBrowser(site);
      await logInBehind(site, visit, email);
      await visit.page.goto(`${gateAddress(site, { target: '/deep', ...query })}#/route/1`);
      await inside(site, visit.page, '/deep#/route/1');
      await visit.close();
    }
  });

  test('Interface 22: the fifth return within a minute ends in a sentence; its button tries again', async () => {
    const { email } = await site.gateway.user();
    const visit = await newBrowser(site);
    const { page, wrong, close } = visit;
    await visit.profile.clock.setFixedTime(new Date());
    await logInBehind(site, visit, email);
    site.service.lose('auth-gate');
    const codes: string[] = [];
    page.on('request', (sent) => sent.url().includes('/callback?') && codes.push(sent.url()));
    await page.goto(site.service.origin);
    await page.getByRole('alert').getByText(`${site.service.host} keeps sending you back here.`).waitFor();
    expect(codes.length).toBe(4);
    expect(await lookAt(page)).toEqual(GOOD);
    await expectNoSecrets(page);
    site.service.lose();
    await page.getByRole('button', { name: 'Try again' }).press('Enter');
    await inside(site, page);
    expect(wrong).toEqual([]);
    await close();
  });
});
