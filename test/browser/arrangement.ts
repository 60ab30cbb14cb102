/** A page and a gateway on different origins, and the messages if that does not work. */
import type { BrowserContext, Page } from 'playwright-core';
import { runningClock } from '../support/gateway/clock.js';
import { PASSWORD, startGateway } from '../support/gateway/gateway.js';
import { captureLog } from '../support/gateway/log.js';
import { servePage } from './bundle.js';
import { makeCertificate } from './certificate.js';
import { startEdge } from './edge.js';

export interface Arrangement {
  /** With the client, which calls the gateway; nobody is logged in */
  page: Page;
  /** With its port */
  gatewayOrigin: string;
  /** @returns the sentence of the client's error, or nothing */
  logIn(): Promise<string>;
  /** What the page's console says */
  console(): string[];
  /** Of the gateway's log: route, status and outcome */
  answers(): string[];
  close(): Promise<void>;
}

export interface Origins {
  page: string;
  gateway: string;
}

/**
 * @param names origins without a port, such as `https://app.example.com`; a `gateway` of '' is passed on by the page's
 * @param envOf the gateway's variables, given the origins with their ports
 */
export async function arrange(
  profile: BrowserContext,
  names: Origins,
  envOf: (origins: Origins) => Record<string, string>,
): Promise<Arrangement> {
  await using starting = new AsyncDisposableStack();
  const certificate = names.page.startsWith('https:') ? makeCertificate() : undefined;
  const [near, far] = [await startEdge(certificate), await startEdge(certificate)];
  starting.defer(near.close);
  starting.defer(far.close);
  const page = `${names.page}:${near.port}`;
  const gatewayOrigin = names.gateway === '' ? page : `${names.gateway}:${far.port}`;
  const captured = captureLog();
  const env = envOf({ page, gateway: gatewayOrigin });
  const gateway = await startGateway({ clock: runningClock(), log: captured.log, env });
  starting.defer(gateway.close);
  for (const edge of [near, far]) edge.leadTo(gateway.url);
  await servePage(near, '/', 'client.js');

  const tab = await profile.newPage();
  starting.defer(() => tab.close());
  const said: string[] = [];
  tab.on('console', (message) => said.push(message.text()));
  await tab.goto(`${page}/?gateway=${encodeURIComponent(gatewayOrigin)}`);
  const { email } = await gateway.user();
  const started = starting.move();
  return {
    page: tab,
    gatewayOrigin,
    logIn: () =>
      tab.evaluate(
        `auth.login(${JSON.stringify({ email, password: PASSWORD })}).then(() => '', (error) => error.detail)`,
      ),
    console: () => said,
    answers: () =>
      captured
        .lines()
        .flatMap(({ route, status, outcome }) => (route === undefined ? [] : [`${route} ${status} ${outcome}`])),
    close: () => started.disposeAsync(),
  };
}
