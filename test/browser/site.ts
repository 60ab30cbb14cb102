/** A whole site: a browser, the edge, and behind it a real gateway whose PUBLIC_URL is the edge. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { LiveTimes } from '../../src/audit/live.js';
import type { StreamTimes } from '../../src/graphql/streams.js';
import { runningClock } from '../support/gateway/clock.js';
import { claimsOf, PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { tokenOf } from './asked.js';
import { servePage } from './bundle.js';
import type { Certificate } from './certificate.js';
import { CHROMIUM, launchChromium } from './chromium.js';
import { type Edge, startEdge } from './edge.js';

/** Tests that are skipped if the machine has no Chromium; REQUIRE_PROGRAMS=1 makes that a failure. */
export function inChromium(name: string, work: () => void): void {
  (CHROMIUM !== undefined || process.env['REQUIRE_PROGRAMS'] === '1' ? describe : describe.skip)(name, work);
}

/** Navigations on a busy machine: milliseconds */
const PATIENCE_MS = 120_000;

export interface Site {
  browser: Browser;
  edge: Edge;
  gateway: TestGateway;
  /** A profile of its own, with its own cookies and storage: a window that shares nothing with others. */
  profile(): Promise<BrowserContext>;
  /** Somebody new, who has logged in on a page with the client. */
  visitor(prepare?: (profile: BrowserContext) => Promise<unknown>): Promise<Visitor>;
  close(): Promise<void>;
}

export interface Visitor {
  profile: BrowserContext;
  page: Page;
  email: string;
  /** The session that the login began */
  sid: unknown;
}

export interface Setup {
  /** Variables of the gateway, except PUBLIC_URL */
  env?: Record<string, string>;
  /** For https */
  certificate?: Certificate;
  /** The browser; Chromium by default */
  launch?: () => Promise<Browser>;
  /** Takes the lines of MAIL=log */
  print?: (line: string) => void;
  /** When streams of the audit log give what was written */
  live?: LiveTimes & StreamTimes;
  /** How often an idle outbox looks for work: milliseconds */
  outboxPollMs?: number;
}

/** Close it in `afterAll`. */
export async function startSite({
  env = {},
  certificate,
  launch = launchChromium,
  ...gatewaySetup
}: Setup = {}): Promise<Site> {
  await using starting = new AsyncDisposableStack();
  const edge = await startEdge(certificate);
  starting.defer(edge.close);
  const gateway = await startGateway({
    clock: runningClock(),
    env: { PUBLIC_URL: edge.url, ...env },
    ...gatewaySetup,
  });
  starting.defer(gateway.close);
  edge.leadTo(gateway.url);
  await servePage(edge, '/', 'client.js');
  const browser = await launch();
  starting.defer(() => browser.close());

  const profile = async (): Promise<BrowserContext> => {
    const context = await browser.newContext();
    context.setDefaultTimeout(PATIENCE_MS);
    return context;
  };
  const visitor = async (prepare?: (profile: BrowserContext) => Promise<unknown>): Promise<Visitor> => {
    const { email } = await gateway.user();
    const context = await profile();
    await prepare?.(context);
    const page = await context.newPage();
    await page.goto(edge.url);
    await page.evaluate(`auth.login(${JSON.stringify({ email, password: PASSWORD })})`);
    return { profile: context, page, email, sid: await sidOf(page) };
  };
  const started = starting.move();
  return { browser, edge, gateway, profile, visitor, close: () => started.disposeAsync() };
}

/** The session whose token the page is given, refreshed where that is needed; undefined where it is given none. */
export async function sidOf(page: Page): Promise<unknown> {
  const token = await tokenOf(page);
  return token === undefined ? undefined : claimsOf(token)['sid'];
}

/** The cookie that a script cannot see */
export async function cookieOf({ profile }: Visitor): Promise<string | undefined> {
  const cookies = await profile.cookies();
  return cookies.find(({ name }) => name === 'refresh_token')?.value;
}

/** What an honest visitor must never see or cause: the session, its live records, and events of theft. */
export async function stateOf({ gateway }: Site, { sid, email }: Visitor, page: Page) {
  const [counts] = await gateway.rows<{ live: number; thefts: number }>(
    `select (select count(*)::int from refresh_tokens where family_id = $1 and not revoked) as live,
       (select count(*)::int from audit_events e join users u on u.id = e.user_id
        where u.email = $2 and e.event_type = 'token_theft') as thefts`,
    [sid, email],
  );
  return { sid: await sidOf(page), ...counts };
}

/** The state of a session that nothing has befallen. */
export function unharmed({ sid }: Visitor) {
  return { sid, live: 1, thefts: 0 };
}
