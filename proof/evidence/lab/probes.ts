/** What clients ask of a gateway while something is wrong with it, and how each right answer looks. */
import { setTimeout as sleep } from 'node:timers/promises';
import { signRequest } from '../../../client/src/sign.js';
import { type Answer, ask } from './browser.js';
import type { Gateways } from './gateways.js';
import type { PostgresServer } from './postgres-server.js';
import { createUsers, PASSWORD } from './users.js';

export const PROBES = [
  'login',
  'spent login',
  'refresh',
  'logout',
  'token',
  'expired token',
  'signature',
  'cron key',
  'listing',
  'change',
  'live',
  'ready',
] as const;

export type ProbeName = (typeof PROBES)[number];

/** Longer than whatever may be waited for; then there was no answer. */
const NO_ANSWER_MS = 60_000;
/** Rate limit of logins: the address of `spent login` has used it up, every other address logs in once. */
const LIMIT = 5;
const SPENT_ADDRESS = '192.0.2.1';

/** What the gateways of these probes need. */
export const PROBED_ENV = { LOGIN_RATE_LIMIT: String(LIMIT), TRUST_PROXY: '127.0.0.1/32' };

/** Who asks. */
export interface People {
  /** Logs in, and in again */
  user: string;
  /** Has sessions, and is given a role by the administrator */
  other: string;
  otherId: string;
  admin: string;
  apiKey: { key_id: string; secret: string };
  cronKey: { header_value: string };
  /** An access token whose time is over */
  expired: string;
}

export async function createPeople(gateways: Gateways, db: Pick<PostgresServer, 'query'>): Promise<People> {
  const [user = '', other = '', admin = ''] = await createUsers(gateways, db, 3);
  await db.query(`update users set role = 'admin' where email = $1`, [admin]);
  const [{ id: otherId = '' } = {}] = await db.query<{ id: string }>('select id from users where email = $1', [other]);
  const key = ['--service', 'evidence', '--scope', 'users:read'];
  const [apiKey, cronKey, expired] = await Promise.all([
    gateways.cli<People['apiKey']>('api-key', 'create', ...key, '--rate-limit', '1000000'),
    gateways.cli<People['cronKey']>('cron-key', 'create', ...key),
    expiredTokenOf(gateways, user),
  ]);
  return { user, other, otherId, admin, apiKey, cronKey, expired };
}

/** Of an instance whose tokens live a second, which is over before anybody presents it. */
async function expiredTokenOf(gateways: Gateways, email: string): Promise<string> {
  const brief = await gateways.start({ ACCESS_TOKEN_TTL_SECONDS: '1' });
  const token = accessTokenOf(await logInAt(brief.url, email));
  await sleep(2_000);
  await brief.kill();
  return token;
}

let addresses = 0;

/** Each time from another address. */
export function logInAt(url: string, email: string): Promise<Answer> {
  addresses += 1;
  return logInFrom(url, email, `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`);
}

function logInFrom(url: string, email: string, address: string): Promise<Answer> {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': address };
  return asked(url, '/auth/login', headers, JSON.stringify({ email, password: PASSWORD }));
}

export function accessTokenOf({ body }: Answer): string {
  return String(body['access_token']);
}

/** Uses up what one address may ask for, with requests that cost no password check. */
export async function spendLogins(url: string): Promise<void> {
  while ((await logInFrom(url, 'no address', SPENT_ADDRESS)).status !== 429);
}

export function sendSpentLogin(url: string, { user }: People): Promise<Answer> {
  return logInFrom(url, user, SPENT_ADDRESS);
}

export function sendCookie(url: string, path: '/auth/refresh' | '/auth/logout', token: string): Promise<Answer> {
  return asked(url, path, { cookie: `refresh_token=${token}` });
}

const CALLER = '{ caller { callerType } }';
const LISTING = '{ users(first: 5) { nodes { email } } }';
const CHANGE = 'mutation ($input: SetUserRoleInput!) { setUserRole(input: $input) { user { id } } }';

export function askAsBearer(url: string, token: string): Promise<Answer> {
  return graphql(url, { authorization: `Bearer ${token}` }, CALLER);
}

export function askSigned(url: string, { apiKey: { key_id, secret } }: People): Promise<Answer> {
  const body = JSON.stringify({ query: CALLER });
  const to = { method: 'POST', url: `${url}/graphql`, authority: 'localhost:3000', body };
  return asked(url, '/graphql', signRequest({ keyId: key_id, secret, ...to }), body);
}

export function askAsCron(url: string, { cronKey }: People): Promise<Answer> {
  return graphql(url, { 'x-internal-key': cronKey.header_value }, CALLER);
}

export function list(url: string, adminToken: string): Promise<Answer> {
  return graphql(url, { authorization: `Bearer ${adminToken}` }, LISTING);
}

const ROLES = ['analyst', 'viewer'];

/** Each time to another role, since one that the user has already changes nothing. */
export async function change(url: string, adminToken: string, { otherId }: People): Promise<Answer> {
  const input = { id: otherId, role: ROLES[0] };
  const answer = await graphql(url, { authorization: `Bearer ${adminToken}` }, CHANGE, { input });
  if (IS_RIGHT.change(answer)) ROLES.reverse();
  return answer;
}

export function health(url: string, which: 'live' | 'ready'): Promise<Answer> {
  return ask(url, `/health/${which}`, { method: 'GET', signal: AbortSignal.timeout(NO_ANSWER_MS) });
}

function graphql(url: string, headers: Record<string, string>, query: string, variables = {}): Promise<Answer> {
  const body = JSON.stringify({ query, variables });
  return asked(url, '/graphql', { ...headers, 'content-type': 'application/json' }, body);
}

function asked(url: string, path: string, headers: Record<string, string>, body: string | null = null) {
  return ask(url, path, { headers, body, signal: AbortSignal.timeout(NO_ANSWER_MS) });
}

// biome-ignore lint/suspicious/noExplicitAny: the answer of a query above
type Data = any;

const hasCaller = ({ body }: Answer, type: string): boolean => (body['data'] as Data)?.caller?.callerType === type;

/** Whether an answer is what the gateway gives when all is well. */
export const IS_RIGHT: Record<ProbeName, (answer: Answer) => boolean> = {
  login: ({ status, cookie }) => status === 200 && Boolean(cookie),
  'spent login': ({ status }) => status === 429,
  refresh: ({ status, cookie }) => status === 200 && Boolean(cookie),
  logout: ({ status, cookie }) => status === 200 && cookie === '',
  token: (answer) => hasCaller(answer, 'user'),
  'expired token': ({ status }) => status === 401,
  signature: (answer) => hasCaller(answer, 'api_key'),
  'cron key': (answer) => hasCaller(answer, 'cron'),
  listing: ({ body }) => (body['data'] as Data)?.users?.nodes?.length > 0,
  change: ({ body }) => Boolean((body['data'] as Data)?.setUserRole?.user),
  live: ({ status }) => status === 200,
  ready: ({ status }) => status === 200,
};
