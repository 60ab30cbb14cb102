/** Colours that the system forces, more contrast, and times that pass: nothing is told by colour alone, nothing gets old. (Interface 19) */
import type { Locator, Page } from 'playwright-core';
import { inChromium, type Site } from '../site.js';
import { GOOD, lookAt, type Opened, openConsole, startConsole } from './console.js';

const PATH = '/console/audit';
const MINUTE_MS = 60_000;

const styleOf = (element: Locator, property: string): Promise<string> =>
  element.evaluate((each, name) => getComputedStyle(each).getPropertyValue(name), property);

const pixelsOf = async (element: Locator, property: string): Promise<number> =>
  Number.parseFloat(await styleOf(element, property));

inChromium('in Chromium, the console', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startConsole();
  });
  afterAll(() => site?.close());

  const focused = (page: Page) => page.locator(':focus');

  test.each(['light', 'dark'] as const)(
    'Interface 19: with forced colours, %s, the focus has a ring, and what is chosen is not told by colour alone',
    async (scheme) => {
      const { page, wrong, close } = await openConsole(site, 'admin', '/console/', { scheme });
      await page.emulateMedia({ forcedColors: 'active', colorScheme: scheme });
      const [pressed, other] = [true, false].map((isPressed) =>
        page.getByRole('group', { name: 'Time to count' }).getByRole('button', { pressed: isPressed }),
      ) as [Locator, Locator];
      await pressed.waitFor();
      expect(await pixelsOf(pressed, 'border-top-width')).toBeGreaterThan(await pixelsOf(other, 'border-top-width'));
      const views = page.getByRole('navigation', { name: 'Views' }).getByRole('link');
      const current = views.and(page.locator('[aria-current]'));
      expect(await pixelsOf(current, 'border-top-width')).toBe(1);
      expect(await pixelsOf(views.and(page.locator(':not([aria-current])')).first(), 'border-top-width')).toBe(0);
      for (const part of [current, other, page.getByRole('searchbox'), page.getByRole('button', { name: 'Log out' })]) {
        await page.keyboard.press('Tab'); // so that the focus is that of a keyboard
        await part.focus();
        expect([await styleOf(part, 'outline-style'), await styleOf(part, 'outline-width')]).toEqual(['solid', '2px']);
        expect(await styleOf(part, 'outline-color')).not.toBe(await styleOf(page.locator('body'), 'background-color'));
      }
      const bars = page.getByRole('group', { name: 'Logins by hour' });
      await bars.getByRole('link').last().focus();
      await page.keyboard.press('ArrowLeft');
      const [fill, rest] = [focused(page).locator('.bar-place'), bars.getByRole('link').first().locator('.bar-place')];
      expect(await styleOf(fill, 'fill')).not.toBe(await styleOf(rest, 'fill'));
      await page.keyboard.press('Control+k');
      const options = page.getByRole('listbox', { name: 'Commands' }).getByRole('option');
      await options.first().waitFor();
      await page.keyboard.press('ArrowDown');
      expect(await styleOf(options.and(page.locator('[aria-selected="true"]')), 'outline-style')).toBe('solid');
      expect(await styleOf(options.first(), 'outline-style')).toBe('none');
      await page.keyboard.press('Escape');
      expect(await lookAt(page)).toEqual(GOOD);
      expect(wrong).toEqual([]);
      await close();
    },
  );

  test.each(['light', 'dark'] as const)(
    'Interface 19: who asks for more contrast, %s, gets quiet text and lines in the colour of the text',
    async (scheme) => {
      const { page, wrong, close } = await openConsole(site, 'admin', '/console/keys', { scheme });
      const quiet = page.locator('main .quiet').first();
      const table = page.getByRole('textbox').or(page.getByRole('searchbox')).last();
      const text = await styleOf(page.locator('body'), 'color');
      await quiet.waitFor();
      expect([await styleOf(quiet, 'color'), await styleOf(table, 'border-top-color')]).not.toContain(text);
      await page.emulateMedia({ contrast: 'more', colorScheme: scheme });
      expect([await styleOf(quiet, 'color'), await styleOf(table, 'border-top-color')]).toEqual([text, text]);
      expect(await lookAt(page)).toEqual(GOOD);
      expect(wrong).toEqual([]);
      await close();
    },
  );

  /** The audit log at this time of its reader's clock, with an event at each of these times */
  async function openAt(time: string, ...events: string[]): Promise<Opened> {
    const opened = await openConsole(site, 'admin', '/console/keys');
    await site.gateway.rows('delete from audit_events');
    await site.gateway.rows(
      `insert into audit_events (event_type, ip_address, user_agent, metadata, created_at)
       select 'keyring_rotated', 'gateway', '', '{}', at from unnest($1::timestamptz[]) as at`,
      [events],
    );
    await opened.page.clock.install({ time });
    await opened.page.goto(`${site.edge.url}${PATH}`);
    await opened.page
      .locator('.event')
      .nth(events.length - 1)
      .waitFor();
    return opened;
  }

  test('Interface 19: days are Today, Yesterday and dates by the clock of the reader, also a day later', async () => {
    const events = ['2026-03-02T11:30:00Z', '2026-03-01T23:59:00Z', '2026-02-28T00:01:00Z', '2025-12-31T12:00:00Z'];
    const { page, wrong, close } = await openAt('2026-03-02T12:00:00Z', ...events);
    const days = () => page.locator('.event h3').allInnerTexts();
    expect(await days()).toEqual(['Today', 'Yesterday', '28 Feb', '31 Dec 2025']);
    await page.clock.setSystemTime('2026-03-03T00:01:00Z');
    await page.reload();
    await page.locator('.event').last().waitFor();
    expect(await days()).toEqual(['Yesterday', '1 Mar', '28 Feb', '31 Dec 2025']);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: a relative time grows by itself, and after an hour is a time of day', async () => {
    const { page, wrong, close } = await openAt('2026-03-02T12:00:30Z', '2026-03-02T11:50:00Z');
    const time = page.locator('.event-row time');
    expect(await time.innerText()).toBe('10 min ago');
    expect(await time.getAttribute('title')).toContain('2026-03-02 11:50:00 UTC');
    await page.clock.fastForward(5 * MINUTE_MS);
    await page.getByText('15 min ago', { exact: true }).waitFor();
    await page.clock.fastForward(45 * MINUTE_MS);
    await page.getByText('11:50', { exact: true }).waitFor();
    expect(await page.getByText('min ago').count()).toBe(0);
    expect(wrong).toEqual([]);
    await close();
  });
});
