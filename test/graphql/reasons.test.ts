/** Every reason of an error, caused over HTTP, with its status and code as docs/dashboards.md prints them. (Interface 7) */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { setUserActive } from '../../src/admin/user-changes.js';
import { CODES, type GraphqlReason } from '../../src/graphql/reasons.js';
import { writeBreached } from '../support/breached.js';
import { GRAPHQL_CODES } from '../support/documents/graphql-tables.js';
import { type Answer, startGateway, startInstance, type TestGateway } from '../support/gateway/gateway.js';
import {
  type As,
  ask,
  bearer,
  dataOf,
  internalKey,
  newApiKey,
  newCronKey,
  newcomer,
  nobody,
  type SignedIn,
} from '../support/gateway/graphql.js';
import { openStream, type Stream } from '../support/gateway/live-log.js';
import { freshNonce, type Signing, signByHand } from '../support/independent/signer.js';
import { refusesRows, whileAway, withFault } from '../support/postgres/faults.js';
import { whileReadsWait } from '../support/postgres/locks.js';
import { until } from '../support/until.js';

let gateway: TestGateway;
let admin: SignedIn;
beforeAll(async () => {
  gateway = await startGateway({ env: { BREACHED_PASSWORDS: writeBreached([BREACHED]), WEBHOOK_HOSTS: HOOK_HOST } });
  admin = await newcomer(gateway, 'admin');
});
afterAll(() => gateway.close());

/** Nobody listens there. */
const HOOK_HOST = '127.0.0.1:9';
const HOOK = `url: "http://${HOOK_HOST}/"`;
const CALLER = '{ caller { callerType } }';
const UNKNOWN = '00000000-0000-7000-8000-000000000000';
const FIFTEEN = 'fifteen letters';
const BREACHED = 'fifteen letters, breached';

/** Sent by the administrator. */
const byAdmin = (text: string, variables?: object) => () => ask(gateway, admin.as, text, variables);
const asked = (as: As) => () => ask(gateway, as, CALLER);

/** Signed with a valid key, apart from the changes. */
async function signed(changes: Partial<Signing>, times = 1): Promise<Answer> {
  const { keyId, secret } = await newApiKey(gateway);
  const authority = gateway.config.publicAuthority;
  const nowSeconds = Math.floor(gateway.clock.now().getTime() / 1000);
  const as: As = (body) =>
    Object.fromEntries(signByHand({ keyId, secret, authority, nowSeconds, body, ...changes }).headers);
  for (let i = 1; i < times; i += 1) await ask(gateway, as, CALLER);
  return ask(gateway, as, CALLER);
}

/** Two requests with a key that allows one a minute. */
async function twiceInAMinute(): Promise<Answer> {
  const { as } = await newApiKey(gateway, [], 1);
  await ask(gateway, as, CALLER);
  return ask(gateway, as, CALLER);
}

async function rotatedTwice(): Promise<Answer> {
  const { keyId } = await newApiKey(gateway);
  await rotate(`id: "${keyId}"`)();
  return rotate(`id: "${keyId}"`)();
}

/** A change whose event the database refuses. */
const unwritten = () =>
  withFault(gateway, refusesRows('audit_events'), byAdmin(createCronKey('serviceName: "s", scopes: []')));

async function asDeactivated(): Promise<Answer> {
  const { as, user } = await newcomer(gateway, 'admin');
  await gateway.rows('update users set is_active = false where id = $1', [user.id]);
  return ask(gateway, as, createCronKey('serviceName: "s", scopes: []'));
}

async function withoutEveryScope(): Promise<Answer> {
  const { as } = await newApiKey(gateway, ['users:write']);
  return ask(gateway, as, createUser({ email: 'boss@example.com', role: 'admin' }));
}

/** The listing has to wait longer than it may take. */
async function slowRead(): Promise<Answer> {
  let answer: Answer | undefined;
  await whileReadsWait(gateway, 'users', async () => {
    answer = await ask(gateway, (await newApiKey(gateway, ['users:read'])).as, '{ users { nodes { id } } }');
  });
  return answer as Answer;
}

/** More fields than may wait while two are blocked. */
async function tooMany(): Promise<Answer> {
  const { as } = await newApiKey(gateway, ['users:read']);
  const text = `{ ${Array.from({ length: 15 }, (_, i) => `a${i}: users(first: 1) { nodes { id } }`).join(' ')} }`;
  const answers: Answer[] = [];
  const asked: Array<Promise<unknown>> = [];
  const isOver = () => answers.some(({ status }) => status === 429);
  await whileReadsWait(gateway, 'users', () =>
    until('there is one too many', () => {
      if (!isOver()) asked.push(ask(gateway, as, text).then((answer) => answers.push(answer)));
      return isOver();
    }),
  );
  await Promise.all(asked);
  return answers.find(({ status }) => status === 429) as Answer;
}

async function fifthStream(): Promise<Answer> {
  const streams = [];
  for (let i = 0; i < 5; i += 1) streams.push(await openStream(gateway, admin.as));
  const fifth = streams.pop() as Stream;
  for (const stream of streams) stream.close();
  const text = await fifth.text();
  return { ...fifth, text, json: JSON.parse(text), cookies: [] };
}

/** Counts of this span in this time zone. */
const counts = (since: string, until: string, timeZone: string) => `{
  auditCounts(bucket: day, timeZone: "${timeZone}", filter: { since: "${since}", until: "${until}" }) { count }
}`;
const NEW_YEAR = '2026-01-01T00:00:00Z';
const USERS_BY_ID = 'query ($ids: [ID!]) { users(filter: { ids: $ids }) { nodes { id } } }';
const IMPORT = 'mutation ($lines: [String!]!) { importUsers(input: { lines: $lines }) { userCount } }';
const HUNDREDS_OF_HUNDREDS = '{ users(first: 100) { nodes { sessions(first: 100) { nodes { id } } } } }';
const bodyOf = (body: string) =>
  gateway.send('POST', '/graphql', { headers: { 'content-type': 'application/json', ...admin.as(body) }, body });

const createCronKey = (input: string) => `mutation { createCronKey(input: { ${input} }) { headerValue } }`;
const createUser = ({ email = 'new@example.com', password = FIFTEEN, role = 'viewer' } = {}) =>
  `mutation { createUser(input: { email: "${email}", password: "${password}", role: ${role} }) { user { id } } }`;
const demoteOneself = () =>
  byAdmin(`mutation { setUserRole(input: { id: "${admin.user.id}", role: viewer }) { user { id } } }`)();
/** A password that is already the user's. */
async function setTwice(): Promise<Answer> {
  const { id } = await gateway.user({ password: FIFTEEN });
  return byAdmin(`mutation { setUserPassword(input: { id: "${id}", password: "${FIFTEEN}" }) { user { id } } }`)();
}

const SET_PASSWORD = 'mutation ($input: SetUserPasswordInput!) { setUserPassword(input: $input) { user { id } } }';
const withLoneSurrogate = async () =>
  byAdmin(SET_PASSWORD, { input: { id: admin.user.id, password: `${FIFTEEN}\ud800` } })();
const rotate = (input: string) => byAdmin(`mutation { rotateApiKey(input: { ${input} }) { secret } }`);
const createApiKey = (input: string) => byAdmin(`mutation { createApiKey(input: { ${input} }) { secret } }`);

async function linkOfDeactivated(): Promise<Answer> {
  const { id } = await gateway.user();
  await setUserActive(gateway.app, COMMAND_LINE, id, false);
  return byAdmin(`mutation { issuePasswordLink(input: { userId: "${id}", purpose: reset }) { link } }`)();
}

async function mailedWhereMailIsOff(): Promise<Answer> {
  const { id } = await gateway.user();
  return byAdmin(
    `mutation { issuePasswordLink(input: { userId: "${id}", purpose: reset, deliver: true }) { link } }`,
  )();
}

/** An instance on which administrators need a second factor. */
async function withoutFactor(): Promise<Answer> {
  const env = { SECOND_FACTOR_ROLES: 'admin' };
  const other = await startInstance(gateway.database, { clock: gateway.clock, env });
  try {
    return await ask(other, admin.as, '{ users { nodes { id } } }');
  } finally {
    await other.close();
  }
}

async function afterLogout(): Promise<Answer> {
  const { as, refreshToken } = await newcomer(gateway);
  await gateway.send('POST', '/auth/logout', { headers: { cookie: `refresh_token=${refreshToken}` } });
  return ask(gateway, as, 'mutation { revokeOtherSessions { revokedCount } }');
}

const createWebhook = (input: string) => `mutation { createWebhook(input: { ${input} }) { secret } }`;

/** An instance of which WEBHOOK_HOSTS is not set. */
async function whereWebhooksAreOff(): Promise<Answer> {
  const other = await startInstance(gateway.database, { clock: gateway.clock });
  try {
    return await ask(other, admin.as, createWebhook(HOOK));
  } finally {
    await other.close();
  }
}

async function oneWebhookTooMany(): Promise<Answer> {
  await gateway.rows(
    `insert into webhooks (id, url, include_emails, sealed_secret, created_at)
     select gen_random_uuid(), 'https://many.example/', false, '', now() from generate_series(1, 100)`,
  );
  try {
    return await byAdmin(createWebhook(HOOK))();
  } finally {
    await gateway.rows(`delete from webhooks where url = 'https://many.example/'`);
  }
}

async function aWebhook(more = ''): Promise<string> {
  const text = `mutation { createWebhook(input: { ${HOOK}${more} }) { webhook { id } } }`;
  return (await dataOf(gateway, admin.as, text)).createWebhook.webhook.id;
}

async function resent(id: string, eventId: string): Promise<Answer> {
  return byAdmin(`mutation { resendWebhookEvent(input: { id: "${id}", eventId: "${eventId}" }) { outcome } }`)();
}

async function unwanted(): Promise<Answer> {
  const id = await aWebhook(', eventTypes: [logout]');
  const [event] = await gateway.rows<{ id: string }>(
    `select id from audit_events where event_type = 'webhook_created' limit 1`,
  );
  return resent(id, event?.id ?? '');
}

async function replayOfTheFuture(): Promise<Answer> {
  const input = `id: "${await aWebhook()}", since: "2999-01-01T00:00:00Z"`;
  return byAdmin(`mutation { replayWebhook(input: { ${input} }) { webhook { id } } }`)();
}

/** Status, code, and how to cause it; undefined if there is no client left to answer. */
const PRODUCED: Record<GraphqlReason, [number, string, () => Promise<Answer>] | undefined> = {
  missing_credentials: [401, 'UNAUTHENTICATED', asked(nobody)],
  multiple_credentials: [401, 'UNAUTHENTICATED', asked(() => ({ ...bearer('x')(''), ...internalKey('x')('') }))],
  unsupported_scheme: [401, 'UNAUTHENTICATED', asked(() => ({ authorization: 'Basic x' }))],
  invalid_request: [401, 'UNAUTHENTICATED', asked(() => ({ authorization: 'Bearer' }))],
  invalid_token: [401, 'UNAUTHENTICATED', asked(bearer('x'))],
  invalid_key: [401, 'UNAUTHENTICATED', asked(internalKey('x'))],
  malformed_signature: [401, 'UNAUTHENTICATED', asked(() => ({ signature: 'x' }))],
  insufficient_coverage: [401, 'UNAUTHENTICATED', () => signed({ components: [] })],
  signature_expired: [401, 'UNAUTHENTICATED', () => signed({ nowSeconds: 1 })],
  content_digest_mismatch: [401, 'UNAUTHENTICATED', () => signed({ body: '{}' })],
  invalid_signature: [401, 'UNAUTHENTICATED', () => signed({ secret: 'another' })],
  nonce_reused: [401, 'UNAUTHENTICATED', () => signed({ nonce: freshNonce() }, 2)],
  scope_missing: [
    200,
    'FORBIDDEN',
    async () => ask(gateway, (await newcomer(gateway)).as, '{ users { nodes { id } } }'),
  ],
  second_factor_required: [200, 'FORBIDDEN', withoutFactor],
  confirmation_required: [200, 'CONFIRMATION_REQUIRED', afterLogout],
  every_scope_needed: [200, 'FORBIDDEN', withoutEveryScope],
  caller_inactive: [200, 'FORBIDDEN', asDeactivated],
  not_a_user: [200, 'FORBIDDEN', async () => ask(gateway, (await newCronKey(gateway)).as, '{ me { id } }')],
  user_unknown: [200, 'NOT_FOUND', byAdmin(`mutation { unlockUser(input: { id: "${UNKNOWN}" }) { user { id } } }`)],
  user_inactive: [200, 'CONFLICT', linkOfDeactivated],
  session_unknown: [
    200,
    'NOT_FOUND',
    byAdmin(`mutation { revokeSession(input: { id: "${UNKNOWN}" }) { session { id } } }`),
  ],
  device_unknown: [200, 'NOT_FOUND', byAdmin(`mutation { forgetDevice(input: { id: "${UNKNOWN}" }) { forgottenId } }`)],
  key_unknown: [200, 'NOT_FOUND', rotate('id: "ak_x"')],
  webhook_unknown: [
    200,
    'NOT_FOUND',
    byAdmin(`mutation { pauseWebhook(input: { id: "${UNKNOWN}" }) { webhook { id } } }`),
  ],
  event_unknown: [200, 'NOT_FOUND', async () => resent(await aWebhook(), UNKNOWN)],
  event_not_wanted: [200, 'BAD_USER_INPUT', unwanted],
  webhooks_off: [200, 'CONFLICT', whereWebhooksAreOff],
  webhook_target_refused: [200, 'BAD_USER_INPUT', byAdmin(createWebhook('url: "https://example.com/"'))],
  too_many_webhooks: [200, 'CONFLICT', oneWebhookTooMany],
  mail_off: [200, 'CONFLICT', mailedWhereMailIsOff],
  invalid_event_types: [200, 'BAD_USER_INPUT', byAdmin(createWebhook(`${HOOK}, eventTypes: []`))],
  invalid_time: [200, 'BAD_USER_INPUT', replayOfTheFuture],
  email_taken: [200, 'CONFLICT', () => byAdmin(createUser({ email: admin.user.email }))()],
  last_administrator: [200, 'CONFLICT', demoteOneself],
  two_secrets_live: [200, 'CONFLICT', rotatedTwice],
  invalid_email: [200, 'BAD_USER_INPUT', byAdmin(createUser({ email: 'x' }))],
  invalid_password: [200, 'BAD_USER_INPUT', withLoneSurrogate],
  too_short: [200, 'BAD_USER_INPUT', byAdmin(createUser({ password: 'short' }))],
  too_long: [200, 'BAD_USER_INPUT', byAdmin(createUser({ password: 'long'.repeat(257) }))],
  current: [200, 'BAD_USER_INPUT', setTwice],
  context: [200, 'BAD_USER_INPUT', byAdmin(createUser({ password: 'localhost-1234567' }))],
  common: [200, 'BAD_USER_INPUT', byAdmin(createUser({ password: '1Q2W3E4R5T6Y7U8I' }))],
  breached: [200, 'BAD_USER_INPUT', byAdmin(createUser({ password: BREACHED }))],
  invalid_service_name: [200, 'BAD_USER_INPUT', byAdmin(createCronKey('serviceName: "", scopes: []'))],
  invalid_scope: [200, 'BAD_USER_INPUT', byAdmin(createCronKey('serviceName: "s", scopes: ["x"]'))],
  invalid_rate_limit: [200, 'BAD_USER_INPUT', createApiKey('serviceName: "s", scopes: [], rateLimit: 0')],
  invalid_overlap: [200, 'BAD_USER_INPUT', rotate('id: "ak_x", overlapSeconds: -1')],
  invalid_expiry: [200, 'BAD_USER_INPUT', rotate('id: "ak_x", expiresAt: "2020-01-01T00:00:00Z"')],
  invalid_page: [200, 'BAD_USER_INPUT', byAdmin('{ users(first: 0) { nodes { id } } }')],
  invalid_ids: [200, 'BAD_USER_INPUT', byAdmin(USERS_BY_ID, { ids: Array(101).fill(UNKNOWN) })],
  invalid_lines: [200, 'BAD_USER_INPUT', byAdmin(IMPORT, { lines: Array(101).fill('') })],
  invalid_span: [200, 'BAD_USER_INPUT', byAdmin(counts(NEW_YEAR, NEW_YEAR, 'UTC'))],
  invalid_time_zone: [200, 'BAD_USER_INPUT', byAdmin(counts(NEW_YEAR, '2026-01-02T00:00:00Z', 'Moon/Base'))],
  invalid_text: [200, 'BAD_USER_INPUT', byAdmin('query ($id: ID!) { user(id: $id) { id } }', { id: '\0' })],
  invalid_variable: [400, 'BAD_USER_INPUT', byAdmin('query ($id: ID!) { user(id: $id) { id } }', { id: {} })],
  internal_error: [200, 'INTERNAL_SERVER_ERROR', unwritten],
  document_not_trusted: [400, 'BAD_REQUEST', () => bodyOf('{"documentId":"x"}')],
  body_not_json: [400, 'BAD_REQUEST', () => bodyOf('{')],
  cost_above_limit: [400, 'OPERATION_TOO_COSTLY', byAdmin(HUNDREDS_OF_HUNDREDS)],
  too_much_to_read: [200, 'OPERATION_TOO_COSTLY', slowRead],
  rate_limited: [429, 'RATE_LIMITED', twiceInAMinute],
  too_many_waiting: [429, 'RATE_LIMITED', tooMany],
  too_many_streams: [429, 'RATE_LIMITED', fifthStream],
  not_acceptable: [406, 'BAD_REQUEST', byAdmin('subscription { auditEventAdded { cursor } }')],
  unavailable: [503, 'SERVICE_UNAVAILABLE', () => whileAway(gateway.database, byAdmin('{ me { id } }'))],
  client_gone: undefined, // concurrency.properties.test.ts
};

const rows = Object.entries(PRODUCED).flatMap(([reason, row]) =>
  row === undefined ? [] : [[reason, ...row] as const],
);

test.each(rows)('Interface 7: %s is %i %s', async (reason, status, code, produce) => {
  const answer = await produce();
  expect(answer.status).toBe(status);
  expect(answer.json.errors[0].extensions).toMatchObject({ reason, code });
  expect(CODES[reason as GraphqlReason]).toBe(code);
  expect(GRAPHQL_CODES[code as keyof typeof GRAPHQL_CODES].statuses).toContain(status); // of docs/dashboards.md
});
