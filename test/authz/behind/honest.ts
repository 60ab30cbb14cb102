/** Honest requests: who calls, what the rule requires, what the service sees, and what the client gets. */
import { claimsOf } from '../../support/gateway/gateway.js';
import { sha256Digest } from '../../support/independent/signer.js';
import type { Seen } from '../../support/programs/service-behind.js';
import { type CallerName, credentialOf } from './credentials.js';
import { type Site, type Verdict, verdictOf } from './site.js';

interface Honest {
  as: CallerName | 'nobody';
  method?: string;
  target: string;
  fields?: Record<string, string>;
  body?: string;
}

/** The status, and fields of the answer by their beginning; undefined: not there */
interface Result {
  status: number;
  sees: Verdict;
  fields?: Record<string, string | undefined>;
}

export type HonestRow = [title: string, request: Honest, result: Result];

const ANY = 'caller=user,api_key,cron';
const CHALLENGES = 'Bearer realm="auth-gateway"';
const PREFLIGHT = { Origin: 'https://b.test', 'Access-Control-Request-Method': 'PUT' };
const unchanged = { 'www-authenticate': 'Service', 'x-own': 'yes' };
const BODY = '{"amount":1,"to":"\u00e9"}';

export const HONEST_ROWS: HonestRow[] = [
  [`a user, ${ANY}`, { as: 'viewer', target: '/' }, { status: 200, sees: 'viewer' }],
  [`a signed request, ${ANY}`, { as: 'key', target: '/x' }, { status: 200, sees: 'key' }],
  [`a cron job, ${ANY}`, { as: 'cron', target: '/x' }, { status: 200, sees: 'cron' }],
  ['an administrator, role=admin', { as: 'admin', target: '/admin/users' }, { status: 200, sees: 'admin' }],
  [
    'an administrator, role=admin, without a slash',
    { as: 'admin', target: '/Admin?a=b' },
    { status: 200, sees: 'admin' },
  ],
  ['a user, role=admin', { as: 'viewer', target: '/admin/users' }, { status: 403, sees: 'refused' }],
  ['a key, role=admin', { as: 'key', target: '/admin/users' }, { status: 403, sees: 'refused' }],
  ['a cron job, role=admin', { as: 'cron', target: '/admin/users' }, { status: 403, sees: 'refused' }],
  ['a name that only begins like it', { as: 'viewer', target: '/administration' }, { status: 200, sees: 'viewer' }],
  ['a user with the scope', { as: 'analyst', target: '/invoices/1' }, { status: 200, sees: 'analyst' }],
  ['a key with the scope', { as: 'key', target: '/invoices' }, { status: 200, sees: 'key' }],
  ['a user without the scope', { as: 'viewer', target: '/invoices/1' }, { status: 403, sees: 'refused' }],
  ['a kind of caller that the rule has not', { as: 'cron', target: '/invoices/1' }, { status: 403, sees: 'refused' }],
  [
    'nobody',
    { as: 'nobody', target: '/x' },
    { status: 401, sees: 'refused', fields: { 'www-authenticate': CHALLENGES, 'accept-signature': 'sig1=("@method"' } },
  ],
  [
    'nobody, role=admin',
    { as: 'nobody', target: '/admin' },
    { status: 401, sees: 'refused', fields: { 'www-authenticate': CHALLENGES, 'accept-signature': undefined } },
  ],
  [
    'a bad token',
    { as: 'nobody', target: '/x', fields: { Authorization: 'Bearer a' } },
    { status: 401, sees: 'refused', fields: { 'www-authenticate': `${CHALLENGES}, error="invalid_token"` } },
  ],
  [
    'a preflight',
    { as: 'nobody', method: 'OPTIONS', target: '/invoices', fields: PREFLIGHT },
    { status: 200, sees: 'nobody' },
  ],
  [
    'a preflight without that rule',
    { as: 'nobody', method: 'OPTIONS', target: '/x', fields: PREFLIGHT },
    { status: 401, sees: 'refused' },
  ],
  ['HEAD', { as: 'viewer', method: 'HEAD', target: '/x' }, { status: 200, sees: 'viewer' }],
  [
    'HEAD of nobody',
    { as: 'nobody', method: 'HEAD', target: '/x' },
    { status: 401, sees: 'refused', fields: { 'www-authenticate': CHALLENGES } },
  ],
  ['a signed body', { as: 'key', method: 'POST', target: '/pay?to=a', body: BODY }, { status: 200, sees: 'key' }],
  [
    'a body of a user',
    { as: 'viewer', method: 'PUT', target: '/x', body: 'b'.repeat(100_000) },
    { status: 200, sees: 'viewer' },
  ],
  ['a query', { as: 'key', target: '/x?a=%C3%A9&b=c%20d+e&f=//;../&%61' }, { status: 200, sees: 'key' }],
  ['a path with encoded characters', { as: 'key', target: '/a%20b/%C3%A9@%40,=:~!$&()' }, { status: 200, sees: 'key' }],
  ['a key with 50 long scopes', { as: 'many', target: '/x' }, { status: 200, sees: 'many' }],
  [
    'a key with 50 long scopes, a long path',
    { as: 'many', target: `/${'x'.repeat(6_500)}` },
    { status: 200, sees: 'many' },
  ],
  ['a long path', { as: 'key', target: `/${'x'.repeat(3_000)}` }, { status: 200, sees: 'key' }],
  ['the first request of a limit', { as: 'limited', target: '/x' }, { status: 200, sees: 'limited' }],
  ['the second', { as: 'limited', target: '/x' }, { status: 429, sees: 'refused', fields: { 'retry-after': '' } }],
  [
    'a 401 of the service',
    { as: 'viewer', target: '/x', fields: { 'X-Answer': '401' } },
    { status: 401, sees: 'viewer', fields: unchanged },
  ],
  [
    'a 403 of the service',
    { as: 'viewer', target: '/x', fields: { 'X-Answer': '403' } },
    { status: 403, sees: 'viewer', fields: unchanged },
  ],
  [
    'a 429 of the service',
    { as: 'viewer', target: '/x', fields: { 'X-Answer': '429' } },
    { status: 429, sees: 'viewer', fields: unchanged },
  ],
  [
    'a 500 of the service',
    { as: 'viewer', target: '/x', fields: { 'X-Answer': '500' } },
    { status: 500, sees: 'viewer', fields: unchanged },
  ],
  [
    'a 503 of the service',
    { as: 'viewer', target: '/x', fields: { 'X-Answer': '503' } },
    { status: 503, sees: 'viewer', fields: unchanged },
  ],
];

/** Sends each request, and compares what the service saw and the client got. */
export async function expectResults(site: Site, rows: HonestRow[]): Promise<void> {
  const got: Record<string, unknown> = {};
  for (const [title, request, { fields = {} }] of rows) {
    const { as, method = 'GET', target, body = '' } = request;
    site.service.taken();
    const headers = { ...credentialOf(site, as, { method, target, body }), ...request.fields };
    const answer = await site.proxy.send(method, target, { headers, ...(body !== '' && { body }) });
    const seen = site.service.taken();
    const found = Object.entries(fields).map(([name, start]) => {
      const value = answer.headers[name];
      return [name, start !== undefined && String(value ?? 'none').startsWith(start) ? start : value];
    });
    got[title] = { status: answer.status, sees: verdictOf(site, seen), fields: Object.fromEntries(found) };
    for (const it of seen) expectSame(it, { method, target, body });
    if (seen.length > 0 && as !== 'nobody') expectAssertion(seen, request);
    expect([title, answer.cookies]).toEqual([title, []]);
  }
  expect(got).toEqual(Object.fromEntries(rows.map(([title, , result]) => [title, { fields: {}, ...result }])));
}

/** What the client meant reaches the service: neither the question nor the proxy has changed it. */
function expectSame(seen: Seen, sent: { method: string; target: string; body: string }): void {
  const body = Buffer.from(sent.body).toString('latin1');
  expect({ method: seen.method, target: seen.target, body: seen.body }).toEqual({ ...sent, body });
}

/** The assertion is of this request. */
function expectAssertion([it]: Seen[], { as, method = 'GET', target, body }: Honest): void {
  const assertion = it?.fields.find(([name]) => name.toLowerCase() === 'x-auth-assertion')?.[1] ?? '';
  const isSigned = ['key', 'many', 'limited'].includes(as);
  expect(claimsOf(assertion)).toMatchObject({
    aud: 'https://app.example.com',
    method,
    uri: target,
    body: isSigned ? (body === undefined ? 'none' : 'digest') : '-',
    ...(isSigned && body !== undefined && { content_digest: sha256Digest(body) }),
  });
}
