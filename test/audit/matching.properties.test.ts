/** A stream takes the filter of the list, so for every filter both have the same events. (Interface 24) */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { EventType } from '../../src/audit/events.js';
import { type AuditEventFilter, listAuditEvents } from '../../src/audit/log.js';
import { sessionsOfEvents } from '../../src/audit/lookups.js';
import { matching, toReadEvent } from '../../src/audit/matches.js';
import { NIL, readNew } from '../../src/audit/order.js';
import { refreshTokenOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { login, logout } from '../support/gateway/routes.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const EVERYTHING = { at: '-infinity', id: NIL };
const HERE = ['192.0.2.1', '192.0.2.2', '127.0.0.1'];
const TYPES: EventType[] = [
  'login_success',
  'login_failure',
  'logout',
  'token_theft',
  'api_key_revoked',
  'user_unlocked',
];

test('Interface 24: what a stream takes is what the list has, for every filter', async () => {
  const users = await Promise.all([gateway.user(), gateway.user()]);
  for (const { email } of users) {
    const refreshToken = refreshTokenOf(await login(gateway, email));
    gateway.clock.advance(60);
    await logout(gateway, refreshToken);
    await login(gateway, email);
    gateway.clock.advance(60);
  }
  const sessions = (await gateway.rows<{ family_id: string }>('select family_id from sessions')).map(
    (s) => s.family_id,
  );
  const ids = users.map(({ id }) => id);
  const emails = [...users.map(({ email }) => email), 'nobody@example.com'];
  const keys = ['api_1', 'API_1', ids[0] ?? ''];
  const hooks = [randomUUID(), randomUUID()];
  const times = [0, 1, 2, 3].map((minutes) => new Date(gateway.clock.now().getTime() - minutes * 60_000));
  const any = fc.constantFrom;
  const metadata = fc.record(
    {
      email: any(...emails, null),
      family_id: any(...sessions, null),
      ended_by: any('logout', null),
      actor: any(
        { caller_type: 'user', sub: ids[0] },
        { caller_type: 'api_key', key_id: keys[0] },
        { caller_type: 'cli' },
      ),
      key_id: any(...keys),
      webhook_id: any(...hooks),
    },
    { requiredKeys: [] },
  );
  const event = fc.tuple(
    any(...TYPES),
    any('user', 'api_key', 'webhook'),
    any(...ids, null),
    any(...HERE),
    metadata,
    any(...times),
  );
  for (const [type, entity, user, address, more, at] of fc.sample(event, { numRuns: 150, seed: 58 })) {
    await gateway.rows(
      `insert into audit_events (id, event_type, entity_type, user_id, ip_address, user_agent, metadata, created_at)
       values (gen_random_uuid(), $1, $2, $3, $4, 'test', $5, $6)`,
      [type, entity, user, address, more, at],
    );
  }
  const { db } = gateway.app;
  const events = (await readNew(db.admin, EVERYTHING, 'infinity', 1_000)).map(toReadEvent);
  const sessionOf = await sessionsOfEvents(
    db,
    events.map(({ id }) => id),
  );
  expect(sessionOf.size).toBeGreaterThan(3);

  const loose = (text: string): string[] => [text, text.toUpperCase()];
  const whole: fc.Arbitrary<AuditEventFilter> = fc.record({
    eventTypes: fc.option(fc.subarray(TYPES)),
    isTheft: any(true, false, null),
    userId: any(...ids.flatMap(loose), randomUUID(), 'x', null),
    ipAddress: any(...HERE, '', null),
    email: any(...emails.flatMap(loose), null),
    actorId: any(...ids.flatMap(loose), ...keys, null),
    entityId: any(...ids.flatMap(loose), ...keys, ...hooks.flatMap(loose), null),
    sessionId: any(...sessions.flatMap(loose), randomUUID(), 'x', null),
    since: any(...times, null),
    until: any(...times, null),
  });
  const names = [
    'eventTypes',
    'isTheft',
    'userId',
    'ipAddress',
    'email',
    'actorId',
    'entityId',
    'sessionId',
    'since',
    'until',
  ];
  /** Of more fields at once hardly any event has all. */
  const filter = fc
    .tuple(whole, fc.subarray(names, { maxLength: 3 }))
    .map(
      ([of, chosen]): AuditEventFilter =>
        Object.fromEntries(Object.entries(of).filter(([name]) => chosen.includes(name))),
    );
  let found = 0;
  await fc.assert(
    fc.asyncProperty(filter, async (asked) => {
      const listed: string[] = [];
      for (let after: string | undefined; ; ) {
        const { rows, hasNextPage } = await listAuditEvents(gateway.app, asked, { first: 100, after });
        listed.push(...rows.map(({ row }) => row.id));
        if (!hasNextPage) break;
        after = rows.at(-1)?.cursor;
      }
      const matches = matching(asked);
      const taken = events.filter((each) => matches(each, sessionOf)).map(({ id }) => id);
      found += taken.length;
      expect(taken.toSorted()).toEqual(listed.toSorted());
    }),
    { numRuns: 300, seed: 58 },
  );
  expect(found).toBeGreaterThan(1_000);
});
