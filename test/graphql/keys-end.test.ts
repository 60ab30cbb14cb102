/** Rotation and revocation of keys over GraphQL. (Interface 6 and 11) */
import pg from 'pg';
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
import { refusesRows, withFault } from '../support/postgres/faults.js';
import { until } from '../support/until.js';

let gateway: TestGateway;
let admin: As;
let adminId: string;
beforeAll(async () => {
  gateway = await startGateway({ instances: 2, env: { ACCESS_TOKEN_TTL_SECONDS: '31536000', CONFIRM_SECONDS: '0' } });
  const { as, user } = await newcomer(gateway, 'admin');
  [admin, adminId] = [as, user.id];
});
afterAll(() => gateway.close());

const SECRETS = 'id liveSecretCount previousSecretEndsAt';

/** With the same names in the answers of both kinds */
const API_KEY = {
  name: 'API key',
  event: 'api_key',
  idPrefix: 'ak',
  create: (on: TestGateway, scopes: string[] = [], expiresAt: Date | null = null) =>
    newApiKey(on, scopes, undefined, expiresAt),
  holder: (id: string, secret: string): As => signed(gateway, id, secret),
  list: `{ keys: apiKeys { nodes { ${SECRETS} } } }`,
  rotate: `mutation ($input: RotateApiKeyInput!) { rotated: rotateApiKey(input: $input) { secret key: apiKey { ${SECRETS} } } }`,
  revoke: `mutation ($input: RevokeApiKeyInput!) { revoked: revokeApiKey(input: $input) { key: apiKey { revokedAt ${SECRETS} } } }`,
  previous: 'previous_sealed_secret',
  current: 'sealed_secret',
  service: 'reports',
};
const CRON_KEY: typeof API_KEY = {
  name: 'cron key',
  event: 'cron_key',
  idPrefix: 'ck',
  create: newCronKey,
  holder: (_id, secret) => internalKey(secret),
  list: `{ keys: cronKeys { nodes { ${SECRETS} } } }`,
  rotate: `mutation ($input: RotateCronKeyInput!) { rotated: rotateCronKey(input: $input) { secret: headerValue key: cronKey { ${SECRETS} } } }`,
  revoke: `mutation ($input: RevokeCronKeyInput!) { revoked: revokeCronKey(input: $input) { key: cronKey { revokedAt ${SECRETS} } } }`,
  previous: 'previous_secret_sha256',
  current: 'secret_sha256',
  service: 'nightly',
};

const actor = () => ({ caller_type: 'user', sub: adminId });

/** The status on each of the two instances. */
async function statuses(as: As): Promise<number[]> {
  const answers = gateway.two().map((instance) => ask(instance, as, '{ caller { callerType } }'));
  return (await Promise.all(answers)).map(({ status }) => status);
}
const status = async (as: As) => (await statuses(as))[0];

/** The time this many seconds from now, as answers have it. */
const inSeconds = (seconds: number) => new Date(gateway.clock.now().getTime() + seconds * 1000).toISOString();

describe.each([API_KEY, CRON_KEY])('$name', (kind) => {
  const { create, event } = kind;

  /** Rotates as the administrator. */
  async function rotate(id: string, overlapSeconds?: number | null, force?: boolean | null, expiresAt?: string) {
    const { rotated } = await dataOf(gateway, admin, kind.rotate, { input: { id, overlapSeconds, force, expiresAt } });
    return { as: kind.holder(id, rotated.secret), ...rotated };
  }

  test('Interface 6: rotation creates a second live secret; the old one ends after the overlap', async () => {
    const { keyId, as: old } = await create(gateway, ['a:b']);
    const [rotated, events] = await auditDuring(gateway, () => rotate(keyId, 120));
    const two = { id: keyId, liveSecretCount: 2, previousSecretEndsAt: inSeconds(120) };
    expect(rotated.key).toEqual(two);
    const metadata = { actor: actor(), key_id: keyId, overlap_seconds: 120 };
    expect(events).toMatchObject([{ event_type: `${event}_rotated`, entity_type: event, user_id: null, metadata }]);
    const fresh: As = rotated.as;
    const listed = async () => (await dataOf(gateway, admin, kind.list)).keys.nodes;
    gateway.clock.advance(119);
    expect(await listed()).toContainEqual(two);
    expect([await status(old), await status(fresh)]).toEqual([200, 200]);
    gateway.clock.advance(1);
    expect([await status(old), await status(fresh)]).toEqual([401, 200]);
    expect(await listed()).toContainEqual({ id: keyId, liveSecretCount: 1, previousSecretEndsAt: null });
  });

  test('Interface 6: the default overlap is a day; with 0 the old secret ends at once', async () => {
    for (const overlap of [undefined, null]) {
      const { key } = await rotate((await create(gateway)).keyId, overlap, overlap);
      expect(key.previousSecretEndsAt).toBe(inSeconds(86_400));
    }
    const { keyId } = await create(gateway);
    const { as, key } = await rotate(keyId, 0);
    const last = await rotate(keyId, 0);
    expect(key).toEqual({ id: keyId, liveSecretCount: 1, previousSecretEndsAt: null });
    expect([await status(as), await status(last.as)]).toEqual([401, 200]);
    const stored = await gateway.rows(`select ${kind.previous} as previous from ${event}s where key_id = $1`, [keyId]);
    expect(stored).toEqual([{ previous: null }]); // a leaked secret is not stored
  });

  test('Interface 6: while two secrets are live another rotation is refused; the error says until when and what helps', async () => {
    const { keyId, as: first } = await create(gateway);
    const second = await rotate(keyId, 1000);
    gateway.clock.advance(999);
    const input = { id: keyId, overlapSeconds: 1000 };
    const [answer, events] = await auditDuring(gateway, () => ask(gateway, admin, kind.rotate, { input }));
    expect(answer).toMatchObject({ status: 200, code: 'CONFLICT', reason: 'two_secrets_live' });
    expect(answer.errors[0]?.message).toContain(`until ${second.key.previousSecretEndsAt}`);
    expect(answer.errors[0]?.message).toMatch(/overlapSeconds: 0.+force: true/);
    expect(events).toEqual([]);
    expect([await status(first), await status(second.as)]).toEqual([200, 200]);

    gateway.clock.advance(1);
    const third = await rotate(keyId, 1000);
    expect([await status(first), await status(second.as), await status(third.as)]).toEqual([401, 200, 200]);
  });

  test('Interface 6: with `force` the older of two secrets ends at once; with an overlap of 0 both do', async () => {
    const { keyId, as: first } = await create(gateway);
    const second = await rotate(keyId, 1000);
    const third = await rotate(keyId, 500, true);
    expect(third.key).toEqual({ id: keyId, liveSecretCount: 2, previousSecretEndsAt: inSeconds(500) });
    expect([await status(first), await status(second.as), await status(third.as)]).toEqual([401, 200, 200]);
    const fourth = await rotate(keyId, 0);
    expect([await status(second.as), await status(third.as), await status(fourth.as)]).toEqual([401, 401, 200]);
  });

  test('Interface 6: of simultaneous rotations on two instances one succeeds, and the others are refused', async () => {
    const { keyId, as: first } = await create(gateway);
    const input = { id: keyId };
    const twice = [...gateway.two(), ...gateway.two()];
    const answers = await Promise.all(twice.map((instance) => ask(instance, admin, kind.rotate, { input })));
    const [won, ...others] = answers.filter(({ code }) => code === undefined);
    expect(others).toEqual([]);
    expect(answers.filter(({ reason }) => reason === 'two_secrets_live')).toHaveLength(3);
    const fresh = kind.holder(keyId, won?.data.rotated.secret);
    expect([await status(first), await status(fresh)]).toEqual([200, 200]);
  });

  test('Interface 6: a rotation that waited for the row of the key uses its new state', async () => {
    const { keyId, as: first } = await create(gateway);
    const another = new pg.Client({ connectionString: gateway.database.url });
    await another.connect();
    await another.query('begin');
    const ends = new Date(gateway.clock.now().getTime() + 60_000);
    const rotates = `update ${event}s set ${kind.previous} = ${kind.current}, previous_ends_at = $2 where key_id = $1`;
    await another.query(rotates, [keyId, ends]);
    const asked = ask(gateway, admin, kind.rotate, { input: { id: keyId } });
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
    const { keyId: id, as } = await create(gateway);
    const input = { id, overlapSeconds };
    const [answer, events] = await auditDuring(gateway, () => ask(gateway, admin, kind.rotate, { input }));
    expect(answer).toMatchObject({ status: 200, code: 'BAD_USER_INPUT', reason: 'invalid_overlap' });
    expect(answer.errors[0]?.extensions['argument']).toBe('overlapSeconds');
    expect(events).toEqual([]);
    expect(await status(as)).toBe(200);
  });

  test('Interface 6: a revoked key is refused on every instance at once, with both its secrets', async () => {
    const { keyId, as: old } = await create(gateway);
    const { as: fresh } = await rotate(keyId, 1000);
    expect([await statuses(old), await statuses(fresh)]).toEqual([
      [200, 200],
      [200, 200],
    ]);
    const input = { id: keyId };
    const [{ revoked }, events] = await auditDuring(gateway, () => dataOf(gateway, admin, kind.revoke, { input }));
    const revokedAt = gateway.clock.now().toISOString();
    expect(revoked.key).toEqual({ id: keyId, revokedAt, liveSecretCount: 0, previousSecretEndsAt: null });
    const metadata = { actor: actor(), key_id: keyId, service_name: kind.service };
    expect(events).toMatchObject([{ event_type: `${event}_revoked`, entity_type: event, user_id: null, metadata }]);
    expect([await statuses(old), await statuses(fresh)]).toEqual([
      [401, 401],
      [401, 401],
    ]);
  });

  test('Interface 6: a key that expires is refused from then on as a revoked one, on every instance, with both its secrets', async () => {
    const expiresAt = new Date(gateway.clock.now().getTime() + 2000);
    const { keyId, as: old } = await create(gateway, ['keys:write'], expiresAt);
    const { as: fresh } = await rotate(keyId, 1000);
    const work = kind.revoke;
    const unknown = { input: { id: `${kind.idPrefix}_00000000000000000000` } };
    gateway.clock.advance(1.999);
    expect([await statuses(old), await statuses(fresh)]).toEqual([
      [200, 200],
      [200, 200],
    ]);
    expect(await ask(gateway, fresh, work, unknown)).toMatchObject({ reason: 'key_unknown' });
    gateway.clock.advance(0.001);
    expect([await statuses(old), await statuses(fresh)]).toEqual([
      [401, 401],
      [401, 401],
    ]);
    const { keyId: other, as: revoked } = await create(gateway);
    await dataOf(gateway, admin, kind.revoke, { input: { id: other } });
    const [expired, ended] = await Promise.all(
      [fresh, revoked].map((as) => ask(gateway, as, '{ caller { callerType } }')),
    );
    expect([expired?.reason, expired?.errors[0]?.message]).toEqual([ended?.reason, ended?.errors[0]?.message]);
    const ids = `(filter: { ids: ["${keyId}"]`;
    const listed = async (live: string) =>
      (await dataOf(gateway, admin, kind.list.replace('Keys {', `Keys${ids}${live} }) {`))).keys.nodes;
    expect(await listed(', live: true')).toEqual([]);
    expect(await listed(', live: false')).toEqual([{ id: keyId, liveSecretCount: 0, previousSecretEndsAt: null }]);
    const again = { input: { id: keyId, force: true, expiresAt: inSeconds(60) } };
    expect(await ask(gateway, admin, kind.rotate, again)).toMatchObject({ code: 'NOT_FOUND', reason: 'key_unknown' });
  });

  test('Interface 6: a rotation keeps the end of a key, or sets a later one', async () => {
    const expiresAt = new Date(gateway.clock.now().getTime() + 2000);
    const { keyId } = await create(gateway, [], expiresAt);
    const at = async () => (await gateway.rows(`select expires_at from ${event}s where key_id = $1`, [keyId]))[0];
    await rotate(keyId, 0);
    expect(await at()).toEqual({ expires_at: expiresAt });
    const later = inSeconds(3600);
    const [{ as }, events] = await auditDuring(gateway, () => rotate(keyId, 0, false, later));
    expect(await at()).toEqual({ expires_at: new Date(later) });
    expect(events).toMatchObject([
      { event_type: `${event}_rotated`, metadata: { overlap_seconds: 0, expires_at: later } },
    ]);
    gateway.clock.advance(3599);
    expect(await statuses(as)).toEqual([200, 200]);
    gateway.clock.advance(1);
    expect(await statuses(as)).toEqual([401, 401]);
  });

  test.each([
    ['not in the future', () => gateway.clock.now().toISOString()],
    ['after the year 9999 in UTC', () => '9999-12-31T23:59:59-00:01'],
  ])('Interface 6: an end that is %s is refused', async (_what, end) => {
    const { keyId } = await create(gateway);
    const expiresAt = end();
    const input = { id: keyId, expiresAt };
    const answer = await ask(gateway, admin, kind.rotate, { input });
    expect(answer).toMatchObject({ code: 'BAD_USER_INPUT', reason: 'invalid_expiry' });
    expect(answer.errors[0]?.extensions['argument']).toBe('expiresAt');
  });
});

test('Interface 11: a revoked key stays revoked: it can be neither rotated nor revoked again', async () => {
  const [api, cron] = [await newApiKey(gateway), await newCronKey(gateway)];
  await dataOf(gateway, admin, API_KEY.revoke, { input: { id: api.keyId } });
  await dataOf(gateway, admin, CRON_KEY.revoke, { input: { id: cron.keyId } });
  const [, events] = await auditDuring(gateway, async () => {
    for (const [text, id] of [
      [API_KEY.rotate, api.keyId],
      [CRON_KEY.rotate, cron.keyId],
      [API_KEY.revoke, api.keyId],
      [CRON_KEY.revoke, cron.keyId],
      [API_KEY.rotate, 'ak_00000000000000000000'],
      [CRON_KEY.rotate, 'ck_00000000000000000000'],
      [API_KEY.revoke, cron.keyId],
      [CRON_KEY.revoke, api.keyId],
      [CRON_KEY.revoke, ''],
    ] as const) {
      const answer = await ask(gateway, admin, text, { input: { id } });
      expect(answer).toMatchObject({ status: 200, code: 'NOT_FOUND', reason: 'key_unknown' });
    }
  });
  expect(events).toEqual([]);
  expect([await statuses(api.as), await statuses(cron.as)]).toEqual([
    [401, 401],
    [401, 401],
  ]);
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
      `mutation { done: rotateCronKey(input: { id: "${cron.keyId}" }) { headerValue } }`,
      `mutation { done: revokeApiKey(input: { id: "${api.keyId}" }) { apiKey { id } } }`,
      `mutation { done: revokeCronKey(input: { id: "${cron.keyId}" }) { cronKey { id } } }`,
    ]) {
      expect(await ask(gateway, admin, text)).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', data: { done: null } });
    }
  });
  expect(await keys()).toEqual(before);
});
