/** The page `/account` in a real browser. What must never happen there is collected, as in the console. */
import type { Page } from 'playwright-core';
import { PASSWORD } from '../../support/gateway/gateway.js';
import { login } from '../../support/gateway/routes.js';
import { type Looks, type Opened, openAlone, startConsole } from '../console/console.js';
import type { Setup, Site } from '../site.js';

/** A gateway with the page, mail and devices, whose tests may log in as often as they like; without the console. */
export function startAccount(setup: Setup = {}) {
  const env = { CONSOLE: 'off', MAIL: 'log', KNOWN_DEVICES: 'on', ...setup.env };
  return startConsole({ print: () => undefined, outboxPollMs: 20, ...setup, env });
}

/** Opens the page as a new user, who is logged in. */
export async function openAccount(site: Site, path = '/account', looks: Looks = {}): Promise<Opened> {
  const { email, id } = await site.gateway.user({ role: 'viewer', ...(looks.email && { email: looks.email }) });
  const opened = await openAlone(site, path, { ...looks, email });
  await whole(opened.page);
  return { ...opened, email, id };
}

/** Sessions of other browsers of the same user. */
export async function logInElsewhere(site: Site, email: string, ...userAgents: string[]): Promise<void> {
  for (const userAgent of userAgents) {
    const { status } = await login(site.gateway, email, PASSWORD, { 'user-agent': userAgent });
    if (status !== 200) throw new Error(`the login is ${status}`);
  }
}

export const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';

/** Waits until everything of the page is shown. */
export async function whole(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor();
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
}
