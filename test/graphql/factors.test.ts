/** The fields `factors` and `recoveryCodesLeft`, and the mutation `resetFactors`. (Interface 20) */
import {
  addPasskey,
  addTotp,
  finishLogin,
  halfLogin,
  logInByCode,
  post,
  withTotp,
} from '../support/gateway/factors.js';
import { claimsOf, logIn, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, dataOf, newApiKey, newcomer, STORY, signIn } from '../support/gateway/graphql.js';
import { refresh } from '../support/gateway/routes.js';
import { type Statement, watchStatements } from '../support/gateway/work.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { KNOWN_DEVICES: 'on' } });
});
afterAll(() => gateway.close());

const FACTORS = 'factors { id kind name createdAt lastUsedAt } recoveryCodesLeft secondFactorRequired';
const NONE = { factors: [], recoveryCodesLeft: 0, secondFactorRequired: false };

const reset = (as: As, userId: string) =>
  ask(
    gateway,
    as,
    `mutation { resetFactors(input: { userId: "${userId}" }) { removedFactorCount revokedSessionCount user { ${FACTORS} } } }`,
  );

/** The rows about factors of a user, by table */
async function leftOf(userId: string) {
  const [left] = await gateway.rows(
    `select (select has_factors from users where id = $1),
       (select count(*)::int from factors where user_id = $1) as factors,
       (select count(*)::int from recovery_codes where user_id = $1) as codes,
       (select count(*)::int from ceremonies where user_id = $1) as ceremonies`,
    [userId],
  );
  return left;
}

test('Interface 20: users see their factors, oldest first, and the number of their codes, but no secret', async () => {
  const user = await newcomer(gateway);
  expect((await dataOf(gateway, user.as, `{ me { ${FACTORS} } }`)).me).toEqual(NONE);
  const at = gateway.clock.now();
  const withFactor = await addTotp(gateway, user);
  gateway.clock.advance(60);
  const { factorId } = await addPasskey(gateway, user);
  const added = { id: withFactor.factorId, kind: 'totp', name: expect.any(String), createdAt: at.toISOString() };
  const { me } = await dataOf(gateway, user.as, `{ me { ${FACTORS} } }`);
  expect(me).toEqual({
    factors: [
      { ...added, lastUsedAt: null },
      {
        id: factorId,
        kind: 'passkey',
        name: 'Laptop',
        createdAt: gateway.clock.now().toISOString(),
        lastUsedAt: null,
      },
    ],
    recoveryCodesLeft: 10,
    secondFactorRequired: false,
  });
  await logInByCode(gateway, withFactor);
  const used = (await dataOf(gateway, user.as, '{ me { factors { lastUsedAt } } }')).me.factors;
  expect(used).toEqual([{ lastUsedAt: gateway.clock.now().toISOString() }, { lastUsedAt: null }]);
});

test('Interface 20: a recovery code that is used is not counted', async () => {
  const { as, recoveryCodes, user } = await withTotp(gateway);
  const challenge = await halfLogin(gateway, user.email);
  expect((await finishLogin(gateway, challenge, { recovery_code: recoveryCodes[3] })).status).toBe(200);
  expect((await dataOf(gateway, as, '{ me { recoveryCodesLeft } }')).me).toEqual({ recoveryCodesLeft: 9 });
});

test('Interface 20: factors of a page of users are one statement, and unasked for they are none', async () => {
  const ids: string[] = [];
  for (let i = 0; i < 3; i += 1) ids.push((await withTotp(gateway)).user.id);
  const { as } = await newApiKey(gateway, ['users:read']);
  const statements: Statement[] = [];
  watchStatements(gateway.app.db, (statement) => statements.push(statement));
  const text = (fields: string) => `query ($ids: [ID!]) { users(filter: { ids: $ids }) { nodes { ${fields} } } }`;
  const about = () => statements.splice(0).filter(({ sql }) => /factors|recovery_codes/.test(sql)).length;

  const { users } = await dataOf(gateway, as, text('factors { kind } recoveryCodesLeft secondFactorRequired'), { ids });
  const each = { factors: [{ kind: 'totp' }], recoveryCodesLeft: 10, secondFactorRequired: null };
  expect(users.nodes).toEqual([each, each, each]);
  expect(about()).toBe(2);
  await dataOf(gateway, as, text('id email role isLocked lastLoginAt'), { ids });
  expect(about()).toBe(0);
});

test('Interface 20: nobody sees the factors of another user without users:read', async () => {
  const { as } = await newApiKey(gateway, ['users:write']);
  const { user } = await withTotp(gateway);
  for (const field of ['factors { id }', 'recoveryCodesLeft']) {
    const text = `mutation { unlockUser(input: { id: "${user.id}" }) { user { ${field} } } }`;
    expect(await ask(gateway, as, text)).toMatchObject({ code: 'FORBIDDEN', reason: 'scope_missing' });
  }
});

test('Interface 20: resetFactors removes every factor, code and half login, ends the sessions, and one password logs in again', async () => {
  const { as: admin, user: operator } = await newcomer(gateway, 'admin');
  const user = await withTotp(gateway);
  await addPasskey(gateway, user);
  const device = 'select count(*)::int from known_devices where user_id = $1';
  const devices = await gateway.rows(device, [user.user.id]);
  const challenge = await halfLogin(gateway, user.user.email);
  expect(await leftOf(user.user.id)).toEqual({ has_factors: true, factors: 2, codes: 10, ceremonies: 1 });

  const { data } = await reset(admin, user.user.id);
  const nothing = { factors: [], recoveryCodesLeft: 0, secondFactorRequired: null };
  expect(data.resetFactors).toEqual({ removedFactorCount: 2, revokedSessionCount: 1, user: nothing });
  expect(await leftOf(user.user.id)).toEqual({ has_factors: false, factors: 0, codes: 0, ceremonies: 0 });
  expect(await gateway.rows(device, [user.user.id])).toEqual(devices);
  const events = await gateway.rows(
    `select user_id, metadata from audit_events where event_type = 'factors_reset' and user_id = $1`,
    [user.user.id],
  );
  const actor = { caller_type: 'user', sub: operator.id };
  expect(events).toEqual([{ user_id: user.user.id, metadata: { actor, factors: 2, sessions_ended: 1 } }]);

  const half = await finishLogin(gateway, challenge, { recovery_code: user.recoveryCodes[0] });
  expect([half.status, half.json.reason]).toEqual([401, 'challenge_invalid']);
  expect((await refresh(gateway, user.refreshToken)).json.reason).toBe('record_revoked');
  await logIn(gateway, user.user.email);
});

test('Interface 20: a session that a reset has ended says so, and its token is no theft', async () => {
  const { as: admin } = await newcomer(gateway, 'admin');
  const user = await withTotp(gateway);
  const { sid } = claimsOf(user.accessToken);
  await reset(admin, user.user.id);
  gateway.clock.advance(1);
  await refresh(gateway, user.refreshToken);
  const { session } = await dataOf(gateway, admin, `{ session(id: "${sid}") { endReason isLive } }`);
  expect(session).toEqual({ endReason: 'factors_reset', isLive: false });
  const story = (await dataOf(gateway, admin, STORY, { id: sid })).session.events.nodes;
  expect(story.slice(-2)).toMatchObject([
    { kind: 'factors_reset', detail: expect.stringMatching(/^The second factors of the user were reset by user /) },
    { kind: 'token_theft', isTheft: false, detail: expect.stringContaining('second factors of the user were reset') },
  ]);
  const [theft] = await gateway.rows(
    `select metadata->>'ended_by' as ended_by from audit_events where event_type = 'token_theft' and user_id = $1`,
    [user.user.id],
  );
  expect(theft).toEqual({ ended_by: 'factors_reset' });
});

test('Interface 20: resetFactors of a user without factors changes nothing and writes no event', async () => {
  const { as: admin } = await newcomer(gateway, 'admin');
  const user = await newcomer(gateway);
  const { data } = await reset(admin, user.user.id);
  const nothing = { factors: [], recoveryCodesLeft: 0, secondFactorRequired: null };
  expect(data.resetFactors).toEqual({ removedFactorCount: 0, revokedSessionCount: 0, user: nothing });
  expect(
    await gateway.rows(`select from audit_events where event_type = 'factors_reset' and user_id = $1`, [user.user.id]),
  ).toEqual([]);
  expect((await refresh(gateway, user.refreshToken)).status).toBe(200);
});

test('Interface 20: the factors of an administrator are reset by who holds every scope alone', async () => {
  const target = await withTotp(gateway, { role: 'admin' });
  const { as: key } = await newApiKey(gateway, ['users:write', 'users:read']);
  expect(await reset(key, target.user.id)).toMatchObject({ code: 'FORBIDDEN', reason: 'every_scope_needed' });
  expect(await leftOf(target.user.id)).toMatchObject({ has_factors: true, factors: 1, codes: 10 });
  const { as: admin } = await newcomer(gateway, 'admin');
  expect((await reset(admin, target.user.id)).data.resetFactors.removedFactorCount).toBe(1);
});

test('Interface 20: a new password, a deactivation and a deletion end half logins, and a deletion the factors too', async () => {
  const { as: admin } = await newcomer(gateway, 'admin');
  const mutations = {
    setUserPassword: (id: string) => `setUserPassword(input: { id: "${id}", password: "a new password of the user" })`,
    setUserActive: (id: string) => `setUserActive(input: { id: "${id}", isActive: false })`,
    deleteUser: (id: string) => `deleteUser(input: { id: "${id}" })`,
    eraseUser: (id: string) => `eraseUser(input: { id: "${id}" })`,
  };
  for (const [name, mutation] of Object.entries(mutations)) {
    const { user, accessToken } = await withTotp(gateway);
    await halfLogin(gateway, user.email);
    await post(gateway, 'factors/passkey/options', {}, accessToken);
    expect(await leftOf(user.id)).toMatchObject({ factors: 1, codes: 10, ceremonies: 2 });
    await dataOf(gateway, admin, `mutation { ${mutation(user.id)} { __typename } }`);
    const isGone = name.startsWith('delete') || name.startsWith('erase');
    const kept = isGone ? { has_factors: null, factors: 0, codes: 0 } : { has_factors: true, factors: 1, codes: 10 };
    expect([name, await leftOf(user.id)]).toEqual([name, { ...kept, ceremonies: 0 }]);
  }
});

test('Interface 7: factors count as a list of eleven, so a page of users with them is dear', async () => {
  const { as } = await signIn(gateway, (await newcomer(gateway, 'admin')).user);
  const text = (first: number) => `{ users(first: ${first}) { nodes { ${FACTORS} } } }`;
  expect((await ask(gateway, as, text(50))).status).toBe(200);
  expect(await ask(gateway, as, text(100))).toMatchObject({ status: 400, reason: 'cost_above_limit' });
});
