/** The explorer in a real browser: log in on the page, ask, and stay logged in. (Interface 2, development) */
import type { Page } from 'playwright-core';
import { logIn, PASSWORD } from '../support/gateway/gateway.js';
import { newApiKey, newCronKey } from '../support/gateway/graphql.js';
import { until } from '../support/until.js';
import { launchHeadlessShell } from './chromium.js';
import { inChromium, type Site, startSite } from './site.js';

/** Longer than an access token lives: seconds */
const HOUR_SECONDS = 3_600;

/** Chromium reports an answer of 4xx by itself. */
const REFUSED = /^Failed to load resource: the server responded with a status of 4/;

const queryOf = (page: Page) => page.getByRole('textbox', { name: 'Query', exact: true });
const resultOf = (page: Page) => page.getByRole('region', { name: 'Result' });

interface Opened {
  page: Page;
  /** What the console says, violations of the page's policy among it */
  said: string[];
  /** Everything that the page has asked for */
  asked: string[];
  /** Presses the button until the answer shows the text. */
  answers(text: string): Promise<void>;
  close(): Promise<void>;
}

inChromium('in Chromium, the explorer', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite({ launch: launchHeadlessShell });
  });
  afterAll(() => site?.close());

  async function open(): Promise<Opened> {
    const profile = await site.profile();
    await profile.clock.install();
    const page = await profile.newPage();
    const said: string[] = [];
    const asked: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(error.message));
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`${site.edge.url}/graphql`);
    const answers = (text: string): Promise<void> =>
      until(`the answer shows ${text}`, async () => {
        const answered = page.waitForResponse((response) => response.request().method() === 'POST');
        await page.getByRole('button', { name: /execute query/i }).click();
        await answered;
        return (await resultOf(page).innerText()).includes(text);
      });
    return { page, said, asked, answers, close: () => profile.close() };
  }

  test('Interface 2: who logs in on the page is answered, and still is when the token has expired', async () => {
    const { page, said, asked, answers, close } = await open();
    const { email, id } = await site.gateway.user({ role: 'admin' });
    await answers('UNAUTHENTICATED');
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill('not the password at all');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('E-mail or password is wrong.').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText(`Logged in as ${email} (admin)`).waitFor();
    await answers(id);

    const before = site.edge.refreshes.length;
    site.gateway.clock.advance(HOUR_SECONDS);
    await page.clock.fastForward(HOUR_SECONDS * 1_000);
    await page.getByRole('button', { name: 'MySessions' }).click();
    await answers(email);
    expect(site.edge.refreshes.slice(before).map(({ status }) => status)).toEqual([200]);

    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('E-mail').waitFor();
    await answers('UNAUTHENTICATED');
    expect(said.filter((text) => !REFUSED.test(text))).toEqual([]);
    const elsewhere = asked.filter((url) => !url.startsWith(`${site.edge.url}/`) && !url.startsWith('data:'));
    expect(elsewhere).toEqual([]);
    await close();
  });

  test('Interface 2: a token that is pasted is used, and stored nowhere', async () => {
    const { page, answers, close } = await open();
    const { email, id } = await site.gateway.user();
    const token = (await logIn(site.gateway, email)).answer.json.access_token;
    await page.getByLabel('Ask as').selectOption('a user, by an access token');
    await page.getByLabel('Access token').fill(token);
    await answers(id);
    await page.reload();
    await answers('UNAUTHENTICATED');
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(token);
    await close();
  });

  const CALLERS = [
    ['api_key', 'an API key', newApiKey],
    ['cron', 'a cron key', newCronKey],
  ] as const;
  test.each(CALLERS)('Interface 2: it asks as %s, and as nobody else', async (kind, way, newKey) => {
    const { page, answers, close } = await open();
    const { keyId, secret } = await newKey(site.gateway, ['users:read', `of:${kind}`]);
    await page.getByLabel('E-mail').fill((await site.gateway.user()).email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('Logged in as').waitFor();
    await page.clock.setFixedTime(site.gateway.clock.now()); // of a signature
    await page.getByLabel('Ask as').selectOption(way);
    if (kind === 'api_key') await page.getByLabel('Key ID').fill(keyId);
    await page.getByLabel(kind === 'api_key' ? 'Secret' : 'Value of the header X-Internal-Key').fill(secret);
    await answers(`"of:${kind}"`);
    await answers(`"of:${kind}"`); // with another nonce
    expect(await resultOf(page).innerText()).toContain(`"callerType": "${kind}"`);
    await page.getByLabel('Ask as').selectOption('the user who is logged in');
    await answers('"callerType": "user"');
    await close();
  });

  test('Interface 2: a query is typed with what fits at the cursor, by keys alone, and faults are named', async () => {
    const { page, close } = await open();
    const query = queryOf(page);
    await query.fill('');
    await page.keyboard.type('query Mine {\nme {\nemail\nses');
    await page.keyboard.press('Control+Space'); // there is one: sessions
    await page.keyboard.type('(li');
    await page.keyboard.press('Control+Space');
    await page.keyboard.type(': true) {\nnodes {\nis');
    const fitting = page.getByRole('list', { name: 'At the cursor' }).getByRole('button');
    expect(await fitting.allInnerTexts()).toEqual(['isCurrent Boolean!', 'isLive Boolean!']);
    await page.keyboard.press('Control+Space'); // of two the first has the focus
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.type('\nnone }}}}');
    const typed =
      'query Mine {\n  me {\n    email\n    sessions(live: true) {\n      nodes {\n        isLive\n        none }}}}';
    expect(await query.inputValue()).toBe(typed);
    await page.getByText('Line 7: Cannot query field "none" on type "Session".').waitFor();
    await query.press('Control+Enter');
    await page.getByText(/^4\d\d, \d+ ms$/).waitFor();
    await page.getByLabel('Variables').fill('{');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Not sent').waitFor();
    expect(await resultOf(page).innerText()).toMatch(/SyntaxError: .*JSON/);
    await close();
  });

  test('Interface 2: the schema is read and searched without a login', async () => {
    const { page, close } = await open();
    await page.getByLabel('Search types and fields').fill('lockedun');
    await page.getByText(/^[2-9] found$/).waitFor();
    await page.getByRole('button', { name: 'User.lockedUntil' }).press('Enter');
    await page.getByRole('heading', { name: 'User', exact: true }).and(page.locator(':focus')).waitFor();
    await page.getByRole('button', { name: 'SessionConnection' }).click();
    await page.getByRole('heading', { name: 'SessionConnection' }).waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('heading', { name: 'User', exact: true }).waitFor();
    await close();
  });

  /** All that the page keeps: the names of its databases, and what is in its storage. */
  const stored = (page: Page): Promise<string> =>
    page.evaluate(
      'indexedDB.databases().then((databases) => JSON.stringify([databases, { ...localStorage }, { ...sessionStorage }]))',
    );

  /** All that the page shows, or would when somebody scrolls. */
  const shown = (page: Page): Promise<string> =>
    page.evaluate(`[document.documentElement.outerHTML, ...Array.from(document.querySelectorAll('input'), ({ value }) => value),
      ...Array.from(document.querySelectorAll('textarea'), ({ value }) => value)].join('\\n')`);

  test('Interface 2: input and answers are stored nowhere, and are gone from the page after a log-out', async () => {
    const { page, said, close } = await open();
    const { email } = await site.gateway.user({ role: 'admin' });
    const [password, made, key, operation] = ['a password of nobody else', 'made@example.com', 'aks_x', 'MakeUser'];
    const typed = [password, made, key, operation];
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText(`Logged in as ${email} (admin)`).waitFor();
    await queryOf(page).fill(
      `mutation ${operation}($input: CreateUserInput!) { createUser(input: $input) { user { email } } }`,
    );
    await page.getByLabel('Variables').fill(JSON.stringify({ input: { email: made, password, role: 'viewer' } }));
    await page.getByRole('button', { name: /execute query/i }).click();
    await until('it is answered', async () => (await resultOf(page).innerText()).includes(`"email": "${made}"`));
    await page.getByLabel('Ask as').selectOption('an API key');
    await page.getByLabel('Secret').fill(key);
    await page.getByRole('button', { name: 'WhoAmI' }).click();
    expect(await page.getByLabel('Variables').inputValue()).toBe('');
    await page.getByRole('button', { name: operation }).click(); // among those that were asked
    await page.clock.fastForward(10_000);
    for (const text of typed) {
      expect(await shown(page)).toContain(text);
      expect(await stored(page)).not.toContain(text);
    }
    expect(await stored(page)).toMatch(/^\[\[\],\{"auth-gateway [^"]+":"[^}]+}"\},\{\}\]$/); // the client's mark alone

    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('E-mail').waitFor();
    const expectNothing = async (): Promise<void> => {
      await page.clock.fastForward(10_000);
      for (const text of [...typed, email]) expect(await shown(page)).not.toContain(text);
      expect(await stored(page)).toBe('[[],{},{}]');
    };
    await expectNothing();
    expect(await shown(page)).toContain('query WhoAmI');
    await page.reload();
    await page.getByLabel('E-mail').waitFor();
    await expectNothing();
    expect(said.filter((text) => !REFUSED.test(text))).toEqual([]);
    await close();
  });

  test('Interface 2: what is typed before a login stays, and goes when somebody else logs in from another tab', async () => {
    const { page, close } = await open();
    const [first, second] = [await site.gateway.user(), await site.gateway.user()];
    await queryOf(page).fill('{ me { email } } # of the first');
    await page.getByLabel('E-mail').fill(first.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText(`Logged in as ${first.email} (viewer)`).waitFor();
    expect(await shown(page)).toContain('# of the first');

    const other = await page.context().newPage();
    await other.goto(site.edge.url);
    await other.evaluate(`auth.login(${JSON.stringify({ email: second.email, password: PASSWORD })})`);
    await page.getByText(`Logged in as ${second.email} (viewer)`).waitFor();
    expect(await shown(page)).not.toContain('# of the first');
    await close();
  });

  test('Interface 2: at an origin that may not log in, a refused login leads to the one that may', async () => {
    const { page, close } = await open();
    const { email } = await site.gateway.user();
    await page.goto(`${site.gateway.url}/graphql`);
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').getByRole('link', { name: site.edge.url }).click();
    await page.waitForURL(`${site.edge.url}/graphql`);
    await close();
  });

  test('Interface 2: if the gateway does not say the e-mail, the page greets by the id', async () => {
    const { page, close } = await open();
    const { email, id } = await site.gateway.user();
    await page.route('**/graphql', (route) =>
      route.request().method() === 'POST' ? route.fulfill({ status: 503, body: 'no JSON' }) : route.continue(),
    );
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText(`Logged in as ${id} (viewer)`).waitFor();
    await close();
  });

  test('Interface 2: what earlier versions stored is removed when the page opens', async () => {
    const { page, close } = await open();
    await page.evaluate(
      `for (const name of ['graphiql:queries', 'graphiql:tabState', 'mine']) localStorage.setItem(name, 'x')`,
    );
    await page.reload();
    await page.getByLabel('E-mail').waitFor();
    expect(await stored(page)).toBe('[[],{"mine":"x"},{}]');
    await close();
  });
});
