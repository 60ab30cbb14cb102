/** The events of a session, which say why its user was logged out. (Interface 11) */

import { claimsOf, refreshTokenOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import {
  type As,
  ask,
  dataOf,
  newApiKey,
  newCronKey,
  newcomer,
  type SignedIn,
  STORY,
  signIn,
} from '../support/gateway/graphql.js';
import { logout, refresh } from '../support/gateway/routes.js';
import { lacksTable, whileAway, withFault } from '../support/postgres/faults.js';

let gateway: TestGateway;
let auditor: As;
beforeAll(async () => {
  gateway = await startGateway({ env: { TRUST_PROXY: '127.0.0.1', REFRESH_TOKEN_TTL_SECONDS: '3600' } });
  auditor = (await newApiKey(gateway, ['audit:read'])).as;
});
afterAll(() => gateway.close());

const PHONE = { 'x-forwarded-for': '192.0.2.1', 'user-agent': 'Phone/1' };
const THIEF = { 'x-forwarded-for': '203.0.113.66', 'user-agent': 'curl/8' };

interface Step {
  id: string;
  createdAt: string;
  kind: string;
  isTheft: boolean;
  jti: string | null;
  ipAddress: string;
  userAgent: string | null;
  detail: string;
}

const familyOf = ({ accessToken }: SignedIn) => String(claimsOf(accessToken)['sid']);
const jtiOf = (token: string) => String(claimsOf(token)['jti']);
const now = () => gateway.clock.now().toISOString();

async function story(caller: SignedIn): Promise<Step[]> {
  return (await dataOf(gateway, auditor, STORY, { id: familyOf(caller) })).session.events.nodes;
}

/** A session that began two minutes ago and was refreshed from a phone a minute ago, with these two steps. */
async function session() {
  const caller = await newcomer(gateway);
  const startedAt = now();
  gateway.clock.advance(60);
  const second = refreshTokenOf(await refresh(gateway, caller.refreshToken, PHONE)) ?? '';
  const rotatedAt = now();
  gateway.clock.advance(60);
  const firstSteps = [
    { createdAt: startedAt, kind: 'started', jti: jtiOf(caller.refreshToken), ipAddress: '127.0.0.1', userAgent: '' },
    { createdAt: rotatedAt, kind: 'rotated', jti: jtiOf(second), ipAddress: '192.0.2.1', userAgent: 'Phone/1' },
  ];
  return { caller, first: caller.refreshToken, second, firstSteps };
}

test('Interface 11: shows a live session: its login, and each rotation with address and user agent', async () => {
  const { caller, second, firstSteps } = await session();
  await newcomer(gateway); // another session, which is not shown
  const third = refreshTokenOf(await refresh(gateway, second, THIEF)) ?? '';
  const steps = await story(caller);
  expect(steps).toMatchObject([
    ...firstSteps,
    { createdAt: now(), kind: 'rotated', jti: jtiOf(third), ipAddress: '203.0.113.66', userAgent: 'curl/8' },
  ]);
  for (const { detail } of steps) expect(detail).toMatch(/^[A-Z].{10,}/);
});

test('Interface 11: shows a logout', async () => {
  const { caller, second, firstSteps } = await session();
  await logout(gateway, second, PHONE);
  expect(await story(caller)).toMatchObject([
    ...firstSteps,
    { createdAt: now(), kind: 'logout', jti: jtiOf(second), ipAddress: '192.0.2.1', userAgent: null },
  ]);
});

test('Interface 11: shows a theft: the used token, and from where it was presented', async () => {
  const { caller, first, firstSteps } = await session();
  await refresh(gateway, first, THIEF);
  expect(await story(caller)).toMatchObject([
    ...firstSteps,
    {
      ...{ createdAt: now(), kind: 'token_theft', isTheft: true, jti: jtiOf(first) },
      ...{ ipAddress: '203.0.113.66', userAgent: 'curl/8' },
    },
  ]);
});

test('Interface 11: shows that an administrator ended the session', async () => {
  const { caller, firstSteps } = await session();
  const admin = await newcomer(gateway, 'admin');
  await dataOf(
    gateway,
    admin.as,
    `mutation { revokeSession(input: { id: "${familyOf(caller)}" }) { session { id } } }`,
  );
  const steps = await story(caller);
  expect(steps).toMatchObject([...firstSteps, { createdAt: now(), kind: 'revoked', ipAddress: '127.0.0.1' }]);
  expect(steps.at(-1)?.detail).toContain(admin.user.id);
});

test('Interface 11: shows that the user was deactivated, and by which key', async () => {
  const { caller, firstSteps } = await session();
  const { as, keyId } = await newCronKey(gateway, ['users:write']);
  await dataOf(
    gateway,
    as,
    `mutation { setUserActive(input: { id: "${caller.user.id}", isActive: false }) { user { id } } }`,
  );
  const steps = await story(caller);
  expect(steps).toMatchObject([...firstSteps, { createdAt: now(), kind: 'user_deactivated' }]);
  expect(steps.at(-1)?.detail).toContain(`cron ${keyId}`);
});

test('Interface 11: shows that a password was set, and by which key', async () => {
  const { caller, firstSteps } = await session();
  const { as, keyId } = await newApiKey(gateway, ['users:write']);
  const text = `mutation { setUserPassword(input: { id: "${caller.user.id}", password: "another good password" }) { user { id } } }`;
  await dataOf(gateway, as, text);
  const steps = await story(caller);
  expect(steps).toMatchObject([...firstSteps, { createdAt: now(), kind: 'user_password_set' }]);
  expect(steps.at(-1)?.detail).toContain(`api_key ${keyId}`);
});

test('Interface 11: shows the expiry of the last token, at its time', async () => {
  const { caller, second, firstSteps } = await session();
  const expiresAt = new Date(Number(claimsOf(second)['exp']) * 1000).toISOString();
  gateway.clock.set(new Date(expiresAt));
  expect(await story(caller)).toHaveLength(2); // not yet expired
  gateway.clock.advance(600);
  expect(await story(caller)).toMatchObject([
    ...firstSteps,
    { createdAt: expiresAt, kind: 'expired', jti: jtiOf(second) },
  ]);
});

test('Interface 11: of several password changes it shows only the one that ended the session', async () => {
  const { caller, firstSteps } = await session();
  const { as } = await newApiKey(gateway, ['users:write']);
  const setTo = (password: string) =>
    `mutation { setUserPassword(input: { id: "${caller.user.id}", password: "${password}" }) { user { id } } }`;
  await dataOf(gateway, as, setTo('another good password'));
  const endedAt = now();
  gateway.clock.advance(60);
  await dataOf(gateway, as, setTo('one more good password'));
  expect(await story(caller)).toMatchObject([...firstSteps, { createdAt: endedAt, kind: 'user_password_set' }]);
  expect(await story(caller)).toHaveLength(3);
});

test('Interface 11: the end of one session is not shown for sessions that had ended before, nor for later ones', async () => {
  const { caller, second, firstSteps } = await session();
  await logout(gateway, second);
  const { as } = await newApiKey(gateway, ['users:write']);
  gateway.clock.advance(60);
  await dataOf(
    gateway,
    as,
    `mutation { setUserActive(input: { id: "${caller.user.id}", isActive: false }) { user { id } } }`,
  );
  await dataOf(
    gateway,
    as,
    `mutation { setUserActive(input: { id: "${caller.user.id}", isActive: true }) { user { id } } }`,
  );
  gateway.clock.advance(60);
  const later = await signIn(gateway, caller.user);
  expect((await story(caller)).map(({ kind }) => kind)).toEqual([...firstSteps.map(({ kind }) => kind), 'logout']);
  expect((await story(later)).map(({ kind }) => kind)).toEqual(['started']);
});

test('Interface 11: shows a theft after a logout too, in order', async () => {
  const { caller, second } = await session();
  await logout(gateway, second);
  gateway.clock.advance(1);
  await refresh(gateway, second, THIEF);
  const steps = await story(caller);
  expect(steps.map(({ kind }) => kind)).toEqual(['started', 'rotated', 'logout', 'token_theft']);
  expect(steps.at(-1)).toMatchObject({ isTheft: false }); // nobody had used the token
});

test('Interface 11: shows the newest token and the end last, even if all happens in one millisecond', async () => {
  const caller = await newcomer(gateway);
  let token = caller.refreshToken;
  for (let i = 0; i < 8; i += 1) token = refreshTokenOf(await refresh(gateway, token)) ?? '';
  const { as } = await newApiKey(gateway, ['users:write']);
  await dataOf(
    gateway,
    as,
    `mutation { setUserActive(input: { id: "${caller.user.id}", isActive: false }) { user { id } } }`,
  );
  const [newest, end] = (await story(caller)).slice(-2);
  expect(newest).toMatchObject({ kind: 'rotated', jti: jtiOf(token) });
  expect(end).toMatchObject({ kind: 'user_deactivated', jti: jtiOf(token) });
});

test('Interface 11: one’s own session needs no scope; for callers who may read, an unknown one is not found', async () => {
  const { caller } = await session();
  const { session: own } = await dataOf(gateway, caller.as, STORY, { id: familyOf(caller) });
  expect(own.events.nodes).toHaveLength(2);
  for (const id of ['no-uuid', '00000000-0000-7000-8000-000000000000']) {
    expect(await ask(gateway, auditor, STORY, { id })).toMatchObject({ code: 'NOT_FOUND', reason: 'session_unknown' });
    expect(await ask(gateway, caller.as, STORY, { id })).toMatchObject({ code: 'FORBIDDEN' });
  }
});

test('Interface 11: ids of events are unique, even if one change ended several sessions, and stay the same', async () => {
  const { caller } = await session();
  const others = [await signIn(gateway, caller.user), await signIn(gateway, caller.user)];
  const expired = await session();
  gateway.clock.advance(600);
  const { as } = await newApiKey(gateway, ['users:write']);
  await dataOf(
    gateway,
    as,
    `mutation { setUserActive(input: { id: "${caller.user.id}", isActive: false }) { user { id } } }`,
  );
  const before = (await Promise.all([caller, ...others].map(story))).flat();
  gateway.clock.advance(4_000);
  const after = (await Promise.all([caller, ...others, expired.caller].map(story))).flat();
  const ids = after.map(({ id }) => id);
  expect(ids.slice(0, before.length)).toEqual(before.map(({ id }) => id));
  expect(after.map(({ kind }) => kind).sort()).toEqual([
    'expired',
    ...['rotated', 'rotated'],
    ...Array(4).fill('started'),
    ...Array(3).fill('user_deactivated'),
  ]);
  expect(new Set(ids).size).toBe(ids.length);
});

test('Interface 11: the story is the same on pages of any size, each event once, in order', async () => {
  const caller = await newcomer(gateway);
  let token = caller.refreshToken;
  for (let i = 0; i < 12; i += 1) {
    if (i % 3 === 0) gateway.clock.advance(60); // the others are in the same millisecond
    token = refreshTokenOf(await refresh(gateway, token)) ?? '';
  }
  for (let i = 0; i < 5; i += 1) await refresh(gateway, caller.refreshToken, THIEF);
  gateway.clock.advance(1);
  await logout(gateway, token);
  const whole = await story(caller);
  expect(whole.map(({ kind }) => kind)).toEqual([
    'started',
    ...Array(12).fill('rotated'),
    ...Array(5).fill('token_theft'),
    'logout',
  ]);
  for (const first of [1, 2, 3, 7, 18, 19, 20, 100]) {
    const paged: Step[] = [];
    let page = { hasNextPage: true, endCursor: undefined };
    while (page.hasNextPage) {
      const variables = { id: familyOf(caller), first, after: page.endCursor };
      const { events } = (await dataOf(gateway, auditor, STORY, variables)).session;
      paged.push(...events.nodes);
      page = events.pageInfo;
    }
    expect(paged).toEqual(whole);
  }
});

test.each([{ first: 0 }, { first: 101 }, { after: 'x' }, { after: 'WyJhIiwiMCIsImIiXQ' }])(
  'Interface 11: refuses a page of a story with %j',
  async (page) => {
    const { caller } = await session();
    const answer = await ask(gateway, auditor, STORY, { id: familyOf(caller), ...page });
    expect(answer).toMatchObject({ code: 'BAD_USER_INPUT', reason: 'invalid_page' });
  },
);

test.each<[string, string, (caller: SignedIn, token: string) => Promise<unknown>]>([
  ['a logout', 'that a logout had revoked', (_caller, token) => logout(gateway, token)],
  ['an earlier theft', 'that an earlier theft had revoked', (caller) => refresh(gateway, caller.refreshToken)],
  [
    'a revocation',
    'that had been revoked with its session',
    (caller) =>
      dataOf(gateway, caller.as, `mutation { revokeSession(input: { id: "${familyOf(caller)}" }) { session { id } } }`),
  ],
  [
    'a deactivation',
    'that had been revoked when the user was deactivated',
    async (caller) => {
      const { as } = await newApiKey(gateway, ['users:write']);
      await dataOf(
        gateway,
        as,
        `mutation { setUserActive(input: { id: "${caller.user.id}", isActive: false }) { user { id } } }`,
      );
    },
  ],
])('Interface 11: a theft with a token that %s had ended says so', async (_what, words, end) => {
  const { caller, second } = await session();
  await end(caller, second);
  gateway.clock.advance(1);
  await refresh(gateway, second, THIEF);
  const thefts = (await story(caller)).filter(({ kind, jti }) => kind === 'token_theft' && jti === jtiOf(second));
  expect(thefts.map(({ detail }) => detail)).toEqual([expect.stringContaining(words)]);
});

test('Interface 11: a theft with a token that a rotation had used says so', async () => {
  const { caller, first } = await session();
  await refresh(gateway, first, THIEF);
  expect((await story(caller)).at(-1)?.detail).toContain('that had already been used');
});

test('Interface 5: an outage is reported as one, never as a session that is not the caller’s', async () => {
  const { caller } = await session();
  const away = await whileAway(gateway.database, () => ask(gateway, caller.as, STORY, { id: familyOf(caller) }));
  expect([away.status, away.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  await withFault(gateway, lacksTable('refresh_tokens'), async () => {
    const read = await ask(gateway, caller.as, STORY, { id: familyOf(caller) });
    const revoked = await ask(
      gateway,
      caller.as,
      `mutation { revokeSession(input: { id: "${familyOf(caller)}" }) { session { id } } }`,
    );
    expect([read.code, revoked.code]).toEqual(['INTERNAL_SERVER_ERROR', 'INTERNAL_SERVER_ERROR']);
  });
});

test('Interface 11: the end is shown even if the clocks of two instances differed', async () => {
  const { caller, first, second, firstSteps } = await session();
  await gateway.rows(`update refresh_tokens set created_at = created_at - interval '5 minutes' where jti = $1`, [
    jtiOf(second),
  ]);
  const { as } = await newApiKey(gateway, ['users:write']);
  await dataOf(
    gateway,
    as,
    `mutation { setUserActive(input: { id: "${caller.user.id}", isActive: false }) { user { id } } }`,
  );
  const steps = await story(caller);
  expect(steps).toHaveLength(firstSteps.length + 1);
  expect(steps.at(-1)).toMatchObject({ kind: 'user_deactivated', jti: jtiOf(second) });
  expect(steps.map(({ jti }) => jti)).toContain(jtiOf(first));
});
