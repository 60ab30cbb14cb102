/** More logins than can be hashed, and clients that hang up before their answer; with real hashing. (Interface 5) */
import { createConnection, type Socket } from 'node:net';
import type { Slot } from '../../src/credentials/passwords/password-queue.js';
import { type Instance, PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newcomer, type SignedIn } from '../support/gateway/graphql.js';
import { CHOSEN, issueLink } from '../support/gateway/passwords.js';
import { quickPasswords } from '../support/gateway/quick-passwords.js';
import { login, WRONG } from '../support/gateway/routes.js';
import { auditDuring, recordsOf, userRow, wholeState } from '../support/gateway/rows.js';
import { watchStatements } from '../support/gateway/work.js';
import { figureOf, readMetrics } from '../support/independent/prometheus.js';
import { wholeTable, withLock } from '../support/postgres/locks.js';
import { until } from '../support/until.js';

const passwords = quickPasswords();
let gateway: TestGateway;
let quick: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ passwords: 'argon2' });
  quick = await startGateway({ passwords });
});
afterAll(async () => {
  await gateway.close();
  await quick.close();
});

async function figure(on: Instance, name: string, labels: Record<string, string> = {}): Promise<number> {
  return figureOf(readMetrics((await on.send('GET', '/metrics')).text), name, labels) ?? Number.NaN;
}

const outcomes = (on: Instance, outcome: string): Promise<number> =>
  figure(on, 'auth_gateway_logins_total', { outcome });

/** Takes every slot in the queue that is left. */
function fill({ app }: Instance): Slot[] {
  const slots: Slot[] = [];
  try {
    for (;;) slots.push(app.passwords.takeSlot());
  } catch {
    return slots;
  }
}

const giveBack = (slots: Slot[]): void => {
  for (const slot of slots) slot[Symbol.dispose]();
};

test('Interface 5: if the queue is full, login is 503 before the limiter and the database are asked', async () => {
  const { email } = await gateway.user();
  const before = [await wholeState(gateway), await outcomes(gateway, 'unavailable')];
  const statements: string[] = [];
  watchStatements(gateway.app.db, ({ sql }) => statements.push(sql));
  const slots = fill(gateway);
  try {
    for (const body of [{ email, password: PASSWORD }, { email, password: WRONG }, 'no JSON']) {
      const { status, headers, json, cookies } = await gateway.send('POST', '/auth/login', { body });
      expect([status, headers['retry-after'], cookies]).toEqual([503, '5', []]);
      expect(json).toEqual({ detail: 'Service temporarily unavailable, try again later', reason: 'unavailable' });
      expect([headers['ratelimit-policy'], headers['ratelimit']]).toEqual(['"login";q=1000000;w=900', undefined]);
    }
    expect(statements).toEqual([]);
    expect((await gateway.send('POST', '/auth/refresh')).status).toBe(401); // the others go on
  } finally {
    giveBack(slots);
  }
  expect([await wholeState(gateway), await outcomes(gateway, 'unavailable')]).toEqual([
    before[0],
    Number(before[1]) + 3,
  ]);
  expect((await login(gateway, email)).status).toBe(200);
});

test('Interface 5: a password is set even if the queue is full of logins', async () => {
  const slots = fill(gateway);
  try {
    await gateway.user();
  } finally {
    giveBack(slots);
  }
});

test('Interface 5: a login that ends otherwise gives its slot back', async () => {
  const { id, email } = await gateway.user();
  const until = new Date(gateway.clock.now().getTime() + 60_000);
  await gateway.rows('update users set locked_until = $2 where id = $1', [id, until]);
  const room = (): number => {
    const slots = fill(gateway);
    giveBack(slots);
    return slots.length;
  };
  const before = room();
  expect((await login(gateway, email)).status).toBe(429);
  expect((await login(gateway, 'no address')).status).toBe(422);
  expect(room()).toBe(before);
});

/** Sends a login, or another request with a password, and reads nothing. */
async function begin({ url }: Instance, sent: object, path = '/auth/login', fields = ''): Promise<Socket> {
  const socket = createConnection(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  const body = JSON.stringify(sent);
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${fields}Content-Type: application/json\r\nContent-Length: ${body.length}`;
  await new Promise<void>((resolve) => socket.write(`${head}\r\n\r\n${body}`, () => resolve()));
  return socket;
}

/** For Node, a client that ends only its sending side has gone, and gets no answer. */
const WAYS: Array<[how: string, hangUp: (socket: Socket) => unknown]> = [
  ['that hang up', (socket) => socket.destroy()],
  ['that reset', (socket) => socket.resetAndDestroy()],
  ['that end their sending side', (socket) => socket.end()],
];

test.each(WAYS)(
  'Interface 5: for clients %s before their turn nothing is hashed, counted or begun',
  async (_how, hangUp) => {
    const { id, email } = await gateway.user();
    const other = await gateway.user();
    const hashes = (): Promise<number> => figure(gateway, 'auth_gateway_password_hash_duration_seconds_count');
    const [user, hashed, gone] = [await userRow(gateway, id), await hashes(), await outcomes(gateway, 'client_closed')];
    const [, events] = await auditDuring(gateway, async () => {
      await withLock(gateway, wholeTable('users'), async (waiting) => {
        const logins = [PASSWORD, WRONG, PASSWORD].map((password) => begin(gateway, { email, password }));
        const sockets = await Promise.all(logins);
        await until('they look their user up', async () => (await waiting()) === 3);
        for (const socket of sockets) hangUp(socket);
        await until('they have gone', async () => (await outcomes(gateway, 'client_closed')) === gone + 3);
      });
      expect((await login(gateway, other.email)).status).toBe(200); // whose turn comes after theirs
    });
    expect(await hashes()).toBe(hashed + 1);
    expect(await userRow(gateway, id)).toEqual(user);
    expect(await recordsOf(gateway, id)).toEqual([]);
    expect(events.map(({ user_id }) => user_id)).toEqual([other.id]);
  },
);

/** What is sent, and the event of its outcome. */
const COMPARED: Array<[path: string, body: (of: SignedIn) => object | Promise<object>, event: string]> = [
  ['/auth/login', ({ user: { email } }) => ({ email, password: WRONG }), 'login_failure'],
  ['/auth/login', ({ user: { email } }) => ({ email, password: PASSWORD }), 'login_success'],
  ['/auth/login', () => ({ email: 'nobody@example.com', password: PASSWORD }), 'login_failure'],
  ['/auth/password', () => ({ current_password: WRONG, new_password: CHOSEN }), 'password_change_failed'],
  ['/auth/password', () => ({ current_password: PASSWORD, new_password: CHOSEN }), 'user_password_changed'],
  [
    '/auth/password/redeem',
    async ({ user }) => ({ token: await issueLink(quick, user.id), new_password: CHOSEN }),
    'user_password_set',
  ],
];

test.each(WAYS)(
  'Interface 5: for clients %s while they are checked, the outcome is written as if they waited',
  async (_how, hangUp) => {
    for (const [path, bodyOf, event] of COMPARED) {
      const caller = await newcomer(quick);
      const body = await bodyOf(caller);
      const labels = { http_request_method: 'POST', http_route: path, http_response_status_code: '499' };
      const gone = async () => (await figure(quick, 'http_server_request_duration_seconds_count', labels)) || 0;
      const before = await gone();
      const [, events] = await auditDuring(quick, async () => {
        using held = passwords.hold();
        const socket = await begin(quick, body, path, `Authorization: Bearer ${caller.accessToken}\r\n`);
        await held.reached(1);
        hangUp(socket);
        await until('it has gone', async () => (await gone()) === before + 1);
        const [{ count: known } = { count: 0 }] = await countEvents();
        held.release();
        await until('the outcome is written', async () => ((await countEvents())[0]?.count ?? 0) > known);
      });
      expect(events.map(({ event_type }) => event_type)).toEqual([event]);
      expect(await recordsOf(quick, caller.user.id)).toHaveLength(event === 'login_success' ? 2 : 1);
    }
  },
);

const countEvents = () => quick.rows<{ count: number }>('select count(*)::integer as count from audit_events');
