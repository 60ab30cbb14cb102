/** Browsers that have no storage, no locks or no channel, or throw on use. (Interface 13) */
import { inChromium, type Site, sidOf, startSite, stateOf, unharmed } from './site.js';

const MISSING: Record<string, string> = {
  'navigator.locks': "Object.defineProperty(Navigator.prototype, 'locks', { get: () => undefined })",
  BroadcastChannel: 'delete globalThis.BroadcastChannel',
  'localStorage, which throws': `Object.defineProperty(globalThis, 'localStorage', {
    get() { throw new DOMException('The operation is insecure.', 'SecurityError'); } })`,
  'room in localStorage': `Storage.prototype.setItem = () => {
    throw new DOMException('The quota has been exceeded.', 'QuotaExceededError'); }`,
};

inChromium('in Chromium', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite({ env: { REFRESH_RETRY: 'true' } });
  });
  afterAll(() => site?.close());

  test.each(Object.entries(MISSING))(
    'Interface 13: without %s two tabs at once go on with the session',
    async (_what, script) => {
      const visitor = await site.visitor((profile) => profile.addInitScript(script));
      const other = await visitor.profile.newPage();
      await Promise.all([other.goto(site.edge.url), visitor.page.reload()]);
      expect(await Promise.all([sidOf(visitor.page), sidOf(other)])).toEqual([visitor.sid, visitor.sid]);
      expect(await stateOf(site, visitor, visitor.page)).toEqual(unharmed(visitor));
      await visitor.profile.close();
    },
  );

  test('Interface 13: without any of them a tab goes on with the session, and then another', async () => {
    const visitor = await site.visitor((profile) => profile.addInitScript(Object.values(MISSING).join(';\n')));
    await visitor.page.reload();
    expect(await sidOf(visitor.page)).toBe(visitor.sid);
    const other = await visitor.profile.newPage();
    await other.goto(site.edge.url);
    expect(await sidOf(other)).toBe(visitor.sid);
    expect(await stateOf(site, visitor, visitor.page)).toEqual(unharmed(visitor));
    await visitor.profile.close();
  });
});
