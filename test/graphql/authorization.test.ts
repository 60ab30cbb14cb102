/**
 * What each caller may request: one row per field, one column per caller, written by hand; and what the schema says.
 * (Interface 11)
 */
import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type GraphQLField,
  type GraphQLOutputType,
  getNamedType,
  isCompositeType,
  isObjectType,
  valueFromASTUntyped,
} from 'graphql';
import { administer, COMMAND_LINE } from '../../src/admin/administer.js';
import { createWebhook, pauseWebhook } from '../../src/admin/webhooks.js';
import type { TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, newApiKey, newCronKey, newcomer, nobody, type SignedIn } from '../support/gateway/graphql.js';
import { startWithRoleScopes } from '../support/gateway/role-scopes.js';
import { login } from '../support/gateway/routes.js';

const COLUMNS = [
  'nobody',
  'viewer',
  'analyst',
  'admin',
  'deactivated admin', // the token is still valid
  'demoted admin',
  'api key with',
  'api key without',
  'cron key with',
  'cron key without',
  'revoked api key',
  'revoked cron key',
] as const;
type Column = (typeof COLUMNS)[number];

const SCOPES = [
  'users:read',
  'users:write',
  'sessions:read',
  'sessions:write',
  'audit:read',
  'keys:read',
  'keys:write',
  'webhooks:read',
  'webhooks:write',
  'gateway:read',
  'tokens:introspect',
] as const;

/** What ROLE_SCOPES_FILE gives to roles changes no cell. */
const OF_SERVICES = {
  viewer: ['invoices:read', 'users:delete', 'key:write'],
  analyst: ['invoices:read', 'users.all:write', 'sessions:revoke'],
  admin: ['invoices:read'],
};

type Scope = (typeof SCOPES)[number];

interface Row {
  /** One cell per column: `y` answered, `0` NOT_FOUND, `n` FORBIDDEN, `.` 401 UNAUTHENTICATED */
  cells: string;
  /** The scope of the columns "with"; null if no scope helps */
  scope: Scope | null;
  /** Further scopes of the columns "with"; the columns "without" lack one of all these at a time */
  also?: Scope[];
  /** No key may, whatever its scopes */
  isForUsers?: true;
  /** A scope that is enough in the place of `scope` */
  or?: Scope;
  /** A new operation that succeeds for allowed callers */
  operation(caller: Column): Promise<string> | string;
}

const A_DAY = 'since: "2026-01-01T00:00:00Z", until: "2026-01-02T00:00:00Z"';

const QUERIES: Record<string, Row> = {
  caller: { cells: '. yyy yy yyyy ..', scope: null, operation: () => '{ caller { callerType } }' },
  me: { cells: '. yyy yy nnnn ..', scope: null, operation: () => '{ me { id } }' },
  user: {
    cells: '. nyy yy ynyn ..',
    scope: 'users:read',
    operation: async () => `{ user(id: "${await aUser()}") { id } }`,
  },
  users: { cells: '. nyy yy ynyn ..', scope: 'users:read', operation: () => '{ users { edges { node { id } } } }' },
  sessions: {
    cells: '. nyy yy ynyn ..',
    scope: 'sessions:read',
    or: 'sessions:write',
    operation: () => '{ sessions { nodes { id } totalCount { count } } }',
  },
  session: {
    cells: '. nyy yy ynyn ..',
    scope: 'audit:read',
    operation: async () => `{ session(id: "${await aSession()}") { events { nodes { id } } } }`,
  },
  'session of one’s own': {
    cells: '. yyy yy ynyn ..',
    scope: 'audit:read',
    operation: async (caller) => `{ session(id: "${await aSession(ownerIdOf(caller))}") { events { nodes { id } } } }`,
  },
  'session that does not exist': {
    cells: '. n00 00 0n0n ..',
    scope: 'audit:read',
    operation: () => '{ session(id: "00000000-0000-7000-8000-000000000000") { id } }',
  },
  auditEvents: {
    cells: '. nyy yy ynyn ..',
    scope: 'audit:read',
    operation: () => '{ auditEvents { edges { cursor } } }',
  },
  auditCounts: {
    cells: '. nyy yy ynyn ..',
    scope: 'audit:read',
    operation: () => `{ auditCounts(bucket: hour, filter: { ${A_DAY} }) { count } }`,
  },
  apiKeys: { cells: '. nny yy ynyn ..', scope: 'keys:read', operation: () => '{ apiKeys { edges { cursor } } }' },
  cronKeys: { cells: '. nny yy ynyn ..', scope: 'keys:read', operation: () => '{ cronKeys { edges { cursor } } }' },
  webhook: {
    cells: '. nny yy ynyn ..',
    scope: 'webhooks:read',
    operation: async () => `{ webhook(id: "${await aWebhook()}") { id } }`,
  },
  'webhook that does not exist': {
    cells: '. nn0 00 0n0n ..',
    scope: 'webhooks:read',
    operation: () => '{ webhook(id: "00000000-0000-7000-8000-000000000000") { id } }',
  },
  webhooks: { cells: '. nny yy ynyn ..', scope: 'webhooks:read', operation: () => '{ webhooks { edges { cursor } } }' },
  gateway: {
    cells: '. nny yy ynyn ..',
    scope: 'gateway:read',
    operation: () => '{ gateway { version keys { kid } } }',
  },
};

const MUTATIONS: Record<string, Row> = {
  revokeSession: {
    cells: '. nny nn ynyn ..',
    scope: 'sessions:write',
    operation: async () => `mutation { revokeSession(input: { id: "${await aSession()}" }) { session { id } } }`,
  },
  'revokeSession of an own session': {
    cells: '. yyy ny ynyn ..',
    scope: 'sessions:write',
    operation: async (caller) =>
      `mutation { revokeSession(input: { id: "${await aSession(ownerIdOf(caller))}" }) { session { id } } }`,
  },
  'revokeSession of an unknown session': {
    cells: '. nn0 nn 0n0n ..',
    scope: 'sessions:write',
    operation: () =>
      'mutation { revokeSession(input: { id: "00000000-0000-7000-8000-000000000000" }) { session { id } } }',
  },
  forgetDevice: {
    cells: '. nny nn ynyn ..',
    scope: 'sessions:write',
    operation: async () => `mutation { forgetDevice(input: { id: "${await aDevice()}" }) { forgottenId } }`,
  },
  'forgetDevice of an own device': {
    cells: '. yyy ny ynyn ..',
    scope: 'sessions:write',
    operation: async (caller) =>
      `mutation { forgetDevice(input: { id: "${await aDevice(ownerIdOf(caller))}" }) { forgottenId } }`,
  },
  'forgetDevice of an unknown device': {
    cells: '. nn0 nn 0n0n ..',
    scope: 'sessions:write',
    operation: () => 'mutation { forgetDevice(input: { id: "00000000-0000-7000-8000-000000000000" }) { forgottenId } }',
  },
  revokeOtherSessions: {
    cells: '. yyy ny nnnn ..',
    scope: null,
    operation: () => 'mutation { revokeOtherSessions { revokedCount } }',
  },
  createUser: {
    cells: '. nny nn ynyn ..',
    scope: 'users:write',
    operation: () =>
      `mutation { createUser(input: { email: "${fresh()}@x.example", ${LONG}, role: viewer }) { user { id } } }`,
  },
  'createUser without a password': {
    cells: '. nny nn ynyn ..',
    scope: 'users:write',
    operation: () =>
      `mutation { createUser(input: { email: "${fresh()}@x.example", role: viewer }) { user { hasPassword } } }`,
  },
  issuePasswordLink: {
    cells: '. nny nn ynyn ..',
    scope: 'users:write',
    operation: async () =>
      `mutation { issuePasswordLink(input: { userId: "${await aUser()}", purpose: reset }) { expiresAt } }`,
  },
  'issuePasswordLink that is mailed': {
    cells: '. nny nn ynyn ..',
    scope: 'users:write',
    operation: async () =>
      `mutation { issuePasswordLink(input: { userId: "${await aUser()}", purpose: reset, deliver: true }) { link expiresAt } }`,
  },
  issuePasswordLinks: {
    cells: '. nny nn ynyn ..',
    scope: 'users:write',
    operation: async () =>
      `mutation { issuePasswordLinks(input: { ids: ["${await aUser()}"], purpose: reset }) { links { userId } } }`,
  },
  setUsersActive: {
    cells: '. nny nn ynyn ..',
    scope: 'users:write',
    operation: async () =>
      `mutation { setUsersActive(input: { ids: ["${await aUser()}"], isActive: false }) { users { id } } }`,
  },
  unlockUsers: {
    cells: '. nny nn ynyn ..',
    scope: 'users:write',
    operation: async () => `mutation { unlockUsers(input: { ids: ["${await aUser()}"] }) { users { id } } }`,
  },
  revokeSessionsOfUsers: {
    cells: '. nny nn ynyn ..',
    scope: 'sessions:write',
    operation: async () =>
      `mutation { revokeSessionsOfUsers(input: { ids: ["${await aUser()}"] }) { revokedSessionCount } }`,
  },
  importUsers: {
    cells: '. nny nn ynyn ..',
    scope: 'users:write',
    operation: () =>
      `mutation { importUsers(input: { lines: ["{\\"email\\":\\"${fresh()}@x.example\\"}"] }) { userCount } }`,
  },
  'importUsers as a trial': {
    cells: '. nny nn ynyn ..',
    scope: 'users:write',
    operation: () => 'mutation { importUsers(input: { lines: ["faulty"], dryRun: true }) { faults { line } } }',
  },
  setUserRole: {
    cells: '. nny nn ynyn ..',
    scope: 'users:write',
    operation: async () => `mutation { setUserRole(input: { id: "${await aUser()}", role: analyst }) { user { id } } }`,
  },
  setUserEmail: {
    cells: '. nny nn ynyn ..',
    scope: 'users:write',
    operation: async () =>
      `mutation { setUserEmail(input: { id: "${await aUser()}", email: "${fresh()}@x.example" }) { user { id } } }`,
  },
  setUserActive: {
    cells: '. nny nn ynyn ..',
    scope: 'users:write',
    operation: async () =>
      `mutation { setUserActive(input: { id: "${await aUser()}", isActive: false }) { user { id } } }`,
  },
  unlockUser: {
    cells: '. nny nn ynyn ..',
    scope: 'users:write',
    operation: async () => `mutation { unlockUser(input: { id: "${await aUser()}" }) { user { id } } }`,
  },
  setUserPassword: {
    cells: '. nny nn ynyn ..',
    scope: 'users:write',
    operation: async () => `mutation { setUserPassword(input: { id: "${await aUser()}", ${LONG} }) { user { id } } }`,
  },
  resetFactors: {
    cells: '. nny nn ynyn ..',
    scope: 'users:write',
    operation: async () => `mutation { resetFactors(input: { userId: "${await aUser()}" }) { removedFactorCount } }`,
  },
  'resetFactors of an unknown user': {
    cells: '. nn0 nn 0n0n ..',
    scope: 'users:write',
    operation: () =>
      'mutation { resetFactors(input: { userId: "00000000-0000-7000-8000-000000000000" }) { user { id } } }',
  },
  deleteUser: {
    cells: '. nny nn ynyn ..',
    scope: 'users:write',
    operation: async () => `mutation { deleteUser(input: { id: "${await aUser()}" }) { deletedId } }`,
  },
  'deleteUser of an unknown user': {
    cells: '. nn0 nn 0n0n ..',
    scope: 'users:write',
    operation: () => 'mutation { deleteUser(input: { id: "00000000-0000-7000-8000-000000000000" }) { deletedId } }',
  },
  eraseUser: {
    cells: '. nny nn ynyn ..',
    scope: 'users:write',
    operation: async () => `mutation { eraseUser(input: { id: "${await aUser()}" }) { erasedId } }`,
  },
  'eraseUser of an unknown user': {
    cells: '. nn0 nn 0n0n ..',
    scope: 'users:write',
    operation: () => 'mutation { eraseUser(input: { id: "00000000-0000-7000-8000-000000000000" }) { erasedId } }',
  },
  createApiKey: {
    cells: '. nny nn ynyn ..',
    scope: 'keys:write',
    operation: () => 'mutation { createApiKey(input: { serviceName: "s", scopes: [], rateLimit: 1 }) { secret } }',
  },
  rotateApiKey: {
    cells: '. nny nn ynyn ..',
    scope: 'keys:write',
    operation: async () => `mutation { rotateApiKey(input: { id: "${(await newApiKey(gateway)).keyId}" }) { secret } }`,
  },
  rotateCronKey: {
    cells: '. nny nn ynyn ..',
    scope: 'keys:write',
    operation: async () =>
      `mutation { rotateCronKey(input: { id: "${(await newCronKey(gateway)).keyId}" }) { headerValue } }`,
  },
  revokeApiKey: {
    cells: '. nny nn ynyn ..',
    scope: 'keys:write',
    operation: async () =>
      `mutation { revokeApiKey(input: { id: "${(await newApiKey(gateway)).keyId}" }) { apiKey { id } } }`,
  },
  createCronKey: {
    cells: '. nny nn ynyn ..',
    scope: 'keys:write',
    operation: () => 'mutation { createCronKey(input: { serviceName: "s", scopes: [] }) { headerValue } }',
  },
  revokeCronKey: {
    cells: '. nny nn ynyn ..',
    scope: 'keys:write',
    operation: async () =>
      `mutation { revokeCronKey(input: { id: "${(await newCronKey(gateway)).keyId}" }) { cronKey { id } } }`,
  },
  clearLoginAddress: {
    cells: '. nny nn ynyn ..',
    scope: 'users:write',
    operation: async () => {
      await login(gateway, 'nobody@example.com');
      return 'mutation { clearLoginAddress(input: { ipAddress: "127.0.0.1" }) { clearedCount } }';
    },
  },
  testMail: {
    cells: '. nny nn nnnn ..',
    scope: 'gateway:read',
    isForUsers: true,
    operation: () => 'mutation { testMail { outcome } }',
  },
  createWebhook: {
    cells: '. nny nn ynyn ..',
    scope: 'webhooks:write',
    also: ['audit:read'],
    operation: () => `mutation { createWebhook(input: { url: "${HOOK}" }) { secret } }`,
  },
  'createWebhook with e-mails': {
    cells: '. nny nn ynyn ..',
    scope: 'webhooks:write',
    also: ['audit:read', 'users:read'],
    operation: () => `mutation { createWebhook(input: { url: "${HOOK}", includeEmails: true }) { secret } }`,
  },
  rotateWebhookSecret: {
    cells: '. nny nn ynyn ..',
    scope: 'webhooks:write',
    operation: async () => `mutation { rotateWebhookSecret(input: { id: "${await aWebhook()}" }) { secret } }`,
  },
  testWebhook: {
    cells: '. nny nn ynyn ..',
    scope: 'webhooks:write',
    operation: async () => `mutation { testWebhook(input: { id: "${await aWebhook()}" }) { outcome } }`,
  },
  resendWebhookEvent: {
    cells: '. nny nn ynyn ..',
    scope: 'webhooks:write',
    also: ['audit:read'],
    operation: async () => resend(await aWebhook()),
  },
  'resendWebhookEvent with e-mails': {
    cells: '. nny nn ynyn ..',
    scope: 'webhooks:write',
    also: ['audit:read', 'users:read'],
    operation: async () => resend(await aWebhook({ includeEmails: true })),
  },
  pauseWebhook: {
    cells: '. nny nn ynyn ..',
    scope: 'webhooks:write',
    operation: async () => `mutation { pauseWebhook(input: { id: "${await aWebhook()}" }) { webhook { id } } }`,
  },
  resumeWebhook: {
    cells: '. nny nn ynyn ..',
    scope: 'webhooks:write',
    operation: async () => {
      const id = await aWebhook();
      await pauseWebhook(gateway.app, COMMAND_LINE, id);
      return `mutation { resumeWebhook(input: { id: "${id}" }) { webhook { id } } }`;
    },
  },
  replayWebhook: {
    cells: '. nny nn ynyn ..',
    scope: 'webhooks:write',
    also: ['audit:read'],
    operation: async () => replay(await aWebhook()),
  },
  'replayWebhook with e-mails': {
    cells: '. nny nn ynyn ..',
    scope: 'webhooks:write',
    also: ['audit:read', 'users:read'],
    operation: async () => replay(await aWebhook({ includeEmails: true })),
  },
  deleteWebhook: {
    cells: '. nny nn ynyn ..',
    scope: 'webhooks:write',
    operation: async () => `mutation { deleteWebhook(input: { id: "${await aWebhook()}" }) { deletedId } }`,
  },
  'deleteWebhook of an unknown webhook': {
    cells: '. nn0 nn 0n0n ..',
    scope: 'webhooks:write',
    operation: () => 'mutation { deleteWebhook(input: { id: "00000000-0000-7000-8000-000000000000" }) { deletedId } }',
  },
};

const LONG = 'password: "a password of fifteen and more"';
/** Nobody listens there. */
const HOOK_HOST = '127.0.0.1:9';
const HOOK = `http://${HOOK_HOST}/hook`;
/** So that nothing is sent meanwhile */
const NEVER_MS = 3_600_000;

/** A field below the roots that needs a scope in addition to those of its parents. */
interface Inner {
  scope: Scope;
  /** The scopes of its parents */
  way: Scope[];
  /** Users do not need it for their own objects */
  own?: true;
  operation(): Promise<string>;
}

const INNER: Record<string, Inner> = {
  'AuditActor.user': {
    scope: 'users:read',
    way: ['audit:read'],
    operation: async () => {
      const event = { eventType: 'user_unlocked', userId: await aUser(), metadata: {} } as const;
      const operator = { ...COMMAND_LINE, actor: { caller_type: 'user', sub: await aUser() } } as const;
      await administer(gateway.app, operator, undefined, ({ audit }) => audit(event));
      return '{ auditEvents(first: 1, filter: { eventTypes: [user_unlocked] }) { nodes { actor { user { id } } } } }';
    },
  },
  'AuditEvent.user': {
    scope: 'users:read',
    way: ['audit:read'],
    operation: async () => {
      const event = { eventType: 'user_unlocked', userId: await aUser(), metadata: {} } as const;
      await administer(gateway.app, COMMAND_LINE, undefined, ({ audit }) => audit(event));
      return '{ auditEvents(first: 1, filter: { eventTypes: [user_unlocked] }) { nodes { user { id } } } }';
    },
  },
  'AuditEvent.userOfEmail': {
    scope: 'users:read',
    way: ['audit:read'],
    operation: async () => {
      await login(gateway, 'nobody@example.com');
      return '{ auditEvents(first: 1, filter: { eventTypes: [login_failure] }) { nodes { userOfEmail { id } } } }';
    },
  },
  'Gateway.loginAddresses': {
    scope: 'audit:read',
    way: ['gateway:read'],
    operation: async () => '{ gateway { loginAddresses { nodes { ipAddress } } } }',
  },
  'Session.events': {
    scope: 'audit:read',
    own: true,
    way: ['sessions:write'],
    operation: async () =>
      `mutation { revokeSession(input: { id: "${await aSession()}" }) { session { events { nodes { id } } } } }`,
  },
  'Session.user': {
    scope: 'users:read',
    own: true,
    way: ['audit:read'],
    operation: async () => `{ session(id: "${await aSession()}") { user { id } } }`,
  },
  'User.devices': {
    scope: 'users:read',
    own: true,
    way: ['users:write'],
    operation: async () => `mutation { unlockUser(input: { id: "${await aUser()}" }) { user { devices { id } } } }`,
  },
  'User.factors': {
    scope: 'users:read',
    own: true,
    way: ['users:write'],
    operation: async () => `mutation { unlockUser(input: { id: "${await aUser()}" }) { user { factors { id } } } }`,
  },
  'User.pendingEmail': {
    scope: 'users:read',
    own: true,
    way: ['users:write'],
    operation: async () => `mutation { unlockUser(input: { id: "${await aUser()}" }) { user { pendingEmail } } }`,
  },
  'User.recoveryCodesLeft': {
    scope: 'users:read',
    own: true,
    way: ['users:write'],
    operation: async () => `mutation { unlockUser(input: { id: "${await aUser()}" }) { user { recoveryCodesLeft } } }`,
  },
  'User.sessions': {
    scope: 'users:read',
    own: true,
    way: ['users:write'],
    operation: async () =>
      `mutation { unlockUser(input: { id: "${await aUser()}" }) { user { sessions { nodes { id } } } } }`,
  },
  'Webhook.attempts': {
    scope: 'webhooks:read',
    way: ['webhooks:write'],
    operation: async () =>
      `mutation { pauseWebhook(input: { id: "${await aWebhook()}" }) { webhook { attempts { at } } } }`,
  },
  'Webhook.url': {
    scope: 'webhooks:read',
    way: ['webhooks:write'],
    operation: async () =>
      `mutation { rotateWebhookSecret(input: { id: "${await aWebhook()}" }) { secret webhook { url } } }`,
  },
};

let gateway: TestGateway;
let count = 0;
const people = new Map<Column, SignedIn>();
const keys = new Map<string, As>();

beforeAll(async () => {
  gateway = await startWithRoleScopes(OF_SERVICES, {
    env: { WEBHOOK_HOSTS: HOOK_HOST, MAIL: 'log' },
    outboxPollMs: NEVER_MS,
  });
  people.set('viewer', await newcomer(gateway, 'viewer'));
  people.set('analyst', await newcomer(gateway, 'analyst'));
  for (const column of ['admin', 'deactivated admin', 'demoted admin'] as const) {
    people.set(column, await newcomer(gateway, 'admin'));
  }
  await gateway.rows('update users set is_active = false where id = $1', [ownerIdOf('deactivated admin')]);
  await gateway.rows(`update users set role = 'viewer' where id = $1`, [ownerIdOf('demoted admin')]);
  const rows = Object.values({ ...QUERIES, ...MUTATIONS });
  for (const needed of new Set(rows.flatMap((row) => [neededBy(row).join(' '), row.or ?? '']))) {
    const including = needed === '' ? [...SCOPES] : needed.split(' ');
    keys.set(`api key with ${needed}`, (await newApiKey(gateway, including)).as);
    keys.set(`cron key with ${needed}`, (await newCronKey(gateway, including)).as);
  }
  for (const scope of ['', ...SCOPES, ...rows.filter(({ or }) => or).map(enoughFor)]) {
    const without = scope === '' ? [] : SCOPES.filter((other) => !scope.split(' ').includes(other));
    keys.set(`api key without ${scope}`, (await newApiKey(gateway, without)).as);
    keys.set(`cron key without ${scope}`, (await newCronKey(gateway, without)).as);
  }
  const api = await newApiKey(gateway, [...SCOPES]);
  const cron = await newCronKey(gateway, [...SCOPES]);
  await gateway.rows('update api_keys set revoked_at = now() where key_id = $1', [api.keyId]);
  await gateway.rows('update cron_keys set revoked_at = now() where key_id = $1', [cron.keyId]);
  keys.set('revoked api key', api.as).set('revoked cron key', cron.as);
});
afterEach(() => gateway.rows('delete from webhooks')); // there can be at most 100
afterAll(() => gateway.close());

function neededBy({ scope, also = [] }: Row): Scope[] {
  return scope === null ? [] : [scope, ...also];
}

/** Scopes of which one is enough, and which the columns "without" lack together */
function enoughFor({ scope, or }: Row): string {
  return [scope, or].filter(Boolean).join(' ');
}

/** @param scopes those that the columns "with" have and the columns "without" lack */
function callerOf(column: Column, scopes: string): As {
  if (column === 'nobody') return nobody;
  const as = people.get(column)?.as ?? keys.get(column) ?? keys.get(`${column} ${scopes}`);
  if (as === undefined) throw new Error(`no ${column}`);
  return as;
}

/** The user of a column. A key owns no session, so for a key it is any user. */
function ownerIdOf(column: Column): string {
  return (people.get(column) ?? people.get('viewer'))?.user.id ?? '';
}

function fresh(): string {
  count += 1;
  return `someone${count}`;
}

async function aUser(): Promise<string> {
  const [user] = await gateway.rows<{ id: string }>(
    `insert into users (email, password_hash, role) values ($1, 'none', 'viewer') returning id`,
    [`${fresh()}@example.com`],
  );
  return user?.id ?? '';
}

async function aSession(userId?: string): Promise<string> {
  const [record] = await gateway.rows<{ family_id: string }>(
    `insert into refresh_tokens (jti, user_id, family_id, user_agent, ip_address, expires_at)
     values (gen_random_uuid(), $1, gen_random_uuid(), '', '127.0.0.1', $2) returning family_id`,
    [userId ?? (await aUser()), new Date(gateway.clock.now().getTime() + 3_600_000)],
  );
  return record?.family_id ?? '';
}

async function aWebhook(more = {}): Promise<string> {
  return (await createWebhook(gateway.app, COMMAND_LINE, { url: HOOK, ...more })).webhook.id;
}

/** Of its own creation */
async function resend(id: string): Promise<string> {
  const [event] = await gateway.rows<{ id: string }>(`select id from audit_events where metadata->>'webhook_id' = $1`, [
    id,
  ]);
  return `mutation { resendWebhookEvent(input: { id: "${id}", eventId: "${event?.id}" }) { outcome } }`;
}

function replay(id: string): string {
  return `mutation { replayWebhook(input: { id: "${id}", since: "2026-01-01T00:00:00Z" }) { webhook { id } } }`;
}

async function aDevice(userId?: string): Promise<string> {
  const [device] = await gateway.rows<{ id: string }>(
    `insert into known_devices (id, user_id, secret_sha256, user_agent, created_at, last_used_at)
     values (gen_random_uuid(), $1, sha256(gen_random_uuid()::text::bytea), '', now(), now()) returning id`,
    [userId ?? (await aUser())],
  );
  return device?.id ?? '';
}

/** By table; without the times at which keys were used */
const ROWS = {
  users: 'select * from users order by id',
  refresh_tokens: 'select * from refresh_tokens order by jti',
  known_devices: 'select * from known_devices order by id',
  audit_events: 'select * from audit_events order by id',
  api_keys: 'select key_id, sealed_secret, revoked_at from api_keys order by key_id',
  cron_keys: 'select key_id, scopes, revoked_at from cron_keys order by key_id',
  webhooks: 'select * from webhooks left join outbox_cursors using (id) order by id',
};
const DIGESTS = Object.entries(ROWS).map(
  ([table, rows]) => `(select md5(string_agg(t::text, '')) from (${rows}) as t) as ${table}`,
);

/** A digest of each table: its thousands of rows are compared some thousand times. */
async function state(): Promise<Record<string, string> | undefined> {
  const [digests] = await gateway.rows<Record<string, string>>(`select ${DIGESTS.join()}`);
  return digests;
}

/** The extensions of a refusal, without its code. */
function whyNot(column: Column, scope: Row['scope'], isForUsers = false): object {
  if (column === 'deactivated admin') return { reason: 'caller_inactive' };
  return scope === null || (isForUsers && column.includes('key'))
    ? { reason: 'not_a_user' }
    : { reason: 'scope_missing', requiredScope: scope };
}

/** The actual cell. */
async function cellOf(column: Column, row: Row): Promise<string> {
  const cells = new Set<string>();
  if (!column.endsWith('without')) {
    for (const scopes of [neededBy(row).join(' '), row.or]) {
      if (scopes !== undefined) cells.add(await outcomeOf(column, scopes, row.scope, row));
    }
    return [...cells].join();
  }
  if (row.or !== undefined) return outcomeOf(column, enoughFor(row), row.scope, row);
  for (const lacking of [row.scope, ...(row.also ?? [])]) {
    cells.add(await outcomeOf(column, lacking ?? '', lacking, row));
  }
  return [...cells].join();
}

/** A refused mutation must change nothing. @param scope that a refusal names */
async function outcomeOf(
  column: Column,
  scopes: string,
  scope: Row['scope'],
  { isForUsers, operation }: Row,
): Promise<string> {
  const text = await operation(column);
  const before = await state();
  const { status, code, errors } = await ask(gateway, callerOf(column, scopes), text);
  if (errors.length === 0) return status === 200 ? 'y' : `${status}`;
  expect(await state()).toEqual(before);
  if (status === 200 && code === 'FORBIDDEN') {
    expect(errors[0]?.extensions).toEqual({ code, ...whyNot(column, scope, isForUsers) });
    return 'n';
  }
  if (status === 200 && code === 'NOT_FOUND') return '0';
  return status === 401 && code === 'UNAUTHENTICATED' ? '.' : `${status} ${code}`;
}

test.each(Object.entries({ ...QUERIES, ...MUTATIONS }))(
  'Interface 11: only allowed callers may request %s',
  async (_name, row) => {
    const expected = row.cells.replaceAll(' ', '');
    const actual: Record<string, string | undefined> = {};
    for (const column of COLUMNS) actual[column] = await cellOf(column, row);
    expect(actual).toEqual(Object.fromEntries(COLUMNS.map((column, i) => [column, expected[i]])));
  },
);

test('Interface 11: a secret arrives although the caller must not see the URL next to it', async () => {
  const { as } = await newApiKey(gateway, ['webhooks:write', 'audit:read']);
  const text = `mutation { createWebhook(input: { url: "${HOOK}" }) { secret webhook { id url } } }`;
  const { data, reason } = await ask(gateway, as, text);
  const webhook = { id: expect.any(String), url: null };
  expect({ data, reason }).toEqual({
    data: { createWebhook: { secret: expect.stringMatching(/^whsec_/), webhook } },
    reason: 'scope_missing',
  });
});

test.each(Object.entries(INNER))('Interface 11: %s also needs its own scope', async (name, inner) => {
  const { scope, way, operation } = inner;
  const { as: without } = await newApiKey(gateway, way);
  const { as: including } = await newApiKey(gateway, [...way, scope]);
  const { errors } = await ask(gateway, without, await operation());
  expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN', reason: 'scope_missing', requiredScope: scope } }]);
  expect(errors[0]?.path?.at(-1)).toBe(name.split('.')[1]);
  expect((await ask(gateway, including, await operation())).errors).toEqual([]);
});

/** Proved by test/interface/24-live-audit-log.test.ts */
const SUBSCRIPTION = 'Subscription.auditEventAdded';

const FOR_USERS = 'Only for callers of type `user`.';
const NEEDS = /\bneeds (`\w+:\w+`(?: (?:and|or) `\w+:\w+`)*)\.$/i;

const schema = buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'));

/** Each field of the schema, by its name in the tables */
const FIELDS = new Map(
  Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) =>
      Object.values(type.getFields()).map((field) => {
        const isRoot = type === schema.getQueryType() || type === schema.getMutationType();
        return [isRoot ? field.name : `${type.name}.${field.name}`, field] as const;
      }),
    ),
);

/** The need of a field according to its description: scopes, a caller of type `user`, or nothing. */
function described({ description }: GraphQLField<unknown, unknown>): string | undefined {
  const scopes = NEEDS.exec(description ?? '')?.[1]?.replaceAll('`', '');
  return scopes ?? (description?.endsWith(FOR_USERS) ? FOR_USERS : undefined);
}

/** The argument of `@requiresScopes` on a field. */
function requiredScopes({ astNode }: GraphQLField<unknown, unknown>): string[][] | undefined {
  const directive = astNode?.directives?.find(({ name }) => name.value === 'requiresScopes');
  const argument = directive?.arguments?.[0];
  return argument === undefined ? undefined : (valueFromASTUntyped(argument.value) as string[][]);
}

/** The need of a row according to the tables. */
function tabled(row: Row): string | undefined {
  const { scope, or, cells } = row;
  if (or !== undefined) return `${scope} or ${or}`;
  if (scope !== null) return neededBy(row).join(' and ');
  return cells.includes('n') ? FOR_USERS : undefined;
}

test('Interface 11: the schema says of each field what the tables have, and of others nothing', () => {
  const isRootOrNeedsSomething = ([name, needs]: [string, string | undefined]) => !name.includes('.') || needs;
  const rows = Object.entries({ ...QUERIES, ...MUTATIONS });
  const needs = [...FIELDS].map(([name, field]): [string, string | undefined] => [name, described(field)]);
  expect(Object.fromEntries(needs.filter(isRootOrNeedsSomething))).toEqual(
    Object.fromEntries([
      ...rows.toReversed().map(([name, row]) => [name.split(' ')[0], tabled(row)]), // the plain row of a field stands first
      ...Object.entries(INNER).map(([name, { scope }]) => [name, scope]),
      [SUBSCRIPTION, 'audit:read'],
    ]),
  );
});

/** The rows of a field: what it needs is needed by every caller if no row admits one without. */
function isForOwn(field: string): boolean {
  const rows = Object.entries({ ...QUERIES, ...MUTATIONS }).filter(([name]) => name.split(' ')[0] === field);
  return rows.some(
    ([, { scope, cells }]) => scope !== null && cells.replaceAll(' ', '')[COLUMNS.indexOf('viewer')] === 'y',
  );
}

test('Interface 24: @requiresScopes has what the tables have, on each field that every caller needs scopes for', () => {
  const rows = Object.entries({ ...QUERIES, ...MUTATIONS }).filter(([name, { scope }]) => !name.includes(' ') && scope);
  const roots = rows
    .filter(([name]) => !isForOwn(name))
    .map(([name, row]) => [name, row.or === undefined ? [neededBy(row)] : [[row.scope], [row.or]]]);
  const inner = Object.entries(INNER).filter(([, { own }]) => !own);
  expect(
    Object.fromEntries(
      [...FIELDS].map(([name, field]) => [name, requiredScopes(field)]).filter(([, needed]) => needed),
    ),
  ).toEqual(
    Object.fromEntries([
      ...roots,
      ...inner.map(([name, { scope }]) => [name, [[scope]]]),
      [SUBSCRIPTION, [['audit:read']]],
    ]),
  );
});

const oneRow = ({ args }: GraphQLField<unknown, unknown>) =>
  args.some(({ name }) => name === 'first') ? '(first: 1)' : '';

/** Every field below that has no `@requiresScopes`. */
function selectionOf(type: GraphQLOutputType, depth: number): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return isCompositeType(named) ? '{ __typename }' : '';
  const fields = Object.values(named.getFields()).filter(
    (field) => requiredScopes(field) === undefined && (depth > 0 || !isCompositeType(getNamedType(field.type))),
  );
  return `{ __typename ${fields.map((field) => `${field.name} ${oneRow(field)} ${selectionOf(field.type, depth - 1)}`).join(' ')} }`;
}

test('Interface 24: without @requiresScopes a field of an own object needs no scope', async () => {
  const { as, user } = await newcomer(gateway, 'viewer');
  const own = {
    me: '{ me ROWS }',
    session: `{ session(id: "${await aSession(user.id)}") ROWS }`,
    caller: '{ caller ROWS }',
  };
  for (const [name, text] of Object.entries(own)) {
    const type = FIELDS.get(name)?.type as GraphQLOutputType;
    const { errors, data } = await ask(gateway, as, text.replace('ROWS', selectionOf(type, 2)));
    expect([errors, data?.[name]]).toEqual([[], expect.anything()]);
  }
});

test('Interface 24: tools that introspect find the directive', async () => {
  const { as } = await newcomer(gateway, 'viewer');
  const { data } = await ask(gateway, as, '{ __schema { directives { name locations args { name } } } }');
  const directive = { name: 'requiresScopes', locations: ['FIELD_DEFINITION'], args: [{ name: 'scopes' }] };
  expect(data.__schema.directives).toContainEqual(directive);
});
