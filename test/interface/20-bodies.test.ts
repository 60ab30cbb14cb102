/** Bodies that no page would send to the routes of second factors: each is refused, none is repeated, and nothing changes. (Interface 5 and 20) */
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { halfLogin, post, type WithTotp, withTotp } from '../support/gateway/factors.js';
import { type Answer, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { userRow } from '../support/gateway/rows.js';

let gateway: TestGateway;
let app: WithTotp;
beforeAll(async () => {
  gateway = await startGateway();
  app = await withTotp(gateway);
});
afterAll(() => gateway.close());

const NO_ID = '01997a3e-5f0c-7cc3-9a4e-0d1b6c2f8a77';
const SECRET = 'submitted-secret';

/** Each route with a body, and one that it takes. */
const VALID: Record<string, object> = {
  '/auth/login/factor': { challenge: SECRET, code: '000000' },
  '/auth/login/passkey/options': { challenge: SECRET },
  '/auth/login/passkey': { ceremony: SECRET, credential: {} },
  '/auth/confirm': { ceremony: SECRET, credential: {} },
  '/auth/confirm/options': {},
  '/auth/factors/totp': {},
  [`/auth/factors/totp/${NO_ID}`]: { code: '000000' },
  '/auth/factors/passkey/options': {},
  '/auth/factors/passkey': { ceremony: SECRET, credential: {}, name: 'Laptop' },
  '/auth/factors/recovery-codes': {},
};
const PATHS = Object.keys(VALID);
const WITH_MEMBERS = PATHS.filter(
  (path) => Object.keys(VALID[path] ?? {}).length > 0 && path !== '/auth/login/passkey/options',
);

const JSON_TYPE = { 'content-type': 'application/json' };
const send = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  gateway.send('POST', path, { headers: { authorization: `Bearer ${app.accessToken}`, ...headers }, body });

type Refused = [what: string, status: number, reason: string, body: () => unknown, headers?: Record<string, string>];

const UNREADABLE: Refused[] = [
  ['no JSON', 400, 'body_not_json', () => `{"challenge": "${SECRET}`, JSON_TYPE],
  ['JSON twice', 400, 'body_not_json', () => '{}{}', JSON_TYPE],
  ['bytes that are no UTF-8', 400, 'body_not_json', () => Buffer.from('{"code":"\xff"}', 'latin1'), JSON_TYPE],
  ['JSON of 16 KiB and a byte', 413, 'body_too_large', () => `{}${' '.repeat(16 * 1024 - 1)}`, JSON_TYPE],
  ['text', 415, 'unsupported_media_type', () => SECRET, { 'content-type': 'text/plain' }],
  ['a form', 415, 'unsupported_media_type', () => 'code=1', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['of no type', 415, 'unsupported_media_type', () => '{}', {}],
  [
    'what is compressed',
    415,
    'unsupported_media_type',
    () => gzipSync('{}'),
    { ...JSON_TYPE, 'content-encoding': 'gzip' },
  ],
];

test.each(UNREADABLE)(
  'Interface 5: a body that is %s is %i %s at each route',
  async (...[, status, reason, body, headers]) => {
    for (const path of PATHS) {
      const answer = await send(path, body(), headers);
      expect([path, answer.status, answer.json.reason, answer.cookies]).toEqual([path, status, reason, []]);
      expect(answer.text).not.toContain(SECRET);
    }
  },
);

test.each([
  ['a list', '[]'],
  ['a text', `"${SECRET}"`],
  ['a number', '5'],
  ['true', 'true'],
  ['a list in a list', `${'['.repeat(8_000)}${']'.repeat(8_000)}`],
])('Interface 5: a body that is %s is 422 at each route', async (_what, body) => {
  for (const path of PATHS) {
    const answer = await send(path, body, JSON_TYPE);
    expect([path, answer.status, answer.json.reason]).toEqual([path, 422, 'body_invalid']);
    expect(answer.json.errors).toEqual([{ field: 'body', message: 'must be a JSON object' }]);
  }
});

test.each([
  ['an empty object', '{}'],
  [
    'its members in its prototype',
    `{"__proto__":{"challenge":"x","code":"1","ceremony":"x","credential":{},"name":"x"}}`,
  ],
  ['its members in a constructor', '{"constructor":{"prototype":{"challenge":"x","code":"1"}}}'],
  ['members of null', '{"challenge":null,"code":null,"ceremony":null,"credential":null,"name":null,"password":null}'],
  ['members that are lists', '{"challenge":["x"],"code":["1"],"ceremony":["x"],"credential":[],"name":["x"]}'],
  ['members that are objects', '{"challenge":{},"code":{},"ceremony":{},"credential":"x","name":{},"password":{}}'],
  ['members that are numbers', '{"challenge":1,"code":123456,"ceremony":1,"credential":1,"name":1,"password":1}'],
  ['members that are empty', '{"challenge":"","code":"","ceremony":"","credential":"","name":"","password":""}'],
])('Interface 20: a body with %s is 422 where members are needed', async (_what, body) => {
  const before = await userRow(gateway, app.user.id);
  for (const path of WITH_MEMBERS) {
    const answer = await send(path, body, JSON_TYPE);
    expect([path, answer.status, answer.json.reason]).toEqual([path, 422, 'body_invalid']);
    for (const { field, message } of answer.json.errors) {
      expect(field).toMatch(/^(body|challenge|code|recovery_code|credential|ceremony|name|password)$/);
      expect(message).toMatch(/^(must |Invalid )/);
    }
  }
  expect(await userRow(gateway, app.user.id)).toEqual(before);
});

test('Interface 20: a body must say once how the user proves who they are', async () => {
  const challenge = 'x';
  const credential = {};
  const bodies: Array<[path: string, body: object]> = [
    ['/auth/login/factor', { challenge }],
    ['/auth/login/factor', { challenge, code: '1', recovery_code: '1' }],
    ['/auth/login/factor', { challenge, code: '1', credential }],
    ['/auth/login/factor', { challenge, password: 'x' }],
    ['/auth/login/factor', { code: '000000' }],
    ['/auth/confirm', { password: 'x', code: '000000' }],
    ['/auth/confirm', { password: 'x', ceremony: 'x' }],
    ['/auth/confirm', { ceremony: 'x' }],
    ['/auth/confirm', { credential }],
    ['/auth/confirm', { code: '000000', ceremony: 'x', credential }],
    ['/auth/confirm', { recovery_code: 'x' }],
  ];
  for (const [path, body] of bodies) {
    const answer = await send(path, body);
    expect([body, answer.status, answer.json.reason]).toEqual([body, 422, 'body_invalid']);
  }
  expect(await userRow(gateway, app.user.id)).toMatchObject({ failed_login_attempts: 0 });
});

test('Interface 20: unknown members are ignored, and routes that need none take no body at all', async () => {
  const { json } = await send('/auth/login/passkey/options', { more: SECRET, publicKey: {} });
  expect(json.publicKey.challenge).toBe(json.ceremony);
  const authorization = `Bearer ${(await withTotp(gateway)).accessToken}`;
  for (const path of ['/auth/login/passkey/options', '/auth/factors/recovery-codes']) {
    expect((await gateway.send('POST', path, { headers: { authorization } })).status).toBe(200);
  }
});

/** Texts that are well formed and wrong; the first ones are long, odd or dangerous elsewhere. */
const ODD = [
  '\0',
  'a\0b',
  '\ud800',
  "' or 1=1 --",
  '../../etc/passwd',
  '%00',
  '٠١٢٣٤٥',
  '１２３４５６',
  '1e5',
  '-1',
  ' ',
];

test.each(ODD)(
  'Interface 20: %j as a code, a recovery code or a challenge is wrong, and no error of ours',
  async (odd) => {
    const user = await withTotp(gateway);
    const challenge = await halfLogin(gateway, user.user.email);
    const asked: Array<[path: string, body: object, reason: string]> = [
      ['login/factor', { challenge, code: odd }, 'invalid_credentials'],
      ['login/factor', { challenge, recovery_code: odd }, 'invalid_credentials'],
      ['login/factor', { challenge: odd, code: '000000' }, 'challenge_invalid'],
      ['login/passkey/options', { challenge: odd }, 'challenge_invalid'],
      ['login/passkey', { ceremony: odd, credential: {} }, 'challenge_invalid'],
      ['confirm', { code: odd }, 'factor_wrong'],
      ['confirm', { ceremony: odd, credential: {} }, 'challenge_invalid'],
      ['factors/passkey', { ceremony: odd, credential: {}, name: 'Laptop' }, 'challenge_invalid'],
    ];
    for (const [path, body, reason] of asked) {
      const answer = await post(gateway, path, body, user.accessToken);
      expect([path, answer.status === 500, answer.json.reason]).toEqual([path, false, reason]);
    }
  },
);

test.each([
  ['empty', '', 'must not be empty'],
  ['blank', ' \t\n ', 'must not be empty'],
  ['of 101 characters', 'x'.repeat(101), 'must have at most 100 characters'],
  ['with NUL', 'Lap\0top', 'must be text without NUL'],
  ['with half a character', 'Lap\ud83dtop', 'must be text without NUL'],
  ['a number', 5, 'must be a string'],
])('Interface 20: a name of a passkey is 422: %s', async (_what, name, message) => {
  const answer = await send('/auth/factors/passkey', { ceremony: SECRET, credential: {}, name });
  expect([answer.status, answer.json.errors]).toEqual([422, [{ field: 'name', message }]]);
});

test('Interface 20: texts that are too long are 422, and say how long they may be', async () => {
  const long = 'x'.repeat(201);
  const answer = await send('/auth/login/factor', { challenge: long, code: long });
  expect([answer.status, answer.json.errors]).toEqual([
    422,
    [
      { field: 'challenge', message: 'must have at most 200 characters' },
      { field: 'code', message: 'must have at most 100 characters' },
    ],
  ]);
});

test('Interface 20: random and deep credentials are wrong, and no error of ours', async () => {
  const deep = JSON.parse(`${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`);
  const text = () => randomBytes(32).toString('base64url');
  const credentials = [
    deep,
    { response: deep },
    { id: 1, rawId: 1, type: 1, response: 1 },
    { id: text(), rawId: text(), type: 'public-key', response: { clientDataJSON: text() } },
    { id: text(), response: { clientDataJSON: Buffer.from('null').toString('base64url') } },
    { toString: 1, valueOf: 1, toJSON: 1, hasOwnProperty: 1, constructor: 1 },
    Object.fromEntries(Array.from({ length: 200 }, () => [text(), 1])),
  ];
  const { user, accessToken } = await withTotp(gateway);
  const challenge = await halfLogin(gateway, user.email);
  for (const credential of credentials) {
    const { ceremony } = (await post(gateway, 'login/passkey/options')).json;
    const answer = await post(gateway, 'login/passkey', { ceremony, credential });
    expect([answer.status, answer.json.reason]).toEqual([401, 'invalid_credentials']);
    const second = await post(gateway, 'login/factor', { challenge, credential });
    expect([second.status, second.json.reason]).toEqual([401, 'invalid_credentials']);
    const begun = (await post(gateway, 'factors/passkey/options', {}, accessToken)).json;
    const body = { ceremony: begun.ceremony, credential, name: 'Laptop' };
    const third = await post(gateway, 'factors/passkey', body, accessToken);
    expect([third.status, third.json.reason]).toEqual([403, 'factor_wrong']);
  }
});

test('Interface 5: a call of another site is refused at each route, and another method is 405', async () => {
  const EVIL = { origin: 'https://evil.example' };
  for (const path of PATHS) {
    const answer = await send(path, VALID[path], EVIL);
    expect([path, answer.status, answer.json.reason]).toEqual([path, 403, 'cross_site']);
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const refused = await gateway.send(method, path);
      expect([path, method, refused.status, refused.headers['allow']]).toEqual([path, method, 405, 'POST']);
    }
  }
  const path = `/auth/factors/${app.factorId}`;
  const authorization = `Bearer ${app.accessToken}`;
  const removal = await gateway.send('DELETE', path, { headers: { authorization, ...EVIL } });
  expect([removal.status, removal.json.reason]).toEqual([403, 'cross_site']);
  for (const method of ['GET', 'POST', 'PUT']) {
    const refused = await gateway.send(method, path, { headers: { authorization } });
    expect([method, refused.status, refused.headers['allow']]).toEqual([method, 405, 'DELETE']);
  }
  for (const other of [`${path}/`, '/auth/factors', '/auth/factors/', '/auth/Factors/totp', '/auth/login/passkey/']) {
    expect([other, (await gateway.send('POST', other, { headers: { authorization } })).status]).toEqual([other, 404]);
  }
});
