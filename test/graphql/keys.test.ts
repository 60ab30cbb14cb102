/** API keys and cron keys over GraphQL. (Interface 6 and 11) */
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import {
  type As,
  ask,
  dataOf,
  internalKey,
  newApiKey,
  newCronKey,
  newcomer,
  signed,
} from '../support/gateway/graphql.js';
import { auditDuring } from '../support/gateway/rows.js';

let gateway: TestGateway;
let admin: As;
let adminId: string;
beforeAll(async () => {
  gateway = await startGateway();
  const { as, user } = await newcomer(gateway, 'admin');
  [admin, adminId] = [as, user.id];
});
afterAll(() => gateway.close());

const KEY = 'id serviceName scopes createdAt lastUsedAt revokedAt';
const API_KEY = `${KEY} rateLimit liveSecretCount previousSecretEndsAt`;
const CREATE_API = `mutation ($input: CreateApiKeyInput!) {
  createApiKey(input: $input) { secret apiKey { ${API_KEY} } }
}`;
const CREATE_CRON = `mutation ($input: CreateCronKeyInput!) {
  createCronKey(input: $input) { headerValue cronKey { ${KEY} } }
}`;
const ROTATE = 'mutation ($id: ID!) { rotateApiKey(input: { id: $id }) { secret } }';
const REVOKE_API = 'mutation ($id: ID!) { revokeApiKey(input: { id: $id }) { apiKey { id } } }';
const REVOKE_CRON = 'mutation ($id: ID!) { revokeCronKey(input: { id: $id }) { cronKey { id } } }';
const WHO = '{ caller { callerType } }';

const actor = () => ({ caller_type: 'user', sub: adminId });
const status = async (as: As) => (await ask(gateway, as, WHO)).status;

/** Everything that is stored or listed, to search for a secret. */
async function wherever(): Promise<string> {
  const listed = await dataOf(
    gateway,
    admin,
    `{ apiKeys { nodes { ${API_KEY} } } cronKeys { nodes { ${KEY} } } auditEvents { nodes { metadata } } }`,
  );
  const tables = ['api_keys', 'cron_keys', 'audit_events'].map((table) => gateway.rows(`select * from ${table}`));
  return JSON.stringify([listed, await Promise.all(tables)]);
}

test('Interface 11: creates an API key, shows its secret once, and records who created it', async () => {
  const input = { serviceName: 'Reports & Co', scopes: ['audit:read', 'a:b', 'audit:read'], rateLimit: 7 };
  const [{ createApiKey }, events] = await auditDuring(gateway, () => dataOf(gateway, admin, CREATE_API, { input }));
  const { apiKey: key, secret } = createApiKey;
  expect(key).toEqual({
    id: expect.stringMatching(/^ak_[0-9A-Za-z]{20}$/),
    serviceName: 'Reports & Co',
    scopes: ['audit:read', 'a:b'],
    rateLimit: 7,
    createdAt: gateway.clock.now().toISOString(),
    lastUsedAt: null,
    revokedAt: null,
    liveSecretCount: 1,
    previousSecretEndsAt: null,
  });
  const metadata = {
    actor: actor(),
    key_id: key.id,
    service_name: 'Reports & Co',
    scopes: key.scopes,
    rate_limit: 7,
  };
  expect(events).toMatchObject([
    { event_type: 'api_key_created', entity_type: 'api_key', user_id: null, ip_address: '127.0.0.1', metadata },
  ]);
  expect(await status(signed(gateway, key.id, secret))).toBe(200);
  expect(await wherever()).not.toContain(secret);
});

test('Interface 11: creates a cron key, shows its value once, and records who created it', async () => {
  const input = { serviceName: 'nightly', scopes: ['c:d'] };
  const [{ createCronKey }, events] = await auditDuring(gateway, () => dataOf(gateway, admin, CREATE_CRON, { input }));
  const { cronKey, headerValue } = createCronKey;
  const [id, secret] = headerValue.split('.');
  const createdAt = gateway.clock.now().toISOString();
  expect(cronKey).toEqual({ id, ...input, createdAt, lastUsedAt: null, revokedAt: null });
  expect(id).toMatch(/^ck_[0-9A-Za-z]{20}$/);
  const metadata = { actor: actor(), key_id: id, service_name: 'nightly', scopes: ['c:d'] };
  expect(events).toMatchObject([{ event_type: 'cron_key_created', entity_type: 'cron_key', user_id: null, metadata }]);
  expect(await status(internalKey(headerValue))).toBe(200);
  expect(await wherever()).not.toContain(secret);
});

/** The checksum as documented: CRC-32 (IEEE) of the 43 random characters, six base62 digits, highest first. */
function checksumOf(random: string): string {
  let crc = 0xffff_ffff;
  for (const byte of Buffer.from(random)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb8_8320 : crc >>> 1;
  }
  let rest = (crc ^ 0xffff_ffff) >>> 0;
  let text = '';
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  for (; text.length < 6; rest = Math.floor(rest / 62)) text = digits.charAt(rest % 62) + text;
  return text;
}

test('Interface 6: secrets are 256 bits in base62 with a checksum that scanners can verify', async () => {
  const seen = new Set<string>();
  for (let i = 0; i < 20; i += 1) {
    for (const secret of [(await newApiKey(gateway)).secret, (await newCronKey(gateway)).secret.split('.')[1] ?? '']) {
      const [, prefix, random = '', checksum] = /^(aks|cks)_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/.exec(secret) ?? [];
      expect(prefix).toBeDefined();
      expect(checksum).toBe(checksumOf(random));
      seen.add(random);
    }
  }
  expect(seen.size).toBe(40);
});

test.each([
  ['an analyst', async () => (await newcomer(gateway, 'analyst')).as],
  ['a key without keys:write', async () => (await newApiKey(gateway, ['keys:read', 'users:write', 'a:b'])).as],
] as const)('Interface 11: %s grants nothing, not even a scope that is held', async (_who, caller) => {
  const as = await caller();
  for (const scopes of [[], ['users:read'], ['a:b']]) {
    const [answers, events] = await auditDuring(gateway, async () => [
      await ask(gateway, as, CREATE_API, { input: { serviceName: 's', scopes, rateLimit: 1 } }),
      await ask(gateway, as, CREATE_CRON, { input: { serviceName: 's', scopes } }),
    ]);
    for (const { code, data } of answers) expect([code, Object.values(data)]).toEqual(['FORBIDDEN', [null]]);
    expect(events).toEqual([]);
  }
});

test.each([
  ['an API key', newApiKey],
  ['a cron key', newCronKey],
] as const)('Interface 11: %s with keys:write and a:b can grant these alone', async (_kind, newKey) => {
  const { as } = await newKey(gateway, ['keys:write', 'a:b']);
  const grant = async (scopes: string[]) => [
    (await ask(gateway, as, CREATE_API, { input: { serviceName: 's', scopes, rateLimit: 1 } })).code,
    (await ask(gateway, as, CREATE_CRON, { input: { serviceName: 's', scopes } })).code,
  ];
  for (const scopes of [['a:b'], ['keys:write', 'a:b'], []])
    expect(await grant(scopes)).toEqual([undefined, undefined]);
  for (const scopes of [['a:c'], ['a:b', 'users:read'], ['keys:read']]) {
    expect(await grant(scopes)).toEqual(['FORBIDDEN', 'FORBIDDEN']);
  }
});

test('Interface 11: a caller cannot take over a key with more scopes by rotating it', async () => {
  const strong = await newApiKey(gateway, ['users:write']);
  const { as } = await newApiKey(gateway, ['keys:write']);
  const [{ code }, events] = await auditDuring(gateway, () => ask(gateway, as, ROTATE, { id: strong.keyId }));
  expect([code, events]).toEqual(['FORBIDDEN', []]);
  const before = await gateway.rows('select sealed_secret from api_keys where key_id = $1', [strong.keyId]);
  expect((await ask(gateway, as, REVOKE_API, { id: strong.keyId })).errors).toEqual([]); // revoking one needs no scope of the key
  expect(before).toEqual(await gateway.rows('select sealed_secret from api_keys where key_id = $1', [strong.keyId]));
});

const good = { serviceName: 'service', scopes: ['a:b'], rateLimit: 10 };
test.each([
  ['invalid_service_name', { serviceName: '' }],
  ['invalid_service_name', { serviceName: ' padded' }],
  ['invalid_service_name', { serviceName: 'two\nlines' }],
  ['invalid_service_name', { serviceName: 'x'.repeat(101) }],
  ['invalid_scope', { scopes: ['users'] }],
  ['invalid_scope', { scopes: ['Users:Read'] }],
  ['invalid_scope', { scopes: ['a:b:c'] }],
  ['invalid_scope', { scopes: ['a:b', ''] }],
  ['invalid_scope', { scopes: ['*:*'] }],
  ['invalid_text', { scopes: ['a:b', 'a:\0'] }],
  ['invalid_scope', { scopes: Array.from({ length: 51 }, (_, i) => `a:b${i}`) }],
  ['invalid_rate_limit', { rateLimit: 0 }],
  ['invalid_rate_limit', { rateLimit: -1 }],
  ['invalid_rate_limit', { rateLimit: 1_000_001 }],
])('Interface 11: makes no key: %s for %.60j', async (reason, bad) => {
  const texts = reason === 'invalid_rate_limit' ? [CREATE_API] : [CREATE_API, CREATE_CRON];
  for (const text of texts) {
    const { rateLimit, ...common } = { ...good, ...bad };
    const input = text === CREATE_API ? { ...common, rateLimit } : common;
    const [answer, events] = await auditDuring(gateway, () => ask(gateway, admin, text, { input }));
    expect(answer).toMatchObject({ status: 200, code: 'BAD_USER_INPUT', reason });
    expect(answer.errors[0]?.extensions['argument']).toBe(Object.keys(bad)[0]);
    expect(events).toEqual([]);
  }
});

test('Interface 11: lists every key, also revoked ones, oldest first', async () => {
  const keys: Array<{ keyId: string }> = [];
  const cronKeys: Array<{ keyId: string }> = [];
  for (let i = 0; i < 3; i += 1) {
    gateway.clock.advance(1);
    keys.push(await newApiKey(gateway, ['x:y']));
    cronKeys.push(await newCronKey(gateway, ['x:y']));
  }
  await dataOf(gateway, admin, REVOKE_API, { id: keys[1]?.keyId });
  await dataOf(gateway, admin, REVOKE_CRON, { id: cronKeys[1]?.keyId });
  const now = gateway.clock.now().toISOString();
  gateway.clock.advance(1);
  const listed = await dataOf(
    gateway,
    admin,
    '{ apiKeys { nodes { id revokedAt liveSecretCount } } cronKeys { nodes { id revokedAt } } }',
  );
  expect(listed.apiKeys.nodes.slice(-3)).toEqual(
    keys.map(({ keyId: id }, i) => ({
      id,
      revokedAt: i === 1 ? now : null,
      liveSecretCount: i === 1 ? 0 : 1,
    })),
  );
  expect(listed.cronKeys.nodes.slice(-3)).toEqual(
    cronKeys.map(({ keyId: id }, i) => ({ id, revokedAt: i === 1 ? now : null })),
  );
});

test.each(['apiKeys', 'cronKeys'])('Interface 11: pages through %s, each once, oldest first', async (field) => {
  const make = field === 'apiKeys' ? newApiKey : newCronKey;
  for (let i = 0; i < 7; i += 1) {
    if (i % 3 === 0) gateway.clock.advance(1); // some have the same time
    await make(gateway, ['x:y']);
  }
  const text = `query ($first: Int, $after: String) {
    page: ${field}(first: $first, after: $after) {
      edges { cursor node { id createdAt } } nodes { id createdAt } pageInfo { hasNextPage hasPreviousPage endCursor }
    }
  }`;
  const { edges, nodes: all } = (await dataOf(gateway, admin, text, { first: 100 })).page;
  expect(edges).toEqual(all.map((node: object) => ({ cursor: expect.any(String), node })));
  const times = all.map(({ createdAt }: { createdAt: string }) => createdAt);
  expect(times).toEqual(times.toSorted());
  const seen: unknown[] = [];
  for (let after: string | undefined, hasNextPage = true; hasNextPage; ) {
    const { page } = await dataOf(gateway, admin, text, { first: 3, after });
    expect(page.pageInfo.hasPreviousPage).toBe(after !== undefined);
    seen.push(...page.nodes);
    ({ hasNextPage, endCursor: after } = page.pageInfo);
  }
  expect(seen).toEqual(all);
  for (const variables of [{ first: 0 }, { first: 101 }, { after: 'x' }]) {
    const answer = await ask(gateway, admin, text, variables);
    expect(answer).toMatchObject({ reason: 'invalid_page', data: { page: null } });
    expect(answer.errors[0]?.extensions['argument']).toBe(Object.keys(variables)[0]);
  }
});

test('Interface 11: an administrator has all scopes, also those of other services, and the schema says so', async () => {
  const input = { serviceName: 'reports', scopes: ['invoices:read', 'keys:write'], rateLimit: 1 };
  expect((await dataOf(gateway, admin, CREATE_API, { input })).createApiKey.apiKey.scopes).toEqual(input.scopes);
  const { as } = await newCronKey(gateway, ['keys:write']);
  const refused = await ask(gateway, as, CREATE_API, { input });
  expect([refused.reason, refused.errors[0]?.extensions['requiredScope']]).toEqual(['scope_missing', 'invoices:read']);
  for (const type of ['CreateApiKeyInput', 'CreateCronKeyInput']) {
    const { __type } = await dataOf(gateway, admin, `{ __type(name: "${type}") { inputFields { name description } } }`);
    expect(__type.inputFields).toContainEqual({
      name: 'scopes',
      description: expect.stringMatching(/Administrators hold all scopes, including those of other services\.$/),
    });
  }
});
