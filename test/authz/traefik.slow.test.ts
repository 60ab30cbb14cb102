/** deploy/forward-auth: Traefik is not installed here. What it asks is sent as it sends it, by the rules of the file. */
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { parseRule } from '../../src/callers/rule.js';
import { type Credentials, startCredentials } from './behind/credentials.js';
import { PAGES } from './behind/pages.js';
import { type Ask, expectAnswers, type Passing, pagesBehind, REPLAY_ROWS } from './behind/replayed.js';

interface Router {
  rule: string;
  priority: number;
  middlewares: string[];
}

interface ForwardAuth {
  address: string;
  trustForwardHeader: boolean;
  authResponseHeaders: string[];
  authRequestHeaders?: string[];
  forwardBody: boolean;
  maxResponseBodySize: number;
}

/** Fields from which some services take their path or method, and that Traefik does not set itself */
const OVERRIDES = ['X-Original-URL', 'X-Rewrite-URL', 'X-HTTP-Method', 'X-HTTP-Method-Override', 'X-Method-Override'];

const cleanUp = new AsyncDisposableStack();
let credentials: Credentials;
let routers: Router[];
let questions: Record<string, ForwardAuth>;
beforeAll(async () => {
  credentials = await startCredentials(cleanUp);
  const { http } = parse(await readFile('deploy/forward-auth/traefik-app.yaml', 'utf8'));
  routers = Object.values(http.routers);
  const middlewares: Array<[string, { forwardAuth?: ForwardAuth }]> = Object.entries(http.middlewares);
  questions = Object.fromEntries(
    middlewares.flatMap(([name, { forwardAuth }]) => (forwardAuth ? [[name, forwardAuth]] : [])),
  );
});
afterAll(() => cleanUp.disposeAsync());

/** As Traefik chooses: the router of the highest priority whose expressions match the path. */
function questionFor(target: string): ForwardAuth | undefined {
  const [path = ''] = target.split('?');
  const isMatch = ({ rule }: Router): boolean =>
    rule.split(' && ').every((term) => {
      const [, not, host, expression = ''] = /^(!?)(?:Host\(`(.*)`\)|PathRegexp\(`(.*)`\))$/.exec(term) ?? [];
      if (host !== undefined) return host === 'app.example.com';
      const isFound = new RegExp(expression.replace('(?i)', ''), expression.startsWith('(?i)') ? 'i' : '').test(path);
      return isFound !== (not === '!');
    });
  const [router] = routers.filter(isMatch).toSorted((one, other) => other.priority - one.priority);
  return router?.middlewares.flatMap((name) => questions[name] ?? [])[0];
}

test('Interface 18: Traefik: each router asks, and takes nothing of the client', () => {
  expect(routers).toHaveLength(3);
  for (const { middlewares } of routers) expect(middlewares.filter((name) => name in questions)).toHaveLength(1);
  for (const { address, ...question } of Object.values(questions)) {
    const [, rule = ''] = /^http:\/\/127\.0\.0\.1:3000\/authz\/forward-auth\/([^/?]+)$/.exec(address) ?? [];
    expect([rule, parseRule(rule).kind]).toEqual([rule, 'rule']);
    expect(question).toEqual({
      trustForwardHeader: false,
      authResponseHeaders: [
        'X-Auth-Caller-Type',
        'X-Auth-Caller-Id',
        'X-Auth-Role',
        'X-Auth-Scopes',
        'X-Auth-Assertion',
        'Cookie',
      ],
      forwardBody: false,
      maxBodySize: 65_536,
      maxResponseBodySize: 65_536,
    });
  }
});

test('Interface 18: Traefik: other spellings of a field or a path are refused at the entry point', async () => {
  const { entryPoints } = parse(await readFile('deploy/forward-auth/traefik.yaml', 'utf8'));
  const { aliasHeadersStrategy, sanitizePath, encodedCharacters } = entryPoints.websecure.http;
  expect([aliasHeadersStrategy, sanitizePath]).toEqual(['reject', true]);
  expect(Object.values(encodedCharacters)).toEqual(Array(7).fill(false));
  for (const target of [
    '/admin;x',
    '/;/admin',
    '/x/..;/admin',
    '/x\\..\\admin',
    '/admin#',
    '/x/..%20/admin',
    '/.. /admin',
  ]) {
    expect([target, questionFor(target)]).toEqual([target, undefined]);
  }
});

test('Interface 18: Traefik: no router leaves the client a field that describes its request', async () => {
  const { http } = parse(await readFile('deploy/forward-auth/traefik-app.yaml', 'utf8'));
  for (const { middlewares } of routers) expect(middlewares).toContain('without-overrides');
  expect(Object.keys(http.middlewares['without-overrides'].headers.customRequestHeaders)).toEqual(OVERRIDES);
});

/** GET, with the fields of the client, and X-Forwarded-* of the request itself in their place. */
const ask: Ask = ({ method, target, host, fields }) => {
  const address = questionFor(target)?.address ?? '';
  return {
    line: `GET ${new URL(address).pathname} HTTP/1.1`,
    fields: [
      ['Host', '127.0.0.1:3000'],
      ['User-Agent', 'curl/7.88.1'],
      ...fields,
      ['X-Forwarded-For', '127.0.0.1'],
      ['X-Forwarded-Host', host],
      ['X-Forwarded-Method', method],
      ['X-Forwarded-Port', '443'],
      ['X-Forwarded-Proto', 'https'],
      ['X-Forwarded-Server', 'traefik'],
      ['X-Forwarded-Uri', target],
      ['X-Real-Ip', '127.0.0.1'],
      ['Accept-Encoding', 'gzip'],
    ],
  };
};

test('Interface 18: Traefik: its question is answered', async () => {
  const rows = REPLAY_ROWS.filter(([title]) => title !== 'a fragment'); // no router matches
  await expectAnswers(credentials, ask, rows);
});

/** A 2xx puts these fields in the place of the client's. Any other answer goes to the client, whole. */
const passingOf = (target: string): Passing => {
  const replaces = (questionFor(target)?.authResponseHeaders ?? []).map((name) => name.toLowerCase());
  return { replaces, removes: true, passesOn: () => true };
};

test.each(PAGES)('Interface 22: Traefik: %s', (_, work) => work(pagesBehind(credentials, ask, passingOf)));
