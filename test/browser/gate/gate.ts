/** Services behind the gate, each with its proxy, and browsers that visit them. (Interface 22) */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import { PASSWORD } from '../../support/gateway/gateway.js';
import { type Looks, startConsole } from '../console/console.js';
import type { Setup, Site } from '../site.js';

/** Paths of the service that want more than a session */
export const [STRONG, FRESH] = ['/strong', '/fresh'];
/** Path of a file, which leaves the browser where it is */
export const DOWNLOAD = '/file';
const PAGES = 'caller=user;pages=on';
const RULES: Record<string, string> = { [STRONG]: `${PAGES};acr=aal2`, [FRESH]: `${PAGES};max_age=60` };

/** As many characters as a host may have, without its port */
export const LONG_HOST = `${`${'w'.repeat(59)}.`.repeat(4)}example.com`.slice(-253);

export interface Service {
  /** http://app.example.com:PORT */
  origin: string;
  host: string;
  /** The cookie that the browser does not get, from now on: the one that would let it in, or that of the way back */
  lose(cookie?: 'auth-gate' | 'auth-gate-state'): void;
}

export interface GateSite extends Site {
  service: Service;
}

/** A gateway and a service behind it, whose proxy asks it about each request. */
export async function startGate({ env, ...setup }: Setup = {}): Promise<GateSite> {
  await using starting = new AsyncDisposableStack();
  let gatewayUrl = '';
  let lost: Parameters<Service['lose']>[0];
  const server = createServer((req, res) => {
    passOn(gatewayUrl, req, res, lost).catch(() => res.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  starting.defer(async () => {
    server.close();
    server.closeAllConnections();
  });
  const host = `app.example.com:${(server.address() as AddressInfo).port}`;
  const origin = `http://${host}`;
  const origins = [origin, `https://${LONG_HOST}`];
  const site = await startConsole({
    ...setup,
    env: { CONSOLE: 'off', FORWARD_AUTH_PROXIES: '127.0.0.1', FORWARD_AUTH_ORIGINS: origins.join(), ...env },
  });
  gatewayUrl = site.gateway.url;
  const started = starting.move();
  const service: Service = {
    origin,
    host,
    lose: (cookie) => {
      lost = cookie;
    },
  };
  return { ...site, service, close: async () => void (await Promise.all([site.close(), started.disposeAsync()])) };
}

/** A proxy that asks first, as Traefik does, and a service that shows its path. */
async function passOn(gatewayUrl: string, req: IncomingMessage, res: ServerResponse, lost?: string): Promise<void> {
  const { pathname } = new URL(req.url ?? '/', 'http://service');
  const asked = request(`${gatewayUrl}/authz/forward-auth/${RULES[pathname] ?? PAGES}`, {
    agent: false,
    headers: {
      ...req.headers,
      'x-forwarded-method': req.method,
      'x-forwarded-proto': 'http',
      'x-forwarded-host': req.headers.host,
      'x-forwarded-uri': req.url,
    },
  });
  asked.end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.resume();
  const { location, 'set-cookie': set = [] } = answer.headers;
  if (answer.statusCode === 200) {
    if (pathname === DOWNLOAD) res.setHeader('content-disposition', 'attachment; filename="file.txt"');
    const page = `<!doctype html><html lang="en"><title>Service</title><h1>Inside</h1><p>${pathname}</p></html>`;
    res.setHeader('content-type', 'text/html').end(page);
    return;
  }
  const kept = set.filter((line) => !line.startsWith(`${lost}=`));
  res.writeHead(answer.statusCode ?? 502, { ...(location !== undefined && { location }), 'set-cookie': kept }).end();
}

export interface Visit {
  profile: BrowserContext;
  page: Page;
  /** Errors of the pages, violations of their policy, and requests that are none of their business. Expect none. */
  wrong: string[];
  close(): Promise<void>;
}

/** A browser that knows nobody. */
export async function newBrowser(site: GateSite, { scheme = 'light', width = 1280 }: Looks = {}): Promise<Visit> {
  const profile = await site.browser.newContext({ colorScheme: scheme, viewport: { width, height: 800 } });
  profile.setDefaultTimeout(60_000);
  const wrong: string[] = [];
  const own = [site.edge.url, site.service.origin];
  profile.on('console', (message) => {
    if (!/^Failed to load resource/.test(message.text())) wrong.push(message.text());
  });
  profile.on('weberror', (error) => wrong.push(error.error().message));
  profile.on('request', (sent) => {
    const { origin } = new URL(sent.url());
    if (!own.includes(origin) && !sent.url().startsWith('data:')) wrong.push(sent.url());
  });
  const page = await profile.newPage();
  return { profile, page, wrong, close: () => profile.close() };
}

/** Logs this browser in, at another page than the gate: only the cookie says so. */
export async function logInBehind(site: GateSite, { profile }: Visit, email: string): Promise<void> {
  const answer = await profile.request.post(`${site.edge.url}/auth/login`, { data: { email, password: PASSWORD } });
  if (answer.status() !== 200) throw new Error(`the login is ${answer.status()}`);
}

/** The form, filled in and sent by keyboard. */
export async function submitLogin(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('E-mail').focus();
  await page.keyboard.type(email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
}

/** Waits until the service itself is shown. */
export async function inside({ service }: GateSite, page: Page, path = '/'): Promise<void> {
  await page.getByRole('heading', { name: 'Inside' }).waitFor();
  if (page.url() !== service.origin + path) throw new Error(`the browser is at ${page.url()}`);
}

/** An address of the page, as a proxy would send a browser there. */
export function gateAddress({ edge, service }: GateSite, query: Record<string, string> = {}): string {
  return `${edge.url}/gate?${new URLSearchParams({ origin: service.origin, target: '/', ...query })}`;
}

/** What must be nowhere: a token, and the code of the way back. */
export async function expectNoSecrets(page: Page): Promise<void> {
  const seen = await page.evaluate<string>(
    'JSON.stringify([document.documentElement.outerHTML, history.state, { ...localStorage }, { ...sessionStorage }, document.cookie])',
  );
  expect(seen).not.toMatch(/eyJ|callback\?/);
}
