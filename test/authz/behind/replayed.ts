/** Questions of proxies that are not installed here, byte for byte as they ask, and the callers that they ask about. */
import { AUTHORITY } from '../../support/gateway/authz.js';
import { exchange } from '../../support/gateway/raw.js';
import type { Seen } from '../../support/programs/service-behind.js';
import { type CallerName, type Credentials, credentialOf } from './credentials.js';
import type { PageSite } from './pages.js';

type Field = [name: string, value: string];

export interface Client {
  as: CallerName | 'nobody';
  method?: string;
  target: string;
  host?: string;
  fields?: Field[];
}

/** Status of the answer, and the caller or the reason in it */
export type ReplayRow = [title: string, client: Client, status: number, caller: string];

/** The lines of a question. @param fields what the client sends, credential included */
export type Ask = (client: Required<Client>) => { line: string; fields: Field[] };

/** The result of an answer, by the file of the proxy and its documentation. Names are in lower case */
export interface Passing {
  /** Fields of a 200 that replace those of the client */
  replaces: string[];
  /** True if those that a 200 has not are removed */
  removes: boolean;
  /** Fields of another answer that the client gets */
  passesOn(name: string): boolean;
}

/** A browser, this proxy and a service, as far as fields go. */
export function pagesBehind({ gateway }: Credentials, ask: Ask, passingOf: (target: string) => Passing): PageSite {
  const seen: Seen[] = [];
  const fieldsOf = (headers: object): Field[] =>
    Object.entries(headers).flatMap(([name, values]) => [values].flat().map((value): Field => [name, value]));
  return {
    gateway,
    service: { taken: () => seen.splice(0) },
    proxy: {
      send: async (method, target, { headers = {}, body = '' } = {}) => {
        const { replaces, removes, passesOn } = passingOf(target);
        const sent = fieldsOf(headers);
        const answer = await sendLines(gateway, ask({ as: 'nobody', method, target, host: AUTHORITY, fields: sent }));
        const added = answer.fields.filter(([name]) => replaces.includes(name));
        const isKept = ([name]: Field) =>
          !(removes ? replaces : added.map(([each]) => each)).includes(name.toLowerCase());
        if (answer.status === 200)
          seen.push({ method, target, fields: [...sent.filter(isKept), ...added], trailer: [], body: String(body) });
        const passed = answer.status === 200 ? [] : answer.fields.filter(([name]) => passesOn(name));
        const cookies = passed.filter(([name]) => name === 'set-cookie').map(([, value]) => value);
        return { ...answer, headers: Object.fromEntries(passed), cookies, json: undefined };
      },
    },
  };
}

/** Sends a question as it stands, on a connection of its own. @returns the fields of the answer, in lower case */
async function sendLines(gateway: Credentials['gateway'], { line, fields }: ReturnType<Ask>) {
  const head = [line, ...fields.map(([name, value]) => `${name}: ${value}`), 'Connection: close'];
  const came = await exchange(gateway, `${head.join('\r\n')}\r\n\r\n`);
  const [answered = '', text = ''] = came.split('\r\n\r\n');
  const lines = answered.split('\r\n').slice(1);
  const fieldOf = (each: string): Field => {
    const [, name = '', value = ''] = /^([^:]*): ?(.*)$/s.exec(each) ?? [];
    return [name.toLowerCase(), value];
  };
  return { status: Number(answered.slice(9, 12)), fields: lines.map(fieldOf), text };
}

export async function expectAnswers(site: Credentials, ask: Ask, rows: ReplayRow[]): Promise<void> {
  const got: Record<string, unknown> = {};
  for (const [title, client] of rows) {
    const { as, method = 'GET', target, host = AUTHORITY, fields = [] } = client;
    const credential = Object.entries(credentialOf(site, as, { method, target })) as Field[];
    const { line, fields: sent } = ask({ as, method, target, host, fields: [...credential, ...fields] });
    const answer = await sendLines(site.gateway, { line, fields: sent });
    const [, id = ''] = answer.fields.find(([name]) => name === 'x-auth-caller-id') ?? [];
    const caller = site.callers.get(id)?.name ?? (id === '' ? JSON.parse(answer.text).reason : id);
    got[title] = [answer.status, caller];
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
