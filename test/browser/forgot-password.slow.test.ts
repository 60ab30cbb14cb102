/** The page `/set-password` in a real browser, where mail is sent: somebody asks for a link. (Interface 15) */
import type { Page, Request } from 'playwright-core';
import { ANOTHER, CHOSEN, issueLink, redeem } from '../support/gateway/passwords.js';
import { LOOKS, violationsOf } from './axe.js';
import { launchHeadlessShell } from './chromium.js';
import { inChromium, type Site, startSite } from './site.js';

const EMAIL = 'ada@example.com';
const ROUTE = '**/auth/password/forgot';
const TAKEN = { detail: 'If this address has an account, a message is on its way' };
/** Chromium reports an answer of 4xx or 5xx, and none, by itself. */
const FAILED_REQUEST = /^Failed to load resource/;

interface Opened {
  page: Page;
  /** What the console says, violations of the page's policy among it */
  said: string[];
  asked: Request[];
  close(): Promise<void>;
}

inChromium('in Chromium, the page of password links where mail is sent', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite({ launch: launchHeadlessShell, env: { MAIL: 'log' } });
  });
  afterAll(() => site?.close());

  async function open(hash = '', on = site): Promise<Opened> {
    const profile = await on.profile();
    const page = await profile.newPage();
    const said: string[] = [];
    const asked: Request[] = [];
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(error.message));
    page.on('request', (request) => asked.push(request));
    await page.goto(`${on.gateway.config.setPasswordUrl}${hash}`);
    return { page, said, asked, close: () => profile.close() };
  }

  /** From now on the gateway answers so. */
  async function answer(page: Page, status = 202, body: object = TAKEN, headers: Record<string, string> = {}) {
    await page.unroute(ROUTE);
    await page.route(ROUTE, (route) => route.fulfill({ status, headers, json: body }));
  }

  /** A link that has been used */
  async function usedLink(): Promise<string> {
    const { id } = await site.gateway.user();
    const token = await issueLink(site.gateway, id);
    await redeem(site.gateway, token, ANOTHER);
    return `#token=${token}`;
  }

  const heading = (page: Page): Promise<string> => page.getByRole('heading', { level: 1 }).innerText();
  const email = (page: Page) => page.getByLabel('E-mail', { exact: true });
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const focused = (page: Page): Promise<string> => page.evaluate('document.activeElement.id');
  const ask = async (page: Page, address = EMAIL): Promise<void> => {
    await email(page).fill(address);
    await page.locator('#forgot-submit').click();
  };
  const message = (page: Page): Promise<string> => page.locator('#sent').innerText();
  const asksOf = (asked: Request[]): Request[] => asked.filter((request) => request.url().includes('/auth/'));

  test('Interface 15: a visitor without a link asks for one', async () => {
    const { page, said, close } = await open();
    expect([await heading(page), await page.title()]).toEqual(['Forgot your password?', 'Forgot your password?']);
    await answer(page);
    await ask(page);
    await page.getByText('If this address has an account, a message is on its way. ').waitFor();
    expect(await message(page)).toContain('It has a link that works for 30 minutes.');
    expect([await heading(page), await page.title()]).toEqual(['Check your mail', 'Check your mail']);
    expect([await focused(page), await page.locator('#sent').getAttribute('role')]).toEqual(['title', 'status']);
    expect(said).toEqual([]);
    await close();
  });

  test.each([
    ['60', '1 minute'],
    ['5400', '90 minutes'],
    ['7200', '2 hours'],
    ['259200', '3 days'],
  ])('Interface 15: a link that works for %s s works for %s', async (RESET_TTL_SECONDS, words) => {
    const other = await startSite({ launch: launchHeadlessShell, env: { MAIL: 'log', RESET_TTL_SECONDS } });
    const { page, close } = await open('', other);
    await answer(page);
    await ask(page);
    await page.getByText(`It has a link that works for ${words}.`).waitFor();
    await close();
    await other.close();
  });

  test('Interface 15: the e-mail is in one request, and neither in an address nor stored', async () => {
    const { page, asked, close } = await open();
    await answer(page);
    await ask(page, ` ${EMAIL} `);
    await page.getByText('a message is on its way').waitFor();
    const [sent, ...others] = asksOf(asked);
    expect(others).toEqual([]);
    expect([sent?.method(), sent?.url(), sent?.postDataJSON()]).toEqual([
      ...['POST', `${site.edge.url}/auth/password/forgot`, { email: EMAIL }],
    ]);
    expect(Object.keys((await sent?.allHeaders()) ?? {})).not.toEqual(expect.arrayContaining(['cookie']));
    expect(asked.map((request) => request.url()).filter((url) => /ada|%40|@/.test(url))).toEqual([]);
    expect(page.url()).toBe(site.gateway.config.setPasswordUrl);
    const stored = await page.evaluate<string>(
      'JSON.stringify([location.href, history.state, history.length, { ...localStorage }, { ...sessionStorage }, document.title])',
    );
    expect(stored).not.toContain('ada');
    await close();
  });

  test.each(['ada+tag@example.com', 'a&b=#%20{c}@example.com'])(
    'Interface 21: the e-mail behind # is put into the field, and leaves the address: %s',
    async (address) => {
      const { page, asked, close } = await open(`#email=${encodeURIComponent(address)}`);
      expect([await email(page).inputValue(), await heading(page)]).toEqual([address, 'Forgot your password?']);
      expect(await page.evaluate('[location.href, history.length]')).toEqual([
        site.gateway.config.setPasswordUrl,
        2, // with about:blank
      ]);
      await answer(page);
      await button(page, 'Send me a link').click();
      await page.getByText('a message is on its way').waitFor();
      const [sent, ...others] = asksOf(asked);
      expect([sent?.postDataJSON(), others]).toEqual([{ email: address }, []]);
      expect(asked.map((request) => request.url()).filter((url) => /example|@/.test(url))).toEqual([]);
      await close();
    },
  );

  test('Interface 21: a hostile fragment changes nothing', async () => {
    const { page, said, asked, close } = await open();
    const usual = await page.locator('main').innerHTML();
    const hostile = [
      '',
      'ada',
      'ada@',
      '@',
      'a@b@c',
      'a b@example.com',
      '"><img/src=x/onerror=alert(1)>@example.com',
      'ä@example.com',
    ].concat(
      ['a\0b@example.com', 'a\nb@example.com', '\u202eada@example.com', 'a\u200bda@example.com', 'a\ufeff@b.example'],
      [`${'a'.repeat(243)}@example.com`, 'a'.repeat(100_000)],
    );
    for (const hash of [...hostile.map(encodeURIComponent), '%', '%ff@example.com', '%00', '%c3%28@b', 'x&token']) {
      await page.goto('about:blank');
      await page.goto(`${site.gateway.config.setPasswordUrl}#email=${hash}`);
      const isCut = hash === 'x&token';
      expect([hash.slice(0, 99), await email(page).inputValue()]).toEqual([hash.slice(0, 99), '']);
      if (!isCut) expect(await page.locator('main').innerHTML()).toBe(usual);
      expect(page.url()).toBe(site.gateway.config.setPasswordUrl);
    }
    expect([said, asksOf(asked)]).toEqual([[], []]);
    await close();
  });

  test('Interface 21: with the token of a link an e-mail is ignored', async () => {
    const { id } = await site.gateway.user();
    const { page, close } = await open(`#email=ada@example.com&token=${await issueLink(site.gateway, id)}`);
    await page.getByLabel('New password').waitFor();
    expect([await heading(page), await page.getByLabel('Your e-mail').inputValue()]).toEqual(['Set your password', '']);
    await close();
  });

  test('Interface 15: it can be sent again, to the same address and to another', async () => {
    const { page, asked, close } = await open();
    await answer(page);
    await ask(page);
    await button(page, 'Send again').click();
    await page.getByText('another message is on its way').waitFor();
    expect(await focused(page)).toBe('title');
    await email(page).fill('grace@example.com');
    await button(page, 'Send me a link').click();
    await page.getByText('a message is on its way').waitFor();
    expect(asksOf(asked).map((request) => request.postDataJSON().email)).toEqual([EMAIL, EMAIL, 'grace@example.com']);
    await close();
  });

  test('Interface 15: what was said of one address is not said of the next, whose request failed', async () => {
    const { page, close } = await open();
    const problem = page.getByRole('alert');
    await answer(page);
    await ask(page);
    await page.getByText('a message is on its way').waitFor();
    await answer(page, 503);
    await ask(page);
    await problem.getByText('The service is not available').waitFor();
    expect([await heading(page), await focused(page)]).toEqual(['Check your mail', 'forgot-submit']);
    expect(await message(page)).toContain('a message is on its way');
    await ask(page, 'grace@example.com');
    await problem.getByText('The service is not available').waitFor();
    expect([await heading(page), await page.title()]).toEqual(['Forgot your password?', 'Forgot your password?']);
    expect([await message(page), await focused(page)]).toEqual(['', 'forgot-submit']);
    await answer(page);
    await button(page, 'Send me a link').click();
    await page.getByText('a message is on its way').waitFor();
    await ask(page, '');
    await problem.getByText('Enter your e-mail.').waitFor();
    expect([await heading(page), await message(page), await focused(page)]).toEqual([
      ...['Forgot your password?', '', 'forgot-email'],
    ]);
    await close();
  });

  test('Interface 15: screen readers hear each result, and of sending only what is sent', async () => {
    const { page, close } = await open();
    await email(page).waitFor();
    expect(
      await page.evaluate(`['sent', 'forgot-progress'].map((id) => document.getElementById(id).checkVisibility())`),
    ).toEqual([true, true]); // a place is known before it speaks
    await page.evaluate(`{
      window.heard = [];
      const places = document.querySelectorAll('#forgot [role=status], #forgot [role=alert]');
      for (const place of places) new MutationObserver(() => {
        if (place.textContent !== '') heard.push([place.getAttribute('role'), place.textContent]);
      }).observe(place, { childList: true, characterData: true, subtree: true });
    }`);
    const heard = async (): Promise<unknown> => {
      const tree = await page.locator('#forgot').ariaSnapshot();
      const said = await page.evaluate<Array<[role: string, text: string]>>('heard.splice(0)');
      return said.map(([role, text]) => [role, text.slice(0, 23), tree.includes(`- ${role}`)]);
    };
    await ask(page, 'ada');
    expect(await heard()).toEqual([['alert', 'Enter a whole e-mail ad', true]]);
    for (const status of [503, 503, 202]) {
      await answer(page, status);
      await ask(page);
      const [role, text] =
        status === 202 ? ['status', 'If this address has an '] : ['alert', 'The service is not avai'];
      await page
        .getByRole(role as 'alert')
        .getByText(text)
        .waitFor();
      expect(await heard()).toEqual([
        ['status', 'Sending…', true],
        [role, text, true],
      ]);
    }
    await close();
  });

  test('Interface 15: a link that is not valid leads to a new one, with the e-mail that was entered', async () => {
    const { id } = await site.gateway.user();
    const token = await issueLink(site.gateway, id);
    const { page, close } = await open(`#token=${token}`);
    await page.getByLabel('Your e-mail').fill(EMAIL);
    await page.getByLabel('New password').fill(CHOSEN);
    await redeem(site.gateway, token, ANOTHER);
    await button(page, 'Set password').click();
    await page.getByText('This link is not valid any more').waitFor();
    expect(await page.getByText('or ask whoever sent you this one').count()).toBe(1);
    expect([await email(page).inputValue(), await focused(page)]).toEqual([EMAIL, 'title']);
    await answer(page);
    await button(page, 'Send me a link').click();
    await page.getByText('a message is on its way').waitFor();
    expect(await page.getByText('It was used before').count()).toBe(0);
    await close();
  });

  test('Interface 15: a link that is dead when it is opened leads to a new one at once', async () => {
    const { page, close } = await open(await usedLink());
    await page.getByText('This link is not valid any more').waitFor();
    await answer(page);
    await ask(page);
    await page.getByText('a message is on its way').waitFor();
    await close();
  });

  test('Interface 15: a link that was cut can be opened again, or replaced', async () => {
    const { page, close } = await open('#token=pl_cut');
    expect(await heading(page)).toBe('Open your link again');
    await answer(page);
    await ask(page);
    await page.getByText('a message is on its way').waitFor();
    await close();
  });

  test('Interface 15: with a valid link nothing is said of another', async () => {
    const { id } = await site.gateway.user();
    const { page, close } = await open(`#token=${await issueLink(site.gateway, id)}`);
    expect(await heading(page)).toBe('Set your password');
    expect([await email(page).isVisible(), await button(page, 'Send me a link').count()]).toEqual([false, 0]);
    await page.getByLabel('New password').fill(CHOSEN);
    await button(page, 'Set password').click();
    await page.getByText('You can log in now.').waitFor();
    expect(await email(page).isVisible()).toBe(false);
    await close();
  });

  test('Interface 15: the page that sends links leads on to APP_URL too', async () => {
    const other = await startSite({
      launch: launchHeadlessShell,
      env: { MAIL: 'log', APP_URL: 'https://app.example.com/' },
    });
    const { page, close } = await open('', other);
    await page.getByRole('link', { name: 'Go to app.example.com' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await close();
    await other.close();
  });

  test('Interface 15: what cannot be an e-mail is not sent', async () => {
    const { page, asked, close } = await open();
    for (const [address, words] of [
      ['', 'Enter your e-mail.'],
      ['ada', 'Enter a whole e-mail address, such as name@example.com.'],
      ['ada lovelace@example.com', 'Enter a whole e-mail address'],
    ] as const) {
      await ask(page, address);
      await page.getByRole('alert').getByText(words).waitFor();
      expect([await focused(page), await email(page).getAttribute('aria-invalid')]).toEqual(['forgot-email', 'true']);
    }
    expect(asksOf(asked)).toEqual([]);
    await email(page).fill(EMAIL);
    expect(await email(page).getAttribute('aria-invalid')).toBe('false');
    await answer(page, 422, { detail: 'Request body is invalid' });
    await ask(page, 'ada@example');
    await page.getByRole('alert').getByText('Enter a whole e-mail address').waitFor();
    expect(await focused(page)).toBe('forgot-email');
    await close();
  });

  test('Interface 15: each failure says what to do, and the same can be sent again', async () => {
    const { page, close } = await open();
    for (const [status, headers, words] of [
      [429, { 'retry-after': '840' }, 'There were too many attempts. Wait 14 minutes, then try again.'],
      [429, { 'retry-after': '61' }, 'Wait 2 minutes, then'],
      [429, { 'retry-after': '7200' }, 'Wait 2 hours, then'],
      [429, {}, 'Wait a few minutes, then'],
      [503, { 'retry-after': '5' }, 'The service is not available at the moment. Try again in a minute.'],
      [404, {}, 'The service refused the request (404).'],
    ] as const) {
      await answer(page, status, { detail: 'A sentence' }, headers);
      await ask(page);
      await page.getByRole('alert').getByText(words).waitFor();
      expect([await focused(page), await email(page).inputValue()]).toEqual(['forgot-submit', EMAIL]);
    }
    await page.unroute(ROUTE);
    await page.context().setOffline(true);
    await button(page, 'Send me a link').click();
    await page.getByText('No answer came. Check your connection, then try again.').waitFor();
    await page.context().setOffline(false);
    await answer(page);
    await button(page, 'Send me a link').click();
    await page.getByText('a message is on its way').waitFor();
    expect(await page.locator('#forgot-error').innerText()).toBe('');
    await close();
  });

  test('Interface 15: while it is sent, the button says so, and nothing is sent twice', async () => {
    const { page, asked, close } = await open();
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route(ROUTE, async (route) => {
      await promise;
      await route.fulfill({ status: 202, json: TAKEN });
    });
    await ask(page);
    const sending = button(page, 'Sending…');
    await sending.waitFor();
    expect([await sending.isDisabled(), await page.locator('#forgot-progress').innerText()]).toEqual([
      true,
      'Sending…',
    ]);
    await email(page).press('Enter');
    await page.evaluate(`document.getElementById('forgot-form').requestSubmit()`);
    resolve();
    await page.getByText('a message is on its way').waitFor();
    expect(asksOf(asked)).toHaveLength(1);
    await close();
  });

  test('Interface 15: everything is done with the keyboard alone', async () => {
    const { page, close } = await open();
    await answer(page);
    const { keyboard } = page;
    const tab = async (): Promise<string> => {
      await keyboard.press('Tab');
      return focused(page);
    };
    expect(await tab()).toBe('forgot-email');
    await keyboard.type('ada');
    await keyboard.press('Enter');
    await page.getByText('Enter a whole e-mail address').waitFor();
    await keyboard.type('@example.com');
    expect(await tab()).toBe('forgot-submit');
    await keyboard.press('Enter');
    await page.getByText('a message is on its way').waitFor();
    expect([await focused(page), await tab(), await tab()]).toEqual(['title', 'forgot-email', 'forgot-submit']);
    await close();
  });

  test('Interface 15: password managers find the field', async () => {
    const { page, close } = await open();
    const { type, autocomplete, name } = await email(page).evaluate(
      ({ type: kind, autocomplete: purpose, name: sentAs }: never) => ({
        type: kind,
        autocomplete: purpose,
        name: sentAs,
      }),
    );
    expect({ type, autocomplete, name }).toEqual({ type: 'email', autocomplete: 'username', name: '' });
    await close();
  });

  test('Interface 15: a link that is opened in the same tab is taken', async () => {
    const { page, close } = await open();
    const { id } = await site.gateway.user();
    await page.goto(`${site.gateway.config.setPasswordUrl}#token=${await issueLink(site.gateway, id)}`);
    await page.getByLabel('New password').fill(CHOSEN);
    await button(page, 'Set password').click();
    await page.getByText('You can log in now.').waitFor();
    await close();
  });

  test('Interface 15: without JavaScript the page says what it needs, and has no form', async () => {
    const profile = await site.browser.newContext({ javaScriptEnabled: false });
    const page = await profile.newPage();
    await page.goto(site.gateway.config.setPasswordUrl);
    expect(await page.locator('noscript').innerText()).toContain('This page needs JavaScript.');
    expect(await email(page).isVisible()).toBe(false);
    await profile.close();
  });

  test.each(LOOKS)(
    'Interface 15: %s, %i pixels wide: axe finds nothing, nothing scrolls aside',
    async (colorScheme, width) => {
      const { page, said, close } = await open();
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      const expectGood = async (state: string): Promise<void> => {
        expect([state, await violationsOf(page)]).toEqual([state, []]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      };
      await expectGood('empty');
      await ask(page, '');
      await expectGood('without an e-mail');
      await ask(page, 'a-long-name-'.repeat(8));
      await expectGood('refused');
      await answer(page, 429, {}, { 'retry-after': '840' });
      await ask(page);
      await page.getByText('Wait 14 minutes').waitFor();
      await expectGood('limited');
      await page.unroute(ROUTE);
      await page.context().setOffline(true);
      await ask(page);
      await page.getByText('No answer came.').waitFor();
      await expectGood('without an answer');
      await page.context().setOffline(false);
      const { promise, resolve } = Promise.withResolvers<void>();
      await page.route(ROUTE, async (route) => {
        await promise;
        await route.fulfill({ status: 503 });
      });
      await ask(page);
      await button(page, 'Sending…').waitFor();
      await expectGood('sending');
      resolve();
      await page.getByText('The service is not available').waitFor();
      await expectGood('unavailable');
      await answer(page);
      await ask(page, `${'a-long-name-'.repeat(5)}@example.com`);
      await page.getByText('a message is on its way').waitFor();
      await expectGood('sent');
      await answer(page, 429);
      await button(page, 'Send again').click();
      await page.getByText('Wait a few minutes').waitFor();
      await expectGood('sent, then limited');
      await page.goto('about:blank');
      await page.goto(`${site.gateway.config.setPasswordUrl}${await usedLink()}`);
      await page.getByText('This link is not valid any more').waitFor();
      await expectGood('used');
      await page.goto('about:blank');
      await page.goto(`${site.gateway.config.setPasswordUrl}#token=pl_cut`);
      await expectGood('cut');
      expect(said.filter((text) => !FAILED_REQUEST.test(text))).toEqual([]);
      await close();
    },
  );
});
