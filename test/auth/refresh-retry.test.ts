/** Proof of retry, each sentence of it. (Interface 12) */
import { createHash, randomUUID } from 'node:crypto';
import { handClock } from '../support/gateway/clock.js';
import {
  claimsOf,
  logIn,
  refreshTokenOf,
  startGateway,
  startInstance,
  type TestGateway,
} from '../support/gateway/gateway.js';
import { logout, refresh } from '../support/gateway/routes.js';
import { auditDuring, recordOf, recordsOf, wholeState } from '../support/gateway/rows.js';
import { cookieAction, refreshCookieOf } from '../support/independent/cookies.js';
import * as retries from '../support/independent/retries.js';
import { jtiOf, newKey, type RetrySession, retryField, THEFT } from '../support/independent/retries.js';

const TTL_SECONDS = 1000;
const env = { REFRESH_RETRY: 'true', REFRESH_TOKEN_TTL_SECONDS: String(TTL_SECONDS), TRUST_PROXY: '127.0.0.1' };

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env });
});
afterAll(() => gateway.close());

const session = () => retries.retrySession(gateway);
const rotated = (token: string, headers?: Record<string, string>) => retries.rotated(gateway, token, headers);
const isRetry = (on: RetrySession, headers: Record<string, string>) => retries.expectRetry(gateway, on, headers);
const isTheft = (on: RetrySession, headers: Record<string, string>) => retries.expectTheft(gateway, on, headers);
const liveOf = (on: RetrySession) => retries.liveOf(gateway, on);

test('Interface 12: a retry is answered with the same successor: same jti, same expiry; and a fresh access token', async () => {
  const { user, used, successor, key } = await session();
  await gateway.rows(`update users set role = 'admin' where id = $1`, [user.id]);
  const answer = await refresh(gateway, used, retryField(key));
  expect(answer.status).toBe(200);
  const now = gateway.clock.now().getTime() / 1000;
  expect(claimsOf(refreshTokenOf(answer) ?? '')).toEqual({ ...claimsOf(successor), iat: now });
  const access = claimsOf(answer.json.access_token);
  expect(access).toMatchObject({ sub: user.id, role: 'admin', sid: claimsOf(successor)['sid'], iat: now });
  expect(access['auth_time']).toBe(claimsOf(used)['iat']); // RFC 9068 section 2.2.1: the login, two minutes ago
  expect(access['exp']).toBe(now + 900);
  expect(Object.keys(answer.json).sort()).toEqual(['access_token', 'expires_in', 'token_type']);
  expect(refreshCookieOf(answer)?.attributes).toMatchObject({ 'max-age': String(TTL_SECONDS), path: '/auth' });
  expect(await rotated(refreshTokenOf(answer) ?? '')).toBeDefined();
});

test('Interface 12: it may be repeated from anywhere as long as the successor lives, without a time limit', async () => {
  const on = await session();
  for (let i = 0; i < 3; i += 1) {
    gateway.clock.advance(200);
    await isRetry(on, { ...retryField(on.key), 'user-agent': `agent ${i}`, 'x-forwarded-for': `192.0.2.${i}` });
  }
});

test('Interface 12: the successor serves as if it had been given once', async () => {
  const on = await session();
  await isRetry(on, retryField(on.key));
  const next = await rotated(on.successor, retryField(newKey(), on.key));
  expect(await liveOf(on)).toEqual([jtiOf(next)]);
});

test('Interface 12: a late Set-Cookie brought the first token back: it is presented with the key as `previous`', async () => {
  const on = await session();
  const [current, previous] = [newKey(), on.key];
  await isRetry(on, retryField(current, previous));
  await isRetry(on, retryField(current, previous)); // that answer was lost too
  await isRetry(on, retryField(newKey(), previous));
});

test('Interface 12: the answer says which of the keys is that of the rotation, and that of a rotation nothing', async () => {
  const { used, successor, key } = await session();
  const proofOf = async (token: string, ...keys: [Buffer, Buffer?]) => {
    const { status, headers } = await refresh(gateway, token, retryField(...keys));
    return [status, headers['refresh-retry']];
  };
  expect(await proofOf(used, key)).toEqual([200, 'this']);
  expect(await proofOf(used, newKey(), key)).toEqual([200, 'previous']);
  expect(await proofOf(used, key, key)).toEqual([200, 'this']);
  expect(await proofOf(successor, newKey(), key)).toEqual([200, undefined]);
});

test('Interface 12: the used record notes the retry, and no other row changes', async () => {
  const { used, key } = await session();
  const { records: before, ...others } = (await wholeState(gateway)) as { records: Array<{ jti: string }> };
  const from = { 'x-forwarded-for': '192.0.2.7', 'user-agent': 'x'.repeat(600) };
  await refresh(gateway, used, { ...retryField(key), ...from });
  await refresh(gateway, used, { ...retryField(key), ...from });
  const { records, ...after } = (await wholeState(gateway)) as { records: Array<{ jti: string }> };
  expect(after).toEqual(others);
  const note = {
    retries: 2,
    retried_at: gateway.clock.now(),
    retried_ip_address: '192.0.2.7',
    retried_user_agent: 'x'.repeat(512),
  };
  expect(records).toEqual(before.map((record) => (record.jti === jtiOf(used) ? { ...record, ...note } : record)));
});

test('Interface 12: SHA-256 of the key is stored with the rotation, and the key nowhere', async () => {
  const { used, successor, key } = await session();
  const text = JSON.stringify(await wholeState(gateway));
  for (const encoding of ['hex', 'base64', 'base64url'] as const) expect(text).not.toContain(key.toString(encoding));
  expect(await recordOf(gateway, jtiOf(successor))).toMatchObject({
    retry_key_sha256: createHash('sha256').update(key).digest(),
    predecessor_jti: jtiOf(used),
  });
});

test('Interface 12: a rotation without a key stores none, and no key ever matches it', async () => {
  const user = await gateway.user();
  const { refreshToken: used } = await logIn(gateway, user.email);
  const successor = await rotated(used);
  expect(await recordOf(gateway, jtiOf(successor))).toMatchObject({ retry_key_sha256: null, predecessor_jti: null });
  await isTheft({ user, used, successor, key: newKey() }, retryField(newKey(), newKey()));
});

test('Interface 12: without a user row the role is viewer, and is_active is not looked at, as in a rotation', async () => {
  const { user, used, key } = await session();
  await gateway.rows('update users set is_active = false where id = $1', [user.id]);
  expect(claimsOf((await refresh(gateway, used, retryField(key))).json.access_token)['role']).toBe('analyst');
  await gateway.rows('delete from users where id = $1', [user.id]);
  expect(claimsOf((await refresh(gateway, used, retryField(key))).json.access_token)).toMatchObject({
    sub: user.id,
    role: 'viewer',
  });
});

/** The end of the session before the used token comes back with its key. */
const ENDED: Array<[what: string, happens: (on: RetrySession) => Promise<unknown>]> = [
  ['the successor has been used', ({ successor }) => refresh(gateway, successor)],
  ['the successor has been used with a key', ({ successor }) => rotated(successor, retryField(newKey()))],
  ['the successor has been logged out', ({ successor }) => logout(gateway, successor)],
  ['the used token has been logged out', ({ used }) => logout(gateway, used)],
  ['the successor has expired', ({ successor }) => expire(successor, -1)],
  [
    'the session was revoked',
    ({ user }) =>
      gateway.rows(
        `update refresh_tokens set revoked = true, revoked_reason = 'session_revoked' where user_id = $1 and not revoked`,
        [user.id],
      ),
  ],
  [
    'the successor is gone',
    ({ successor }) => gateway.rows('delete from refresh_tokens where jti = $1', [jtiOf(successor)]),
  ],
];

const expire = (token: string, seconds: number) =>
  gateway.rows('update refresh_tokens set expires_at = $2 where jti = $1', [
    jtiOf(token),
    new Date(gateway.clock.now().getTime() + seconds * 1000),
  ]);

test.each(ENDED)('Interface 12: if %s, the key proves nothing: theft', async (_what, happens) => {
  const on = await session();
  await happens(on);
  await isTheft(on, retryField(on.key));
});

test('Interface 12: a theft is final: the key does not help afterwards', async () => {
  const on = await session();
  await isTheft(on, {});
  await isTheft(on, retryField(on.key));
});

test('Interface 12: in the last moment of the successor it is still given again', async () => {
  const on = await session();
  await expire(on.successor, 0);
  const answer = await refresh(gateway, on.used, retryField(on.key));
  expect(claimsOf(refreshTokenOf(answer) ?? '')['exp']).toBe(gateway.clock.now().getTime() / 1000);
});

test('Interface 12: the token itself has to be good: its own expiry ends it, whatever the key', async () => {
  const { used, key } = await session();
  gateway.clock.advance(TTL_SECONDS - 120);
  const answer = await refresh(gateway, used, retryField(key));
  expect(answer.json).toEqual({ detail: 'Invalid or expired refresh token', reason: 'invalid_refresh_token' });
});

test.each(['logout', 'token_theft', 'session_revoked', 'user_deactivated', null])(
  'Interface 12: a record that %s ended, not a rotation, has no retry',
  async (reason) => {
    const on = await session();
    await gateway.rows('update refresh_tokens set revoked_reason = $2 where jti = $1', [jtiOf(on.used), reason]);
    await isTheft(on, retryField(on.key));
  },
);

test('Interface 12: a key of another rotation does not fit: neither of another session nor of the successor’s', async () => {
  const [on, other] = [await session(), await session()];
  await isTheft(on, retryField(other.key, newKey()));
  const third = await session();
  const next = newKey();
  await rotated(third.successor, retryField(next, third.key));
  await isTheft(third, retryField(next));
});

test('Interface 12: it is the rotation that counts and not its time: in a chain of one instant the next key does not fit', async () => {
  const user = await gateway.user();
  const { refreshToken: used } = await logIn(gateway, user.email);
  const [key, next] = [newKey(), newKey()];
  const on = { user, used, key, successor: await rotated(used, retryField(key)) };
  await isRetry(on, retryField(key));
  await rotated(on.successor, retryField(next, key));
  await isTheft(on, retryField(next));
});

test('Interface 12: a thief who rotates first gets no peace: the owner’s key does not fit, and the session ends', async () => {
  const user = await gateway.user();
  const { refreshToken: used } = await logIn(gateway, user.email);
  const successor = await rotated(used, retryField(newKey()));
  await isTheft({ user, used, successor, key: newKey() }, retryField(newKey()));
  expect((await refresh(gateway, successor)).status).toBe(401);
});

test('Interface 12: a record of an older version, which knows no keys, is used as ever', async () => {
  const on = await session();
  await gateway.rows('update refresh_tokens set retry_key_sha256 = null, predecessor_jti = null where jti = $1', [
    jtiOf(on.successor),
  ]);
  await isTheft(on, retryField(on.key));
});

test('Interface 12: a logout with the used token leaves its record as it was, but that no retry is answered', async () => {
  const on = await session();
  const before = await recordOf(gateway, jtiOf(on.used));
  const [, events] = await auditDuring(gateway, () => logout(gateway, on.used));
  expect(events).toMatchObject([{ event_type: 'logout', metadata: { jti: jtiOf(on.used) } }]);
  expect(await recordOf(gateway, jtiOf(on.used))).toEqual({ ...before, retry_ended: true });
  expect(await liveOf(on)).toEqual([jtiOf(on.successor)]); // Spec 4.3 ends the record of the token, no other
});

test('Interface 12: an unknown token, with a key, is unknown', async () => {
  const { user, used, key } = await session();
  await gateway.rows('update refresh_tokens set jti = $2 where jti = $1', [jtiOf(used), randomUUID()]);
  const answer = await refresh(gateway, used, retryField(key));
  expect(answer.json).toEqual({ detail: 'Token not recognised', reason: 'record_unknown' });
  expect(await recordsOf(gateway, user.id)).toHaveLength(2);
});

test('Interface 12: a skewed clock issues nothing, not even a retry: 503, nothing is noted, and the session stays live', async () => {
  const on = await session();
  const clock = handClock(new Date(Date.now() + 400 * 86_400_000));
  const skewed = await startInstance(gateway.database, { env, clock, maxSkewSeconds: 60 });
  try {
    const before = await wholeState(gateway);
    const answer = await refresh(skewed, on.used, retryField(on.key));
    expect([answer.status, cookieAction(answer)]).toEqual([503, 'unchanged']);
    expect(await wholeState(gateway)).toEqual(before);
    await isRetry(on, retryField(on.key));
    const theft = await refresh(skewed, on.used, retryField(newKey()));
    expect([theft.status, theft.json.detail]).toEqual([401, THEFT]);
  } finally {
    await skewed.close();
  }
});
