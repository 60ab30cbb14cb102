/**
 * A browser, three services behind nginx, Caddy and HAProxy as deploy/forward-auth has them, and one gateway on another site:
 * all by https, with names and without ports.
 */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { runningClock } from '../../support/gateway/clock.js';
import { PASSWORD, startGateway, type TestGateway } from '../../support/gateway/gateway.js';
import { type CapturedLog, captureLog } from '../../support/gateway/log.js';
import { type ProxyKind, startForwardAuthProxy } from '../../support/programs/forward-auth-proxy.js';
import { makeCertificate } from '../certificate.js';
import { launchWithNames } from '../chromium.js';
import { type Edge, startEdge } from '../edge.js';
import { type PageService, startPageService } from './service.js';

export const GATEWAY = 'https://auth.example.net';
export const ORIGINS: Record<ProxyKind, string> = {
  nginx: 'https://app.example.com',
  caddy: 'https://wiki.example.com',
  haproxy: 'https://chart.example.com',
};
/** A host of the services' site, and one of a third site. Both serve the pages of `elsewhere`. */
export const SIBLING = 'https://evil.example.com';
export const STRANGER = 'https://evil.example.org';

const KINDS = Object.keys(ORIGINS) as ProxyKind[];
/** Milliseconds, on a busy machine */
const PATIENCE_MS = 120_000;

export interface GateSite {
  browser: Browser;
  gateway: TestGateway;
  log: CapturedLog;
  service: PageService;
  elsewhere: Edge;
  /** A window of its own, and somebody who has not logged in */
  newcomer(): Promise<Newcomer>;
  close(): Promise<void>;
}

export interface Newcomer {
  profile: BrowserContext;
  page: Page;
  id: string;
  email: string;
}

const hostOf = (origin: string) => new URL(origin).host;

export async function startGateSite(): Promise<GateSite> {
  await using starting = new AsyncDisposableStack();
  const certificate = makeCertificate();
  const [edge, elsewhere] = [await startEdge(certificate), await startEdge(certificate)];
  starting.defer(edge.close);
  starting.defer(elsewhere.close);
  const log = captureLog();
  const env = {
    PUBLIC_URL: GATEWAY,
    FORWARD_AUTH_PROXIES: '127.0.0.1',
    FORWARD_AUTH_ORIGINS: Object.values(ORIGINS).join(),
  };
  const gateway = await startGateway({ clock: runningClock(), log: log.log, env });
  starting.defer(gateway.close);
  edge.leadTo(gateway.url);
  const service = starting.use(await startPageService());
  const behind = { gateway: Number(new URL(gateway.url).port), service: service.port };
  const ports: Record<string, number> = {
    [hostOf(GATEWAY)]: edge.port,
    [hostOf(SIBLING)]: elsewhere.port,
    [hostOf(STRANGER)]: elsewhere.port,
  };
  for (const kind of KINDS) {
    const host = hostOf(ORIGINS[kind]);
    ports[host] = starting.use(await startForwardAuthProxy(kind, behind, undefined, host)).port;
  }
  const browser = await launchWithNames(ports);
  starting.defer(() => browser.close());

  const newcomer = async (): Promise<Newcomer> => {
    const { id, email } = await gateway.user();
    const profile = await browser.newContext();
    profile.setDefaultTimeout(PATIENCE_MS);
    return { profile, page: await profile.newPage(), id, email };
  };
  const started = starting.move();
  return { browser, gateway, log, service, elsewhere, newcomer, close: () => started.disposeAsync() };
}

/** Fills in the form of `/gate`. */
export async function logIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in' }).click();
}

/** Waits for a page of a service. @returns the caller whom the service was given */
export async function arrival(page: Page, address: string): Promise<string> {
  await page.waitForURL(address);
  return page.getByRole('heading', { level: 1 }).innerText();
}
