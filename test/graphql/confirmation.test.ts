/** CONFIRM_SECONDS: what a user changes needs a recent proof in a live session. (Interface 11 and 20) */
import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLInputType, getNamedType, isEnumType, isInputObjectType, isListType } from 'graphql';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { revokeSession } from '../../src/admin/sessions.js';
import { setUserActive } from '../../src/admin/user-changes.js';
import { addTotp, codeAt, confirm, logInByCode, renewed, withTotp } from '../support/gateway/factors.js';
import { claimsOf, PASSWORD, startGateway, startInstance, type TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, bearer, dataOf, newApiKey, newCronKey, newcomer, signIn } from '../support/gateway/graphql.js';
import { logout, refresh } from '../support/gateway/routes.js';
import { type Statement, watchStatements } from '../support/gateway/work.js';

const A_YEAR = '31536000';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { ACCESS_TOKEN_TTL_SECONDS: A_YEAR, CONFIRM_SECONDS: '600' } });
});
afterAll(() => gateway.close());

const REFUSED = { code: 'CONFIRMATION_REQUIRED', reason: 'confirmation_required', maxAge: 600 };
const REFUSED_WITH_FACTOR = { ...REFUSED, acrValues: ['aal2'] };

let made = 0;
const create = (as: As) => {
  made += 1;
  return ask(
    gateway,
    as,
    `mutation { createUser(input: { email: "made${made}@example.com", role: viewer }) { user { id } } }`,
  );
};

/** `true`, or the extensions of the refusal, of which nothing may be left behind. */
async function mayChange(as: As): Promise<unknown> {
  const { status, data, errors } = await create(as);
  const rows = await gateway.rows('select from users where email = $1', [`made${made}@example.com`]);
  expect([status, rows.length]).toEqual([200, errors.length === 0 ? 1 : 0]);
  if (errors.length === 0) return true;
  expect(data).toEqual({ createUser: null });
  return errors[0]?.extensions;
}

test('Interface 20: a user changes nothing later than CONFIRM_SECONDS after the login, and reads on; a refresh does not help', async () => {
  const admin = await newcomer(gateway, 'admin');
  gateway.clock.advance(599);
  expect(await mayChange(admin.as)).toBe(true);
  gateway.clock.advance(1);
  expect(await mayChange(admin.as)).toEqual(REFUSED);
  expect((await dataOf(gateway, admin.as, '{ users { nodes { id } } }')).users.nodes.length).toBeGreaterThan(0);
  const renewed = bearer((await refresh(gateway, admin.refreshToken)).json.access_token);
  expect(await mayChange(renewed)).toEqual(REFUSED);
  expect(await mayChange((await signIn(gateway, admin.user)).as)).toBe(true);
});

test('Interface 20: after a confirmation by password the same session changes again, by its old token too', async () => {
  const admin = await newcomer(gateway, 'admin');
  gateway.clock.advance(700);
  expect(await mayChange(admin.as)).toEqual(REFUSED);
  const confirmed = await confirm(gateway, admin.accessToken, { password: PASSWORD });
  expect(confirmed.status).toBe(200);
  for (const as of [admin.as, bearer(confirmed.json.access_token)]) expect(await mayChange(as)).toBe(true);
  gateway.clock.advance(600);
  expect(await mayChange(admin.as)).toEqual(REFUSED);
});

test('Interface 20: a user with a factor needs a proof by the factor, however fresh the password is', async () => {
  const password = await newcomer(gateway, 'admin');
  const another = await signIn(gateway, password.user);
  const withFactor = await addTotp(gateway, password);
  expect(await mayChange(password.as)).toBe(true); // it has proved the new factor
  expect(await mayChange(another.as)).toEqual(REFUSED_WITH_FACTOR);

  const code = codeAt(withFactor.secret, gateway.clock.now());
  expect((await confirm(gateway, another.accessToken, { code })).status).toBe(200);
  expect(await mayChange(another.as)).toBe(true);
  gateway.clock.advance(600);
  for (const { as } of [password, another]) expect(await mayChange(as)).toEqual(REFUSED_WITH_FACTOR);
  expect(await mayChange((await logInByCode(gateway, withFactor)).as)).toBe(true);
});

const ENDS: Array<
  [what: string, end: (session: Awaited<ReturnType<typeof newcomer>>) => Promise<unknown>, refusal: object]
> = [
  ['a logout', ({ refreshToken }) => logout(gateway, refreshToken), REFUSED],
  [
    'a theft',
    async ({ refreshToken }) => {
      for (let i = 0; i < 2; i += 1) await refresh(gateway, refreshToken);
    },
    REFUSED,
  ],
  [
    'an administrator who ends it',
    ({ accessToken }) => revokeSession(gateway.app, COMMAND_LINE, undefined, String(claimsOf(accessToken)['sid'])),
    REFUSED,
  ],
  [
    'a deactivation',
    ({ user }) => setUserActive(gateway.app, COMMAND_LINE, user.id, false),
    { code: 'FORBIDDEN', reason: 'caller_inactive' },
  ],
  [
    'a deactivation and activation',
    async ({ user }) => {
      for (const isActive of [false, true]) await setUserActive(gateway.app, COMMAND_LINE, user.id, isActive);
    },
    REFUSED,
  ],
  [
    'its expiry',
    async ({ user }) => {
      await gateway.rows(`update refresh_tokens set expires_at = $2 where user_id = $1`, [
        user.id,
        new Date(gateway.clock.now().getTime() - 1),
      ]);
    },
    REFUSED,
  ],
];

test.each(ENDS)('Interface 20: after %s the access token that is left changes nothing', async (_what, end, refusal) => {
  await newcomer(gateway, 'admin'); // another administrator stays
  const admin = await newcomer(gateway, 'admin');
  expect(await mayChange(admin.as)).toBe(true);
  await end(admin);
  expect(await mayChange(admin.as)).toEqual(refusal);
});

test('Interface 20: keys confirm nothing, however long they live', async () => {
  const keys = [await newApiKey(gateway, ['users:write']), await newCronKey(gateway, ['users:write'])];
  gateway.clock.advance(10_000);
  for (const { as } of keys) expect(await mayChange(as)).toBe(true);
});

test('Interface 20: who lacks the scope is not asked to confirm', async () => {
  const viewer = await newcomer(gateway);
  gateway.clock.advance(600);
  expect(await mayChange(viewer.as)).toMatchObject({ reason: 'scope_missing' });
});

test('Interface 20: a password is not hashed for who has to confirm first', async () => {
  const admin = await newcomer(gateway, 'admin');
  gateway.clock.advance(600);
  for (const mutation of [
    'createUser(input: { email: "x", password: "short", role: viewer }) { user { id } }',
    `setUserPassword(input: { id: "${admin.user.id}", password: "short" }) { user { id } }`,
  ]) {
    expect(await ask(gateway, admin.as, `mutation { ${mutation} }`)).toMatchObject({ reason: 'confirmation_required' });
  }
});

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));
const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});

/** Something that fits the type. */
function anythingFor(type: GraphQLInputType): unknown {
  const named = getNamedType(type);
  if (isListType('ofType' in type ? type.ofType : type)) return [];
  if (isEnumType(named)) return named.getValues()[0]?.name;
  if (isInputObjectType(named)) {
    return Object.fromEntries(Object.values(named.getFields()).map((field) => [field.name, anythingFor(field.type)]));
  }
  const ofScalar: Record<string, unknown> = { Int: 1, Boolean: true, DateTime: '2026-01-01T00:00:00Z' };
  return ofScalar[named.name] ?? '00000000-0000-7000-8000-000000000000';
}

test.each(mutations.map(({ name }) => name))('Interface 20: %s needs a recent proof', async (name) => {
  const mutation = mutations.find((field) => field.name === name);
  const admin = await newcomer(gateway, 'admin');
  gateway.clock.advance(600);
  const [arg] = mutation?.args ?? [];
  const [declared, given] = arg === undefined ? ['', ''] : [`($input: ${arg.type})`, '(input: $input)'];
  const text = `mutation ${declared} { ${name}${given} { __typename } }`;
  const answer = await ask(gateway, admin.as, text, { input: arg && anythingFor(arg.type) });
  expect(answer.errors.map(({ extensions }) => extensions)).toEqual([REFUSED]);
});

/** The statements of one change, by which the caller is read */
async function readsOf(env: Record<string, string>): Promise<string[]> {
  await using running = new AsyncDisposableStack();
  const other = await startInstance(gateway.database, { clock: gateway.clock, env });
  running.defer(other.close);
  const { as } = await newcomer(gateway, 'admin');
  const statements: Statement[] = [];
  watchStatements(other.app.db, (statement) => statements.push(statement));
  await dataOf(other, as, 'mutation { revokeOtherSessions { revokedCount } }');
  return statements.map(({ sql }) => sql).filter((sql) => /from users/.test(sql));
}

test('Interface 20: the caller is read by one statement, which with CONFIRM_SECONDS=0 reads no session', async () => {
  const [bare = '', ...none] = await readsOf({ CONFIRM_SECONDS: '0' });
  const [whole = '', ...others] = await readsOf({});
  expect([none, others]).toEqual([[], []]);
  expect(bare).not.toMatch(/refresh_tokens|has_factors/);
  expect(whole).toMatch(/refresh_tokens/);
});

test('Interface 20: with CONFIRM_SECONDS=0 an old login and a session that has ended change as before', async () => {
  await using running = new AsyncDisposableStack();
  const off = await startInstance(gateway.database, { clock: gateway.clock, env: { CONFIRM_SECONDS: '0' } });
  running.defer(off.close);
  const admin = await renewed(gateway, await withTotp(gateway, { role: 'admin' }));
  gateway.clock.advance(10_000);
  await logout(gateway, admin.refreshToken);
  const { unlockUser } = await dataOf(
    off,
    admin.as,
    `mutation { unlockUser(input: { id: "${admin.user.id}" }) { user { id } } }`,
  );
  expect(unlockUser.user.id).toBe(admin.user.id);
});
