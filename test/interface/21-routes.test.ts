/** The routes of one's own account: what turns them off, who may call them, and bodies that no page would send. (Interface 5 and 21) */
import {
  beginChange,
  deleteAccount,
  newAddress,
  requestEmail,
  startUnmailed,
  undoEmail,
} from '../support/gateway/account.js';
import { type Answer, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newcomer, type SignedIn } from '../support/gateway/graphql.js';
import { CHOSEN, check, issueLink, redeem } from '../support/gateway/passwords.js';
import { wholeState } from '../support/gateway/rows.js';

let gateway: TestGateway;
let person: SignedIn;
beforeAll(async () => {
  gateway = await startUnmailed();
  person = await newcomer(gateway);
});
afterAll(() => gateway.close());

/** Each route with what it allows, and a body that it takes. */
const EMAIL: Array<[method: string, path: string, allow: string, body?: object]> = [
  ['POST', '/auth/email', 'POST', { email: 'new@example.net' }],
  ['POST', '/auth/email/redeem', 'POST', { token: 'el_x' }],
  ['POST', '/auth/email/undo', 'POST', { token: 'eu_x' }],
];
const ACCOUNT: typeof EMAIL = [
  ['GET', '/auth/account/export', 'GET, HEAD'],
  ['DELETE', '/auth/account', 'DELETE'],
];
const ALL = [...EMAIL, ...ACCOUNT];
const OF_USERS = ALL.filter(([, path]) => path !== '/auth/email/undo');

const send = (on: TestGateway, [method, path, , body]: (typeof ALL)[number], headers: Record<string, string> = {}) =>
  on.send(method, path, { headers, ...(body && { body }) });

async function with_(env: Record<string, string>, look: (on: TestGateway) => Promise<void>): Promise<void> {
  const other = await startGateway({ env });
  try {
    await look(other);
  } finally {
    await other.close();
  }
}

async function expectMissing(on: TestGateway, routes: typeof ALL): Promise<void> {
  const { accessToken } = await newcomer(on);
  for (const route of routes) {
    for (const method of [route[0], 'PUT', 'OPTIONS']) {
      const answer = await on.send(method, route[1], {
        headers: { authorization: `Bearer ${accessToken}` },
        body: route[3],
      });
      expect([method, route[1], answer.status, answer.json]).toEqual([
        ...[method, route[1], 404],
        { detail: 'Not found', reason: 'not_found' },
      ]);
    }
  }
  const link = await issueLink(on, (await on.user()).id);
  expect((await check(on, link)).status).toBe(204);
  expect((await check(on, 'pl_x')).status).toBe(401);
}

test('Interface 21: in production all of it is 404 until ACCOUNT is on; the check of a password link is always there', () =>
  with_({ NODE_ENV: 'production' }, (on) => expectMissing(on, ALL)));

test('Interface 21: with ACCOUNT=off all of it is 404, also if mail is on', () =>
  with_({ ACCOUNT: 'off', MAIL: 'log' }, (on) => expectMissing(on, ALL)));

test('Interface 21: with MAIL=off what is about e-mail is 404, and the rest is there', () =>
  with_({ NODE_ENV: 'production', ACCOUNT: 'on' }, async (on) => {
    await expectMissing(on, EMAIL);
    const { accessToken } = await newcomer(on);
    const headers = { authorization: `Bearer ${accessToken}` };
    expect((await on.send('GET', '/auth/account/export', { headers })).status).toBe(200);
    expect((await deleteAccount(on, accessToken)).status).toBe(204);
  }));

test('Interface 21: the check of a password link consumes nothing', async () => {
  const link = await issueLink(gateway, person.user.id);
  const before = await wholeState(gateway);
  for (let i = 0; i < 3; i += 1)
    expect(await check(gateway, link)).toMatchObject({ status: 204, text: '', cookies: [] });
  expect(await wholeState(gateway)).toEqual(before);
  const other = await newcomer(gateway);
  const ofOther = await issueLink(gateway, other.user.id);
  expect((await redeem(gateway, ofOther, CHOSEN)).status).toBe(204);
  for (const token of [ofOther, await beginChange(gateway, person), 'pl_x']) {
    const { status, json } = await check(gateway, token);
    expect([status, json]).toEqual([401, { detail: 'Link is not valid', reason: 'link_invalid' }]);
  }
});

test('Interface 5: any other method is 405, and other spellings of a path are 404', async () => {
  const headers = { authorization: `Bearer ${person.accessToken}` };
  for (const [allowed, path, allow] of ALL) {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter((one) => one !== allowed)) {
      const { status, json, headers: fields } = await gateway.send(method, path, { headers });
      expect([method, path, status, json.reason, fields.allow]).toEqual([
        method,
        path,
        405,
        'method_not_allowed',
        allow,
      ]);
    }
    for (const other of [`${path}/`, path.replace('auth', 'Auth'), path.toUpperCase()])
      expect([other, (await gateway.send(allowed, other, { headers })).status]).toEqual([other, 404]);
  }
});

test('Interface 5: a call of another site is refused before anything else, with a valid token too', async () => {
  const before = await wholeState(gateway);
  for (const route of ALL) {
    for (const foreign of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const answer = await send(gateway, route, { authorization: `Bearer ${person.accessToken}`, ...foreign });
      expect([route[1], answer.status, answer.json.reason]).toEqual([route[1], 403, 'cross_site']);
    }
  }
  expect(await wholeState(gateway)).toEqual(before);
});

test.each([
  ['no token', {}, 'missing_credentials', 'Bearer realm="auth-gateway"'],
  ['another scheme', { authorization: 'Basic x' }, 'unsupported_scheme', 'Bearer realm="auth-gateway"'],
  ['an empty token', { authorization: 'Bearer' }, 'invalid_request', 'error="invalid_request"'],
  ['no valid token', { authorization: 'Bearer x' }, 'invalid_token', 'error="invalid_token"'],
])('Interface 21: %s is the 401 of RFC 6750', async (_what, headers, reason, challenge) => {
  for (const route of OF_USERS) {
    const answer = await send(gateway, route, headers as Record<string, string>);
    expect([route[1], answer.status, answer.json.reason]).toEqual([route[1], 401, reason]);
    expect(answer.headers['www-authenticate']).toContain(challenge);
  }
});

test('Interface 21: a request without a valid token counts for the login limit of its address, and one with it does not', () =>
  with_({ ACCOUNT: 'on', MAIL: 'log', LOGIN_RATE_LIMIT: '3' }, async (on) => {
    const { accessToken } = await newcomer(on); // one login
    const token = { authorization: `Bearer ${accessToken}` };
    for (let i = 0; i < 5; i += 1)
      expect((await send(on, ['GET', '/auth/account/export', ''], token)).status).toBe(200);
    expect((await send(on, ['GET', '/auth/account/export', ''])).status).toBe(401);
    expect((await send(on, ['DELETE', '/auth/account', ''], { authorization: 'Bearer x' })).status).toBe(401);
    for (const route of OF_USERS) {
      const limited = await send(on, route);
      expect([route[1], limited.status, limited.json.reason]).toEqual([route[1], 429, 'login_rate_limited']);
    }
    expect((await requestEmail(on, accessToken, newAddress())).status).toBe(202);
  }));

test('Interface 21: each way back that is tried counts', () =>
  with_({ ACCOUNT: 'on', MAIL: 'log', LOGIN_RATE_LIMIT: '2' }, async (on) => {
    const statuses = [];
    for (let i = 0; i < 3; i += 1) statuses.push((await undoEmail(on, 'eu_x')).status);
    expect(statuses).toEqual([401, 401, 429]);
  }));

const SECRET = 'submitted-secret';
const JSON_TYPE = { 'content-type': 'application/json' };
const sendBody = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  gateway.send('POST', path, { headers: { authorization: `Bearer ${person.accessToken}`, ...headers }, body });

type Refused = [what: string, status: number, reason: string, body: string | Buffer, headers?: Record<string, string>];

test.each<Refused>([
  ['no JSON', 400, 'body_not_json', `{"token": "${SECRET}`, JSON_TYPE],
  ['no UTF-8', 400, 'body_not_json', Buffer.from('{"token":"\xff"}', 'latin1'), JSON_TYPE],
  ['larger than 16 KiB', 413, 'body_too_large', `{}${' '.repeat(16 * 1024 - 1)}`, JSON_TYPE],
  ['text', 415, 'unsupported_media_type', SECRET, { 'content-type': 'text/plain' }],
  ['a form', 415, 'unsupported_media_type', 'token=x', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['of no type', 415, 'unsupported_media_type', '{}', {}],
  ['compressed', 415, 'unsupported_media_type', '{}', { ...JSON_TYPE, 'content-encoding': 'gzip' }],
  ['a list', 422, 'body_invalid', '[]', JSON_TYPE],
  ['null', 422, 'body_invalid', 'null', JSON_TYPE],
  ['empty', 422, 'body_invalid', '{}', JSON_TYPE],
  ['of other types', 422, 'body_invalid', '{"email":["a@example.com"],"token":5}', JSON_TYPE],
  ['of prototypes', 422, 'body_invalid', '{"__proto__":{"email":"a@example.com","token":"x"}}', JSON_TYPE],
])('Interface 5: a body that is %s is %i %s', async (_what, status, reason, body, headers) => {
  const before = await wholeState(gateway);
  for (const [, path] of EMAIL) {
    const answer = await sendBody(path, body, headers);
    expect([path, answer.status, answer.json.reason]).toEqual([path, status, reason]);
    expect(answer.text).not.toContain(SECRET);
  }
  expect(await wholeState(gateway)).toEqual(before);
});

test.each([
  '',
  'nobody',
  'a@b',
  'a@example.com\0',
  'a b@example.com',
  'a@example.com, b@example.com',
  'Ada <a@example.com>',
  'a@example.com\r\nBcc: b@example.com',
  'ä@example.com',
  `${'x'.repeat(65)}@example.com`,
  `a@${'x.'.repeat(130)}com`,
])('Interface 21: %j is no e-mail, which is 422 and not repeated', async (email) => {
  const answer = await requestEmail(gateway, person.accessToken, email);
  expect([answer.status, answer.json.reason]).toEqual([422, 'body_invalid']);
  for (const { field, message } of answer.json.errors)
    expect([field, message]).toEqual(['email', expect.stringMatching(/^must /)]);
});

test('Interface 21: unknown members are ignored', async () => {
  const answer = await sendBody('/auth/email', { email: newAddress(), token: SECRET, user_id: person.user.id });
  expect(answer.status).toBe(202);
});
