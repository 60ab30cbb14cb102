/** deploy/forward-auth: Envoy is not installed here. What it asks is sent as it sends it, by the rules of the file. */
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { parseRule } from '../../src/callers/rule.js';
import { type Credentials, startCredentials } from './behind/credentials.js';
import { PAGES } from './behind/pages.js';
import { type Ask, expectAnswers, type Passing, pagesBehind, REPLAY_ROWS } from './behind/replayed.js';

interface Pattern {
  exact?: string;
  safe_regex?: { regex: string };
}

interface HttpService {
  path_prefix: string;
  server_uri: { timeout: string };
  authorization_request: { headers_to_add: Array<{ key: string; value: string }> };
  authorization_response: Record<string, { patterns: Pattern[] }>;
}

interface Route {
  match: { prefix?: string; safe_regex?: { regex: string } };
  direct_response?: object;
  typed_per_filter_config?: Record<string, { check_settings: { http_service: HttpService } }>;
}

const FILTER = 'envoy.filters.http.ext_authz';
const cleanUp = new AsyncDisposableStack();
let credentials: Credentials;
// biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape it needs
let manager: any;
let routes: Route[];
// biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape it needs
let filter: any;
// biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape it needs
let clusters: any;
beforeAll(async () => {
  credentials = await startCredentials(cleanUp);
  const { static_resources: all } = parse(await readFile('deploy/forward-auth/envoy.yaml', 'utf8'));
  manager = all.listeners[0].filter_chains[0].filters[0].typed_config;
  [{ typed_config: filter }] = manager.http_filters;
  clusters = all.clusters;
  [{ routes }] = manager.route_config.virtual_hosts;
});
afterAll(() => cleanUp.disposeAsync());

function isMatch({ regex }: { regex: string }, text: string): boolean {
  const insensitive = regex.startsWith('(?i)');
  return new RegExp(`^(?:${regex.replace('(?i)', '')})$`, insensitive ? 'i' : '').test(text);
}

/** The first route that matches, and whom it asks. */
function routeOf(target: string): Route {
  const [path = ''] = target.split('?');
  const found = routes.find(({ match: { prefix, safe_regex } }) =>
    safe_regex === undefined ? path.startsWith(prefix ?? '-') : isMatch(safe_regex, path),
  );
  if (found === undefined) throw new Error(`no route for ${target}`);
  return found;
}

function serviceOf({ typed_per_filter_config: own }: Route): HttpService {
  return own?.[FILTER]?.check_settings.http_service ?? filter.http_service;
}

test('Interface 18: Envoy: each route asks, and a failure lets nobody pass', () => {
  expect(filter).toMatchObject({
    failure_mode_allow: false,
    status_on_error: { code: 'ServiceUnavailable' },
    clear_route_cache: false,
  });
  expect(filter).not.toHaveProperty('with_request_body');
  for (const route of routes) {
    const { path_prefix: prefix, server_uri, authorization_request, authorization_response } = serviceOf(route);
    const [, rule = ''] = /^\/authz\/ext-authz\/([^/?]+)$/.exec(prefix) ?? [];
    expect([rule, parseRule(rule).kind]).toEqual([rule, 'rule']);
    expect(server_uri.timeout).toBe('10s');
    expect(authorization_request.headers_to_add).toEqual([{ key: 'x-forwarded-proto', value: 'https' }]);
    const lists = Object.entries(authorization_response).map(([list, { patterns }]) => [
      list,
      patterns.map(({ exact }) => exact),
    ]);
    expect(Object.fromEntries(lists)).toEqual({
      allowed_upstream_headers: [
        'x-auth-caller-type',
        'x-auth-caller-id',
        'x-auth-role',
        'x-auth-scopes',
        'x-auth-assertion',
        'cookie',
      ],
      allowed_client_headers: [
        'www-authenticate',
        'accept-signature',
        'retry-after',
        'content-type',
        'cache-control',
        'location',
        'set-cookie',
      ],
    });
  }
});

test('Interface 10: Envoy ends an idle connection before the gateway does', () => {
  const options =
    clusters[0].typed_extension_protocol_options['envoy.extensions.upstreams.http.v3.HttpProtocolOptions'];
  const seconds = Number.parseInt(options.common_http_protocol_options.idle_timeout, 10);
  expect(seconds).toBeLessThan(credentials.gateway.config.keepAliveSeconds);
});

test('Interface 18: Envoy: a path and a field have one spelling', () => {
  expect(manager).toMatchObject({
    normalize_path: true,
    merge_slashes: true,
    path_with_escaped_slashes_action: 'REJECT_REQUEST',
    common_http_protocol_options: { headers_with_underscores_action: 'REJECT_REQUEST' },
    upgrade_configs: [{ upgrade_type: 'websocket' }],
  });
  const refused = [
    '/admin;x',
    '/x/..;/admin',
    '/x\\..\\admin',
    '/admin#',
    '/admin%23',
    '/%2561dmin',
    '/admin%00',
    '/x/..%20/admin',
    '/..%20',
  ];
  for (const target of refused) expect([target, routeOf(target).direct_response]).toEqual([target, { status: 400 }]);
  const [{ request_headers_to_remove: removed }] = manager.route_config.virtual_hosts;
  expect(removed).toEqual(expect.arrayContaining(['x-http-method', 'x-http-method-override', 'x-method-override']));
  // A route removes fields after the filter has added its own.
  expect(JSON.stringify(manager.route_config)).not.toMatch(/headers_to_remove":\[[^\]]*x-auth/);
});

/** The method, the path behind the prefix, and those fields of the client that the file lists. */
const ask: Ask = ({ method, target, host, fields }) => {
  const patterns: Pattern[] = filter.allowed_headers.patterns;
  const isAllowed = (name: string): boolean =>
    name === 'authorization' ||
    patterns.some(({ exact, safe_regex }) => exact === name || (safe_regex !== undefined && isMatch(safe_regex, name)));
  const lower = fields.map(([name, value]): [string, string] => [name.toLowerCase(), value]);
  return {
    line: `${method} ${serviceOf(routeOf(target)).path_prefix}${target} HTTP/1.1`,
    fields: [
      ['host', host],
      ...lower.filter(([name]) => isAllowed(name)),
      ['x-forwarded-for', '127.0.0.1'],
      ['x-forwarded-proto', 'https'],
      ['x-envoy-internal', 'true'],
      ['content-length', '0'],
    ],
  };
};

test('Interface 18: Envoy: its question is answered', () => expectAnswers(credentials, ask, REPLAY_ROWS));

/** Fields of a 200 replace those of the client, which else stay. Of another answer the client gets those that the file lists. */
const passingOf = (target: string): Passing => {
  const lists = serviceOf(routeOf(target)).authorization_response;
  const names = (list: string) => lists[list]?.patterns.map(({ exact }) => exact ?? '') ?? [];
  const passed = names('allowed_client_headers');
  return { replaces: names('allowed_upstream_headers'), removes: false, passesOn: (name) => passed.includes(name) };
};

test.each(PAGES)('Interface 22: Envoy: %s', (_, work) =>
  work({ ...pagesBehind(credentials, ask, passingOf), takesOneCookieField: true }),
);
