/** The page `/set-password` in a real browser: somebody opens a password link and chooses a password. (Interface 15) */
import type { Page } from 'playwright-core';
import { addressOfLink, type LinkPurpose } from '../../src/domain/link-purpose.js';
import { ANOTHER, CHOSEN, issueLink, redeem } from '../support/gateway/passwords.js';
import { login } from '../support/gateway/routes.js';
import { whileAway } from '../support/postgres/faults.js';
import { LOOKS, violationsOf } from './axe.js';
import { launchHeadlessShell } from './chromium.js';
import { inChromium, type Site, startSite } from './site.js';

/** Chromium reports an answer of 4xx or 5xx, and none, by itself. */
const FAILED_REQUEST = /^Failed to load resource/;
const COMMON = 'passwordpassword';
const APP_URL = 'https://app.example.com/start';

interface Opening {
  on?: Site;
  purpose?: LinkPurpose;
  /** The link has been used, for the password ANOTHER. */
  isDead?: boolean;
  prepare?: (page: Page) => Promise<unknown>;
}

interface Opened {
  page: Page;
  email: string;
  token: string;
  /** What the console says, violations of the page's policy among it */
  said: string[];
  /** Each request with its headers and body, as text */
  asked: Array<Promise<string>>;
  close(): Promise<void>;
}

inChromium('in Chromium, the page of a password link', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite({ launch: launchHeadlessShell, env: { APP_URL } });
  });
  afterAll(() => site?.close());

  /** Opens a new link of a new user. */
  async function open({ on = site, purpose = 'reset', isDead = false, prepare }: Opening = {}): Promise<Opened> {
    const { email, id } = await on.gateway.user();
    const token = await issueLink(on.gateway, id, purpose);
    if (isDead) expect((await redeem(on.gateway, token, ANOTHER)).status).toBe(204);
    const profile = await on.profile();
    const page = await profile.newPage();
    await prepare?.(page);
    const said: string[] = [];
    const asked: Opened['asked'] = [];
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(error.message));
    page.on('request', (request) => {
      const headers = request.allHeaders();
      asked.push(headers.then((all) => JSON.stringify([request.method(), request.url(), all, request.postData()])));
    });
    await page.goto(addressOfLink(on.gateway.config.setPasswordUrl, token, purpose));
    if (!isDead) await password(page).waitFor();
    return { page, email, token, said, asked, close: () => profile.close() };
  }

  const heading = (page: Page): Promise<string> => page.getByRole('heading', { level: 1 }).innerText();
  const password = (page: Page) => page.getByLabel('New password');
  const focused = (page: Page): Promise<string> => page.evaluate('document.activeElement.id');
  const submit = async (page: Page, text: string): Promise<void> => {
    await password(page).fill(text);
    await page.getByRole('button', { name: 'Set password' }).click();
  };
  const statusOf = async (email: string, text: string): Promise<number> =>
    (await login(site.gateway, email, text)).status;

  test('Interface 15: a password is set, and its owner can log in', async () => {
    const { page, email, said, close } = await open();
    expect(await heading(page)).toBe('Set your password');
    await page.getByLabel('Your e-mail').fill(email);
    await submit(page, CHOSEN);
    await page.getByText('You can log in now.').waitFor();
    expect([await heading(page), await page.title()]).toEqual(['Your password is set', 'Your password is set']);
    expect(await statusOf(email, CHOSEN)).toBe(200);
    expect(said).toEqual([]);
    await close();
  });

  test('Interface 15: the token is in the check and in the redemption, and nowhere else', async () => {
    const { page, email, token, asked, close } = await open();
    expect(page.url()).toBe(site.gateway.config.setPasswordUrl);
    await page.getByLabel('Your e-mail').fill(email);
    await submit(page, CHOSEN);
    await page.getByText('You can log in now.').waitFor();
    const requests = await Promise.all(asked);
    expect(requests.length).toBeGreaterThanOrEqual(5); // the page, its two files, the check, the redemption
    const [checked, redemption, ...others] = requests.filter((text) => text.includes(token));
    expect(others).toEqual([]);
    const [, checkUrl, checkHeaders, checkText] = JSON.parse(checked ?? '[]');
    expect([checkUrl, JSON.parse(checkText)]).toEqual([`${site.edge.url}/auth/password/check`, { token }]);
    expect(JSON.stringify(checkHeaders)).not.toContain(token);
    const [method, url, headers, body] = JSON.parse(redemption ?? '[]');
    expect([method, url]).toEqual(['POST', `${site.edge.url}/auth/password/redeem`]);
    expect(JSON.parse(body)).toEqual({ token, new_password: CHOSEN });
    expect(JSON.stringify(headers)).not.toContain(token);
    expect(requests.filter((text) => text.includes('referer') || text.includes(email))).toEqual([]);
    const rest = await page.evaluate<string>(
      'JSON.stringify([document.title, document.documentElement.outerHTML, location.href, history.state, { ...localStorage }, { ...sessionStorage }])',
    );
    expect(rest).not.toContain(token);
    await close();
  });

  test('Interface 21: the page says whose it is', async () => {
    const { page, close } = await open();
    expect(await page.locator('.whose').innerText()).toBe(new URL(site.edge.url).host);
    await submit(page, CHOSEN);
    await page.getByText('You can log in now.').waitFor();
    expect(await page.locator('.whose').isVisible()).toBe(true);
    await close();
  });

  test('Interface 15: a reload, a link that was cut, and an address without a link say what to do', async () => {
    const { page, email, token, asked, close } = await open();
    const expectNoForm = async (): Promise<void> => {
      expect(await heading(page)).toBe('Open your link again');
      expect(await page.getByLabel('New password').count()).toBe(0);
    };
    await page.reload();
    await expectNoForm();
    const { setPasswordUrl } = site.gateway.config;
    for (const hash of ['', `#token=${token.slice(0, -1)}`, '#token=', '#other', `#token=${token}%00`]) {
      await page.goto('about:blank');
      await page.goto(`${setPasswordUrl}${hash}`);
      await expectNoForm();
      expect(page.url()).toBe(setPasswordUrl);
    }
    expect((await Promise.all(asked)).filter((text) => text.includes('redeem'))).toEqual([]);

    await page.goto(`${setPasswordUrl}#token=${token}`); // in the same tab: only what follows # changes
    await submit(page, CHOSEN);
    await page.getByText('You can log in now.').waitFor();
    expect(await statusOf(email, CHOSEN)).toBe(200);
    await close();
  });

  test('Interface 15: what the page can check itself is said before anything is sent', async () => {
    const { page, email, asked, close } = await open();
    await page.getByText('At least 15 characters 0 of 15').waitFor();
    await password(page).fill('🦦'.repeat(14));
    await page.getByText('14 of 15').waitFor();
    for (const [text, words] of [
      ['', 'Enter a new password.'],
      ['🦦'.repeat(14), 'at least 15 characters'],
      ['é'.repeat(513), 'at most 1024 bytes'],
      [`${email.toUpperCase()}-1234`, 'more than your e-mail'],
    ] as const) {
      await page.getByLabel('Your e-mail').fill(email);
      await submit(page, text);
      await page.getByRole('alert').getByText(words).waitFor();
      expect([await focused(page), await password(page).getAttribute('aria-invalid')]).toEqual(['password', 'true']);
    }
    await password(page).fill(CHOSEN);
    expect(await password(page).getAttribute('aria-invalid')).toBe('false');
    expect(await page.getByRole('status').innerText()).toBe('Long enough');
    expect((await Promise.all(asked)).filter((text) => text.includes('redeem'))).toEqual([]);
    await close();
  });

  test('Interface 15: a password that the gateway refuses leaves the link alive', async () => {
    const { page, email, close } = await open();
    await submit(page, COMMON);
    await page
      .getByText('The password must not be a commonly used password. Attackers try such passwords first.')
      .waitFor();
    expect([await focused(page), await password(page).inputValue()]).toEqual(['password', COMMON]);
    await submit(page, CHOSEN);
    await page.getByText('You can log in now.').waitFor();
    expect(await statusOf(email, CHOSEN)).toBe(200);
    await close();
  });

  test('Interface 15: a dead link is named before anything is typed', async () => {
    const { page, email, asked, close } = await open({ isDead: true });
    await page.getByText('Ask whoever sent you the link for a new one').waitFor();
    expect([await heading(page), await focused(page)]).toEqual(['This link is not valid any more', 'title']);
    expect(await page.getByRole('textbox').count()).toBe(0);
    expect((await Promise.all(asked)).filter((text) => /redeem|check/.test(text))).toHaveLength(1);
    expect(await statusOf(email, ANOTHER)).toBe(200);
    await close();
  });

  test('Interface 15: a link that is used while its page is open is not valid any more', async () => {
    const { page, email, token, close } = await open();
    expect((await redeem(site.gateway, token, ANOTHER)).status).toBe(204);
    await submit(page, CHOSEN);
    await page.getByText('Ask whoever sent you the link for a new one').waitFor();
    expect([await heading(page), await focused(page)]).toEqual(['This link is not valid any more', 'title']);
    expect(await page.getByText('An earlier attempt may have worked').count()).toBe(0);
    expect([await statusOf(email, ANOTHER), await statusOf(email, CHOSEN)]).toEqual([200, 401]);
    await close();
  });

  test('Interface 15: while the link is checked, the page says so; without an answer it has the form, and asks again', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { page, token, close } = await open({
      prepare: (page) =>
        page.route('**/auth/password/check', async (route) => {
          await page.getByText('Checking your link…').waitFor();
          resolve();
          await route.abort();
        }),
    });
    await promise;
    const again = page.getByRole('button', { name: 'Check it again' });
    await page.getByRole('alert').getByText('Your link could not be checked. No answer came.').waitFor();
    await password(page).fill(CHOSEN);
    await page.unrouteAll();
    await whileAway(site.gateway.database, async () => {
      await again.click();
      await page.getByText('could not be checked. The service is not available').waitFor();
    });
    await again.click();
    await again.waitFor({ state: 'hidden' });
    expect([await password(page).inputValue(), await page.getByText('could not be checked').count()]).toEqual([
      CHOSEN,
      0,
    ]);
    await submit(page, CHOSEN);
    await page.getByText('You can log in now.').waitFor();

    await page.route('**/auth/password/check', (route) => route.abort());
    await page.goto(`${site.gateway.config.setPasswordUrl}#token=${token}`);
    await page.getByText('could not be checked').waitFor();
    await page.unrouteAll();
    await again.click();
    await page.getByText('This link is not valid any more').waitFor();
    await close();
  });

  test('Interface 15: an invitation welcomes, and then leads to APP_URL', async () => {
    const { page, email, close } = await open({ purpose: 'invitation' });
    expect([await heading(page), await page.title()]).toEqual(Array(2).fill('Welcome to app.example.com'));
    await page.getByText('An administrator has created an account for you.').waitFor();
    const onward = page.getByRole('link', { name: 'Go to app.example.com' });
    expect(await onward.isVisible()).toBe(false);
    await submit(page, CHOSEN);
    await page.getByText('You can log in now.').waitFor();
    expect(await page.locator('body').innerText()).not.toMatch(/device/i);
    expect(await onward.getAttribute('href')).toBe(APP_URL);
    expect(await statusOf(email, CHOSEN)).toBe(200);
    await close();
    const dead = await open({ purpose: 'invitation', isDead: true });
    await dead.page.getByText('This link is not valid any more').waitFor();
    expect(await dead.page.getByRole('link').allInnerTexts()).toEqual(['Go to app.example.com']);
    await dead.close();
  });

  test('Interface 15: without APP_URL an invitation welcomes to the product, and leads to the account page', async () => {
    const on = await startSite({ launch: launchHeadlessShell, env: { PRODUCT_NAME: 'Ada & Co' } });
    const { page, close } = await open({ on, purpose: 'invitation' });
    expect(await heading(page)).toBe('Welcome to Ada & Co');
    await submit(page, CHOSEN);
    await page.getByText('You can log in now.').waitFor();
    await page.getByRole('link', { name: 'Log in' }).click();
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    expect(page.url()).toBe(`${on.edge.url}/account`);
    await close();
    await on.close();
  });

  test('Interface 15: beyond the login limit the page says how long to wait', async () => {
    const limited = await startSite({
      launch: launchHeadlessShell,
      env: { LOGIN_RATE_LIMIT: '2', LOGIN_RATE_WINDOW_SECONDS: '900' },
    });
    const { page, close } = await open({ on: limited });
    await submit(page, COMMON);
    await page.getByText('commonly used').waitFor();
    await submit(page, CHOSEN);
    await page.getByText('Wait 15 minutes, then try again. Your link was not used up.').waitFor();
    expect(await focused(page)).toBe('submit');
    await close();
    const next = await open({ on: limited }); // from the same address
    await next.page
      .getByText('Your link could not be checked. There were too many attempts. Wait 15 minutes')
      .waitFor();
    await next.close();
    await limited.close();
  });

  test('Interface 15: without a network, and without a database, the same can be sent again', async () => {
    const { page, email, close } = await open();
    await page.context().setOffline(true);
    await submit(page, CHOSEN);
    await page.getByText('No answer came.').waitFor();
    await page.context().setOffline(false);
    await whileAway(site.gateway.database, async () => {
      await submit(page, CHOSEN);
      await page.getByText('The service is not available at the moment.').waitFor();
    });
    await submit(page, CHOSEN);
    await page.getByText('You can log in now.').waitFor();
    expect(await statusOf(email, CHOSEN)).toBe(200);
    await close();
  });

  test('Interface 15: if the answer was lost, the second attempt says that the first may have worked', async () => {
    const { page, email, token, close } = await open();
    await page.route('**/auth/password/redeem', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await submit(page, CHOSEN);
    await page.getByText('No answer came.').waitFor();
    await page.unrouteAll();
    await submit(page, CHOSEN);
    await page.getByText('An earlier attempt may have worked: try to log in with the new password first.').waitFor();
    expect(await statusOf(email, CHOSEN)).toBe(200);
    expect((await redeem(site.gateway, token, ANOTHER)).status).toBe(401);
    await close();
  });

  test('Interface 15: while it is sent, the button says so, and nothing is sent twice', async () => {
    const { page, asked, close } = await open();
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route('**/auth/password/redeem', async (route) => {
      await promise;
      await route.continue();
    });
    await submit(page, CHOSEN);
    const button = page.getByRole('button', { name: 'Setting the password…' });
    await button.waitFor();
    expect(await button.isDisabled()).toBe(true);
    await password(page).press('Enter');
    await page.evaluate(`document.querySelector('form').requestSubmit()`);
    resolve();
    await page.getByText('You can log in now.').waitFor();
    expect((await Promise.all(asked)).filter((text) => text.includes('redeem'))).toHaveLength(1);
    await close();
  });

  test('Interface 15: everything is done with the keyboard alone', async () => {
    const { page, email, close } = await open();
    const { keyboard } = page;
    const tab = async (): Promise<string> => {
      await keyboard.press('Tab');
      return focused(page);
    };
    expect(await tab()).toBe('email');
    await keyboard.type(email);
    expect(await tab()).toBe('password');
    await keyboard.type('too short');
    await keyboard.press('Enter');
    await page.getByText('The password must have at least 15 characters.').waitFor();
    expect(await focused(page)).toBe('password');
    await keyboard.press('Control+A');
    await keyboard.type(CHOSEN);
    expect(await tab()).toBe('show');
    const show = page.getByRole('button', { name: 'Show password' });
    expect([await show.getAttribute('aria-pressed'), await password(page).getAttribute('type')]).toEqual([
      'false',
      'password',
    ]);
    await keyboard.press('Space');
    expect([await show.getAttribute('aria-pressed'), await password(page).getAttribute('type')]).toEqual([
      'true',
      'text',
    ]);
    await keyboard.press('Space');
    expect(await password(page).getAttribute('type')).toBe('password');
    expect(await tab()).toBe('submit');
    await keyboard.press('Enter');
    await page.getByText('You can log in now.').waitFor();
    expect(await focused(page)).toBe('title');
    expect(await statusOf(email, CHOSEN)).toBe(200);
    await close();
  });

  test('Interface 15: password managers find the fields, and the rules', async () => {
    const { page, close } = await open();
    const attributes = (label: string): Promise<unknown> =>
      page
        .getByLabel(label)
        .evaluate(({ attributes: all }: never) =>
          Object.fromEntries(Array.from(all, ({ name, value }) => [name, value])),
        );
    expect(await attributes('Your e-mail')).toMatchObject({ type: 'email', autocomplete: 'username' });
    expect(await attributes('New password')).toMatchObject({
      ...{ type: 'password', autocomplete: 'new-password', passwordrules: 'minlength: 15; maxlength: 1024;' },
    });
    await close();
  });

  test('Interface 15: without JavaScript the page says what it needs', async () => {
    const profile = await site.browser.newContext({ javaScriptEnabled: false });
    const page = await profile.newPage();
    await page.goto(site.gateway.config.setPasswordUrl);
    expect(await page.locator('noscript').innerText()).toContain('This page needs JavaScript.');
    expect(await page.getByLabel('New password').isVisible()).toBe(false);
    await profile.close();
  });

  test.each(LOOKS)(
    'Interface 15: %s, %i pixels wide: axe finds nothing, nothing scrolls aside',
    async (colorScheme, width) => {
      const { page, token, said, close } = await open();
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      const expectGood = async (state: string): Promise<void> => {
        expect([state, await violationsOf(page)]).toEqual([state, []]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      };
      await expectGood('empty');
      await page.getByLabel('Your e-mail').fill(`${'a-long-name-'.repeat(5)}@example.com`);
      await submit(page, 'too short');
      await expectGood('too short');
      await page.getByRole('button', { name: 'Show password' }).click();
      await submit(page, COMMON);
      await page.getByText('commonly used').waitFor();
      await expectGood('refused');
      await page.context().setOffline(true);
      await submit(page, CHOSEN);
      await page.getByText('No answer came.').waitFor();
      await expectGood('without an answer');
      await page.context().setOffline(false);
      await submit(page, CHOSEN);
      await page.getByText('You can log in now.').waitFor();
      await expectGood('done');
      await page.goto(`${site.gateway.config.setPasswordUrl}#token=${token}`);
      await page.getByText('This link is not valid any more').waitFor();
      await expectGood('used');
      await page.reload();
      await expectGood('without a link');
      await page.context().setOffline(false);
      await page.route('**/auth/password/check', (route) => route.abort());
      await page.goto(addressOfLink(site.gateway.config.setPasswordUrl, token, 'invitation'));
      await page.getByText('could not be checked').waitFor();
      await expectGood('an invitation that could not be checked');
      const ground = await page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
      const [red = 0] = ground.match(/\d+/g)?.map(Number) ?? [];
      expect(red < 128).toBe(colorScheme === 'dark');
      expect(said.filter((text) => !FAILED_REQUEST.test(text))).toEqual([]);
      await close();
    },
  );
});
