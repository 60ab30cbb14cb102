/**
 * The body of each event to a webhook: nothing secret, no user agent, and e-mails only for receivers that ask for them.
 * (Interface 17)
 */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { deleteUser, setUserEmail } from '../../src/admin/user-changes.js';
import { createWebhook } from '../../src/admin/webhooks.js';
import { describeEvent, EMAIL_FIELDS, ENTITY_OF, EVENT_TYPES, type EventType } from '../../src/audit/events.js';
import type { LoggedEvent } from '../../src/audit/order.js';
import { payloadOf } from '../../src/outbox/webhooks/payload.js';
import { email, METADATA, OTHER_EMAIL, USER } from '../audit/example-metadata.js';
import { startGateway } from '../support/gateway/gateway.js';
import { startReceiver } from './receiver.js';

const ID = '019ab000-0000-7000-8000-0000000000ff';

function logged(event_type: string, metadata: object): LoggedEvent {
  const at = { created_at: new Date('2026-09-06T23:06:40.012Z'), written_at: '2026-09-06T23:06:40.012345Z' };
  return {
    id: ID,
    event_type,
    entity_type: 'user',
    user_id: USER,
    ip_address: '192.0.2.7',
    user_agent: 'Mozilla/5.0',
    metadata,
    user_email: email,
    ...at,
  };
}

const ENVELOPE = {
  id: ID,
  sequence: `2026-09-06T23:06:40.012345Z_${ID}`,
  entity_type: 'user',
  user_id: USER,
  ip_address: '192.0.2.7',
};

describe.each(EVENT_TYPES)('Interface 17: %s', (type) => {
  const metadata: Record<string, unknown> = METADATA[type];
  const hidden: readonly string[] = EMAIL_FIELDS[type] ?? [];

  test('with e-mails it is the event, with the e-mail of its user', () => {
    expect(JSON.parse(payloadOf(logged(type, metadata), true))).toEqual({
      type,
      timestamp: '2026-09-06T23:06:40.012Z',
      data: { ...ENVELOPE, user_email: email, metadata },
    });
  });

  test('without e-mails it is the same but for them', () => {
    const text = payloadOf(logged(type, metadata), false);
    expect(text).not.toContain('@');
    expect(JSON.parse(text)).toEqual({
      type,
      timestamp: '2026-09-06T23:06:40.012Z',
      data: {
        ...ENVELOPE,
        metadata: Object.fromEntries(Object.entries(metadata).filter(([name]) => !hidden.includes(name))),
      },
    });
  });

  test('its fields that hold an e-mail are those of EMAIL_FIELDS', () => {
    const inExample = Object.keys(metadata).filter((name) => JSON.stringify(metadata[name]).includes('@'));
    expect(inExample.toSorted()).toEqual(hidden.toSorted());
    const byName = Array.from(describeEvent(type).matchAll(/`(\w*email\w*)`/g), ([, name]) => name);
    const others = ['include_emails', 'email_change_undone']; // the second is an end
    expect(hidden).toEqual(expect.arrayContaining(byName.filter((name = '') => !others.includes(name))));
  });
});

test.each(['user_promoted', 'toString', '__proto__', 'constructor', ''])(
  'Interface 17: of %j, which is of a newer version, only a receiver of e-mails sees the metadata',
  (type) => {
    const event = logged(type, { to: OTHER_EMAIL, deep: [{ a: email }] });
    expect(payloadOf(event, false)).not.toContain('@');
    expect(JSON.parse(payloadOf(event, false)).data).toEqual({ ...ENVELOPE, metadata: {} });
    expect(JSON.parse(payloadOf(event, true)).data.metadata).toEqual(event.metadata);
  },
);

test('Interface 17: sequences compare as text in the order of the log', () => {
  const at = (written_at: string, id: string) =>
    JSON.parse(payloadOf({ ...logged('logout', {}), written_at, id }, false)).data.sequence;
  const later = ID.replace(/f$/, 'e');
  const inOrder = [
    at('2026-09-06T23:06:40.012345Z', later),
    at('2026-09-06T23:06:40.012345Z', ID),
    at('2026-09-06T23:06:40.012346Z', later),
    at('2026-09-06T23:06:41.000000Z', later),
  ];
  expect(inOrder.toSorted()).toEqual(inOrder);
});

test('Interface 17: a receiver of e-mails gets the current one of the user, and others none; nobody gets a user agent', async () => {
  const [all, thin] = [await startReceiver(), await startReceiver()];
  const hosts = `${all.authority},${thin.authority}`;
  const gateway = await startGateway({ env: { WEBHOOK_HOSTS: hosts }, outboxPollMs: 20 });
  const eventTypes: EventType[] = ['login_failure', 'user_email_changed', 'user_deleted', 'keyring_rotated'];
  try {
    await createWebhook(gateway.app, COMMAND_LINE, { url: all.url, eventTypes, includeEmails: true });
    await createWebhook(gateway.app, COMMAND_LINE, { url: thin.url, eventTypes });
    const { id } = await gateway.user({ email: 'before@example.com' });
    const login = { headers: { 'user-agent': 'agent/1.0' }, body: { email: 'before@example.com', password: 'wrong' } };
    await gateway.send('POST', '/auth/login', login);
    await all.reached(1);
    await setUserEmail(gateway.app, COMMAND_LINE, id, 'after@example.com');
    await all.reached(2);
    await deleteUser(gateway.app, COMMAND_LINE, id);
    await all.reached(3);
    await gateway.send('POST', '/auth/login', { body: { email: 'nobody@example.com', password: 'wrong' } });
    await Promise.all([all.reached(4), thin.reached(4)]);
    expect(all.received.map(({ json }) => [json.type, json.data.user_email, json.data.metadata.email])).toEqual([
      ['login_failure', 'before@example.com', 'before@example.com'],
      ['user_email_changed', 'after@example.com', undefined],
      ['user_deleted', null, 'after@example.com'],
      ['login_failure', null, 'nobody@example.com'],
    ]);
    for (const { text, json } of thin.received) {
      expect(text).not.toContain('@');
      expect(json.data).not.toHaveProperty('user_email');
    }
    for (const { text, json } of [...all.received, ...thin.received]) {
      expect(text).not.toContain('agent/1.0');
      expect(json.data.entity_type).toBe(ENTITY_OF[json.type as EventType]);
    }
  } finally {
    await gateway.close();
    await Promise.all([all.close(), thin.close()]);
  }
});
