/** Interface 6 and 11: rotation and revocation of keys over GraphQL. */
import pg from 'pg';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, dataOf, newApiKey, newCronKey, newcomer, signed } from '../support/gateway/graphql.js';
import { auditDuring } from '../support/gateway/rows.js';
import { refusesRows, withFault } from '../support/postgres/faults.js';
import { until } from '../support/until.js';

let gateway: TestGateway;
let admin: As;
let adminId: string;
beforeAll(async () => {
  gateway = await startGateway({ instances: 2, env: { ACCESS_TOKEN_TTL_SECONDS: '31536000' } });
  const { as, user } = await newcomer(gateway, 'admin');
  [admin, adminId] = [as, user.id];
});
afterAll(() => gateway.close());

const SECRETS = 'id liveSecretCount previousSecretEndsAt';
const ROTATE = `mutation ($input: RotateApiKeyInput!) { rotateApiKey(input: $input) { secret apiKey { ${SECRETS} } } }`;
const REVOKE_API = `mutation ($input: RevokeApiKeyInput!) {
  revokeApiKey(input: $input) { apiKey { revokedAt ${SECRETS} } }
}`;
const REVOKE_CRON =
  'mutation ($input: RevokeCronKeyInput!) { revokeCronKey(input: $input) { cronKey { id revokedAt } } }';

const actor = () => ({ caller_type: 'user', sub: adminId });

/** The status on each of the two instances. */
async function statuses(as: As): Promise<number[]> {
  const answers = gateway.two().map((instance) => ask(instance, as, '{ caller { callerType } }'));
  return (await Promise.all(answers)).map(({ status }) => status);
}
const status = async (as: As) => (await statuses(as))[0];

/** Rotates as the administrator. */
async function rotate(id: string, overlapSeconds?: number | null, force?: boolean | null) {
  const { rotateApiKey } = await dataOf(gateway, admin, ROTATE, { input: { id, overlapSeconds, force } });
  return { as: signed(gateway, id, rotateApiKey.secret), ...rotateApiKey };
}

/** The time this many seconds from now, as answers have it. */
const inSeconds = (seconds: number) => new Date(gateway.clock.now().getTime() + seconds * 1000).toISOString();

test('Interface 6: rotation creates a second live secret; the old one ends after the overlap', async () => {
  const { keyId, as: old } = await newApiKey(gateway, ['a:b']);
  const [rotated, events] = await auditDuring(gateway, () => rotate(keyId, 120));
  const two = { id: keyId, liveSecretCount: 2, previousSecretEndsAt: inSeconds(120) };
  expect(rotated.apiKey).toEqual(two);
  const metadata = { actor: actor(), key_id: keyId, overlap_seconds: 120 };
  expect(events).toMatchObject([{ event_type: 'api_key_rotated', entity_type: 'api_key', user_id: null, metadata }]);
  const fresh: As = rotated.as;
  const listed = async () => (await dataOf(gateway, admin, `{ apiKeys { nodes { ${SECRETS} } } }`)).apiKeys.nodes;
  gateway.clock.advance(119);
  expect(await listed()).toContainEqual(two);
  expect([await status(old), await status(fresh)]).toEqual([200, 200]);
  gateway.clock.advance(1);
  expect([await status(old), await status(fresh)]).toEqual([401, 200]);
  expect(await listed()).toContainEqual({ id: keyId, liveSecretCount: 1, previousSecretEndsAt: null });
});

test('Interface 6: the default overlap is a day; with 0 the old secret ends at once', async () => {
  for (const overlap of [undefined, null]) {
    const { apiKey } = await rotate((await newApiKey(gateway)).keyId, overlap, overlap);
    expect(apiKey.previousSecretEndsAt).toBe(inSeconds(86_400));
  }
  const { keyId } = await newApiKey(gateway);
  const { as, apiKey } = await rotate(keyId, 0);
  const last = await rotate(keyId, 0);
  expect(apiKey).toEqual({ id: keyId, liveSecretCount: 1, previousSecretEndsAt: null });
  expect([await status(as), await status(last.as)]).toEqual([401, 200]);
  const sealed = await gateway.rows('select previous_sealed_secret from api_keys where key_id = $1', [keyId]);
  expect(sealed).toEqual([{ previous_sealed_secret: null }]); // a leaked secret is not stored
});

test('Interface 6: while two secrets are live another rotation is refused; the error says until when and what helps', async () => {
  const { keyId, as: first } = await newApiKey(gateway);
  const second = await rotate(keyId, 1000);
  gateway.clock.advance(999);
  const input = { id: keyId, overlapSeconds: 1000 };
  const [answer, events] = await auditDuring(gateway, () => ask(gateway, admin, ROTATE, { input }));
  expect(answer).toMatchObject({ status: 200, code: 'CONFLICT', reason: 'two_secrets_live' });
  expect(answer.errors[0]?.message).toContain(`until ${second.apiKey.previousSecretEndsAt}`);
  expect(answer.errors[0]?.message).toMatch(/overlapSeconds: 0.+force: true/);
  expect(events).toEqual([]);
  expect([await status(first), await status(second.as)]).toEqual([200, 200]);

  gateway.clock.advance(1);
  const third = await rotate(keyId, 1000);
  expect([await status(first), await status(second.as), await status(third.as)]).toEqual([401, 200, 200]);
});

test('Interface 6: with `force` the older of two secrets ends at once; with an overlap of 0 both do', async () => {
  const { keyId, as: first } = await newApiKey(gateway);
  const second = await rotate(keyId, 1000);
  const third = await rotate(keyId, 500, true);
  expect(third.apiKey).toEqual({ id: keyId, liveSecretCount: 2, previousSecretEndsAt: inSeconds(500) });
  expect([await status(first), await status(second.as), await status(third.as)]).toEqual([401, 200, 200]);
  const fourth = await rotate(keyId, 0);
  expect([await status(second.as), await status(third.as), await status(fourth.as)]).toEqual([401, 401, 200]);
});

test('Interface 6: of simultaneous rotations on two instances one succeeds, and the others are refused', async () => {
  const { keyId, as: first } = await newApiKey(gateway);
  const input = { id: keyId };
  const twice = [...gateway.two(), ...gateway.two()];
  const answers = await Promise.all(twice.map((instance) => ask(instance, admin, ROTATE, { input })));
  const [won, ...others] = answers.filter(({ code }) => code === undefined);
  expect(others).toEqual([]);
  expect(answers.filter(({ reason }) => reason === 'two_secrets_live')).toHaveLength(3);
  const fresh = signed(gateway, keyId, won?.data.rotateApiKey.secret);
  expect([await status(first), await status(fresh)]).toEqual([200, 200]);
});

test('Interface 6: a rotation that waited for the row of the key uses its new state', async () => {
  const { keyId, as: first } = await newApiKey(gateway);
  const another = new pg.Client({ connectionString: gateway.database.url });
  await another.connect();
  await another.query('begin');
  const ends = new Date(gateway.clock.now().getTime() + 60_000);
  const rotates = 'update api_keys set previous_sealed_secret = sealed_secret, previous_ends_at = $2 where key_id = $1';
  await another.query(rotates, [keyId, ends]);
  const asked = ask(gateway, admin, ROTATE, { input: { id: keyId } });
  await until('the rotation waits', async () => {
    const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return (await gateway.rows(waits)).length > 0;
  });
  await another.query('commit');
  await another.end();
  expect(await asked).toMatchObject({ code: 'CONFLICT', reason: 'two_secrets_live' });
  expect(await status(first)).toBe(200);
});

test.each([-1, 2_592_001])('Interface 6: refuses an overlap of %j seconds', async (overlapSeconds) => {
  const { keyId: id, as } = await newApiKey(gateway);
  const input = { id, overlapSeconds };
  const [answer, events] = await auditDuring(gateway, () => ask(gateway, admin, ROTATE, { input }));
  expect(answer).toMatchObject({ status: 200, code: 'BAD_USER_INPUT', reason: 'invalid_overlap' });
  expect(answer.errors[0]?.extensions['argument']).toBe('overlapSeconds');
  expect(events).toEqual([]);
  expect(await status(as)).toBe(200);
});

test('Interface 6: a revoked key is refused on every instance at once, with both its secrets', async () => {
  const { keyId, as: old } = await newApiKey(gateway);
  const { as: fresh } = await rotate(keyId, 1000);
  expect([await statuses(old), await statuses(fresh)]).toEqual([
    [200, 200],
    [200, 200],
  ]);
  const input = { id: keyId };
  const [{ revokeApiKey }, events] = await auditDuring(gateway, () => dataOf(gateway, admin, REVOKE_API, { input }));
  const revokedAt = gateway.clock.now().toISOString();
  expect(revokeApiKey.apiKey).toEqual({ id: keyId, revokedAt, liveSecretCount: 0, previousSecretEndsAt: null });
  const metadata = { actor: actor(), key_id: keyId, service_name: 'reports' };
  expect(events).toMatchObject([{ event_type: 'api_key_revoked', entity_type: 'api_key', user_id: null, metadata }]);
  expect([await statuses(old), await statuses(fresh)]).toEqual([
    [401, 401],
    [401, 401],
  ]);
});

test('Interface 6: a revoked cron key is refused on every instance at once', async () => {
  const { keyId, as } = await newCronKey(gateway);
  expect(await statuses(as)).toEqual([200, 200]);
  const input = { id: keyId };
  const [{ revokeCronKey }, events] = await auditDuring(gateway, () => dataOf(gateway, admin, REVOKE_CRON, { input }));
  expect(revokeCronKey.cronKey).toEqual({ id: keyId, revokedAt: gateway.clock.now().toISOString() });
  const metadata = { actor: actor(), key_id: keyId, service_name: 'nightly' };
  expect(events).toMatchObject([{ event_type: 'cron_key_revoked', entity_type: 'cron_key', user_id: null, metadata }]);
  expect(await statuses(as)).toEqual([401, 401]);
});

test('Interface 11: a revoked key stays revoked: it can be neither rotated nor revoked again', async () => {
  const [api, cron] = [await newApiKey(gateway), await newCronKey(gateway)];
  await dataOf(gateway, admin, REVOKE_API, { input: { id: api.keyId } });
  await dataOf(gateway, admin, REVOKE_CRON, { input: { id: cron.keyId } });
  const [, events] = await auditDuring(gateway, async () => {
    for (const [text, id] of [
      [ROTATE, api.keyId],
      [REVOKE_API, api.keyId],
      [REVOKE_CRON, cron.keyId],
      [ROTATE, 'ak_00000000000000000000'],
      [REVOKE_API, cron.keyId],
      [REVOKE_CRON, api.keyId],
      [REVOKE_CRON, ''],
    ] as const) {
      const answer = await ask(gateway, admin, text, { input: { id } });
      expect(answer).toMatchObject({ status: 200, code: 'NOT_FOUND', reason: 'key_unknown' });
    }
  });
  expect(events).toEqual([]);
  expect(await statuses(api.as)).toEqual([401, 401]);
});

test('Interface 11: if the event cannot be written, no key is created or changed', async () => {
  const [api, cron] = [await newApiKey(gateway), await newCronKey(gateway)];
  const keys = () =>
    Promise.all(['api_keys', 'cron_keys'].map((t) => gateway.rows(`select * from ${t} order by key_id`)));
  const before = await keys();
  await withFault(gateway, refusesRows('audit_events'), async () => {
    for (const text of [
      'mutation { done: createApiKey(input: { serviceName: "s", scopes: [], rateLimit: 1 }) { secret } }',
      'mutation { done: createCronKey(input: { serviceName: "s", scopes: [] }) { headerValue } }',
      `mutation { done: rotateApiKey(input: { id: "${api.keyId}" }) { secret } }`,
      `mutation { done: revokeApiKey(input: { id: "${api.keyId}" }) { apiKey { id } } }`,
      `mutation { done: revokeCronKey(input: { id: "${cron.keyId}" }) { cronKey { id } } }`,
    ]) {
      expect(await ask(gateway, admin, text)).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', data: { done: null } });
    }
  });
  expect(await keys()).toEqual(before);
});
