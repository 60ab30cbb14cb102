/** `openapi.json` is true: each answer that it describes is brought about, and is as described. */
import { openApiDocument } from '../../src/http/openapi/document.js';
import { startUnmailed } from '../support/gateway/account.js';
import { FORWARD_AUTH } from '../support/gateway/authz.js';
import { logIn, PASSWORD, refreshTokenOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newcomer } from '../support/gateway/graphql.js';
import { CHOSEN, changePassword, check, forgot, issueLink, redeem } from '../support/gateway/passwords.js';
import { quickPasswords } from '../support/gateway/quick-passwords.js';
import { answersIn, exchange } from '../support/gateway/raw.js';
import { login, logout, refresh, WRONG } from '../support/gateway/routes.js';
import { forgeRefreshToken } from '../support/independent/forge.js';
import { retryField, retrySession } from '../support/independent/retries.js';
import { lacksColumn, whileAway, withFault } from '../support/postgres/faults.js';
import { ACCOUNT_ROUTES, accountRows, OWN_ACCOUNT_ROUTES } from './openapi-account-answers.js';
import { type Answered, createChecker, described } from './openapi-checker.js';
import { EXPORT_ROUTES, exportRows } from './openapi-export-answers.js';
import {
  COUNTED_FACTOR_ROUTES,
  factorRows,
  methodOf,
  OWN_FACTOR_ROUTES,
  type Row,
  urlOf,
} from './openapi-factor-answers.js';
import { GATE_ROUTES, gateRows, PAGE_URL } from './openapi-gate-answers.js';

const document = JSON.parse(JSON.stringify(openApiDocument('http://localhost:3000')));
const checker = createChecker(document);

const passwords = quickPasswords();
/** Nobody listens there, and nothing is mailed. */
const SMTP_NOWHERE = { MAIL: 'smtp', SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'auth@example.com' };

let gateway: TestGateway;
/** In production, it allows a single request; one that gives a request a moment to arrive, without accounts, strict with analysts */
let limited: TestGateway;
let hasty: TestGateway;
beforeAll(async () => {
  gateway = await startUnmailed({ env: { REFRESH_RETRY: 'true', ...FORWARD_AUTH }, passwords });
  limited = await startGateway({
    env: {
      ...SMTP_NOWHERE,
      ...FORWARD_AUTH,
      NODE_ENV: 'production',
      ACCOUNT: 'on',
      LOGIN_RATE_LIMIT: '1',
      SESSION_RATE_LIMIT: '1',
    },
  });
  hasty = await startGateway({
    env: { ACCOUNT: 'off', SECOND_FACTOR_ROLES: 'analyst' },
    sockets: { headersMs: 100, requestMs: 100, checkEveryMs: 20 },
  });
});
afterAll(async () => {
  for (const one of [gateway, limited, hasty]) await one?.close();
});

const newUser = () => gateway.user();
const session = async () => (await logIn(gateway, (await newUser()).email)).refreshToken;
const forged = async (claims: Record<string, unknown>) =>
  refresh(gateway, await forgeRefreshToken(gateway, { claims }));
const FOREIGN = { origin: 'https://evil.example.net' };

async function presented(column: string, value: unknown): Promise<Answered> {
  const { id, email } = await newUser();
  const { refreshToken } = await logIn(gateway, email);
  await gateway.rows(`update refresh_tokens set ${column} = $2 where user_id = $1`, [id, value]);
  return refresh(gateway, refreshToken);
}

async function locked(): Promise<Answered> {
  const { id, email } = await newUser();
  await gateway.rows(`update users set locked_until = '2100-01-01' where id = $1`, [id]);
  return login(gateway, email);
}

/** The last of what comes back for these bytes. */
async function heard(on: TestGateway, text: string): Promise<Answered> {
  const answer = answersIn(await exchange(on, text)).at(-1);
  if (answer === undefined) throw new Error('nothing came back');
  const fields = answer.head.split('\r\n').slice(1);
  const headers = fields.map((field) => [field.split(':', 1)[0]?.toLowerCase(), field.replace(/^[^:]+:\s*/, '')]);
  return { status: answer.status, headers: Object.fromEntries(headers), text: JSON.stringify(answer.json) };
}

/** A login that waits for its password to be checked, and so many requests behind it that one is too many. */
async function pipelined(line: string): Promise<Answered> {
  const body = JSON.stringify({ email: 'nobody@example.com', password: 'x' });
  const first = `POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  using held = passwords.hold();
  const requests = [...Array(15).fill('GET /health/live'), line].map((one) => `${one} HTTP/1.1\r\nHost: x\r\n\r\n`);
  const came = heard(gateway, first + requests.join(''));
  await held.reached(1);
  held.release();
  return came;
}

const send = (path: string, options = {}) => gateway.send(methodOf(path), urlOf(path), options);
const JSON_TYPE = { 'content-type': 'application/json' };

const OF_LOGIN: Row[] = [
  ['/auth/login', 200, '', async () => login(gateway, (await newUser()).email)],
  ['/auth/login', 400, 'body_not_json', () => send('/auth/login', { headers: JSON_TYPE, body: '{' })],
  ['/auth/login', 401, 'invalid_credentials', async () => login(gateway, (await newUser()).email, WRONG)],
  ['/auth/login', 413, 'body_too_large', () => send('/auth/login', { headers: JSON_TYPE, body: ' '.repeat(20_000) })],
  ['/auth/login', 415, 'unsupported_media_type', () => send('/auth/login', { body: 'x' })],
  ['/auth/login', 422, '', () => send('/auth/login', { body: { email: 'x', password: '' } })],
  ['/auth/login', 429, 'account_locked', locked],
  [
    '/auth/login',
    429,
    'login_rate_limited',
    async () => {
      await login(limited, 'nobody@example.com');
      return login(limited, 'nobody@example.com', PASSWORD);
    },
  ],
  [
    '/auth/login',
    500,
    'internal_error',
    async () => {
      const { email } = await newUser();
      return withFault(gateway, lacksColumn('users', 'failed_login_attempts'), () => login(gateway, email));
    },
  ],
];

const OF_REFRESH: Row[] = [
  ['/auth/refresh', 200, '', async () => refresh(gateway, await session())],
  [
    '/auth/refresh',
    200,
    '',
    async () => {
      const { used, key } = await retrySession(gateway);
      const answer = await refresh(gateway, used, retryField(key));
      expect(answer.headers['refresh-retry']).toBe('this');
      return answer;
    },
  ],
  ['/auth/refresh', 401, 'no_refresh_token', () => refresh(gateway)],
  [
    '/auth/refresh',
    401,
    'ambiguous_cookie',
    () => send('/auth/refresh', { headers: { cookie: 'refresh_token=a; refresh_token=b' } }),
  ],
  ['/auth/refresh', 401, 'invalid_refresh_token', () => refresh(gateway, 'junk')],
  ['/auth/refresh', 401, 'wrong_token_type', () => forged({ type: 'other' })],
  ['/auth/refresh', 401, 'claim_missing', () => forged({ jti: undefined })],
  ['/auth/refresh', 401, 'jti_not_uuid', () => forged({ jti: 'x' })],
  ['/auth/refresh', 401, 'record_unknown', () => forged({})],
  ['/auth/refresh', 401, 'record_revoked', () => presented('revoked', true)],
  ['/auth/refresh', 401, 'record_expired', () => presented('expires_at', '2000-01-01')],
];

const SESSION_ROUTES: Array<[path: string, ask: typeof refresh]> = [
  ['/auth/refresh', refresh],
  ['/auth/logout', logout],
];

/** A chunk whose extension Node refuses, on a route that reads no body. */
const chunkTooLarge = (line: string) =>
  heard(
    gateway,
    `${line} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(20_000)}\r\na\r\n0\r\n\r\n`,
  );

const OF_SESSIONS: Row[] = SESSION_ROUTES.flatMap(([path, ask]): Row[] => [
  [
    path,
    429,
    'rate_limited',
    async () => {
      await ask(limited);
      return ask(limited);
    },
  ],
  [
    path,
    500,
    'internal_error',
    async () => {
      const token = await session();
      return withFault(gateway, lacksColumn('refresh_tokens', 'revoked'), () => ask(gateway, token));
    },
  ],
  [path, 413, 'body_too_large', () => chunkTooLarge(`POST ${path}`)],
]);

const PASSWORD_ROUTES = ['/auth/password', '/auth/password/check', '/auth/password/redeem', '/auth/password/forgot'];

const OF_PASSWORDS: Row[] = [
  ['/auth/password', 200, '', async () => changePassword(gateway, (await newcomer(gateway)).accessToken)],
  ['/auth/password', 401, 'missing_credentials', () => send('/auth/password', { body: {} })],
  [
    '/auth/password',
    401,
    'unsupported_scheme',
    () => send('/auth/password', { headers: { authorization: 'Basic x' } }),
  ],
  ['/auth/password', 401, 'invalid_request', () => send('/auth/password', { headers: { authorization: 'Bearer' } })],
  ['/auth/password', 401, 'invalid_token', () => changePassword(gateway, 'x')],
  [
    '/auth/password',
    403,
    'current_password_wrong',
    async () => changePassword(gateway, (await newcomer(gateway)).accessToken, CHOSEN, WRONG),
  ],
  ['/auth/password', 422, '', async () => changePassword(gateway, (await newcomer(gateway)).accessToken, 'too short')],
  [
    '/auth/password',
    429,
    'account_locked',
    async () => {
      const { user, accessToken } = await newcomer(gateway);
      await gateway.rows(`update users set locked_until = '2100-01-01' where id = $1`, [user.id]);
      return changePassword(gateway, accessToken);
    },
  ],
  [
    '/auth/password',
    500,
    'internal_error',
    async () => {
      const { accessToken } = await newcomer(gateway);
      const lost = lacksColumn('users', 'failed_login_attempts');
      return withFault(gateway, lost, () => changePassword(gateway, accessToken));
    },
  ],
  ['/auth/password/check', 204, '', async () => check(gateway, await issueLink(gateway, (await newUser()).id))],
  ['/auth/password/check', 401, 'link_invalid', () => check(gateway, 'pl_x')],
  ['/auth/password/check', 422, '', () => check(gateway, 5)],
  [
    '/auth/password/check',
    500,
    'internal_error',
    () => withFault(gateway, lacksColumn('password_links', 'token_sha256'), () => check(gateway, 'pl_x')),
  ],
  ['/auth/password/redeem', 204, '', async () => redeem(gateway, await issueLink(gateway, (await newUser()).id))],
  ['/auth/password/redeem', 401, 'link_invalid', () => redeem(gateway, 'pl_x')],
  ['/auth/password/redeem', 422, '', () => redeem(gateway, 'pl_x', 'too short')],
  [
    '/auth/password/redeem',
    500,
    'internal_error',
    () => withFault(gateway, lacksColumn('password_links', 'token_sha256'), () => redeem(gateway, 'pl_x')),
  ],
  ['/auth/password/forgot', 202, '', () => forgot(gateway, 'nobody@example.com')],
  ['/auth/password/forgot', 404, 'not_found', () => forgot(hasty, 'nobody@example.com')],
  ['/auth/password/forgot', 422, '', () => forgot(gateway, 'nobody')],
  [
    '/auth/password/forgot',
    500,
    'internal_error',
    () => withFault(gateway, lacksColumn('audit_events', 'user_agent'), () => forgot(gateway, 'nobody@example.com')),
  ],
];

const FACTOR_ROUTES = [...COUNTED_FACTOR_ROUTES, ...OWN_FACTOR_ROUTES];

/** The fields by which a request is let in to the body. */
async function owner(path: string): Promise<Record<string, string>> {
  if (![...OWN_FACTOR_ROUTES, ...OWN_ACCOUNT_ROUTES].includes(path)) return {};
  return { authorization: `Bearer ${(await newcomer(gateway)).accessToken}` };
}

const OTHERS = [...FACTOR_ROUTES, ...ACCOUNT_ROUTES];
const WITH_BODY = [...PASSWORD_ROUTES, ...OTHERS.filter((path) => methodOf(path) === 'POST')];
const WITHOUT_BODY = OTHERS.filter((path) => methodOf(path) !== 'POST');
const OF_BODIES: Row[] = WITH_BODY.flatMap((path): Row[] => [
  [
    path,
    400,
    'body_not_json',
    async () => send(path, { headers: { ...JSON_TYPE, ...(await owner(path)) }, body: '{' }),
  ],
  [
    path,
    413,
    'body_too_large',
    async () => send(path, { headers: { ...JSON_TYPE, ...(await owner(path)) }, body: ' '.repeat(20_000) }),
  ],
  [path, 415, 'unsupported_media_type', async () => send(path, { headers: await owner(path), body: 'x' })],
]);
const OF_LIMITS: Row[] = [...PASSWORD_ROUTES, ...OTHERS].map((path) => [
  path,
  429,
  'login_rate_limited',
  async () => {
    await limited.send(methodOf(path), urlOf(path));
    return limited.send(methodOf(path), urlOf(path));
  },
]);

const LOGIN_ROUTES = ['/auth/login', '/auth/refresh', '/auth/logout', ...PASSWORD_ROUTES, ...OTHERS];
const OF_EACH: Row[] = LOGIN_ROUTES.flatMap((path): Row[] => [
  [path, 403, 'in_development', () => send(path, { headers: FOREIGN })],
  [path, 403, 'cross_site', () => limited.send(methodOf(path), urlOf(path), { headers: FOREIGN })],
  [
    path,
    503,
    'unavailable',
    async () => {
      const headers = { cookie: `refresh_token=${await session()}` };
      return whileAway(gateway.database, () =>
        send(path, { headers, body: { email: 'a@example.com', password: 'x' } }),
      );
    },
  ],
]);

const READ = Object.keys(document.paths).filter(
  (path) => ![...LOGIN_ROUTES, ...GATE_ROUTES, ...EXPORT_ROUTES].includes(path),
);
const OF_THE_OTHERS: Row[] = [
  ...READ.map((path): Row => [path, 200, '', () => gateway.send('GET', path === '/gate' ? PAGE_URL : path)]),
  ['/health/ready', 503, '', () => whileAway(gateway.database, () => gateway.send('GET', '/health/ready'))],
];

const OF_ALL: Row[] = Object.keys(document.paths).flatMap((path): Row[] => {
  const line = `${READ.includes(path) ? 'GET' : methodOf(path)} ${urlOf(path)}`;
  return [
    [path, 400, 'malformed_request', () => heard(gateway, `${line} HTTP/1.1\r\nHost: x\r\nX : y\r\n\r\n`)],
    [path, 400, 'host', () => heard(gateway, `${line} HTTP/1.1\r\nConnection: close\r\n\r\n`)],
    [path, 400, 'fragment', () => heard(gateway, `${line}#x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)],
    [path, 408, 'request_timeout', () => heard(hasty, `${line} HTTP/1.1\r\nHost: x\r\nX-`)],
    [path, 429, 'too_many_requests', () => pipelined(line)],
    [
      path,
      431,
      'header_too_large',
      () => heard(gateway, `${line} HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`),
    ],
  ];
});

const rows: Row[] = [
  ['/auth/logout', 200, '', async () => logout(gateway, await session())],
  ...OF_LOGIN,
  ...OF_REFRESH,
  ...OF_SESSIONS,
  ...OF_PASSWORDS,
  ...factorRows(() => gateway),
  ...accountRows(() => ({ gateway, off: hasty })),
  ...gateRows(() => ({ gateway, limited, off: hasty })),
  ...exportRows(() => ({ gateway, strict: hasty })),
  ...WITHOUT_BODY.map(
    (path): Row => [path, 413, 'body_too_large', () => chunkTooLarge(`${methodOf(path)} ${urlOf(path)}`)],
  ),
  ...OF_BODIES,
  ...OF_LIMITS,
  ...OF_EACH,
  ...OF_THE_OTHERS,
  ...OF_ALL,
];

test.each(rows)('%s %i %s is as openapi.json describes it', async (path, status, word, act) => {
  const answer = await act();
  const method = READ.includes(path) ? 'get' : methodOf(path).toLowerCase();
  expect({ status: answer.status, wrong: checker.check(method, path, answer) }).toEqual({ status, wrong: [] });
  const example = described(document, method, path).find((one) => one.status === status && one.word === word);
  if (word === '') return;
  const body = JSON.parse(answer.text);
  const random = body.challenge === undefined ? {} : { challenge: expect.any(String) };
  expect(body).toEqual({ ...(example?.value as object), ...random });
});

/** What nothing from outside brings about: bugs where nothing can fail. */
const NEVER = READ.map((path) => `${path} 500 internal_error`);

test('each answer that openapi.json describes is in the table', () => {
  const all = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).flatMap((method) =>
      described(document, method, path).map(({ status, word }) => `${path} ${status} ${word}`),
    ),
  );
  expect(new Set([...rows.map(([path, status, word]) => `${path} ${status} ${word}`), ...NEVER])).toEqual(new Set(all));
});

test('an address of the gate that leads nowhere is answered as it says', async () => {
  const answer = await gateway.send('GET', '/gate');
  expect([answer.status, checker.check('get', '/gate', answer)]).toEqual([400, []]);
});

test('another path and another method are answered as it says', async () => {
  expect(checker.check('get', '/nowhere', await gateway.send('GET', '/nowhere'))).toEqual([]);
  for (const path of Object.keys(document.paths)) {
    const refused = await gateway.send('PUT', urlOf(path));
    expect([refused.status, checker.check('put', path, refused)]).toEqual([405, []]);
  }
});

test('a cookie is described as it is set by another configuration too', async () => {
  const env = { PUBLIC_URL: 'https://auth.example.com', COOKIE_DOMAIN: 'example.com', COOKIE_SAMESITE: 'lax' };
  const other = await startGateway({ env });
  const loggedIn = await login(other, (await other.user()).email);
  const loggedOut = await logout(other, refreshTokenOf(loggedIn));
  await other.close();
  expect(loggedIn.cookies[0]).toContain('Domain=example.com');
  expect(checker.check('post', '/auth/login', loggedIn)).toEqual([]);
  expect(checker.check('post', '/auth/logout', loggedOut)).toEqual([]);
});
