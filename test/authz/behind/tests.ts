/** What has to hold behind a proxy of deploy/forward-auth, whichever it is. */

import type { ProxyKind } from '../../support/programs/forward-auth-proxy.js';
import { testWith } from '../../support/programs/with-programs.js';
import { expectHttp2, expectOneCallerEach, expectOneUse, expectWebsocket } from './connections.js';
import { expectNoGateway, expectNoStrangeAnswer, expectOutage, expectQuestion } from './faults.js';
import { expectResults, HONEST_ROWS } from './honest.js';
import { expectVerdicts, type HostileRow } from './hostile.js';
import { BODY_ROWS, CREDENTIAL_ROWS, METHOD_ROWS } from './hostile-credentials.js';
import { CONNECTION_ROWS, DESCRIPTION_ROWS, IDENTITY_ROWS, MORE_IDENTITY_ROWS } from './hostile-fields.js';
import { HOST_ROWS, RULE_ROWS, TARGET_ROWS } from './hostile-targets.js';
import { PAGES, RUNNING } from './pages.js';
import { type Site, startSite } from './site.js';

const HONEST: Array<[title: string, work: (site: Site) => Promise<void>]> = [
  ['the caller, and the result', (site) => expectResults(site, HONEST_ROWS)],
  ['each request has its caller, also on one connection', expectOneCallerEach],
  ['a websocket with an access token reaches the service', expectWebsocket],
  ['HTTP/2 is no other way', expectHttp2],
  ['a signature is used once, behind whichever proxy', expectOneUse],
  ['a question is the rule and the fields of the request, without its body', expectQuestion],
  ['503 while the database is away', expectOutage],
  ['503 while the gateway is away', expectNoGateway],
  ['another answer than that of the gateway lets nobody pass', expectNoStrangeAnswer],
];

const HOSTILE: Array<[title: string, rows: HostileRow[]]> = [
  ['no spelling of an identity field makes a client another caller', IDENTITY_ROWS],
  ['no other field, line or value does', MORE_IDENTITY_ROWS],
  ['Connection takes no identity field away, and opens no tunnel', CONNECTION_ROWS],
  ['no field or query of a client describes its request', DESCRIPTION_ROWS],
  ['/admin is for administrators, and /invoices for those with the scope, however it is written', RULE_ROWS],
  ['a target that can be read in two ways is refused', TARGET_ROWS],
  ['one service has one name', HOST_ROWS],
  ['a credential is one, valid, and of this request', CREDENTIAL_ROWS],
  ['no method passes by itself', METHOD_ROWS],
  ['a body hides no request', BODY_ROWS],
];

export function testsBehind(kind: ProxyKind): void {
  const programs = [kind, 'openssl'];
  let site: Promise<Site> | undefined;
  const cleanUp = new AsyncDisposableStack();
  const onSite = (work: (site: Site) => Promise<void>) => async () => {
    site ??= startSite(kind, cleanUp);
    await work(await site);
  };
  afterAll(() => cleanUp.disposeAsync());

  for (const [title, work] of HONEST) testWith(programs, `Interface 18: ${kind}: ${title}`, onSite(work));
  for (const [title, work] of [...PAGES, ...RUNNING])
    testWith(programs, `Interface 22: ${kind}: ${title}`, onSite(work));
  for (const [title, rows] of HOSTILE)
    testWith(
      programs,
      `Interface 18: ${kind}: ${title}`,
      onSite((on) => expectVerdicts(on, rows)),
    );
}
