/** The audit log as it comes. (Interface 24) */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { revokeApiKey } from '../../src/admin/api-keys.js';
import { setUserActive, setUserRole } from '../../src/admin/user-changes.js';
import { exportAudit } from '../../src/audit/export.js';
import { logIn, startGateway, startInstance, type TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, bearer, newApiKey, newcomer, nobody } from '../support/gateway/graphql.js';
import { ADDED, openStream, type Stream } from '../support/gateway/live-log.js';
import { captureLog } from '../support/gateway/log.js';
import { watchStatements } from '../support/gateway/work.js';
import { whileAway } from '../support/postgres/faults.js';
import { until } from '../support/until.js';

/** Everything that was committed is given at once, so that no test waits for ten seconds. */
const LIVE = { pollMs: 20, settledSeconds: 0, silentMs: 60, rightMs: 40 };

let gateway: TestGateway;
let admin: { as: As; user: { id: string } };
const open: Stream[] = [];

beforeAll(async () => {
  gateway = await startGateway({ live: LIVE });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  admin = await newcomer(gateway, 'admin');
});
afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
});

async function follow(as = admin.as, options: Parameters<typeof openStream>[2] = {}): Promise<Stream> {
  const stream = await openStream(gateway, as, options);
  open.push(stream);
  return stream;
}

const failedLogin = async (email: string): Promise<void> => {
  await gateway.send('POST', '/auth/login', { body: { email, password: 'wrong' } });
};

const emailsOf = (stream: Stream) => stream.results().map(({ data }) => data.auditEventAdded.event.metadata?.email);

const WITH_METADATA = `subscription ($filter: AuditEventFilter) {
  auditEventAdded(filter: $filter) { cursor event { id eventType metadata } }
}`;

describe('Interface 24: the live audit log', () => {
  test('Interface 24: begins now, and gives each event once with its cursor as the id of the message', async () => {
    await failedLogin('before@example.com');
    const stream = await follow(undefined, {
      query: WITH_METADATA,
      variables: { filter: { eventTypes: ['login_failure'] } },
    });
    expect(stream.status).toBe(200);
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    for (const name of ['a', 'b', 'c']) await failedLogin(`${name}@example.com`);
    await stream.until((each) => each.results().length === 3);
    expect(emailsOf(stream)).toEqual(['a@example.com', 'b@example.com', 'c@example.com']);
    for (const { cursor, data } of stream.results()) expect(cursor).toBe(data.auditEventAdded.cursor);
  });

  test('Interface 24: resumes behind Last-Event-ID without a gap and in the order of `audit export`', async () => {
    const first = await follow();
    for (let i = 0; i < 5; i += 1) await failedLogin(`resumed${i}@example.com`);
    await first.until((each) => each.results().length >= 5);
    const [begin] = first.results();
    first.close();
    for (let i = 0; i < 5; i += 1) await failedLogin(`later${i}@example.com`);
    const second = await follow(admin.as, { lastEventId: begin?.cursor });
    const exported = [];
    for await (const page of (await exportAudit(gateway.app, { after: begin?.cursor }, { settledSeconds: 0 })).pages)
      exported.push(...page.map(({ cursor }) => cursor));
    await second.until((each) => each.results().length >= exported.length);
    expect(second.results().map(({ cursor }) => cursor)).toEqual(exported);
  });

  test('Interface 24: a stream that is cut in front of its first event resumes at its beginning', async () => {
    const cut = await follow();
    await cut.until(({ messages }) => messages.length > 0);
    cut.close();
    await failedLogin('meanwhile@example.com');
    const resumed = await follow(admin.as, { lastEventId: cut.messages[0]?.id });
    await resumed.until((each) => each.results().length === 1);
  });

  test('Interface 24: a stream that says nothing sends a comment, with the place to resume at', async () => {
    const stream = await follow(admin.as, { variables: { filter: { eventTypes: ['webhook_paused'] } } });
    await stream.until(({ messages }) => messages.filter(({ id }) => id !== undefined).length >= 2);
    const ids = stream.messages.flatMap(({ id }) => id ?? []);
    expect(stream.messages.every(({ comments }) => comments === 1)).toBe(true);
    await failedLogin('silence@example.com');
    const resumed = await follow(admin.as, { lastEventId: ids.at(-1) });
    await resumed.until((each) => each.results().length === 1);
  });

  test('Interface 24: refusals come in front of the stream with their status', async () => {
    const viewer = await newcomer(gateway, 'viewer');
    const cases: Array<[As, object, number, string]> = [
      [nobody, {}, 401, 'missing_credentials'],
      [viewer.as, {}, 403, 'scope_missing'],
      [admin.as, { accept: 'application/json' }, 406, 'not_acceptable'],
      [admin.as, { accept: '*/*' }, 406, 'not_acceptable'],
      [admin.as, { lastEventId: 'x' }, 400, 'invalid_page'],
      [admin.as, { variables: { filter: { eventTypes: ['x'] } } }, 400, 'invalid_variable'],
    ];
    for (const [as, options, status, reason] of cases) {
      const refused = await follow(as, options);
      expect([refused.status, JSON.parse(await refused.text()).errors[0].extensions.reason]).toEqual([status, reason]);
      expect(refused.headers['content-type']).toContain('json');
    }
  });

  test('Interface 24: a fifth stream of a caller is 429, until another has ended', async () => {
    const streams = [];
    for (let i = 0; i < 4; i += 1) streams.push(await follow());
    const fifth = await follow();
    expect([fifth.status, fifth.headers['retry-after']]).toEqual([429, '5']);
    expect((await follow((await newcomer(gateway, 'admin')).as)).status).toBe(200);
    streams[0]?.close();
    let again = await follow();
    while (again.status === 429) again = await follow();
    expect(again.status).toBe(200);
  });
});

describe('Interface 24: a stream ends with the right of its caller, with `complete`', () => {
  const ends: Array<[string, () => Promise<[As, () => Promise<unknown>]>]> = [
    ['an access token that expires', async () => [admin.as, async () => gateway.clock.advance(901)]],
    [
      'a session that ends',
      async () => {
        const { email } = await gateway.user({ role: 'admin' });
        const { answer, refreshToken } = await logIn(gateway, email);
        const headers = { cookie: `refresh_token=${refreshToken}` };
        return [bearer(answer.json.access_token), () => gateway.send('POST', '/auth/logout', { headers })];
      },
    ],
    [
      'a user who is deactivated',
      async () => {
        const { as, user } = await newcomer(gateway, 'admin');
        return [as, () => setUserActive(gateway.app, COMMAND_LINE, user.id, false)];
      },
    ],
    [
      'a role that is lowered',
      async () => {
        const { as, user } = await newcomer(gateway, 'admin');
        return [as, () => setUserRole(gateway.app, COMMAND_LINE, user.id, 'analyst')];
      },
    ],
    [
      'a key that is revoked',
      async () => {
        const { as, keyId } = await newApiKey(gateway, ['audit:read']);
        return [as, () => revokeApiKey(gateway.app, COMMAND_LINE, keyId)];
      },
    ],
  ];

  test.each(ends)('Interface 24: %s', async (_name, prepare) => {
    const [as, end] = await prepare();
    const stream = await follow(as);
    expect(stream.status).toBe(200);
    await stream.until(({ messages }) => messages.filter(({ id }) => id !== undefined).length >= 2);
    await end();
    expect(await stream.ended).toBe(true);
  });

  test('Interface 24: the gateway that stops', async () => {
    const stream = await follow();
    gateway.app.state.isStopping = true;
    expect(await stream.ended).toBe(true);
    gateway.app.state.isStopping = false;
  });
});

describe('Interface 24: the live audit log and other sides', () => {
  test('Interface 24: an outage ends no stream, is logged once, and what was written goes on', async () => {
    const { log, lines } = captureLog();
    const instance = await startInstance(gateway.database, { clock: gateway.clock, live: LIVE, log });
    const stream = await openStream(instance, admin.as, { query: WITH_METADATA });
    open.push(stream);
    await stream.until(({ messages }) => messages.length >= 2);
    const said = () => lines().filter(({ msg }) => msg === 'audit log: streams wait for the database');
    await whileAway(gateway.database, async () => {
      await until('the outage is logged', () => said().length > 0);
      const before = stream.messages.length;
      await stream.until(({ messages }) => messages.length > before + 2); // signs of life
    });
    await until('the database is back', async () => {
      await failedLogin('after@example.com');
      return (
        (await gateway.send('POST', '/auth/login', { body: { email: 'a@b.example', password: 'x' } })).status === 401
      );
    });
    await stream.until((each) => emailsOf(each).includes('after@example.com'));
    expect(said()).toEqual([expect.objectContaining({ level: 'warn' })]);
    stream.close();
    await instance.close();
  });

  test('Interface 24: events and what belongs to them are read once, for any number of streams', async () => {
    const readers = [admin, await newcomer(gateway, 'admin')];
    const { email } = await gateway.user();
    const query = 'subscription { auditEventAdded { event { id eventType user { email role } } } }';
    const streams: Stream[] = [];
    for (let i = 0; i < 8; i += 1) streams.push(await follow(readers[i % 2]?.as, { query }));
    for (const stream of streams) await stream.until(({ messages }) => messages.length >= 2);
    const users: string[] = [];
    watchStatements(gateway.app.db, ({ sql }) => {
      if (/from users where .*any/is.test(sql) || /from "?users"?.* in /is.test(sql)) users.push(sql);
    });
    await logIn(gateway, email);
    const mails = (stream: Stream) => stream.results().map(({ data }) => data.auditEventAdded.event.user?.email);
    for (const stream of streams) await stream.until((each) => mails(each).includes(email));
    expect(users.length).toBe(1);
  });

  test('Interface 24: a field that the caller may not read is an error of its event, and the stream goes on', async () => {
    const { as } = await newApiKey(gateway, ['audit:read']);
    const query = 'subscription { auditEventAdded { cursor event { user { email } } } }';
    const stream = await follow(as, { query });
    const { email } = await gateway.user();
    await logIn(gateway, email);
    await logIn(gateway, email);
    await stream.until((each) => each.results().length >= 2);
    for (const { errors } of stream.results()) expect(errors?.[0].extensions.reason).toBe('scope_missing');
  });

  test('Interface 24: costs what a page of 50 events costs', async () => {
    const ofUser = 'user { sessions(first: 100) { nodes { id startedAt } } }';
    const refused = await follow(admin.as, { query: `subscription { auditEventAdded { event { ${ofUser} } } }` });
    const { errors } = JSON.parse(await refused.text());
    expect([refused.status, errors[0].extensions.reason]).toEqual([400, 'cost_above_limit']);
    const { errors: ofPage } = await ask(gateway, admin.as, `{ auditEvents(first: 50) { nodes { ${ofUser} } } }`);
    expect([errors[0].extensions.dearestPath, ofPage[0]?.extensions['dearestPath']]).toEqual([
      'auditEventAdded.event.user.sessions',
      'auditEvents.nodes.user.sessions',
    ]);
  });

  test('Interface 24: a query for a reader of streams is a stream of one result', async () => {
    const stream = await follow(admin.as, { query: '{ caller { callerType } }' });
    expect(await stream.ended).toBe(true);
    expect(stream.messages).toMatchObject([
      { event: 'next', data: '{"data":{"caller":{"callerType":"user"}}}' },
      { event: 'complete', data: '' },
    ]);
    const other = await ask(gateway, admin.as, ADDED);
    expect([other.status, other.errors[0]?.extensions['reason']]).toEqual([406, 'not_acceptable']);
  });
});
