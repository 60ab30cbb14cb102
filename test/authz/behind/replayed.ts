/** Questions of proxies that are not installed here, byte for byte as they ask, and the callers that they ask about. */
import { exchange } from '../../support/gateway/raw.js';
import { type CallerName, type Credentials, credentialOf } from './credentials.js';

export interface Client {
  as: CallerName | 'nobody';
  method?: string;
  target: string;
  host?: string;
  fields?: Array<[name: string, value: string]>;
}

/** Status of the answer, and the caller or the reason in it */
export type ReplayRow = [title: string, client: Client, status: number, caller: string];

/** The lines of a question. @param fields what the client sends, credential included */
export type Ask = (client: Required<Client>) => { line: string; fields: Array<[name: string, value: string]> };

export async function expectAnswers(site: Credentials, ask: Ask, rows: ReplayRow[]): Promise<void> {
  const got: Record<string, unknown> = {};
  for (const [title, client] of rows) {
    const { as, method = 'GET', target, host = 'app.example.com', fields = [] } = client;
    const credential = Object.entries(credentialOf(site, as, { method, target })) as Array<[string, string]>;
    const { line, fields: sent } = ask({ as, method, target, host, fields: [...credential, ...fields] });
    const head = [line, ...sent.map(([name, value]) => `${name}: ${value}`)];
    const answer = await exchange(site.gateway, `${head.join('\r\n')}\r\nConnection: close\r\n\r\n`);
    const [answered = '', body = ''] = answer.split('\r\n\r\n');
    const id = /^x-auth-caller-id: (.*)$/im.exec(answered)?.[1] ?? '';
    const caller = site.callers.get(id)?.name ?? (id === '' ? JSON.parse(body).reason : id);
    got[title] = [Number(answered.slice(9, 12)), caller];
  }
  expect(got).toEqual(Object.fromEntries(rows.map(([title, , ...result]) => [title, result])));
}

export const REPLAY_ROWS: ReplayRow[] = [
  ['a user', { as: 'viewer', target: '/x?a=b' }, 200, 'viewer'],
  ['a signed request', { as: 'key', target: '/x?a=b' }, 200, 'key'],
  ['a signed request of another method', { as: 'key', method: 'DELETE', target: '/x' }, 200, 'key'],
  ['a cron job', { as: 'cron', target: '/x' }, 200, 'cron'],
  ['an administrator, role=admin', { as: 'admin', target: '/admin/users' }, 200, 'admin'],
  ['a user, role=admin', { as: 'viewer', target: '/admin/users' }, 403, 'role_missing'],
  ['a user, role=admin, in upper case', { as: 'viewer', target: '/ADMIN' }, 403, 'role_missing'],
  ['a user, role=admin, with a query like a rule', { as: 'viewer', target: '/admin?caller=user' }, 403, 'role_missing'],
  ...['/admin.json', '/admin.', '/Admin..', '/admin%20', '/admin%20/users', '/admin.json?x'].map(
    (target): ReplayRow => [`a user, role=admin: ${target}`, { as: 'viewer', target }, 403, 'role_missing'],
  ),
  ['a name that only begins like it', { as: 'viewer', target: '/administration' }, 200, 'viewer'],
  ['a user without the scope, in another format', { as: 'viewer', target: '/invoices.csv' }, 403, 'scope_missing'],
  ['a user with the scope', { as: 'analyst', target: '/invoices/1' }, 200, 'analyst'],
  ['a user without the scope', { as: 'viewer', target: '/Invoices' }, 403, 'scope_missing'],
  ['nobody', { as: 'nobody', target: '/x' }, 401, 'missing_credentials'],
  [
    'a preflight',
    {
      as: 'nobody',
      method: 'OPTIONS',
      target: '/invoices',
      fields: [
        ['Origin', 'https://b.test'],
        ['Access-Control-Request-Method', 'PUT'],
      ],
    },
    200,
    '-',
  ],
  ['an identity field', { as: 'viewer', target: '/x', fields: [['X-Auth-Role', 'admin']] }, 403, 'identity_field'],
  [
    'an identity field, other spelling',
    { as: 'viewer', target: '/x', fields: [['X.Auth~Role', 'admin']] },
    403,
    'identity_field',
  ],
  ['another host', { as: 'viewer', target: '/x', host: 'b.test' }, 403, 'origin_not_listed'],
  ['the host in upper case', { as: 'viewer', target: '/x', host: 'APP.example.com' }, 403, 'origin_not_listed'],
  ['a fragment', { as: 'viewer', target: '/x%23#y' }, 400, 'malformed_request'],
];
