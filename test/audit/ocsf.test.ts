/** Each audit event as the Open Cybersecurity Schema Framework has it, from the table to the line. (Interface 9) */
import type { AuditedEvent, EventType } from '../../src/audit/events.js';
import { ENTITY_OF, EVENT_TYPES } from '../../src/audit/events.js';
import { toOcsf } from '../../src/audit/ocsf.js';
import { writeAudit } from '../../src/audit/write.js';
import { runHere } from '../support/gateway/cli.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type OcsfEvent, ocsfFaults } from '../support/independent/ocsf.js';
import { email, FAMILY, HOST, KEY, METADATA, USER } from './example-metadata.js';

let gateway: TestGateway;
let events: OcsfEvent[];
beforeAll(async () => {
  gateway = await startGateway();
  await gateway.rows('delete from audit_events');
  for (const [i, eventType] of EVENT_TYPES.entries()) {
    const about = { eventType, userId: ENTITY_OF[eventType] === 'user' ? USER : null, metadata: METADATA[eventType] };
    const from = { ipAddress: i % 2 ? '192.0.2.7' : '2001:db8::7', userAgent: i % 3 ? 'curl/8.0' : '' };
    await writeAudit(gateway.app.db, [{ ...about, ...from } as AuditedEvent], new Date());
  }
  events = await exported();
});
afterAll(() => gateway.close());

async function exported(): Promise<OcsfEvent[]> {
  await gateway.rows(`update audit_events set written_at = written_at - interval '1 minute'`);
  const readConfig = () => ({ ...gateway.config, databaseUrl: gateway.database.url });
  const { stdout } = await runHere(['audit', 'export', '--format', 'ocsf'], readConfig);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const ofType = (type: EventType) =>
  events.find((event) => (event['metadata'] as { event_code: string }).event_code === type);

test.each(EVENT_TYPES)('Interface 9: %s is as the schema has it', (type) => {
  const event = ofType(type);
  expect(event).toBeDefined();
  expect(ocsfFaults(event as OcsfEvent)).toEqual([]);
});

/** What a person who looks for it in a SIEM wants to find, put down by hand. */
test.each<[EventType, object]>([
  [
    'login_failure',
    {
      ...{ class_uid: 3002, activity_name: 'Logon', status: 'Failure', status_detail: 'INVALID_CREDENTIALS' },
      user: { uid: USER, email_addr: email },
      src_endpoint: { ip: '192.0.2.7' },
      http_request: { user_agent: 'curl/8.0' },
    },
  ],
  [
    'token_theft',
    { class_uid: 3002, type_uid: 300299, severity: 'High', session: { uid: FAMILY }, unmapped: { reused_jti: KEY } },
  ],
  [
    'user_created',
    { class_uid: 3001, activity_name: 'Create', actor: { user: { uid: USER } }, user: { uid: USER, name: email } },
  ],
  [
    'user_role_changed',
    { class_uid: 3001, actor: { app_uid: KEY, app_name: 'API key' }, unmapped: { from: 'viewer', to: 'admin' } },
  ],
  ['session_revoked', { class_uid: 3002, activity_name: 'Logoff', actor: { app_name: 'command line' } }],
  ['api_key_created', { class_uid: 3004, entity: { uid: KEY, name: 'billing', type: 'API key' } }],
  ['cron_key_revoked', { class_uid: 3004, activity_name: 'Delete', entity: { type: 'internal key' } }],
  [
    'webhook_created',
    {
      ...{ class_uid: 3004, activity_name: 'Create', entity: { uid: FAMILY, name: HOST, type: 'webhook' } },
      unmapped: { event_types: ['login_failure'], include_emails: false },
    },
  ],
  ['webhook_paused', { class_uid: 3004, entity: { uid: FAMILY, name: 'webhook' }, unmapped: { by: 'receiver' } }],
  ['login_counts_cleared', { class_uid: 3004, entity: { name: 'login counts' }, unmapped: { cleared: 1 } }],
  ['keyring_rotated', { class_uid: 3004, entity: { name: 'keyring' }, unmapped: { added: ['kid-1'] } }],
])('Interface 9: %s says who, what and from which address', (type, expected) => {
  expect(ofType(type)).toMatchObject(expected);
});

test('Interface 9: a token whose session a logout had ended is of low severity', () => {
  const row = { id: KEY, event_type: 'token_theft', entity_type: 'user', user_id: USER, ip_address: '192.0.2.7' };
  const at = { created_at: new Date(), written_at: '2026-11-22T10:00:00.000Z' };
  const metadata = { reused_jti: KEY, family_id: FAMILY, ended_by: 'logout' };
  const event = toOcsf({ ...row, ...at, user_agent: null, metadata }, {}) as OcsfEvent;
  expect(ocsfFaults(event)).toEqual([]);
  expect(event).toMatchObject({
    severity: 'Low',
    status_detail: 'REFRESH_TOKEN_REVOKED',
    unmapped: { reused_jti: KEY, ended_by: 'logout' },
  });
});

test('Interface 9: the ids, times and cursors of the lines are those of the rows', async () => {
  const lines = await exported();
  const rows = await gateway.rows<{ id: string; created_at: Date }>(
    'select id, created_at from audit_events order by written_at, id',
  );
  expect(lines.map(({ metadata, time }) => [(metadata as { uid: string }).uid, time])).toEqual(
    rows.map(({ id, created_at }) => [id, created_at.getTime()]),
  );
  expect(new Set(lines.map(({ unmapped }) => (unmapped as { cursor: string }).cursor)).size).toBe(rows.length);
});

test('Interface 9: a login of nobody who is known, a command and an event of a newer version are valid too', async () => {
  const db = gateway.app.db;
  const nobody = { eventType: 'login_failure', userId: null, metadata: METADATA.login_failure } as const;
  await writeAudit(db, [{ ...nobody, ipAddress: 'unknown', userAgent: '' }], new Date());
  await gateway.rows(
    `insert into audit_events (event_type, entity_type, ip_address, metadata) values ('user_promoted', 'user', 'cli', '{"to": 1}')`,
  );
  const [login, promoted] = (await exported()).slice(-2) as [OcsfEvent, OcsfEvent];
  expect(login).toMatchObject({ user: { name: email }, src_endpoint: { name: 'unknown' } });
  expect(promoted).toMatchObject({ class_uid: 0, unmapped: { ip_address: 'cli', metadata: { to: 1 } } });
  expect([login, promoted].flatMap(ocsfFaults)).toEqual([]);
});

test('the check against the schema finds a wrong event', () => {
  const event = ofType('login_success') as OcsfEvent;
  const faulty: object[] = [
    { class_uid: 3003 },
    { type_uid: 300202 },
    { activity_id: 8, type_uid: 300208 },
    { user: {} },
    { user: undefined },
    { service: undefined },
    { time: 1_700_000_000 },
    { severity: 'High' },
    { status: 'Failure' },
    { src_endpoint: { ip: 'cli' } },
    { email },
  ];
  expect(faulty.filter((change) => ocsfFaults({ ...event, ...change }).length === 0)).toEqual([]);
});
