/** The schema describes the fields of audit events. (Interface 11) */
import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLEnumType } from 'graphql';
import { administer, COMMAND_LINE } from '../../src/admin/administer.js';
import { createApiKey, revokeApiKey, rotateApiKey } from '../../src/admin/api-keys.js';
import { createCronKey, revokeCronKey, rotateCronKey } from '../../src/admin/cron-keys.js';
import { forgetDevice, listDevices } from '../../src/admin/devices.js';
import { resetFactors } from '../../src/admin/factors.js';
import { clearLoginAddress } from '../../src/admin/login-addresses.js';
import { mailPasswordLink } from '../../src/admin/password-links.js';
import { revokeSession } from '../../src/admin/sessions.js';
import {
  createUser,
  deleteUser,
  setUserActive,
  setUserEmail,
  setUserPassword,
  setUserRole,
  unlockUser,
} from '../../src/admin/user-changes.js';
import { eraseUser } from '../../src/admin/user-erasure.js';
import {
  createWebhook,
  deleteWebhook,
  pauseWebhook,
  replayWebhook,
  resumeWebhook,
  rotateWebhookSecret,
} from '../../src/admin/webhooks.js';
import { startReceiver } from '../outbox/receiver.js';
import { changeEmail, startWithAccount } from '../support/gateway/email-changes.js';
import {
  codeAt,
  confirm,
  finishLogin,
  halfLogin,
  post,
  removeFactor,
  withTotp,
  wrongCode,
} from '../support/gateway/factors.js';
import { claimsOf, PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newcomer } from '../support/gateway/graphql.js';
import { ANOTHER, CHOSEN, changePassword, forgot, issueLink, redeem } from '../support/gateway/passwords.js';
import { login, logout, refresh, WRONG } from '../support/gateway/routes.js';
import { until } from '../support/until.js';

const schema = buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'));

/** The fields of `metadata` that the description of an event type names. */
function fieldsNamed(type: string): string[] {
  const { description } = (schema.getType('AuditEventType') as GraphQLEnumType).getValue(type) ?? {};
  const [, fields] = /`metadata`: (.*)\.$/s.exec(description ?? '') ?? [];
  return Array.from((fields ?? '').replace(/\([^)]*\)/g, '').matchAll(/`(\w+)`/g), ([, field = '']) => field).sort();
}

/** The fields of `metadata` in the audit log, by event type */
async function fieldsWritten({ rows }: TestGateway): Promise<Record<string, string[]>> {
  const events = await rows<{ event_type: string; fields: string[] }>(
    `select event_type, array_agg(distinct field) as fields
     from audit_events, lateral jsonb_object_keys(metadata) as field group by event_type`,
  );
  return Object.fromEntries(events.map(({ event_type, fields }) => [event_type, fields.toSorted()]));
}

/** On a gateway of its own, whose links wait. */
async function fieldsOfEmailChanges(): Promise<Record<string, string[]>> {
  const gateway = await startWithAccount();
  try {
    await post(gateway, 'email/undo', {
      token: await changeEmail(gateway, await newcomer(gateway), 'new@example.com'),
    });
    return await fieldsWritten(gateway);
  } finally {
    await gateway.close();
  }
}

test('Interface 11: each event type is caused here, and its description names the fields of its metadata', async () => {
  const receiver = await startReceiver();
  const gateway = await startGateway({
    env: {
      LOGIN_MAX_FAILURES: '2',
      LOGIN_RATE_LIMIT: '1000',
      KNOWN_DEVICES: 'on',
      MAIL: 'log',
      WEBHOOK_HOSTS: receiver.authority,
    },
    outboxPollMs: 20,
  });
  const { app } = gateway;
  try {
    const { user } = await newcomer(gateway);
    const expiresAt = new Date(gateway.clock.now().getTime() + 600_000);
    const key = { serviceName: 'billing', scopes: ['a:b'], rateLimit: 60, expiresAt };
    const other = await newcomer(gateway);
    await logout(gateway, other.refreshToken);
    await refresh(gateway, other.refreshToken);
    const stolen = await newcomer(gateway);
    for (let i = 0; i < 2; i += 1) await refresh(gateway, stolen.refreshToken);
    const { sid } = claimsOf((await newcomer(gateway)).accessToken);
    await revokeSession(app, COMMAND_LINE, undefined, String(sid));
    const [device] = (await listDevices(app.db.admin, [user.id])).get(user.id) ?? [];
    await forgetDevice(app, COMMAND_LINE, undefined, String(device?.id));
    for (const password of [WRONG, WRONG, PASSWORD]) await login(gateway, user.email, password);
    await unlockUser(app, COMMAND_LINE, user.id);
    const changing = await newcomer(gateway);
    for (const current of [WRONG, PASSWORD]) await changePassword(gateway, changing.accessToken, CHOSEN, current);
    await redeem(gateway, await issueLink(gateway, changing.user.id), ANOTHER);
    const invited = await createUser(app, COMMAND_LINE, { email: 'invited@example.com', role: 'viewer' });
    await redeem(gateway, await issueLink(gateway, invited.id, 'invitation'), CHOSEN);
    await setUserRole(app, COMMAND_LINE, user.id, 'analyst');
    await setUserEmail(app, COMMAND_LINE, user.id, 'another@example.com');
    await setUserPassword(app, COMMAND_LINE, user.id, 'a new good password');
    for (const isActive of [false, true]) await setUserActive(app, COMMAND_LINE, user.id, isActive);
    const careful = await withTotp(gateway);
    const code = () => codeAt(careful.secret, gateway.clock.now());
    const [recovery_code] = careful.recoveryCodes;
    const wrong = { code: wrongCode(careful.secret, gateway.clock.now()) };
    await finishLogin(gateway, await halfLogin(gateway, careful.user.email), wrong);
    await finishLogin(gateway, await halfLogin(gateway, careful.user.email), { recovery_code });
    await confirm(gateway, careful.accessToken, { code: code() });
    await post(gateway, 'factors/recovery-codes', {}, careful.accessToken);
    await removeFactor(gateway, careful.accessToken, careful.factorId);
    await resetFactors(app, COMMAND_LINE, (await withTotp(gateway)).user.id);
    const apiKey = await createApiKey(app, COMMAND_LINE, key);
    await rotateApiKey(app, COMMAND_LINE, apiKey.key.keyId, { overlapSeconds: 60, expiresAt });
    await revokeApiKey(app, COMMAND_LINE, apiKey.key.keyId);
    const cronKey = await createCronKey(app, COMMAND_LINE, key);
    await rotateCronKey(app, COMMAND_LINE, cronKey.key.keyId, { overlapSeconds: 60, expiresAt });
    await revokeCronKey(app, COMMAND_LINE, cronKey.key.keyId);
    await deleteUser(app, COMMAND_LINE, user.id);
    await eraseUser(app, COMMAND_LINE, user.id);
    const { webhook } = await createWebhook(app, COMMAND_LINE, { url: receiver.url });
    await rotateWebhookSecret(app, COMMAND_LINE, webhook.id);
    await pauseWebhook(app, COMMAND_LINE, webhook.id);
    await resumeWebhook(app, COMMAND_LINE, webhook.id);
    await replayWebhook(app, COMMAND_LINE, webhook.id, gateway.clock.now());
    await deleteWebhook(app, COMMAND_LINE, webhook.id);
    await clearLoginAddress(app, COMMAND_LINE, undefined);
    await administer(app, COMMAND_LINE, undefined, ({ audit }) =>
      audit({ eventType: 'keyring_rotated', userId: null, metadata: { added: [], dropped: [] } }),
    );
    receiver.reply(() => ({ status: 410 }));
    await createWebhook(app, COMMAND_LINE, { url: receiver.url });
    await mailPasswordLink(app, COMMAND_LINE, other.user.id, 'reset');
    await forgot(gateway, other.user.email);
    const byItself = `select from audit_events where metadata->>'by' in ('receiver', 'request')`;
    const notices = `select from audit_events where event_type = 'notice_sent' limit 1`;
    const both = async () => (await gateway.rows(byItself)).length === 2 && (await gateway.rows(notices)).length === 1;
    await until('the outbox has done its part', both);
    const types = (schema.getType('AuditEventType') as GraphQLEnumType).getValues().map(({ name }) => name);
    const written = { ...(await fieldsOfEmailChanges()), ...(await fieldsWritten(gateway)) };
    expect(written).toEqual(Object.fromEntries(types.map((type) => [type, fieldsNamed(type)])));
  } finally {
    await gateway.close();
    await receiver.close();
  }
});
