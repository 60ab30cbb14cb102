/** People walk through the gate: real Chromium, nginx, Caddy and HAProxy, with the shipped files. (Interface 22) */
import type { Page, Route } from 'playwright-core';
import { codeAt, withTotp } from '../../support/gateway/factors.js';
import { GATE_COOKIE, STATE_COOKIE } from '../../support/gateway/gate.js';
import type { ProxyKind } from '../../support/programs/forward-auth-proxy.js';
import { until } from '../../support/until.js';
import { inChromium } from '../site.js';
import {
  arrival,
  GATEWAY,
  type GateSite,
  logIn,
  type Newcomer,
  ORIGINS,
  SIBLING,
  STRANGER,
  startGateSite,
} from './site.js';

const KINDS = Object.keys(ORIGINS) as ProxyKind[];
const APP = ORIGINS.nginx;

inChromium('in Chromium', () => {
  let site: GateSite;
  beforeAll(async () => {
    site = await startGateSite();
  });
  afterAll(() => site?.close());

  describe.each(KINDS)('Interface 22: behind %s', (kind) => {
    const origin = ORIGINS[kind];
    test('a deep link leads to the form and from there to its page, a second service needs no form, and a logout ends both', async () => {
      const { profile, page, id, email } = await site.newcomer();
      const link = `${origin}/reports?year=2026&q=a%20b&q=%C3%A9`;
      await page.goto(link);
      expect(new URL(page.url()).origin).toBe(GATEWAY);
      await logIn(page, email);
      expect(await arrival(page, link)).toBe(id);
      expect(await page.locator('#target').innerText()).toBe('/reports?year=2026&q=a%20b&q=%C3%A9');

      const other = await profile.newPage();
      const second = `${kind === 'nginx' ? ORIGINS.caddy : APP}/second`;
      await other.goto(second);
      expect(await arrival(other, second)).toBe(id);

      await page.getByRole('button', { name: 'Leave' }).click();
      await page.getByLabel('E-mail').waitFor();
      await other.reload();
      await other.getByLabel('E-mail').waitFor();
      await profile.close();
    });
  });

  /** Somebody who has entered by the form. */
  async function entered(path = '/'): Promise<Newcomer> {
    const person = await site.newcomer();
    await person.page.goto(APP + path);
    await logIn(person.page, person.email);
    await arrival(person.page, APP + path);
    return person;
  }

  const goTo = async ({ page, id }: Pick<Newcomer, 'page' | 'id'>, address: string) => {
    await page.goto(address);
    expect(await arrival(page, address)).toBe(id);
  };

  /** Live records of the sessions of a user, and thefts */
  async function sessionsOf({ id }: Newcomer) {
    const [counts] = await site.gateway.rows(
      `select (select count(*)::int from refresh_tokens where user_id = $1 and not revoked) as live,
         (select count(*)::int from audit_events where user_id = $1 and event_type = 'token_theft') as thefts`,
      [id],
    );
    return counts;
  }
  const UNHARMED = { live: 1, thefts: 0 };

  const outcomes = () => site.log.lines().flatMap(({ outcome }) => (typeof outcome === 'string' ? [outcome] : []));

  test('Interface 22: the back button leads from the service to the page of before, and forward again', async () => {
    const { profile, page, id, email } = await site.newcomer();
    site.elsewhere.serve('/links', 'text/html', `<a href="${APP}/linked">there</a>`);
    await page.goto(`${STRANGER}/links`);
    await page.getByRole('link').click();
    await logIn(page, email);
    expect(await arrival(page, `${APP}/linked`)).toBe(id);
    await page.goBack({ waitUntil: 'commit' });
    expect(page.url()).toBe(`${STRANGER}/links`);
    await page.goForward({ waitUntil: 'commit' });
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(id);
    await profile.close();
  });

  test('Interface 22: two tabs that are opened at once both arrive', async () => {
    const { profile, page, id, email } = await site.newcomer();
    const other = await profile.newPage();
    await Promise.all([page.goto(`${APP}/one`), other.goto(`${APP}/two`)]);
    await logIn(page, email); // the other one notices
    expect(await arrival(page, `${APP}/one`)).toBe(id);
    expect(await arrival(other, `${APP}/two`)).toBe(id);
    await profile.close();
  });

  test.each([
    ['while the cookie is good', 0],
    ['when the cookie has expired', 50_000],
  ])('Interface 22: twenty reloads at once do not end the session, %s', async (_when, seconds) => {
    const person = await entered('/storm');
    site.gateway.clock.advance(seconds);
    for (let n = 0; n < 20; n += 1)
      await person.page.goto(`${APP}/storm`, { waitUntil: 'commit' }).catch(() => undefined);
    await goTo(person, `${APP}/storm`);
    expect(await sessionsOf(person)).toEqual(UNHARMED);
    await person.profile.close();
  });

  test('Interface 22: for two weeks nobody sees the form again', async () => {
    const person = await entered();
    for (const day of [5, 10, 14]) {
      site.gateway.clock.advance(4.7 * 86_400);
      await goTo(person, `${APP}/days/${day}`);
    }
    expect(await sessionsOf(person)).toEqual(UNHARMED);
    await person.profile.close();
  });

  test('Interface 22: a link on a third site needs no form, though the cookies of the gateway are strict and of no use to other sites', async () => {
    const { profile, page, id } = await entered();
    site.elsewhere.serve('/links', 'text/html', `<a href="${ORIGINS.caddy}/linked">there</a>`);
    await page.goto(`${STRANGER}/links`);
    await page.getByRole('link').click();
    expect(await arrival(page, `${ORIGINS.caddy}/linked`)).toBe(id);
    const kept = (await profile.cookies()).map(({ name, domain, sameSite }) => `${domain} ${name} ${sameSite}`);
    expect(kept.toSorted()).toEqual([
      'app.example.com __Host-auth-gate Lax',
      'app.example.com __Host-auth-gate-state Lax',
      'auth.example.net refresh_token Strict',
      'wiki.example.com __Host-auth-gate Lax',
      'wiki.example.com __Host-auth-gate-state Lax',
    ]);
    await profile.close();
  });

  test('Interface 22: a single-page application leads the person to the gate, which needs no form while the session lives', async () => {
    const { profile, page, id } = await entered('/spa?view=2');
    await page.evaluate(`ask('/api/me')`);
    expect(await page.locator('#said').innerText()).toBe(id);
    site.gateway.clock.advance(50_000); // longer than the cookie lives
    await page.evaluate(`ask('/api/me')`);
    await page.waitForURL(`${GATEWAY}/gate?**`, { waitUntil: 'commit' });
    expect(await arrival(page, `${APP}/spa?view=2`)).toBe(id);
    await profile.close();
  });

  test('Interface 22: a single-page application whose session has ended leads to the form, and goes on where it was', async () => {
    const { profile, page, id, email } = await entered('/spa?view=2');
    await endSessions(id);
    await page.evaluate(`ask('/api/me')`);
    await logIn(page, email);
    expect(await arrival(page, `${APP}/spa?view=2`)).toBe(id);
    await profile.close();
  });

  /** As another browser of the user, or an operator, would. */
  async function endSessions(id: string): Promise<void> {
    await site.gateway.rows('update refresh_tokens set revoked = true where user_id = $1', [id]);
  }

  test.each(KINDS)(
    'Interface 22: behind %s websockets and events of the own page arrive, a sibling opens none',
    async (kind) => {
      const { profile, page, id } = await entered();
      const origin = ORIGINS[kind];
      await page.goto(`${origin}/live`);
      await arrival(page, `${origin}/live`);
      const first = (kind: string, address: string) =>
        page.evaluate<string>(`new Promise((resolve) => {
        const opened = new ${kind}('${address}');
        opened.onmessage = ({ data }) => { opened.close(); resolve(data); };
        opened.onerror = () => resolve('refused');
      })`);
      const socket = `${origin.replace('https', 'wss')}/socket`;
      expect(await first('WebSocket', socket)).toBe(id);
      expect(await first('EventSource', '/events')).toBe(id);
      site.elsewhere.serve('/', 'text/html', 'mine');
      await page.goto(SIBLING);
      expect(await first('WebSocket', `${socket}?sibling`)).toBe('refused');
      expect(site.service.seen()).not.toContain('GET /socket?sibling');
      await profile.close();
    },
  );

  test('Interface 22: a form that is sent after the session has ended gets 401, and is still there one step back', async () => {
    const { profile, page, id } = await entered('/write');
    const text = 'so much work '.repeat(20_000);
    await page.locator('textarea').fill(text);
    await endSessions(id);
    const answered = page.waitForResponse(`${APP}/reports`);
    await page.getByRole('button', { name: 'Send' }).click();
    expect((await answered).status()).toBe(401);
    await page.waitForURL(`${APP}/reports`);
    await page.goBack({ waitUntil: 'commit' });
    expect(await page.locator('textarea').inputValue()).toBe(text);
    await profile.close();
  });

  test('Interface 22: what is loaded ahead neither logs in nor uses a code up', async () => {
    const { profile, page, id } = await entered();
    const withoutCookie = () => profile.clearCookies({ name: GATE_COOKIE });
    await withoutCookie();
    const { promise, resolve } = Promise.withResolvers<string>();
    const stop = async (route: Route): Promise<void> => {
      await route.abort();
      resolve(route.request().url());
    };
    await page.route(`${APP}/.auth-gateway/callback**`, stop, { times: 1 });
    await page.goto(`${APP}/by-code`);
    const address = await promise;

    const other = await profile.newPage();
    await other.goto(`${APP}/here`);
    await arrival(other, `${APP}/here`);
    site.log.clear();
    await loadAhead(other, [address]);
    await until('the code was loaded ahead', () => outcomes().includes('gate_code_invalid'));
    await withoutCookie();
    await loadAhead(other, ['/later', '/later?drawn']);
    await until('pages were loaded ahead', () => outcomes().filter((it) => it === 'missing_credentials').length > 1);
    expect(outcomes().filter((it) => it.startsWith('gate_'))).toEqual(['gate_code_invalid']);
    await page.goto(address);
    expect(await arrival(page, `${APP}/by-code`)).toBe(id);
    await profile.close();
  });

  /** By speculation rules: the addresses are fetched, and the last of them is drawn. */
  async function loadAhead(page: Page, urls: string[]): Promise<void> {
    const rules = {
      prefetch: [{ urls: urls.slice(0, 1), eagerness: 'immediate' }],
      prerender: [{ urls: urls.slice(1), eagerness: 'immediate' }],
    };
    await page.evaluate(`document.head.append(Object.assign(document.createElement('script'),
      { type: 'speculationrules', textContent: ${JSON.stringify(JSON.stringify(rules))} }))`);
  }

  test.each([
    ['a sibling host', SIBLING],
    ['a third site', STRANGER],
  ])('Interface 22: images, forms and fetches of %s change nothing', async (_what, from) => {
    const person = await entered();
    const { page, profile } = person;
    const targets = ['/.auth-gateway/logout', '/reports?forged'];
    const forms = targets.map((path) => `<form method="post" action="${APP}${path}"><button>${path}</button></form>`);
    site.elsewhere.serve('/forged', 'text/html', forms.join(''));
    for (const path of targets) {
      await page.goto(`${from}/forged`);
      const answers = page.evaluate(`(() => {
        const loaded = new Promise((resolve) => {
          const image = new Image();
          image.onload = image.onerror = resolve;
          image.src = '${APP}${path}';
        });
        const sent = fetch('${APP}${path}', { method: 'POST', mode: 'no-cors', credentials: 'include' });
        return Promise.all([loaded, sent]).then(() => 'sent');
      })()`);
      expect(await answers).toBe('sent');
      await page.getByRole('button', { name: path }).click();
      await page.waitForURL(`${APP}${path}`);
    }
    expect(site.service.seen()).not.toContain('POST /reports?forged');
    await goTo(person, `${APP}/still`);
    expect(await sessionsOf(person)).toEqual(UNHARMED);
    await profile.close();
  });

  test('Interface 22: a cookie that a sibling host plants makes nobody somebody else', async () => {
    const attacker = await entered();
    const cookie = async (name: string) => (await attacker.profile.cookies(APP)).find((it) => it.name === name)?.value;
    const [gate, state] = [await cookie(GATE_COOKIE), await cookie(STATE_COOKIE)];
    const planted = [
      `${GATE_COOKIE}=${gate}`,
      `__HOST-auth-gate=${gate}`,
      `=${GATE_COOKIE}=${gate}`,
      `auth-gate=${gate}`,
      `${STATE_COOKIE}=${state}`,
      `auth-gate-state=${state}`,
    ].map((pair) => `${pair}; domain=example.com; path=/; secure`);
    const { profile, page, id, email } = await site.newcomer();
    site.elsewhere.serve('/', 'text/html', 'mine');
    const sibling = await profile.newPage();
    await sibling.goto(SIBLING);
    const plant = () => sibling.evaluate(`${JSON.stringify(planted)}.forEach((each) => { document.cookie = each; })`);
    await plant();
    await page.goto(`${APP}/mine`);
    await logIn(page, email);
    expect(await arrival(page, `${APP}/mine`)).toBe(id);
    await plant();
    await goTo({ page, id }, `${APP}/mine-again`);
    await attacker.profile.close();
    await profile.close();
  });

  test('Interface 22: somebody with an authenticator app gives its code on the way', async () => {
    const { user, secret } = await withTotp(site.gateway);
    const { profile, page } = await site.newcomer();
    await page.goto(`${APP}/guarded`);
    await logIn(page, user.email);
    await page.getByLabel('Code').fill(codeAt(secret, site.gateway.clock.now()));
    await page.getByRole('button', { name: 'Log in' }).click();
    expect(await arrival(page, `${APP}/guarded`)).toBe(user.id);
    await profile.close();
  });

  test('Interface 22: the redirect of before is not stored, so that somebody who has logged in is not sent back', async () => {
    const person = await entered('/stored');
    site.log.clear();
    await goTo(person, `${APP}/stored`);
    await goTo(person, `${APP}/stored`);
    expect(outcomes()).not.toContain('gate_redirected');
    await person.profile.close();
  });

  test('Interface 22: a service worker that leaves the opening of pages alone is no obstacle', async () => {
    const person = await entered();
    const { page, profile, email, id } = person;
    await page.evaluate(`navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready)`);
    await page.waitForFunction('navigator.serviceWorker.controller !== null');
    site.gateway.clock.advance(50_000);
    await goTo(person, `${APP}/worked?on=1`);
    await endSessions(id);
    await page.goto(`${APP}/worked?on=2`);
    await logIn(page, email);
    expect(await arrival(page, `${APP}/worked?on=2`)).toBe(id);
    await profile.close();
  });
});
