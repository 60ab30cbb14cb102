/** The id of a trace or of a request finds every line that was written while it was answered. (Interface 14) */

import { type Instance, logIn, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { captureLog } from '../support/gateway/log.js';
import { answersIn, exchange } from '../support/gateway/raw.js';
import { logout, refresh } from '../support/gateway/routes.js';
import { until } from '../support/until.js';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN_ID = '00f067aa0ba902b7';
const IDS = { request_id: 'find-me', trace_id: TRACE_ID, span_id: SPAN_ID };
const HEADERS = { 'x-request-id': IDS.request_id, traceparent: `00-${TRACE_ID}-${SPAN_ID}-01` };
const FIELDS = `Host: localhost\r\nX-Request-Id: find-me\r\ntraceparent: ${HEADERS.traceparent}\r\n`;
const REPEATED = 'audit rows about tokens presented again and again are left out';
/** Beyond what is written of one token in a minute */
const TIMES = 101;

const captured = captureLog();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ log: captured.log });
});
beforeEach(() => gateway.clock.advance(60)); // what has a line a minute may have another
afterAll(() => gateway.close());

async function again(work: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < TIMES; i += 1) await work();
}

/** Each act, with the start of the line that it must log as well as the line of its answer. */
const WAYS: Array<[what: string, msg: string, bringAbout: (on: Instance) => Promise<unknown>]> = [
  [
    'a proxy that is not trusted',
    'X-Forwarded-For of an untrusted peer',
    (on) => on.send('GET', '/nowhere', { headers: { ...HEADERS, 'x-forwarded-for': '192.0.2.1' } }),
  ],
  [
    'logouts again and again',
    REPEATED,
    async (on) => {
      const { refreshToken } = await logIn(on, (await gateway.user()).email);
      captured.clear();
      await again(() => logout(on, refreshToken, HEADERS));
    },
  ],
  [
    'thefts again and again',
    REPEATED,
    async (on) => {
      const { refreshToken } = await logIn(on, (await gateway.user()).email);
      await refresh(on, refreshToken);
      captured.clear();
      await again(() => refresh(on, refreshToken, HEADERS));
    },
  ],
  ['a tunnel', 'request', (on) => exchange(on, `CONNECT localhost:443 HTTP/1.1\r\n${FIELDS}\r\n`)],
  [
    'a body that breaks off its own rules',
    'request',
    (on) => exchange(on, `POST /auth/login HTTP/1.1\r\n${FIELDS}Transfer-Encoding: chunked\r\n\r\nno length\r\n`),
  ],
  [
    'more at once than a connection may have',
    'request',
    (on) => exchange(on, `GET /health/live HTTP/1.1\r\n${FIELDS}\r\n`.repeat(100)),
  ],
  ['a second Host', 'request', (on) => exchange(on, `GET / HTTP/1.1\r\nHost: x\r\n${FIELDS}Connection: close\r\n\r\n`)],
];

test.each(WAYS)(
  'Interface 14: %s: each line has the ids of the request and of its trace',
  async (_what, msg, bringAbout) => {
    captured.clear();
    await bringAbout(gateway);
    await until('it is logged', () => captured.lines().some((line) => String(line['msg']).startsWith(msg)));
    for (const line of captured.lines()) expect(line).toMatchObject(IDS);
  },
);

test.each([
  ['a tunnel', `CONNECT localhost:443 HTTP/1.1\r\n${FIELDS}\r\n`, 'find-me'],
  ['more at once than a connection may have', `GET /nowhere HTTP/1.1\r\n${FIELDS}\r\n`.repeat(100), 'find-me'],
  ['what has no header', 'nonsense\r\n\r\n', expect.not.stringContaining('find-me')],
])('Interface 14: %s: the answer has the request id of its line', async (_what, bytes, id) => {
  captured.clear();
  const answers = answersIn(await exchange(gateway, bytes));
  const said = answers.map(({ head }) => /^x-request-id: (\S+)/im.exec(head)?.[1]);
  expect(said.at(-1)).toEqual(id);
  const reasons = ['malformed_request', 'header_too_large', 'method_not_allowed', 'too_many_requests'];
  const [line] = captured.lines().filter(({ outcome }) => reasons.includes(String(outcome)));
  expect(line?.['request_id']).toBe(said.at(-1));
});

test('Interface 5: a page of another origin may send its trace', async () => {
  const origin = 'https://app.example.com';
  const other = await startGateway({ env: { CORS_ORIGINS: origin } });
  const headers = { origin, 'access-control-request-method': 'POST' };
  const answer = await other.send('OPTIONS', '/auth/login', { headers });
  await other.close();
  expect(answer.headers['access-control-allow-headers']?.split(',')).toEqual(
    expect.arrayContaining(['traceparent', 'tracestate']),
  );
});
