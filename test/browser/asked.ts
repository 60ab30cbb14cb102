/** What the page of `pages/client.js` is asked. */
import type { Page } from 'playwright-core';

/** The access token that it is given, undefined where it is logged out */
export async function tokenOf(page: Page): Promise<string | undefined> {
  const token = await page.evaluate('auth.getAccessToken()');
  return typeof token === 'string' ? token : undefined;
}

/** The status of a call that needs a token */
export function statusOfCall(page: Page): Promise<unknown> {
  return page.evaluate(`auth.fetch('/graphql', { method: 'POST', headers: { 'content-type': 'application/json' },
    body: '{"query":"{ caller { callerType } }"}' }).then(({ status }) => status)`);
}
