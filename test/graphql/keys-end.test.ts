/** CONTRACT 6 and 11: rotation and revocation of keys over GraphQL. */
import { refusesRows, withFault } from '../support/faults.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { type As, ask, dataOf, newApiKey, newCronKey, newcomer, nodesOf, signed } from '../support/graphql.js';
import { auditDuring } from '../support/rows.js';

let gateway: TestGateway;
let admin: As;
let adminId: string;
beforeAll(async () => {
  gateway = await startGateway({ instances: 2, env: { ACCESS_TOKEN_TTL_SECONDS: '31536000' } });
  const { as, user } = await newcomer(gateway, 'admin');
  [admin, adminId] = [as, user.id];
});
afterAll(() => gateway.close());

const ROTATE = `mutation ($keyId: ID!, $overlapSeconds: Int) {
  rotateApiKey(keyId: $keyId, overlapSeconds: $overlapSeconds) { secret key { keyId secretsLive } }
}`;
const ROTATE_PLAINLY = 'mutation ($keyId: ID!) { rotateApiKey(keyId: $keyId) { secret key { keyId secretsLive } } }';
const REVOKE_API = 'mutation ($keyId: ID!) { revokeApiKey(keyId: $keyId) { keyId active secretsLive } }';
const REVOKE_CRON = 'mutation ($keyId: ID!) { revokeCronKey(keyId: $keyId) { keyId active } }';

const actor = () => ({ caller_type: 'user', sub: adminId });

/** The status on each of the two instances. */
async function statuses(as: As): Promise<number[]> {
  const answers = gateway.two().map((instance) => ask(instance, as, '{ caller { callerType } }'));
  return (await Promise.all(answers)).map(({ status }) => status);
}
const status = async (as: As) => (await statuses(as))[0];

/** Rotates as the administrator. */
async function rotate(keyId: string, overlapSeconds?: number | null, text = ROTATE) {
  const { rotateApiKey } = await dataOf(gateway, admin, text, { keyId, overlapSeconds });
  return { as: signed(gateway, keyId, rotateApiKey.secret), ...rotateApiKey };
}

test('CONTRACT 6 rotation gives a second live secret; the old one ends after the overlap', async () => {
  const { keyId, as: old } = await newApiKey(gateway, ['a:b']);
  const variables = { keyId, overlapSeconds: 120 };
  const [{ rotateApiKey }, events] = await auditDuring(gateway, () => dataOf(gateway, admin, ROTATE, variables));
  expect(rotateApiKey.key).toEqual({ keyId, secretsLive: 2 });
  const metadata = { actor: actor(), key_id: keyId, overlap_seconds: 120 };
  expect(events).toMatchObject([{ event_type: 'api_key_rotated', entity_type: 'api_key', user_id: null, metadata }]);
  const fresh = signed(gateway, keyId, rotateApiKey.secret);
  gateway.clock.advance(119);
  expect([await status(old), await status(fresh)]).toEqual([200, 200]);
  gateway.clock.advance(1);
  expect([await status(old), await status(fresh)]).toEqual([401, 200]);
  const { apiKeys } = await dataOf(gateway, admin, '{ apiKeys { edges { node { keyId secretsLive } } } }');
  expect(nodesOf(apiKeys)).toContainEqual({ keyId, secretsLive: 1 });
});

test('CONTRACT 6 without an overlap said it is a day; with 0 the old secret ends at once', async () => {
  const { keyId, as: first } = await newApiKey(gateway);
  for (const [text, overlap] of [
    [ROTATE_PLAINLY, undefined],
    [ROTATE, null],
  ] as const) {
    await rotate(keyId, overlap, text);
    const [row] = await gateway.rows('select previous_ends_at from api_keys where key_id = $1', [keyId]);
    expect(row).toEqual({ previous_ends_at: new Date(gateway.clock.now().getTime() + 86_400_000) });
  }
  expect(await status(first)).toBe(401); // two rotations ago
  const { as, key } = await rotate(keyId, 0);
  const last = await rotate(keyId, 0);
  expect(key.secretsLive).toBe(1);
  expect([await status(as), await status(last.as)]).toEqual([401, 200]);
  const sealed = await gateway.rows('select previous_sealed_secret from api_keys where key_id = $1', [keyId]);
  expect(sealed).toEqual([{ previous_sealed_secret: null }]); // a leaked secret is not kept
});

test('CONTRACT 6 a second rotation within the overlap ends the oldest secret now', async () => {
  const { keyId, as: first } = await newApiKey(gateway);
  const second = await rotate(keyId, 1000);
  const third = await rotate(keyId, 1000);
  expect(third.key.secretsLive).toBe(2);
  expect([await status(first), await status(second.as), await status(third.as)]).toEqual([401, 200, 200]);
});

test.each([-1, 2_592_001])('CONTRACT 6 refuses an overlap of %j seconds', async (overlapSeconds) => {
  const { keyId, as } = await newApiKey(gateway);
  const [answer, events] = await auditDuring(gateway, () => ask(gateway, admin, ROTATE, { keyId, overlapSeconds }));
  expect(answer).toMatchObject({ status: 200, code: 'BAD_USER_INPUT', reason: 'invalid_overlap' });
  expect(events).toEqual([]);
  expect(await status(as)).toBe(200);
});

test('CONTRACT 6 a revoked key is refused on every instance at once, with both its secrets', async () => {
  const { keyId, as: old } = await newApiKey(gateway);
  const { as: fresh } = await rotate(keyId, 1000);
  expect([await statuses(old), await statuses(fresh)]).toEqual([
    [200, 200],
    [200, 200],
  ]);
  const [{ revokeApiKey }, events] = await auditDuring(gateway, () => dataOf(gateway, admin, REVOKE_API, { keyId }));
  expect(revokeApiKey).toEqual({ keyId, active: false, secretsLive: 0 });
  const metadata = { actor: actor(), key_id: keyId, service_name: 'reports' };
  expect(events).toMatchObject([{ event_type: 'api_key_revoked', entity_type: 'api_key', user_id: null, metadata }]);
  expect([await statuses(old), await statuses(fresh)]).toEqual([
    [401, 401],
    [401, 401],
  ]);
});

test('CONTRACT 6 a revoked cron key is refused on every instance at once', async () => {
  const { keyId, as } = await newCronKey(gateway);
  expect(await statuses(as)).toEqual([200, 200]);
  const [{ revokeCronKey }, events] = await auditDuring(gateway, () => dataOf(gateway, admin, REVOKE_CRON, { keyId }));
  expect(revokeCronKey).toEqual({ keyId, active: false });
  const metadata = { actor: actor(), key_id: keyId, service_name: 'nightly' };
  expect(events).toMatchObject([{ event_type: 'cron_key_revoked', entity_type: 'cron_key', user_id: null, metadata }]);
  expect(await statuses(as)).toEqual([401, 401]);
});

test('CONTRACT 11 a revoked key works again nowhere: it is neither rotated nor revoked again', async () => {
  const [api, cron] = [await newApiKey(gateway), await newCronKey(gateway)];
  await dataOf(gateway, admin, REVOKE_API, { keyId: api.keyId });
  await dataOf(gateway, admin, REVOKE_CRON, { keyId: cron.keyId });
  const [, events] = await auditDuring(gateway, async () => {
    for (const [text, keyId] of [
      [ROTATE, api.keyId],
      [REVOKE_API, api.keyId],
      [REVOKE_CRON, cron.keyId],
      [ROTATE, 'ak_00000000000000000000'],
      [REVOKE_API, cron.keyId],
      [REVOKE_CRON, api.keyId],
      [REVOKE_CRON, ''],
    ] as const) {
      const answer = await ask(gateway, admin, text, { keyId });
      expect(answer).toMatchObject({ status: 200, code: 'NOT_FOUND', reason: 'key_unknown' });
    }
  });
  expect(events).toEqual([]);
  expect(await statuses(api.as)).toEqual([401, 401]);
});

test('CONTRACT 11 where the event cannot be written no key is made or changed', async () => {
  const [api, cron] = [await newApiKey(gateway), await newCronKey(gateway)];
  const keys = () =>
    Promise.all(['api_keys', 'cron_keys'].map((t) => gateway.rows(`select * from ${t} order by key_id`)));
  const before = await keys();
  await withFault(gateway, refusesRows('audit_events'), async () => {
    for (const text of [
      'mutation { createApiKey(serviceName: "s", scopes: [], rateLimit: 1) { secret } }',
      'mutation { createCronKey(serviceName: "s", scopes: []) { value } }',
      `mutation { rotateApiKey(keyId: "${api.keyId}") { secret } }`,
      `mutation { revokeApiKey(keyId: "${api.keyId}") { keyId } }`,
      `mutation { revokeCronKey(keyId: "${cron.keyId}") { keyId } }`,
    ]) {
      expect(await ask(gateway, admin, text)).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', data: null });
    }
  });
  expect(await keys()).toEqual(before);
});
