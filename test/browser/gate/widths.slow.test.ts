/** Every state of the page `/gate` fits, at each width and in both schemes, also for a host of 253 characters. (Interface 22) */
import { withTotp } from '../../support/gateway/factors.js';
import { whileAway } from '../../support/postgres/faults.js';
import { ageProofs, confirmDialog, GOOD, lookAt } from '../console/console.js';
import { faultsIn, TARGET, TARGET_OF_FINGERS } from '../fits.js';
import { inChromium } from '../site.js';
import {
  type GateSite,
  gateAddress,
  LONG_HOST,
  logInBehind,
  newBrowser,
  startGate,
  submitLogin,
  type Visit,
} from './gate.js';

const WIDTHS = [320, 360, 1280];
const LONG = { origin: `https://${LONG_HOST}` };

inChromium('in Chromium, the gate', () => {
  let site: GateSite;
  beforeAll(async () => {
    site = await startGate({ env: { PRODUCT_NAME: 'Acme' } });
  });
  afterAll(() => site?.close());

  async function expectFits({ page }: Visit, what: string): Promise<void> {
    const found: string[] = [];
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      found.push(...(await faultsIn(page, TARGET)).map((fault) => `${what}, ${width}: ${fault}`));
    }
    expect(found).toEqual([]);
    expect(await lookAt(page)).toEqual(GOOD);
  }

  test.each(['light', 'dark'] as const)('Interface 22: %s: each state fits', async (scheme) => {
    const visit = await newBrowser(site, { scheme });
    const { page, wrong } = visit;
    const open = (query: Record<string, string>) => page.goto(gateAddress(site, query));

    await open({ origin: 'https://evil.example.net' });
    await page.getByRole('heading', { name: 'This address leads nowhere' }).waitFor();
    await expectFits(visit, 'astray');
    await open({ ...LONG, problem: 'code' });
    await page.getByRole('heading', { name: 'That did not work' }).waitFor();
    await expectFits(visit, 'problem');
    await open(LONG);
    await page.getByLabel('Password').waitFor();
    await expectFits(visit, 'form');
    await submitLogin(page, (await withTotp(site.gateway)).user.email);
    await page.getByLabel('Code').waitFor();
    await expectFits(visit, 'second step');

    const { email, id } = await site.gateway.user({
      email: `${'m'.repeat(64)}@${scheme}.${'w'.repeat(60)}.example.com`,
    });
    await logInBehind(site, visit, email);
    await open({ ...LONG, acr: 'aal2' });
    await page.getByText('It lets nobody in without a second factor').waitFor();
    await page.getByText(email).waitFor();
    await expectFits(visit, 'no factor');
    await ageProofs(site, id);
    await open({ ...LONG, max_age: '60' });
    await confirmDialog(page).waitFor();
    await expectFits(visit, 'dialog');
    await page.keyboard.press('Escape');
    await expectFits(visit, 'proof');

    await page.route('**/auth/gate', (route) => route.abort());
    await open({ ...LONG, state: 'a'.repeat(43) });
    await page.getByRole('alert').getByText('The gateway does not answer.').waitFor();
    await expectFits(visit, 'no answer');
    await whileAway(site.gateway.database, async () => {
      await open(LONG);
      await page.getByText('The gateway does not answer. Trying again…').waitFor();
      await expectFits(visit, 'offline');
    });
    await page.evaluate(
      `sessionStorage['auth-gateway returns ${LONG.origin}'] = JSON.stringify(Array(4).fill({ time: Date.now() }))`,
    );
    await open(LONG);
    await page.getByText('keeps sending you back here').waitFor();
    await expectFits(visit, 'loop');
    expect(wrong).toEqual([]);
    await visit.close();
  });

  test('Interface 22: what is touched is large enough for fingers', async () => {
    const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
    const profile = await site.browser.newContext(phone);
    profile.setDefaultTimeout(60_000);
    const page = await profile.newPage();
    await page.goto(gateAddress(site));
    await page.getByLabel('Password').waitFor();
    expect(await faultsIn(page, TARGET_OF_FINGERS)).toEqual([]);
    await submitLogin(page, (await withTotp(site.gateway)).user.email);
    await page.getByLabel('Code').waitFor();
    expect(await faultsIn(page, TARGET_OF_FINGERS)).toEqual([]);
    await profile.close();
  });
});
