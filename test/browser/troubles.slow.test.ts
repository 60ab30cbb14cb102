/** docs/login.md, "What goes wrong": each looks as it is printed there, and has the fix that the page says. */
import type { Browser } from 'playwright-core';
import { testedBlock } from '../documents/printed.js';
import { until } from '../support/until.js';
import { type Arrangement, arrange, type Origins } from './arrangement.js';
import { launchChromium } from './chromium.js';
import { inChromium, sidOf } from './site.js';

interface Trouble {
  /** Mark of the console's message in the page */
  mark: string;
  names: Origins;
  wrong(origins: Origins): Record<string, string>;
  cured: { names?: Origins; env(origins: Origins): Record<string, string> };
  /** In the log */
  answer: string;
  /** The sentence of the client's error at the login */
  detail: RegExp;
}

const LOCAL = { page: 'http://localhost', gateway: 'http://localhost' };
const listed = ({ page, gateway }: Origins) => ({ PUBLIC_URL: gateway, CORS_ORIGINS: page });

const TROUBLES: Trouble[] = [
  {
    mark: 'reload-logs-out',
    names: { page: 'http://127.0.0.1', gateway: 'http://localhost' },
    wrong: listed,
    cured: { names: LOCAL, env: listed },
    answer: '/auth/refresh 401 no_refresh_token',
    detail: /^$/,
  },
  {
    mark: 'proxy-403',
    names: { page: 'http://localhost', gateway: '' },
    wrong: () => ({ PUBLIC_URL: 'http://localhost:3000' }),
    cured: { env: ({ page }) => ({ PUBLIC_URL: page }) },
    answer: '/auth/login 403 cross_site',
    detail: /^Calls from this origin are not allowed/,
  },
  {
    mark: 'no-answer',
    names: LOCAL,
    wrong: ({ gateway }) => ({ PUBLIC_URL: gateway }),
    cured: { env: listed },
    answer: '/auth/login 405 method_not_allowed',
    detail: /No answer/,
  },
];

inChromium('docs/login.md, what goes wrong, in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  /** Logs in and loads the page anew. @returns the session that it then has, and the sentence of a failed login */
  async function tryIt(site: Arrangement): Promise<{ sid: unknown; detail: string }> {
    const detail = await site.logIn();
    await site.page.reload();
    return { detail, sid: await sidOf(site.page) };
  }

  test.each(TROUBLES)('$mark', async ({ mark, names, wrong, cured, answer, detail }) => {
    const ill = await arrange(await browser.newContext(), names, wrong);
    try {
      const seen = await tryIt(ill);
      expect(seen).toEqual({ sid: undefined, detail: expect.stringMatching(detail) });
      expect(ill.answers()).toContain(answer);
      const line = testedBlock('docs/login.md', mark)
        .replaceAll('http://localhost:5173', ill.page.url().split('/?')[0] ?? '')
        .replaceAll('http://localhost:3000', ill.gatewayOrigin);
      await until(`the console says: ${line}`, () => ill.console().includes(line));
    } finally {
      await ill.close();
    }
    const well = await arrange(await browser.newContext(), cured.names ?? names, cured.env);
    try {
      expect(await tryIt(well)).toEqual({ sid: expect.any(String), detail: '' });
    } finally {
      await well.close();
    }
  });
});
