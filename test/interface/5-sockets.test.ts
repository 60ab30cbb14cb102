/**
 * Sockets: bytes that are no request are answered in JSON and logged once; nobody holds a connection for ever.
 * (Interface 5)
 */
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { listen, type SocketLimits } from '../../src/http/server/listener.js';
import { type Instance, logIn, PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { captureLog } from '../support/gateway/log.js';
import { quickPasswords } from '../support/gateway/quick-passwords.js';
import { answersIn, exchange, open } from '../support/gateway/raw.js';
import { wholeState } from '../support/gateway/rows.js';
import { figureOf, readMetrics } from '../support/independent/prometheus.js';
import { until } from '../support/until.js';

const captured = captureLog();
const passwords = quickPasswords();
let gateway: TestGateway;
/** It ends idle connections soon, so that a test sees the end of what it forgot to end. */
let impatient: Pick<Instance, 'url'>;
let stopImpatient: () => Promise<void>;
beforeAll(async () => {
  gateway = await startGateway({ log: captured.log, passwords });
  const { port, stop } = await listen(gateway.app, '127.0.0.1', 0, { idleMs: 50 });
  impatient = { url: `http://127.0.0.1:${port}` };
  stopImpatient = stop;
});
afterAll(async () => {
  await stopImpatient();
  await gateway.close();
});

const HOST = 'Host: localhost\r\n';
const CLOSE = 'Connection: close\r\n';
const LIVE = `GET /health/live HTTP/1.1\r\n${HOST}`;
const JSON_LOGIN = `POST /auth/login HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n`;

/** Bytes that Linux keeps for a reader who does not read, at most: `tcp_wmem`, and a receive buffer that does not grow. */
const SOCKETS_HOLD = 5_000_000;

const CHUNKED = `HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n`;

/** A login that fails, as bytes. */
const failing = (): string => {
  const body = JSON.stringify({ email: 'nobody@example.com', password: 'x' });
  return `${JSON_LOGIN}Content-Length: ${body.length}\r\n\r\n${body}`;
};

const lines = () => captured.lines().filter(({ msg }) => msg === 'request');
const counted = async (status: number) => {
  const families = readMetrics((await gateway.send('GET', '/metrics')).text);
  const labels = { http_response_status_code: String(status) };
  return figureOf(families, 'http_server_request_duration_seconds_count', labels) ?? 0;
};

test.each([
  ['bytes that are no HTTP', 'hello\r\n\r\n', 400],
  ['a control character in a field', `${LIVE}X: a\x01b\r\n\r\n`, 400],
  ['a space before a colon', `${LIVE}X : a\r\n\r\n`, 400],
  ['two lengths', `${JSON_LOGIN}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, 400],
  ['a length and chunks', `${JSON_LOGIN}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
  ['a body in broken chunks', `${JSON_LOGIN}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`, 400],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['a header of 17 KiB', `${LIVE}X: ${'x'.repeat(17 * 1024)}\r\n\r\n`, 431],
  ['a target that cannot be read', `GET http://[/x HTTP/1.1\r\n${HOST}${CLOSE}\r\n`, 400],
  ['no Host', `GET /health/live HTTP/1.1\r\n${CLOSE}\r\n`, 400],
  ['two Hosts', `${LIVE}${HOST}${CLOSE}\r\n`, 400],
  ['a tunnel', `CONNECT localhost:443 HTTP/1.1\r\n${HOST}\r\n`, 405],
])(
  'Interface 5: %s is answered with a reason in JSON, under a request id, counted and logged once',
  async (_what, text, status) => {
    const before = await counted(status);
    const [answer, ...others] = answersIn(await exchange(gateway, text));
    expect(others).toEqual([]);
    expect(answer?.status).toBe(status);
    expect(Object.keys(answer?.json)).toEqual(['detail', 'reason']);
    expect(answer?.head).toMatch(/^content-type: application\/json; charset=utf-8$/im);
    expect(answer?.head).toMatch(/^x-content-type-options: nosniff$/im);
    const id = /^x-request-id: (\S+)$/im.exec(answer?.head ?? '')?.[1];
    await until('it is logged', () => lines().some(({ request_id }) => request_id === id));
    expect(lines().filter(({ request_id }) => request_id === id)).toMatchObject([
      { status, outcome: answer?.json.reason, client_ip: '127.0.0.1' },
    ]);
    expect(await counted(status)).toBe(before + 1);
  },
);

test.each([
  ['HTTP/1.0 needs no Host', `GET /health/live HTTP/1.0\r\n\r\n`],
  ['an expectation that nobody knows is passed over', `${LIVE}Expect: tea\r\n${CLOSE}\r\n`],
  ['the absolute form is a target too', `GET http://localhost/health/live HTTP/1.1\r\n${HOST}${CLOSE}\r\n`],
])('Interface 5: %s', async (_what, text) => {
  expect(await exchange(gateway, text)).toMatch(/^HTTP\/1\.1 200 /);
});

const upgrade = (to: string, connection = 'Upgrade') => `Upgrade: ${to}\r\nConnection: ${connection}\r\n`;
const EMPTY_BODY = 'Content-Length: 0\r\n';

test.each([
  ['a websocket', `${LIVE}${upgrade('websocket')}Sec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n\r\n`, [200]],
  [
    'HTTP/2 in clear',
    `${LIVE}${upgrade('h2c', 'keep-alive, Upgrade, HTTP2-Settings')}HTTP2-Settings: AAMAAABk\r\n\r\n`,
    [200],
  ],
  ['two fields Connection', `${LIVE}Connection: keep-alive\r\n${upgrade('TLS/1.0', 'uPGRADE')}\r\n`, [200]],
  ['an upgrade without a body', `POST /auth/logout HTTP/1.1\r\n${HOST}${EMPTY_BODY}${upgrade('x')}\r\n`, [200]],
  ['an upgrade with a body', `POST /auth/logout HTTP/1.1\r\n${HOST}Content-Length: 3\r\n${upgrade('x')}\r\nabc`, [200]],
  ['an upgrade in chunks', `POST /auth/logout ${CHUNKED}${upgrade('x')}\r\n3\r\nabc\r\n0\r\n\r\n`, [200]],
  ['an upgrade behind a login', `${failing()}${LIVE}${upgrade('x')}\r\n`, [401, 200]],
  ['a tunnel', `CONNECT localhost:443 HTTP/1.1\r\n${HOST}\r\n`, [405]],
  ['a tunnel behind a login', `${failing()}CONNECT localhost:443 HTTP/1.1\r\n${HOST}\r\n`, [401]],
  ['broken bytes behind a login', `${failing()}\x01\x02\r\n\r\n`, [401]],
])(
  'Interface 5: %s, behind which Node loses what is pipelined: the last answer says Connection: close, and no other',
  async (_what, text, statuses) => {
    const answers = answersIn(await exchange(impatient, `${text}${LIVE}\r\n`));
    expect(answers.map(({ status }) => status)).toEqual(statuses);
    const areLast = answers.map(({ head }) => /^connection: close\r?$/im.test(head));
    expect(areLast).toEqual(answers.map((_, i) => i === answers.length - 1));
  },
);

test.each([
  ['an Upgrade that Connection does not name', `${LIVE}Upgrade: websocket\r\n\r\n`, [200, 200]],
  ['a Connection without an Upgrade', `${LIVE}Connection: upgrade, keep-alive\r\n\r\n`, [200, 200]],
  ['an expectation that nobody knows', `${LIVE}Expect: tea\r\n\r\n`, [200, 200]],
  ['an expectation that nobody knows, with a body', failing().replace(HOST, `${HOST}Expect: tea\r\n`), [401, 200]],
  ['a wish to continue', failing().replace(HOST, `${HOST}Expect: 100-continue\r\n`), [401, 200]],
  [
    'a wish to continue that is refused',
    `POST /nowhere ${CHUNKED}Expect: 100-continue\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
    [404, 200],
  ],
])('Interface 5: what is pipelined behind %s is answered', async (_what, text, statuses) => {
  const came = await exchange(impatient, `${text}${LIVE}${CLOSE}\r\n`);
  const answers = answersIn(came.replaceAll('HTTP/1.1 100 Continue\r\n\r\n', ''));
  expect(answers.map(({ status }) => status)).toEqual(statuses);
});

test('Interface 5: a client that asks for a tunnel and resets does no harm', async () => {
  for (let i = 0; i < 20; i += 1) {
    const socket = await open(gateway);
    socket.write(`CONNECT localhost:443 HTTP/1.1\r\n${HOST}\r\n`, () => socket.resetAndDestroy());
    await once(socket, 'close');
  }
  using held = passwords.hold();
  const behind = await open(gateway, `${failing()}CONNECT localhost:443 HTTP/1.1\r\n${HOST}\r\n`);
  await held.reached(1);
  behind.resetAndDestroy();
  await once(behind, 'close');
  held.release();
  expect((await gateway.send('GET', '/health/live')).status).toBe(200);
});

test('Interface 5: a whole request before broken bytes gets its answer, and nothing is answered twice', async () => {
  const { email } = await gateway.user();
  const body = JSON.stringify({ email, password: PASSWORD });
  using held = passwords.hold();
  const came = exchange(gateway, `${JSON_LOGIN}Content-Length: ${body.length}\r\n\r\n${body}\x01\x02\r\n\r\n`);
  await held.reached(1);
  held.release();
  const answers = answersIn(await came);
  expect(answers.map(({ status }) => status)).toEqual([200]);
});

test.each([
  ['a logout whose chunks are broken', `POST /auth/logout ${CHUNKED}\r\nZZZ\r\n\r\n`, [401, 400]],
  ['a login whose chunks are broken', `POST /auth/login ${CHUNKED}\r\nZZZ\r\n\r\n`, [401, 400]],
  ['a check whose chunks are broken', `GET /health/ready ${CHUNKED}\r\nZZZ\r\n\r\n`, [401, 400]],
  ['a path that is not there, and broken chunks', `POST /nowhere ${CHUNKED}\r\nZZZ\r\n\r\n`, [401, 404]],
  ['a tunnel', `CONNECT localhost:443 HTTP/1.1\r\n${HOST}\r\n`, [401]],
  ['bytes that are no HTTP', '\x01\x02\r\n\r\n', [401]],
])(
  'Interface 5: a whole request before %s gets its own answer, each request at most one',
  async (_what, text, statuses) => {
    expect(answersIn(await exchange(gateway, failing() + text)).map(({ status }) => status)).toEqual(statuses);
  },
);

test('Interface 5: a request that has its answer gets no other when its body breaks off', async () => {
  const socket = await open(gateway, `POST /nowhere ${CHUNKED}\r\n`);
  let came = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    came += chunk;
  });
  await until('it is answered', () => came.includes('Not found'));
  socket.write('ZZZ\r\n\r\n');
  await once(socket, 'close');
  expect(answersIn(came).map(({ status }) => status)).toEqual([404]);
});

test('Spec 4.2 and 4.3: do nothing for a request whose body does not arrive whole', async () => {
  const { refreshToken } = await logIn(gateway, (await gateway.user()).email);
  const before = await wholeState(gateway);
  for (const path of ['/auth/refresh', '/auth/logout']) {
    const head = `POST ${path} ${CHUNKED}Cookie: refresh_token=${refreshToken}\r\n\r\n`;
    const [answer] = answersIn(await exchange(gateway, `${head}ZZZ\r\n\r\n`));
    expect([answer?.status, answer?.json]).toEqual([
      400,
      { detail: 'Request is not valid HTTP', reason: 'malformed_request' },
    ]);
  }
  expect(await wholeState(gateway)).toEqual(before);
  const whole = `POST /auth/refresh ${CHUNKED}${CLOSE}Cookie: refresh_token=${refreshToken}\r\n\r\n3\r\nabc\r\n0\r\n\r\n`;
  expect(answersIn(await exchange(gateway, whole)).map(({ status }) => status)).toEqual([200]);
});

test('Interface 5: of twenty thousand requests at once on one connection sixteen are answered, and others do not wait', async () => {
  const before = lines().length;
  using held = passwords.hold();
  const came = exchange(gateway, failing().repeat(20) + LIVE.concat('\r\n').repeat(20_000));
  await held.reached(16);
  gateway.clock.set(new Date());
  expect((await gateway.send('GET', '/health/ready')).status).toBe(200);
  held.release();
  const statuses = answersIn(await came).map(({ status }) => status);
  expect(statuses).toEqual([...Array(16).fill(401), 429]);
  await until('they are logged', () => lines().length >= before + 18);
  expect(
    lines()
      .slice(before)
      .filter(({ status }) => status === 429),
  ).toHaveLength(1);
});

test('Interface 5: a client that resets its connection has the address that it came from', async () => {
  const body = JSON.stringify({ email: 'reset@example.com', password: 'x' });
  using held = passwords.hold();
  const socket = await open(gateway, `${JSON_LOGIN}Content-Length: ${body.length}\r\n\r\n${body}`);
  await held.reached(1);
  socket.resetAndDestroy();
  held.release();
  for (let i = 0; i < 100; i += 1) {
    const other = await open(gateway);
    other.write(`${JSON_LOGIN}Content-Length: ${body.length}\r\n\r\n${body}`, () => other.resetAndDestroy());
    await once(other, 'close');
  }
  const failed = `select distinct ip_address from audit_events where metadata ->> 'email' = 'reset@example.com'`;
  await until('the first is written', async () => (await gateway.rows(failed)).length > 0);
  await until('all are answered', async () => lines().at(-1)?.['status'] !== undefined);
  expect(await gateway.rows(failed)).toEqual([{ ip_address: '127.0.0.1' }]);
  expect(lines().filter(({ client_ip }) => client_ip === 'unknown' || client_ip === undefined)).toEqual([]);
  expect(await gateway.rows(`select key from rate_limits where key like '%unknown%'`)).toEqual([]);
});

async function withLimits(sockets: Partial<SocketLimits>, work: (on: TestGateway) => Promise<void>): Promise<void> {
  const limited = await startGateway({ log: captured.log, sockets });
  try {
    await work(limited);
  } finally {
    await limited.close();
  }
}

test('Interface 5: an answer that nobody takes is given up', async () => {
  await withLimits({ answerMs: 100, checkEveryMs: 20 }, async (on) => {
    const { email } = await on.user();
    const { answer } = await logIn(on, email);
    const authorization = `Bearer ${answer.json.access_token}`;
    const all = 'fields { name description args { name description type { name } } type { name } }';
    const types = `types { name description ${all} inputFields { name description } enumValues { name description } }`;
    const query = `{${['a', 'b', 'c', 'd', 'e'].map((name) => `${name}: __schema { ${types} }`)}}`;
    const body = JSON.stringify({ query });
    const big = (id: string) =>
      `POST /graphql HTTP/1.1\r\n${HOST}Authorization: ${authorization}\r\nX-Request-Id: ${id}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const { text } = await on.send('POST', '/graphql', {
      headers: { authorization },
      body: { query },
    });
    expect(15 * text.length).toBeGreaterThan(SOCKETS_HOLD);
    const sockets = await Promise.all(Array.from({ length: 2 }, () => open(on)));
    const last = sockets.map((_socket, i) => `unread-${i}`);
    for (const [i, socket] of sockets.entries()) socket.pause().write(big('before').repeat(14) + big(`unread-${i}`));
    const given = () => lines().filter(({ request_id, status }) => last.includes(String(request_id)) && status === 499);
    await until('both answers are given up', () => given().length === 2);
    for (const socket of sockets) socket.destroy();
  });
});

test('Interface 5: a header or body that arrives too slowly is 408', async () => {
  await withLimits({ headersMs: 50, requestMs: 100, checkEveryMs: 20 }, async (on) => {
    for (const text of [LIVE, `${JSON_LOGIN}Content-Length: 100\r\n\r\n{`]) {
      const [answer] = answersIn(await exchange(on, text));
      expect([answer?.status, answer?.json]).toEqual([
        408,
        { detail: 'The request took too long to arrive', reason: 'request_timeout' },
      ]);
    }
  });
});

test('Interface 5: connections that say nothing make room too', async () => {
  await withLimits({ connections: 3 }, async (on) => {
    const silent = await Promise.all([open(on), open(on), open(on)]);
    const live = async () => (await on.send('GET', '/health/live').catch(() => undefined))?.status;
    await until('another client is answered', async () => (await live()) === 200);
    for (const socket of silent) socket.destroy();
  });
});

test('Interface 5: connections without a request do not hold up the end', async () => {
  const app = gateway.app;
  const listening = await listen(app, '127.0.0.1', 0);
  const url = `http://127.0.0.1:${listening.port}`;
  const holding = [await open({ url }), await open({ url }, 'GET /hea')];
  await listening.stop({ graceMs: 3_600_000 }); // an hour of grace, which nobody needs
  for (const socket of holding) socket.destroy();
});

test('Interface 5: beyond the connections that are allowed, those that idle make room', async () => {
  await withLimits({ connections: 3 }, async (on) => {
    const agent = new Agent({ keepAlive: true });
    const before = captured.lines().length;
    const live = (use: Agent | false) =>
      new Promise<number | undefined>((resolve) => {
        const sent = request(`${on.url}/health/live`, { agent: use }, (res) =>
          res.resume().on('end', () => resolve(res.statusCode)),
        );
        sent.on('error', () => resolve(undefined)).end();
      });
    expect(await Promise.all([live(agent), live(agent), live(agent)])).toEqual([200, 200, 200]);
    await until('another client is answered', async () => (await live(false)) === 200);
    const said = captured.lines().slice(before);
    expect(said.filter(({ msg }) => String(msg).startsWith('connections are refused'))).toHaveLength(1);
    agent.destroy();
  });
});
