/** Answers to a refresh that are cut at any byte or lost, and requests that arrive twice. (Interface 12) */
import { until } from '../support/until.js';
import { makeCertificate } from './certificate.js';
import type { Fault } from './edge.js';
import { inChromium, type Site, startSite, stateOf, unharmed } from './site.js';

/** The cookie is set from byte 550 to 1,050 or so, the head ends some 150 later, and the body has 670. */
const FAULTS: Array<[what: string, fault: Fault]> = [
  ['a request that is lost', { lost: true }],
  ...[0, 1, 12, 400, 800, 1_150, 1_600].map((cutAt): [string, Fault] => [`an answer of ${cutAt} bytes`, { cutAt }]),
  ['an answer without its last byte', { cutAt: -1 }],
  ['a request that arrives twice, and an answer that is lost', { doubled: true, cutAt: 0 }],
];

// Over https: on plain http Chromium takes a head that was cut for a whole one, and keeps half a cookie.
inChromium('in Chromium, with REFRESH_RETRY=true', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite({ env: { REFRESH_RETRY: 'true' }, certificate: makeCertificate() });
  });
  afterAll(() => site?.close());

  test.each(FAULTS)('Interface 12: %s costs no session', async (_what, fault) => {
    const visitor = await site.visitor((profile) => profile.clock.install());
    const { refreshes, disturb } = site.edge;
    const before = refreshes.length;
    disturb((number) => (number === 0 ? fault : undefined));
    await visitor.page.reload();
    await until('the page has tried again', async () => {
      if (refreshes[before]?.over) await visitor.page.clock.fastForward(1_000); // it waits before
      return refreshes.length > before + 1;
    });
    expect(await stateOf(site, visitor, visitor.page)).toEqual(unharmed(visitor));
    await visitor.page.reload();
    expect(await stateOf(site, visitor, visitor.page)).toEqual(unharmed(visitor));
    await visitor.profile.close();
  });

  test('Interface 12: a request that arrives twice costs no session', async () => {
    const visitor = await site.visitor();
    site.edge.disturb(() => ({ doubled: true }));
    await visitor.page.reload();
    expect(await stateOf(site, visitor, visitor.page)).toEqual(unharmed(visitor));
    await visitor.page.reload();
    expect(await stateOf(site, visitor, visitor.page)).toEqual(unharmed(visitor));
    await visitor.profile.close();
  });
});
