/** A browser before a service behind the gate, as its proxy asks about it. (Interface 22) */
import type { FamilyName } from '../../../src/http/authz/original-request.js';
import { askAs, FORWARD_AUTH } from './authz.js';
import type { Answer, Instance } from './gateway.js';

export const GATE = FORWARD_AUTH;
export const PAGES = 'caller=user,api_key,cron;pages=on';

/** What Chromium sends when it opens a page, and when a script of that page asks. */
export const NAVIGATION = {
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-Dest': 'document',
  'Sec-Fetch-Site': 'none',
  'Sec-Fetch-User': '?1',
  Accept: 'text/html,application/xhtml+xml',
};
export const SCRIPT = {
  'Sec-Fetch-Mode': 'cors',
  'Sec-Fetch-Dest': 'empty',
  'Sec-Fetch-Site': 'same-origin',
  Accept: '*/*',
};

export const STATE_COOKIE = '__Host-auth-gate-state';
export const GATE_COOKIE = '__Host-auth-gate';

type Asking = Pick<Instance, 'send'>;

export interface Step {
  method?: string;
  target?: string;
  origin?: string;
  rule?: string;
  family?: FamilyName;
  /** Of the service's origin, as `Cookie` has them */
  cookies?: Record<string, string>;
  headers?: Record<string, string | string[]>;
}

/** Opens a page of the service. */
export function visit(
  on: Asking,
  { family = 'forward-auth', rule = PAGES, cookies = {}, headers, ...original }: Step = {},
) {
  const cookie = Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join('; ');
  const sent = { ...NAVIGATION, ...(cookie !== '' && { Cookie: cookie }), ...headers };
  return askAs(on, family, rule, { target: '/', ...original, headers: sent });
}

/** Asks as a script of the service does. */
export function ask(on: Asking, step: Step = {}) {
  return visit(on, { ...step, headers: { ...SCRIPT, ...step.headers } });
}

/** Where an answer leads, on any family of proxies. @throws if it leads nowhere */
export function leadOf({ headers }: Answer): URL {
  return new URL(String(headers['location'] ?? headers['x-auth-redirect']));
}

/** The cookies that an answer sets, by name. */
export function cookiesOf({ cookies }: Answer): Record<string, string> {
  return Object.fromEntries(cookies.map((line) => [...(/^([^=]+)=([^;]*)/.exec(line) ?? [])].slice(1, 3)));
}

/** Asks `/auth/gate` for the way back, as the page does. */
export function askWayBack(on: Asking, gate: URL, refreshToken: string | undefined): Promise<Answer> {
  const { origin, target, state } = Object.fromEntries(gate.searchParams);
  return on.send('POST', '/auth/gate', {
    body: { origin, target, state },
    headers: refreshToken === undefined ? {} : { Cookie: `refresh_token=${refreshToken}` },
  });
}

/** From the first visit to the code. @returns the state cookie, the path with the code, and the answers on the way */
export async function takeWay(on: Asking, login: { refreshToken: string }, step: Step = {}) {
  const asked = await visit(on, step);
  const state = { ...step.cookies, ...cookiesOf(asked) };
  const wayBack = await askWayBack(on, leadOf(asked), login.refreshToken);
  const callback = new URL(wayBack.json['location']);
  return { asked, state, wayBack, callback, path: callback.pathname + callback.search };
}

/** From the first visit to the cookie. @returns the cookies of the service, and the answers on the way */
export async function enter(on: Asking, login: { refreshToken: string }, step: Step = {}) {
  const way = await takeWay(on, login, step);
  const entered = await visit(on, { ...step, method: 'GET', target: way.path, cookies: way.state });
  return { ...way, entered, cookies: { ...way.state, ...cookiesOf(entered) } };
}

/** A name for each thing that an answer can be; `X-Auth-Status` has the status that nginx cannot pass on. */
export function verdictOf({ status, headers, json }: Answer): string {
  if (status === 200) return 'in';
  const lead = headers['location'] ?? headers['x-auth-redirect'];
  if (lead === undefined) return `${headers['x-auth-status'] ?? status} ${json?.reason}`;
  const { pathname, searchParams } = new URL(String(lead));
  if (pathname !== '/gate') return 'back';
  return searchParams.has('problem') ? 'gate, with a problem' : 'gate';
}
