/** A proxy of deploy/forward-auth between a gateway and a service, and whom the service takes the caller for. */
import {
  type ForwardAuthProxy,
  type ProxyKind,
  startForwardAuthProxy,
} from '../../support/programs/forward-auth-proxy.js';
import { type Seen, type ServiceBehind, startServiceBehind } from '../../support/programs/service-behind.js';
import { until } from '../../support/until.js';
import { type CallerName, type Credentials, startCredentials } from './credentials.js';

export interface Site extends Credentials {
  kind: ProxyKind;
  proxy: ForwardAuthProxy;
  service: ServiceBehind;
}

export async function startSite(kind: ProxyKind, cleanUp: AsyncDisposableStack): Promise<Site> {
  const credentials = await startCredentials(cleanUp);
  const service = cleanUp.use(await startServiceBehind());
  const ports = { gateway: Number(new URL(credentials.gateway.url).port), service: service.port };
  const proxy = cleanUp.use(await startForwardAuthProxy(kind, ports));
  await until(`${kind} reaches the gateway`, async () => (await proxy.send('GET', '/')).status === 401);
  return { ...credentials, kind, proxy, service };
}

/** In CGI and its likes every character but letters and digits becomes the same `_`. */
const IDENTITY_FIELD = /^x[^a-z\d]auth[^a-z\d]/i;
const IDENTITY = ['caller-type', 'caller-id', 'role', 'scopes', 'assertion'].map((name) => `x-auth-${name}`);
/** Fields from which some services take their path, method or peer. None of the client's gets through */
const DESCRIBING = /^(forwarded|x-original-url|x-rewrite-url|x-forwarded-.*|x-http-method.*|x-method-override)$/i;
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
    const name = part.replace(/[;\0].*$/s, '').toLowerCase();
    const dots = /^[. ]*$/.test(name) ? name.replaceAll(' ', '') : undefined;
    if (dots === undefined) segments.push(name.replace(/\..*$/s, '').trim());
    else if (dots.length > 1) segments.pop();
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
    'requested_links',
    'email_changes',
    'email_undos',
  ];
  const columns = counts.map((table) => `(select count(*)::int from ${table}) as ${table}`);
  const used = ['api_keys', 'cron_keys'].map(
    (table) =>
      `(select string_agg(key_id || coalesce(last_used_at::text, '-'), ' ' order by key_id) from ${table}) as ${table}`,
  );
  const [row] = await gateway.rows(`select ${[...columns, ...used].join(', ')}`);
  return row;
}
