/** Browsers of services behind the gate, and the three ways to ask whether a session is live. (Interface 22 and 23) */
import { createHash, randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { askAs as askAsProxy, ORIGIN } from '../../../test/support/gateway/authz.js';
import { ask, cookiesOf, enter, GATE_COOKIE, STATE_COOKIE, visit } from '../../../test/support/gateway/gate.js';
import type { Answer, Instance } from '../../../test/support/gateway/gateway.js';
import type { Accounts, Owner } from './accounts.js';
import { refresh } from './browser.js';
import type { Gateways, Instance as Process } from './gateways.js';
import type { Lab } from './lab.js';
import { sidOf } from './minted.js';
import type { Postgres } from './postgres.js';

export const OTHER_ORIGIN = 'https://other.example.com';
export const GATE_ENV = {
  FORWARD_AUTH_PROXIES: '127.0.0.1',
  FORWARD_AUTH_ORIGINS: `${ORIGIN},${OTHER_ORIGIN}`,
  SESSION_RATE_LIMIT: '1000000',
};
export const ROLES = ['viewer', 'analyst', 'admin'] as const;

/** Where a proxy and a service ask: connections are kept, as theirs are */
export type Asked = Pick<Instance, 'send'>;

/** node:http rather than fetch, which sets `Sec-Fetch-Mode` itself. */
export function asked(lab: Lab, { url }: Pick<Process, 'url'>): Asked {
  const agent = new Agent({ keepAlive: true });
  lab.defer(() => agent.destroy());
  const send: Asked['send'] = (method, path, options = {}) => {
    const { headers = {}, body } = options;
    const bytes = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const type = bytes === body ? {} : { 'content-type': 'application/json' };
    const length = bytes === undefined ? {} : { 'content-length': String(bytes.length) };
    return new Promise<Answer>((resolve, reject) => {
      const sent = request(url + path, { method, agent, headers: { ...type, ...length, ...headers } }, (res) => {
        let text = '';
        res.setEncoding('utf8');
        res.on('data', (chunk: string) => {
          text += chunk;
        });
        res.on('error', reject);
        res.on('end', () => {
          const { statusCode: status = 0, headers: fields } = res;
          const json = text.startsWith('{') ? JSON.parse(text) : undefined;
          resolve({ status, headers: fields, text, json, cookies: fields['set-cookie'] ?? [] });
        });
      });
      // The gateway has closed a connection that was idle, before it read anything.
      sent.on('error', (error) => (sent.reusedSocket ? resolve(send(method, path, options)) : reject(error)));
      sent.end(bytes);
    });
  };
  return { send };
}

/** A browser that has come back from the gate */
export interface Visitor {
  owner: Owner;
  role: string;
  sid: string;
  /** The first refresh token, which is used, and the one after it */
  used: string;
  newest: string;
  accessToken: string;
  /** Of the service */
  cookies: Record<string, string>;
}

/** A new user with a session, at a service. @throws if that fails */
export async function newVisitor(
  accounts: Accounts,
  { url }: Pick<Process, 'url'>,
  on: Asked,
  role: string = 'viewer',
): Promise<Visitor> {
  const owner = await accounts.add({ role, forgot: true });
  const { cookie: newest, body } = await refresh(url, owner.refreshToken);
  if (newest === undefined) throw new Error('a new session is not refreshed');
  const { cookies } = await enter(on, { refreshToken: newest });
  if (cookies[GATE_COOKIE] === undefined) throw new Error('a browser has not come back from the gate');
  const accessToken = String(body['access_token']);
  return { owner, role, sid: sidOf(newest), used: owner.refreshToken, newest, accessToken, cookies };
}

/** @returns `live` with the role that the answer has, `ended`, or what else was answered */
type Question = (on: Asked, visitor: Visitor) => Promise<string>;

/** @param internalKey of a service that may introspect */
export function questionsBy(internalKey: string): Record<'cookie' | 'page' | 'token' | 'introspection', Question> {
  const byCookie = (send: typeof visit, ended: number): Question => {
    return async (on, { cookies }) => verdictOf(await send(on, { cookies }), ended);
  };
  const ways = {
    cookie: byCookie(ask, 401),
    page: byCookie(visit, 302),
    token: async (on: Asked, { accessToken }: Visitor) => {
      const headers = { Authorization: `Bearer ${accessToken}` };
      return verdictOf(await askAsProxy(on, 'forward-auth', 'caller=user;live=on', { headers }), 401);
    },
    introspection: async (on: Asked, { accessToken }: Visitor) => {
      const headers = { 'X-Internal-Key': internalKey, 'Content-Type': 'application/x-www-form-urlencoded' };
      const { status, json } = await on.send('POST', '/oauth/introspect', { headers, body: `token=${accessToken}` });
      if (status !== 200) return `answered ${status}`;
      return json.active === true ? liveAs(json.sub, json.role) : 'ended';
    },
  } satisfies Record<string, Question>;
  const orWhy =
    (way: Question): Question =>
    (on, visitor) =>
      way(on, visitor).catch((error: unknown) => `no answer: ${error}`);
  const { cookie, page, token, introspection } = ways;
  return { cookie: orWhy(cookie), page: orWhy(page), token: orWhy(token), introspection: orWhy(introspection) };
}

export function liveAs(id: unknown, role: unknown): string {
  return `live: ${id} as ${role}`;
}

function verdictOf({ status, headers }: Answer, ended: number): string {
  if (status === 200) return liveAs(headers['x-auth-caller-id'], headers['x-auth-role']);
  return status === ended ? 'ended' : `answered ${status}`;
}

/** @returns the value of `X-Internal-Key` */
export async function createIntrospector({ cli }: Gateways): Promise<string> {
  const words = ['cron-key', 'create', '--service', 'evidence', '--scope', 'tokens:introspect'];
  return (await cli<{ header_value: string }>(...words)).header_value;
}

/** A way back, as a browser has it */
export interface MintedCode {
  code: string;
  state: string;
}

const newSecret = (): string => randomBytes(32).toString('base64url');
const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** @returns codes of the session of this visitor, by SQL */
export async function mintCodes(db: Postgres, { owner, sid }: Visitor, count: number): Promise<MintedCode[]> {
  const codes = Array.from({ length: count }, () => ({ code: newSecret(), state: newSecret() }));
  await db.query(
    `insert into gate_codes (code_sha256, user_id, family_id, origin, target, state_sha256, expires_at)
     select code, $1, $2, $3, '/', state, now() + interval '1 day' from unnest($4::bytea[], $5::bytea[]) as m (code, state)`,
    [owner.id, sid, ORIGIN, codes.map(({ code }) => sha256(code)), codes.map(({ state }) => sha256(state))],
  );
  return codes;
}

/** Comes back with a code. @returns the cookie of the service, or undefined */
export async function present(
  on: Asked,
  code: string,
  { state, origin = ORIGIN }: { state?: string | undefined; origin?: string },
): Promise<string | undefined> {
  const cookies = state === undefined ? {} : { [STATE_COOKIE]: state };
  const target = `/.auth-gateway/callback?code=${code}`;
  return cookiesOf(await visit(on, { target, origin, cookies }))[GATE_COOKIE];
}
