/**
 * A used token that is presented again: how long after its rotation, from which address, as a theft or a retry.
 * (Interface 11 and 12)
 */
import { claimsOf, refreshTokenOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type As, dataOf, newApiKey, newcomer, STORY } from '../support/gateway/graphql.js';
import { logout, refresh } from '../support/gateway/routes.js';
import { jtiOf, newKey, retryField } from '../support/independent/retries.js';

let gateway: TestGateway;
let auditor: As;
beforeAll(async () => {
  gateway = await startGateway({ env: { TRUST_PROXY: '127.0.0.1', REFRESH_RETRY: 'true' } });
  auditor = (await newApiKey(gateway, ['audit:read'])).as;
});
afterAll(() => gateway.close());

interface Step {
  id: string;
  kind: string;
  createdAt: string;
  jti: string | null;
  ipAddress: string;
  userAgent: string | null;
  detail: string;
}

type Headers = Record<string, string>;
const from = (address: string, agent: string): Headers => ({ 'x-forwarded-for': address, 'user-agent': agent });
const HOME = from('192.0.2.1', 'Phone/1');

/** A session whose first token was just used from HOME. */
async function used(isWithKey = true) {
  const caller = await newcomer(gateway);
  gateway.clock.advance(60);
  const key = newKey();
  const successor =
    refreshTokenOf(await refresh(gateway, caller.refreshToken, { ...HOME, ...(isWithKey && retryField(key)) })) ?? '';
  const family = String(claimsOf(successor)['sid']);
  const story = async (): Promise<Step[]> =>
    (await dataOf(gateway, auditor, STORY, { id: family })).session.events.nodes;
  const last = async (kind: string) => (await story()).filter((event) => event.kind === kind).at(-1);
  return { token: caller.refreshToken, successor, key, family, story, last };
}

const PLACES: Array<[whence: Headers, words: string]> = [
  [HOME, 'from the same address and user agent'],
  [from('192.0.2.1', 'curl/8'), 'from the same address and another user agent'],
  [from('203.0.113.66', 'Phone/1'), 'from another address and the same user agent'],
  [from('203.0.113.66', 'curl/8'), 'from another address and user agent'],
];
const AFTER: Array<[seconds: number, words: string]> = [
  [0, '0 s after its rotation'],
  [0.25, '0.25 s after its rotation'],
  [86_400, '86400 s after its rotation'],
];

test.each(PLACES)('Interface 11: a theft says from where the token was presented: %j %s', async (whence, words) => {
  const session = await used();
  await refresh(gateway, session.token, whence);
  expect((await session.last('token_theft'))?.detail).toBe(
    `A refresh token that had already been used was presented again 0 s after its rotation, ${words}; ` +
      'every token of the session was revoked',
  );
});

test.each(AFTER)(
  'Interface 11: a theft says how long after its rotation the token was presented: %d s',
  async (seconds, words) => {
    const session = await used();
    gateway.clock.advance(seconds);
    await refresh(gateway, session.token, HOME);
    expect((await session.last('token_theft'))?.detail).toContain(`presented again ${words}, from`);
  },
);

test.each([
  ['with', true],
  ['without', false],
])(
  'Interface 11: the time counts from the rotation of that token, not of another one in the session (%s a key)',
  async (_what, isWithKey) => {
    const session = await used(isWithKey);
    let newest = session.successor;
    for (let i = 0; i < 5; i += 1) {
      gateway.clock.advance(6);
      newest = refreshTokenOf(await refresh(gateway, newest, from(`203.0.113.${i}`, 'curl/8'))) ?? '';
    }
    gateway.clock.advance(12);
    await refresh(gateway, session.successor, from('203.0.113.0', 'curl/8'));
    expect((await session.last('token_theft'))?.detail).toContain(
      '36 s after its rotation, from the same address and user agent',
    );
  },
);

test('Interface 11: a theft with a token that was revoked, not used, mentions no rotation', async () => {
  const session = await used();
  await logout(gateway, session.successor);
  gateway.clock.advance(5);
  await refresh(gateway, session.successor, HOME);
  expect((await session.last('token_theft'))?.detail).toBe(
    'A refresh token that a logout had revoked was presented again; every token of the session was revoked',
  );
});

test.each(PLACES)(
  'Interface 12: a retry is a separate step, and says from where it came: %j %s',
  async (whence, words) => {
    const session = await used();
    gateway.clock.advance(0.5);
    await refresh(gateway, session.token, { ...whence, ...retryField(session.key) });
    const story = await session.story();
    expect(story.map(({ kind }) => kind)).toEqual(['started', 'rotated', 'retried']);
    expect(story.at(-1)).toMatchObject({
      createdAt: gateway.clock.now().toISOString(),
      jti: jtiOf(session.token),
      ipAddress: whence['x-forwarded-for'],
      userAgent: whence['user-agent'],
      detail:
        `A refresh was repeated with proof of retry 0.5 s after its rotation, ${words}; ` +
        'the same new token was returned again',
    });
  },
);

test('Interface 12: several retries of one refresh are one step: the last retry, with their number; its id stays', async () => {
  const session = await used();
  await refresh(gateway, session.token, { ...HOME, ...retryField(session.key) });
  const first = await session.last('retried');
  gateway.clock.advance(7);
  await refresh(gateway, session.token, { ...from('203.0.113.66', 'curl/8'), ...retryField(session.key) });
  const story = await session.story();
  expect(story.map(({ kind }) => kind)).toEqual(['started', 'rotated', 'retried']);
  expect(story.at(-1)).toMatchObject({ id: first?.id, ipAddress: '203.0.113.66' });
  expect(story.at(-1)?.detail).toMatch(/ 7 s after its rotation, .*, 2 times so far$/);
});

test('Interface 12: a story with retries and a theft is the same on pages of any size, each event once, in order', async () => {
  const session = await used();
  let { token, successor, key } = session;
  for (let i = 0; i < 4; i += 1) {
    if (i % 2 === 0) gateway.clock.advance(30); // the others are in the same millisecond
    await refresh(gateway, token, retryField(newKey(), key));
    token = successor;
    key = newKey();
    successor = refreshTokenOf(await refresh(gateway, token, retryField(key))) ?? '';
  }
  gateway.clock.advance(1);
  await refresh(gateway, token, retryField(key));
  gateway.clock.advance(1);
  await refresh(gateway, token);
  const whole = await session.story();
  expect(whole.filter(({ kind }) => kind === 'retried')).toHaveLength(5);
  expect(whole.slice(-2).map(({ kind }) => kind)).toEqual(['retried', 'token_theft']);
  expect(new Set(whole.map(({ id }) => id)).size).toBe(whole.length);
  for (const first of [1, 2, 3, 5, whole.length, 100]) {
    const paged: Step[] = [];
    let page = { hasNextPage: true, endCursor: undefined };
    while (page.hasNextPage && paged.length <= whole.length) {
      const { events } = (await dataOf(gateway, auditor, STORY, { id: session.family, first, after: page.endCursor }))
        .session;
      paged.push(...events.nodes);
      page = events.pageInfo;
    }
    expect(paged).toEqual(whole);
  }
});
