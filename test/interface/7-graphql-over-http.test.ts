/** Every answer of `/graphql` has `errors`, even if HTTP refuses before GraphQL runs. (Interface 7) */

import {
  type Answer,
  type SendOptions,
  startGateway,
  startInstance,
  type TestGateway,
} from '../support/gateway/gateway.js';
import { type As, internalKey, newCronKey, newcomer, nobody } from '../support/gateway/graphql.js';
import { quickPasswords } from '../support/gateway/quick-passwords.js';
import { answersIn, exchange } from '../support/gateway/raw.js';
import { lacksTable, whileAway, withFault } from '../support/postgres/faults.js';

const passwords = quickPasswords();
let gateway: TestGateway;
let as: As;
beforeAll(async () => {
  gateway = await startGateway({ passwords });
  ({ as } = await newCronKey(gateway, ['keys:read', 'keys:write']));
});
afterAll(() => gateway.close());

const QUERY = JSON.stringify({ query: '{ caller { callerType } }' });
const JSON_TYPE = { 'content-type': 'application/json' };

const post = (headers: SendOptions['headers'] = {}, body: unknown = QUERY, caller = as): Promise<Answer> =>
  gateway.send('POST', '/graphql', { headers: { ...caller(''), ...headers }, body });

/** A `detail` for HTTP clients, and the same as a GraphQL error. */
function isRefused(json: Answer['json'], code: string, reason: string): void {
  expect(typeof json.detail).toBe('string');
  expect(json).toEqual({ detail: json.detail, errors: [{ message: json.detail, extensions: { code, reason } }] });
}

test.each<[method: string, allowed: string]>([
  ['GET', 'POST'],
  ['PUT', 'GET, HEAD, POST'],
  ['PATCH', 'GET, HEAD, POST'],
  ['DELETE', 'GET, HEAD, POST'],
  ['OPTIONS', 'GET, HEAD, POST'],
])('Interface 5 and 7: with the explorer on, %s is 405 with Allow: %s', async (method, allowed) => {
  for (const path of ['/graphql', '/graphql?query=%7Bcaller%7D']) {
    const answer = await gateway.send(method, path, { headers: as('') });
    expect([answer.status, answer.headers.allow]).toEqual([405, allowed]);
    isRefused(answer.json, 'BAD_REQUEST', 'method_not_allowed');
  }
});

test('Interface 5: another path than /graphql has a reason in place of errors', async () => {
  for (const path of ['/graphql/', '/graphqlx', '/x/graphql', '/GraphQL', '/x?/graphql', '/%67raphql']) {
    const answer = await gateway.send('POST', path, { headers: JSON_TYPE, body: QUERY });
    expect([answer.status, answer.json]).toEqual([404, { detail: 'Not found', reason: 'not_found' }]);
  }
});

test.each([
  {},
  { 'content-type': '' },
  { 'content-type': 'application/x-www-form-urlencoded' },
  { 'content-type': 'multipart/form-data; boundary=x' },
  { 'content-type': 'text/plain' },
  { 'content-type': 'text/plain; application/json' },
  { 'content-type': 'text/plain', 'apollo-require-preflight': 'true' },
  { 'content-type': 'application/graphql' },
  { 'content-type': 'application/graphql+json' },
  { 'content-type': 'application/json, text/plain' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': 'application/json;charset="ISO-8859-1"' },
  { 'content-type': 'application/json', 'content-encoding': 'gzip' },
])(
  'Interface 5 and 7: a body that is called otherwise than JSON in UTF-8 is 415 for every caller: %j',
  async (headers) => {
    for (const caller of [as, nobody]) {
      const answer = await post(headers as SendOptions['headers'], QUERY, caller);
      expect([answer.status, answer.json.detail]).toEqual([
        415,
        'Content-Type must be application/json, unencoded, in UTF-8',
      ]);
      isRefused(answer.json, 'BAD_REQUEST', 'unsupported_media_type');
    }
  },
);

test.each([
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset="UTF-8"',
  'Application/JSON',
])('Interface 7: a body is JSON as %s', async (type) => {
  expect((await post({ 'content-type': type })).json).toEqual({ data: { caller: { callerType: 'cron' } } });
});

test('Interface 5 and 7: a body over 64 KiB is 413, one of 64 KiB is read', async () => {
  expect((await post(JSON_TYPE, QUERY.padEnd(64 * 1024))).status).toBe(200);
  const answer = await post(JSON_TYPE, QUERY.padEnd(64 * 1024 + 1));
  expect(answer.status).toBe(413);
  isRefused(answer.json, 'BAD_REQUEST', 'body_too_large');
});

const JSON_ANSWER = 'application/json; charset=utf-8';
const RESPONSE = 'application/graphql-response+json; charset=utf-8';

test.each([
  [undefined, JSON_ANSWER],
  ['*/*', JSON_ANSWER],
  ['application/json, text/plain, */*', JSON_ANSWER],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', JSON_ANSWER],
  ['application/json; charset=UTF-8', JSON_ANSWER],
  ['application/graphql+json, application/json', JSON_ANSWER],
  ['multipart/mixed;deferSpec=20220824, application/json', JSON_ANSWER],
  ['application/graphql-response+json', RESPONSE],
  ['application/graphql-response+json; charset=utf-8, application/json; charset=utf-8', RESPONSE],
  ['application/graphql-response+json,application/json;q=0.9', RESPONSE],
])('Interface 7: what accepts %s is answered as %s, error or not', async (accept, type) => {
  const headers = { ...JSON_TYPE, ...(accept !== undefined && { accept }) };
  for (const [body, caller, status] of [
    [QUERY, as, 200],
    ['{', as, 400],
    [QUERY, internalKey('x'), 401],
  ] as const) {
    const answer = await post(headers, body, caller);
    expect([answer.status, answer.headers['content-type']]).toEqual([status, type]);
    expect('errors' in answer.json).toBe(status !== 200);
  }
});

test.each([
  'text/html',
  'image/*',
  'application/graphql+json',
  'application/json;q=0',
  'application/json;charset=utf-7',
])('Interface 7: what accepts %s alone is 406, and nothing is done', async (accept) => {
  const count = async () => (await gateway.rows('select 1 from cron_keys')).length;
  const before = await count();
  const create = 'mutation { createCronKey(input: {serviceName: "lost", scopes: ["keys:read"]}) { __typename } }';
  const body = JSON.stringify({ query: create });
  const refused = await post({ ...JSON_TYPE, accept }, body);
  expect(refused.status).toBe(406);
  isRefused(refused.json, 'BAD_REQUEST', 'not_acceptable');
  expect(await count()).toBe(before);
  expect((await post(JSON_TYPE, body)).json.errors).toBeUndefined();
  expect(await count()).toBe(before + 1);
});

test.each([
  ...['', '{', 'null', '1', '"text"', '[]', '{}', `[${QUERY}]`, `[${QUERY},${QUERY}]`, '{"query":1}', '{"query":"{"}'],
  ...['{"query":{"kind":"Document"}}', '{"query":"{ nothing }"}', '{"query":"subscription { a }"}'],
  ...['variables', 'extensions'].map((name) => `{"query":"{ __typename }","${name}":"{}"}`),
  ...['variables', 'extensions'].map((name) => `{"query":"{ __typename }","${name}":[]}`),
  '{"query":"{ __typename }","operationName":1}',
  `{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"${'0'.repeat(64)}"}}}`,
])('Interface 7: the body %s is no request, and Apollo says so in errors', async (body) => {
  for (const accept of ['application/json', 'application/graphql-response+json']) {
    const { status, json } = await post({ ...JSON_TYPE, accept }, body);
    const isJson = body !== '' && body !== '{'; // else it is one of the refusals of HTTP
    expect(Object.keys(json)).toEqual(isJson ? ['errors'] : ['detail', 'errors']);
    const [error, ...others] = json.errors;
    expect([typeof error.message, typeof error.extensions.code, others]).toEqual(['string', 'string', []]);
    expect(status).toBe(error.extensions.code === 'PERSISTED_QUERY_NOT_SUPPORTED' ? 200 : 400);
  }
});

const HOST = 'Host: localhost\r\n';
const HEAD = `POST /graphql HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n`;

test.each([
  ['no Host', `POST /graphql HTTP/1.1\r\nConnection: close\r\n\r\n`],
  ['two Hosts', `POST /graphql HTTP/1.1\r\n${HOST}${HOST}Connection: close\r\n\r\n`],
  ['two Hosts, and a query', `POST /graphql?a HTTP/1.1\r\n${HOST}${HOST}Connection: close\r\n\r\n`],
  ['an absolute target', `POST http://localhost/graphql HTTP/1.1\r\n${HOST}${HOST}Connection: close\r\n\r\n`],
  ['broken chunks', `${HEAD}Transfer-Encoding: chunked\r\n\r\nZZZ\r\n\r\n`],
])('Interface 5 and 7: a request with %s is 400', async (_what, text) => {
  const [answer, ...others] = answersIn(await exchange(gateway, text));
  expect([answer?.status, others]).toEqual([400, []]);
  isRefused(answer?.json, 'BAD_REQUEST', 'malformed_request');
});

test.each([
  ['a header of 17 KiB', `X: ${'x'.repeat(17 * 1024)}`, 431, 'header_too_large'],
  ['a field without a name', ': x', 400, 'malformed_request'],
])('Interface 5 and 7: %s is refused by Node, in the same form', async (_what, field, status, reason) => {
  const [answer] = answersIn(await exchange(gateway, `${HEAD}${field}\r\n\r\n`));
  expect(answer?.status).toBe(status);
  isRefused(answer?.json, 'BAD_REQUEST', reason);
  const [elsewhere] = answersIn(await exchange(gateway, `${HEAD.replace('/graphql', '/')}${field}\r\n\r\n`));
  expect([elsewhere?.status, elsewhere?.json.reason]).toEqual([status, reason]);
});

test('Interface 5 and 7: an outage and a fault of ours have a detail too, before the caller is known and after', async () => {
  const user = (await newcomer(gateway)).as;
  const during = (caller: As) => post(JSON_TYPE, '{"query":"{ me { id } }"}', caller);
  const answers = [
    ...(await whileAway(gateway.database, () => Promise.all([during(as), during(user)]))),
    await withFault(gateway, lacksTable('cron_keys'), () => during(as)),
  ];
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 500]);
  for (const { json } of answers) expect(json.detail).toBe(json.errors[0].message);
});

test('Interface 5 and 7: trailers that are too large are 431, chunks that say too much 413', async () => {
  const chunked = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
  const [trailers] = answersIn(await exchange(gateway, `${chunked}0\r\nX: ${'x'.repeat(17 * 1024)}\r\n\r\n`));
  expect(trailers?.status).toBe(431);
  isRefused(trailers?.json, 'BAD_REQUEST', 'header_too_large');
  const [chunks] = answersIn(await exchange(gateway, `${chunked}2;${'x'.repeat(17 * 1024)}\r\n{}\r\n0\r\n\r\n`));
  expect(chunks?.status).toBe(413);
  isRefused(chunks?.json, 'BAD_REQUEST', 'body_too_large');
});

test('Interface 5 and 7: a body that comes too slowly is 408', async () => {
  const sockets = { headersMs: 50, requestMs: 100, checkEveryMs: 20 };
  const instance = await startInstance(gateway.database, { clock: gateway.clock, sockets });
  try {
    const [answer] = answersIn(await exchange(instance, `${HEAD}Content-Length: 100\r\n\r\n{`));
    expect(answer?.status).toBe(408);
    isRefused(answer?.json, 'BAD_REQUEST', 'request_timeout');
  } finally {
    await instance.close();
  }
});

test('Interface 5 and 7: the seventeenth request that waits on one connection is 429', async () => {
  const body = JSON.stringify({ email: 'nobody@example.com', password: 'x' });
  const login = `POST /auth/login HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  using held = passwords.hold();
  const came = exchange(gateway, `${(login + body).repeat(16)}${HEAD}Content-Length: ${QUERY.length}\r\n\r\n${QUERY}`);
  await held.reached(16);
  held.release();
  const last = answersIn(await came).at(-1);
  expect(last?.status).toBe(429);
  isRefused(last?.json, 'RATE_LIMITED', 'too_many_requests');
});
