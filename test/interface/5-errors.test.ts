/** Errors that Spec 7 does not have: bodies, types, methods, paths; and what no answer ever contains. (Interface 5) */

import { type Answer, PASSWORD, type SendOptions, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { login, WRONG } from '../support/gateway/routes.js';
import { wholeState } from '../support/gateway/rows.js';
import { lacksColumn, withFault } from '../support/postgres/faults.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const SECRET = 'hunter2-submitted-value';
const JSON_TYPE = { 'content-type': 'application/json' };
const good = JSON.stringify({ email: 'a@x.io', password: SECRET });

const post = (options: SendOptions): Promise<Answer> => gateway.send('POST', '/auth/login', options);

/** Every error has a `detail` and a `reason` (and `errors` with 422), leaves the cookie, and echoes nothing. */
function isError(answer: Answer, status: number): void {
  expect(answer.status).toBe(status);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(typeof answer.json.detail).toBe('string');
  expect(Object.keys(answer.json)).toEqual(status === 422 ? ['detail', 'reason', 'errors'] : ['detail', 'reason']);
  expect(answer.cookies).toEqual([]);
  expect(answer.text + JSON.stringify(answer.headers)).not.toContain('hunter2');
}

test.each<[string, SendOptions]>([
  ['{"email":"hunter2@x.io",', { headers: JSON_TYPE }],
  ['hunter2', { headers: JSON_TYPE }],
  ['', { headers: JSON_TYPE }],
  ["{'email':'hunter2@x.io'}", { headers: { 'content-type': 'application/json; charset=utf-8' } }],
])('Interface 5: text that is not JSON is 400: %j', async (body, options) => {
  const answer = await post({ ...options, body });
  if (body === '')
    expect(answer.status).toBe(422); // no body at all: the fields are missing
  else {
    isError(answer, 400);
    expect(answer.json.reason).toBe('body_not_json'); // as GraphQL says
  }
});

test('Interface 5: bytes that are not UTF-8 are 400', async () => {
  const body = Buffer.concat([
    Buffer.from('{"email":"a@x.io","password":"'),
    Buffer.from([0xff, 0xfe]),
    Buffer.from('"}'),
  ]);
  isError(await post({ headers: JSON_TYPE, body }), 400);
});

test('Interface 5: a body over 16 KiB is 413, one of 16 KiB is read', async () => {
  const bodyOf = (bytes: number): string => good.slice(0, -1).padEnd(bytes - 1) + good.slice(-1);
  expect(Buffer.byteLength(bodyOf(16 * 1024))).toBe(16 * 1024);
  isError(await post({ headers: JSON_TYPE, body: bodyOf(16 * 1024) }), 401);
  isError(await post({ headers: JSON_TYPE, body: bodyOf(16 * 1024 + 1) }), 413);
});

test.each([
  { 'content-type': 'application/x-www-form-urlencoded' },
  { 'content-type': 'text/plain' },
  { 'content-type': 'text/plain; application/json' },
  { 'content-type': 'multipart/form-data; boundary=x' },
  { 'content-type': 'application/jsonx' },
  { 'content-type': 'hunter2' },
  { 'content-type': 'application/json; charset=iso-8859-1' },
  { 'content-type': 'application/json; charset=utf-16le' },
  { 'content-type': 'application/json; charset="UTF-7"' },
  { 'content-type': 'application/json;charset=utf-32' },
  { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  {},
])('Interface 5: another content type is 415: %j', async (headers: Record<string, string>) => {
  isError(await post({ headers, body: good }), 415);
});

test('Interface 5: a body that breaks Spec 2.1 is 422 and echoes neither value', async () => {
  isError(await post({ body: { email: 'hunter2', password: '' } }), 422);
  isError(await post({ body: { email: `${SECRET} @x.io`, password: `${SECRET}\0` } }), 422);
  isError(await post({ body: { [SECRET]: SECRET } }), 422);
  isError(await post({}), 422);
});

test('Interface 5: no such path is 404, in any spelling but the right one', async () => {
  const paths = ['/auth', '/auth/', '/auth/login/', '/AUTH/login', '/auth/Login', '/auth//login', '/login', '/%zz'];
  for (const path of [...paths, `/${SECRET}`, '/auth/login/hunter2', '/auth/%68unter2']) {
    isError(await gateway.send('POST', path, { body: { email: 'a@x.io', password: 'x' } }), 404);
  }
});

test.each([
  ['/auth/login', 'POST'],
  ['/auth/refresh', 'POST'],
  ['/auth/logout', 'POST'],
  ['/health/live', 'GET, HEAD'],
  ['/health/ready', 'GET, HEAD'],
  ['/metrics', 'GET, HEAD'],
  ['/.well-known/jwks.json', 'GET, HEAD'],
])('Interface 5: another method on %s is 405 with Allow: %s', async (path, allowed) => {
  const before = await wholeState(gateway);
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter((name) => !allowed.includes(name))) {
    const answer = await gateway.send(method, path);
    isError(answer, 405);
    expect(answer.headers['allow']).toBe(allowed);
  }
  expect(await wholeState(gateway)).toEqual(before);
});

test('Interface 5: a HEAD on a POST route is 405 too', async () => {
  const answer = await gateway.send('HEAD', '/auth/login');
  expect([answer.status, answer.headers['allow'], answer.text]).toEqual([405, 'POST', '']);
});

test('Interface 5: refusals of Spec 7 echo nothing either', async () => {
  isError(await login(gateway, 'hunter2@example.com', SECRET), 401);
  const { id, email } = await gateway.user();
  await gateway.rows(`update users set locked_until = '2100-01-01' where id = $1`, [id]);
  isError(await login(gateway, email, SECRET), 429);
  const cookie = `refresh_token=${SECRET}`;
  const refused = await gateway.send('POST', '/auth/refresh', { headers: { cookie } });
  expect(refused.text + JSON.stringify(refused.headers)).not.toContain('hunter2');
});

test('Interface 5: an error of our own is 500 without any word of what failed', async () => {
  const { email } = await gateway.user();
  await withFault(gateway, lacksColumn('users', 'failed_login_attempts'), async () => {
    for (const password of [PASSWORD, WRONG]) {
      const answer = await login(gateway, email, password);
      isError(answer, 500);
      expect(answer.json).toEqual({ detail: 'Internal server error', reason: 'internal_error' });
    }
  });
});

test('Interface 5: every answer carries the security headers of an API and says nothing of the server', async () => {
  for (const path of ['/auth/login', '/auth/logout', '/nowhere', '/health/live', '/.well-known/jwks.json']) {
    const { headers } = await gateway.send('POST', path);
    expect(headers['content-security-policy']).toBe("default-src 'none';frame-ancestors 'none'");
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['x-frame-options']).toBe('SAMEORIGIN');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['strict-transport-security']).toBeUndefined(); // http
    expect(headers['x-powered-by']).toBeUndefined();
    expect(headers['server']).toBeUndefined();
  }
});
