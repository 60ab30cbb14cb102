/** The console in a real browser: opened by somebody with a role; what must never happen there is collected. */
import type { Page } from 'playwright-core';
import type { Role } from '../../../src/domain/roles.js';
import { claimsOf, PASSWORD } from '../../support/gateway/gateway.js';
import { until } from '../../support/until.js';
import { violationsOf } from '../axe.js';
import { launchHeadlessShell } from '../chromium.js';
import { type Setup, type Site, startSite } from '../site.js';

/** Chromium reports an answer of 4xx or 5xx, and none, by itself. */
const FAILED_REQUEST = /^Failed to load resource/;

/** News at once, and signs of life so often that a page whose clock jumps does not give up its stream: milliseconds */
const LIVE = { pollMs: 50, settledSeconds: 0, silentMs: 500 };

/** A gateway with the console, whose tests may log in as often as they like. */
export function startConsole({ env = {}, ...setup }: Setup = {}): Promise<Site> {
  return startSite({ launch: launchHeadlessShell, live: LIVE, ...setup, env: { LOGIN_RATE_LIMIT: '100000', ...env } });
}

export interface Opened {
  page: Page;
  /** Who is logged in */
  email: string;
  id: string;
  /** Errors of the page, violations of its policy, and requests that are none of its business. Expect none. */
  wrong: string[];
  close(): Promise<void>;
}

export interface Looks {
  scheme?: 'light' | 'dark';
  width?: number;
  /** Of who is logged in */
  email?: string;
}

/** Opens a view as a new user with the role, who is logged in: as in a tab that goes on with the session of another. */
export async function openConsole(site: Site, role: Role, path = '/console/', looks: Looks = {}): Promise<Opened> {
  const { email, id } = await site.gateway.user({ role, ...(looks.email !== undefined && { email: looks.email }) });
  const opened = await openAlone(site, path, { ...looks, email });
  await opened.page.getByRole('banner').waitFor();
  return { ...opened, email, id };
}

/** The form takes half of the time of a short test. */
async function logInWithoutForm(page: Page, origin: string, email: string): Promise<void> {
  const answer = await page.request.post(`${origin}/auth/login`, { data: { email, password: PASSWORD } });
  const { sid } = claimsOf((await answer.json()).access_token);
  const item = JSON.stringify(`auth-gateway ${origin}`);
  await page.addInitScript(`if (!sessionStorage.isLoaded) {
    sessionStorage.isLoaded = true; // so not again after a logout
    localStorage[${item}] = ${JSON.stringify(JSON.stringify({ sid }))};
  }`);
}

/** Opens a view. @param looks with an e-mail: logged in */
export async function openAlone(site: Site, path = '/console/', { scheme = 'light', width = 1280, email }: Looks = {}) {
  const profile = await site.browser.newContext({ colorScheme: scheme, viewport: { width, height: 800 } });
  profile.setDefaultTimeout(60_000);
  await profile.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await profile.newPage();
  if (email !== undefined) await logInWithoutForm(page, site.edge.url, email);
  const wrong: string[] = [];
  page.on('console', (message) => {
    if (!FAILED_REQUEST.test(message.text())) wrong.push(message.text());
  });
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('request', (request) => {
    const { origin, pathname } = new URL(request.url());
    if (/^(data|blob):/.test(request.url())) return;
    if (origin !== site.edge.url || !/^\/(account|console|auth|graphql|favicon\.ico)(\/|$)/.test(pathname))
      wrong.push(request.url());
  });
  await page.goto(`${site.edge.url}${path}`);
  return { page, wrong, close: () => profile.close() };
}

export async function logIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('banner').waitFor();
}

/** The `h1` of the view, once it says so. */
export async function expectHeading(page: Page, text: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: text, exact: true }).waitFor();
}

/** An effect of the page sets the focus, shortly after what it has drawn. @param of a script, of `e`, the focused element */
export async function expectFocus(page: Page, of: string, wanted: string | number): Promise<void> {
  const focused = () => page.evaluate(`(() => { const { activeElement: e } = document; return ${of}; })()`);
  await until(`${wanted} has the focus`, async () => (await focused()) === wanted);
}

/** What axe finds wrong, and whether something is cut off to the right. */
export async function lookAt(page: Page): Promise<{ violations: string[]; isWithin: boolean }> {
  const violations = await violationsOf(page);
  const isWithin = await page.evaluate<boolean>(
    'document.documentElement.scrollWidth <= document.documentElement.clientWidth',
  );
  return { violations, isWithin };
}

export const GOOD = { violations: [], isWithin: true };

/** As if the last proof of each session of the user had been three hours ago. */
export async function ageProofs({ gateway }: Site, userId: string): Promise<void> {
  await gateway.rows(
    `update refresh_tokens set session_started_at = session_started_at - interval '3 hours',
       proved_at = proved_at - interval '3 hours' where user_id = $1`,
    [userId],
  );
}

export const confirmDialog = (page: Page) => page.getByRole('dialog', { name: 'Confirm who you are' });

/** Gives the password that the page asks for again. */
export async function confirmByPassword(page: Page, password = PASSWORD): Promise<void> {
  await confirmDialog(page).getByLabel('Your password').fill(password);
  await confirmDialog(page).getByRole('button', { name: 'Confirm' }).click();
}
