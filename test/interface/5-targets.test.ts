/** A request target has no `#`. (Interface 5, RFC 9112 section 3.2) */
import { send, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { answersIn, exchange, type RawAnswer } from '../support/gateway/raw.js';
import { wholeState } from '../support/gateway/rows.js';
import { startProcess } from '../support/gateway/server-process.js';
import { freePort } from '../support/programs/redis.js';
import { until } from '../support/until.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const DETAIL = 'Request target must not have a #';
const EXTENSIONS = { code: 'BAD_REQUEST', reason: 'malformed_request' };

async function ask(on: { url: string }, line: string, rest = '\r\n'): Promise<RawAnswer | undefined> {
  const [answer, ...others] = answersIn(
    await exchange(on, `${line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${rest}`),
  );
  expect(others).toEqual([]);
  return answer;
}

test.each([
  'GET /#',
  'GET /metrics#x',
  'GET /metrics?a=#x',
  'GET http://localhost/metrics#x',
  'GET http://localhost/metrics?#x',
  'GET /health/live##',
  'GET /health/ready#',
  'GET /.well-known/jwks.json#x',
  'GET /.well-known/openid-configuration#x',
  'GET /openapi.json#x',
  'GET /nowhere#x',
  'POST /auth/login#x',
  'POST /auth/refresh?x=#y',
  'POST http://localhost/auth/logout#x',
  'OPTIONS *#x',
  'OPTIONS /auth/login#x',
  'PUT /auth/login#x',
  'DELETE /#x',
  'TRACE /#x',
  'PURGE /metrics#x',
])('Interface 5: a raw target with # is 400: %s', async (line) => {
  const answer = await ask(gateway, line);
  expect([answer?.status, answer?.json]).toEqual([400, { detail: DETAIL, reason: 'malformed_request' }]);
  expect(answer?.head).toMatch(/^content-type: application\/json; charset=utf-8$/im);
});

test.each([
  'POST /graphql#x',
  'POST /graphql?a=#x',
  'POST http://localhost/graphql#x',
  'GET /graphql#x',
  'OPTIONS /graphql#',
])('Interface 5 and 7: on /graphql it has errors too: %s', async (line) => {
  const answer = await ask(gateway, line);
  expect([answer?.status, answer?.json]).toEqual([
    400,
    { detail: DETAIL, errors: [{ message: DETAIL, extensions: EXTENSIONS }] },
  ]);
});

test.each(['GET #x', 'GET http://localhost#x', 'GET http://a#@localhost/', 'CONNECT localhost:443#x'])(
  'Interface 5: a # in place of a path is 400 too, in JSON: %s',
  async (line) => {
    const answer = await ask(gateway, line);
    expect([answer?.status, answer?.json]).toEqual([
      400,
      { detail: 'Request is not valid HTTP', reason: 'malformed_request' },
    ]);
  },
);

test('Interface 5: nothing is counted or written for such a login, and %23 is no #', async () => {
  const { email } = await gateway.user();
  const body = JSON.stringify({ email, password: 'wrong' });
  const rest = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const before = await wholeState(gateway);
  for (const target of ['/auth/login#', 'http://localhost/auth/login?#x']) {
    expect((await ask(gateway, `POST ${target}`, rest))?.status).toBe(400);
  }
  expect(await wholeState(gateway)).toEqual(before);
  expect((await ask(gateway, 'POST /auth/login?%23', rest))?.status).toBe(401);
});

test('Interface 5 and 10: a raw target with # is 400 on METRICS_PORT too', async () => {
  const port = await freePort();
  await using server = await startProcess(gateway, { METRICS_PORT: String(port) });
  const status = () => send(server.url, 'GET', '/health/ready').then((answer) => answer.status);
  await until('it is ready', async () => (await status().catch(() => undefined)) === 200);
  const on = { url: `http://127.0.0.1:${port}` };
  for (const line of ['GET /metrics#x', 'GET http://localhost/metrics?#', 'POST /metrics#', 'GET /nowhere#x']) {
    const answer = await ask(on, line);
    expect([answer?.status, answer?.json]).toEqual([400, { detail: DETAIL, reason: 'malformed_request' }]);
  }
});
