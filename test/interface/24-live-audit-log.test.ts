/** The audit log as it comes. (Interface 24) */

import { COMMAND_LINE } from '../../src/admin/administer.js';
import { revokeApiKey } from '../../src/admin/api-keys.js';
import { setUserActive, setUserRole } from '../../src/admin/user-changes.js';
import { exportAudit } from '../../src/audit/export.js';
import { logIn, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type As, bearer, newApiKey, newcomer, nobody } from '../support/gateway/graphql.js';
import { openStream, type Stream } from '../support/gateway/live-log.js';

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
