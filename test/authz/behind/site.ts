/** A gateway, a proxy of deploy/forward-auth and a service behind it, with callers of every kind. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askAs, FORWARD_AUTH, signedOriginal } from '../../support/gateway/authz.js';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.js';
import { type IssuedKey, newApiKey, newCronKey, newcomer } from '../../support/gateway/graphql.js';
import {
  type ForwardAuthProxy,
  type ProxyKind,
  startForwardAuthProxy,
} from '../../support/programs/forward-auth-proxy.js';
import { type Seen, type ServiceBehind, startServiceBehind } from '../../support/programs/service-behind.js';
import { until } from '../../support/until.js';

export type CallerName = 'viewer' | 'analyst' | 'admin' | 'key' | 'many' | 'limited' | 'cron';

export interface Site {
  kind: ProxyKind;
  gateway: TestGateway;
  proxy: ForwardAuthProxy;
  service: ServiceBehind;
  keys: Record<'key' | 'many' | 'limited', IssuedKey>;
  /** What stands in the braces of a field, as in `Authorization: Bearer {viewer}` */
  secrets: Record<'viewer' | 'analyst' | 'admin' | 'cron' | 'refresh' | 'assertion', string>;
  /** By X-Auth-Caller-Id: the first three identity fields, and the scopes */
  callers: Map<string, { name: CallerName; fields: string[] }>;
}

/** 50 scopes of 60 characters, as many as a key may have */
const MANY_SCOPES = Array.from({ length: 50 }, (_, i) => `${`resource_${i}`.padEnd(29, 'x')}:${'y'.repeat(30)}`);

export async function startSite(kind: ProxyKind, cleanUp: AsyncDisposableStack): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'forward-auth-'));
  cleanUp.defer(() => rm(folder, { recursive: true }));
  const roleScopes = join(folder, 'role-scopes.json');
  await writeFile(roleScopes, JSON.stringify({ analyst: ['invoices:read'] }));
  const env = { ...FORWARD_AUTH, ROLE_SCOPES_FILE: roleScopes, TRUST_PROXY: '127.0.0.1' };
  const gateway = await startGateway({ env });
  cleanUp.defer(gateway.close);
  const service = cleanUp.use(await startServiceBehind());
  const ports = { gateway: Number(new URL(gateway.url).port), service: service.port };
  const proxy = cleanUp.use(await startForwardAuthProxy(kind, ports));

  await until(`${kind} reaches the gateway`, async () => (await proxy.send('GET', '/')).status === 401);

  const [viewer, analyst, admin] = [
    await newcomer(gateway, 'viewer'),
    await newcomer(gateway, 'analyst'),
    await newcomer(gateway, 'admin'),
  ];
  const keys = {
    key: await newApiKey(gateway, ['invoices:read']),
    many: await newApiKey(gateway, MANY_SCOPES),
    limited: await newApiKey(gateway, [], 1),
  };
  const cron = await newCronKey(gateway);
  const own = await askAs(gateway, 'forward-auth', 'caller=user', {
    headers: { authorization: `Bearer ${admin.accessToken}` },
  });
  const known = (name: CallerName, type: string, id: string, role: string, scopes: string): [string, object] => [
    id,
    { name, fields: [type, id, role, scopes] },
  ];
  return {
    kind,
    gateway,
    proxy,
    service,
    keys,
    secrets: {
      viewer: viewer.accessToken,
      analyst: analyst.accessToken,
      admin: admin.accessToken,
      cron: cron.secret,
      refresh: admin.refreshToken,
      assertion: String(own.headers['x-auth-assertion']),
    },
    callers: new Map([
      known('viewer', 'user', viewer.user.id, 'viewer', '-'),
      known('analyst', 'user', analyst.user.id, 'analyst', 'users:read audit:read invoices:read'),
      known('admin', 'user', admin.user.id, 'admin', String(own.headers['x-auth-scopes'])),
      known('key', 'api_key', keys.key.keyId, '-', 'invoices:read'),
      known('many', 'api_key', keys.many.keyId, '-', MANY_SCOPES.join(' ')),
      known('limited', 'api_key', keys.limited.keyId, '-', '-'),
      known('cron', 'cron', cron.keyId, '-', '-'),
    ]) as Site['callers'],
  };
}

/** The fields that this caller sends: a signature is of this request. */
export function credentialOf(
  { gateway, keys, secrets }: Site,
  caller: CallerName | 'nobody',
  request: { method?: string; target?: string; body?: string; authority?: string; nonce?: string } = {},
): Record<string, string | string[]> {
  switch (caller) {
    case 'nobody':
      return {};
    case 'cron':
      return { 'X-Internal-Key': secrets.cron };
    case 'key':
    case 'many':
    case 'limited':
      return signedOriginal(gateway, keys[caller], request).headers;
    default:
      return { Authorization: `Bearer ${secrets[caller]}` };
  }
}

/** In CGI and its likes every character but letters and digits becomes the same `_`. */
const IDENTITY_FIELD = /^x[^a-z\d]auth[^a-z\d]/i;
const IDENTITY = ['caller-type', 'caller-id', 'role', 'scopes', 'assertion'].map((name) => `x-auth-${name}`);
/** Fields from which some services take their path, method or peer. None of the client's gets through */
const DESCRIBING = /^(forwarded|x-original-url|x-rewrite-url|x-forwarded-.*)$/i;
const DESCRIPTION = 'x-forwarded-for: 127.0.0.1, x-forwarded-host: app.example.com, x-forwarded-proto: https';

export type Verdict = 'refused' | 'nobody' | CallerName | 'viewer, with a trailer';

/** Who the service takes the caller for. @returns words that no table expects if something got through */
export function verdictOf({ callers }: Pick<Site, 'callers'>, seen: Seen[]): Verdict | `BROKEN: ${string}` {
  const [it, ...more] = seen;
  if (it === undefined) return 'refused';
  if (more.length > 0) return `BROKEN: ${seen.length} requests`;
  if (it.upgrade !== undefined && it.upgrade !== 'websocket') return `BROKEN: a tunnel for ${it.upgrade}`;
  const identity = it.fields.filter(([name]) => IDENTITY_FIELD.test(name));
  const names = identity.map(([name]) => name.toLowerCase()).toSorted();
  if (names.join() !== IDENTITY.toSorted().join()) return `BROKEN: fields ${names.join()}`;
  const valueIn = (name: string) => it.fields.find(([each]) => each.toLowerCase() === name)?.[1] ?? '';
  const describing = it.fields
    .filter(([name]) => DESCRIBING.test(name))
    .map(([name, value]) => `${name.toLowerCase()}: ${value}`);
  if (describing.toSorted().join(', ') !== DESCRIPTION) return `BROKEN: fields ${describing.join(', ')}`;
  const values = IDENTITY.slice(0, 4).map(valueIn);
  if (valueIn('host') !== 'app.example.com') return `BROKEN: Host ${valueIn('host')}`;
  if (isOfAdministrators(it.target) && values[2] !== 'admin') return `BROKEN: ${it.target} as ${values.join()}`;
  if (values.join() === '-,-,-,-') return 'nobody';
  const caller = callers.get(values[1] ?? '');
  if (caller?.fields.join() !== values.join()) return `BROKEN: ${values.join()}`;
  if (!it.trailer.some(([name]) => IDENTITY_FIELD.test(name))) return caller.name;
  return caller.name === 'viewer' ? 'viewer, with a trailer' : 'BROKEN: a trailer';
}

/** True if the most lenient of services would take this for a path below /admin. */
function isOfAdministrators(target: string): boolean {
  let path = target.replace(/^https?:\/\/[^/]*/i, '').replace(/[?#].*$/s, '');
  for (let n = 0; n < 3; n += 1)
    path = path.replace(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  const segments: string[] = [];
  for (const part of path.replaceAll('\\', '/').split('/')) {
    const name = part
      .replace(/[;\0].*$/s, '')
      .trim()
      .toLowerCase();
    if (name === '..') segments.pop();
    else if (name !== '' && name !== '.') segments.push(name);
  }
  return segments[0] === 'admin';
}

/** What a hostile request must not change: rows of others, and how often keys were used. */
export async function rowsOf({ gateway }: Pick<Site, 'gateway'>): Promise<unknown> {
  const counts = [
    'users',
    'sessions',
    'refresh_tokens',
    'signature_nonces',
    'audit_events',
    'known_devices',
    'password_links',
  ];
  const columns = counts.map((table) => `(select count(*)::int from ${table}) as ${table}`);
  const used = ['api_keys', 'cron_keys'].map(
    (table) =>
      `(select string_agg(key_id || coalesce(last_used_at::text, '-'), ' ' order by key_id) from ${table}) as ${table}`,
  );
  const [row] = await gateway.rows(`select ${[...columns, ...used].join(', ')}`);
  return row;
}
