/** docs/architecture.md, Batches: requests that come at once are one statement, and each is answered as if it were alone. */
import pg from 'pg';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { createApiKey } from '../../src/admin/api-keys.js';
import type { Role } from '../../src/domain/roles.js';
import {
  type Answer,
  claimsOf,
  logIn,
  refreshTokenOf,
  startGateway,
  startInstance,
  type TestGateway,
} from '../support/gateway/gateway.js';
import { gathering } from '../support/gateway/gathering.js';
import { logout, refresh } from '../support/gateway/routes.js';
import { auditDuring, recordOf } from '../support/gateway/rows.js';
import { sendSigned, signerAt } from '../support/gateway/send-signed.js';
import { cookieAction } from '../support/independent/cookies.js';
import { newKey, retryField } from '../support/independent/retries.js';
import type { Sign } from '../support/independent/signer.js';
import { through } from '../support/postgres/bridge.js';
import { startLosingProxy } from '../support/postgres/losing-proxy.js';

const MANY = 40;

const cleanUp = new AsyncDisposableStack();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { REFRESH_RETRY: 'true' } });
  cleanUp.defer(gateway.close);
});
afterAll(() => cleanUp.disposeAsync());

interface Session {
  userId: string;
  role: Role;
  token: string;
  jti: unknown;
  family: unknown;
}

async function sessions(count = MANY): Promise<Session[]> {
  const begun: Session[] = [];
  while (begun.length < count) {
    const role = begun.length % 2 === 0 ? 'admin' : 'viewer';
    const { id, email } = await gateway.user({ role });
    const { refreshToken = '' } = await logIn(gateway, email);
    const { jti, sid } = claimsOf(refreshToken);
    begun.push({ userId: id, role, token: refreshToken, jti, family: sid });
  }
  return begun;
}

/** A key whose secret the instance has opened before */
async function knownKey(): Promise<{ keyId: string; sign: Sign }> {
  const fields = { serviceName: 'billing', scopes: [], rateLimit: 100 };
  const { key, secret } = await createApiKey(gateway.app, COMMAND_LINE, fields);
  const sign = signerAt(gateway, key.keyId, secret);
  expect((await sendSigned(gateway, sign())).status).toBe(200);
  return { keyId: key.keyId, sign };
}

/** How many transactions wrote the records of these families that are live */
async function transactions(families: unknown[]): Promise<number> {
  const written = 'select distinct xmin::text from refresh_tokens where not revoked and family_id = any($1)';
  return (await gateway.rows(written, [families])).length;
}

test('Spec 4.2.9: each of many refreshes at once has a successor of its own, which a retry (Interface 12) is given too', async () => {
  const begun = await sessions();
  const began = gateway.clock.now();
  gateway.clock.advance(60);
  const fields = begun.map(() => retryField(newKey()));
  const present = () =>
    Promise.all(begun.map(({ token }, i) => refresh(gateway, token, { ...fields[i], 'user-agent': `Browser ${i}` })));
  const answers = await gathering(gateway, 2, present);
  const authTime = Math.floor(began.getTime() / 1000);
  const given = answers.map((answer) => claimsOf(refreshTokenOf(answer) ?? ''));
  for (const [i, { userId, role, jti, family }] of begun.entries()) {
    const access = claimsOf(answers[i]?.json.access_token);
    expect([answers[i]?.status, access]).toMatchObject([200, { sub: userId, role, auth_time: authTime }]);
    expect(given[i]).toMatchObject({ sub: userId, sid: family });
    expect(await recordOf(gateway, jti)).toMatchObject({
      revoked: true,
      revoked_reason: 'rotated',
      revoked_at: gateway.clock.now(),
    });
    expect(await recordOf(gateway, given[i]?.['jti'])).toMatchObject({
      user_id: userId,
      family_id: family,
      revoked: false,
      user_agent: `Browser ${i}`,
      session_started_at: began,
      created_at: gateway.clock.now(),
    });
  }
  expect(await transactions(begun.map(({ family }) => family))).toBeLessThan(5);
  const again = await present();
  expect(again.map((answer) => claimsOf(refreshTokenOf(answer) ?? '')['jti'])).toEqual(given.map(({ jti }) => jti));
});

test('Spec 4.2.6 to 4.2.8: unknown, stolen and expired tokens among many refreshes are refused alone', async () => {
  const begun = await sessions();
  const [unknown, victim, expired] = begun.slice(MANY / 2);
  const first = await refresh(gateway, victim?.token);
  await gateway.rows('delete from refresh_tokens where jti = $1', [unknown?.jti]);
  await gateway.rows(`update refresh_tokens set expires_at = created_at - interval '1 s' where jti = $1`, [
    expired?.jti,
  ]);
  const [answers, events] = await auditDuring(gateway, () =>
    gathering(gateway, 2, () => Promise.all(begun.map(({ token }) => refresh(gateway, token)))),
  );
  const refused = answers.flatMap(({ status, json }, i) => (status === 200 ? [] : [[begun[i], status, json.reason]]));
  expect(refused).toEqual([
    [unknown, 401, 'record_unknown'],
    [victim, 401, 'record_revoked'],
    [expired, 401, 'record_expired'],
  ]);
  expect(events).toEqual([expect.objectContaining({ event_type: 'token_theft', user_id: victim?.userId })]);
  expect((await refresh(gateway, refreshTokenOf(first))).status).toBe(401);
});

test('Spec 4.3: each of many logouts at once ends its session and writes its event', async () => {
  const begun = await sessions();
  const leave = () => gathering(gateway, 2, () => Promise.all(begun.map(({ token }) => logout(gateway, token))));
  const [answers, events] = await auditDuring(gateway, leave);
  expect(answers.map(({ status }) => status)).toEqual(Array(MANY).fill(200));
  const written = events.map(({ event_type, user_id, metadata }) => [event_type, user_id, metadata]);
  expect(written).toHaveLength(MANY);
  expect(written).toEqual(expect.arrayContaining(begun.map(({ userId, jti }) => ['logout', userId, { jti }])));
  for (const { jti } of begun) {
    expect(await recordOf(gateway, jti)).toMatchObject({ revoked: true, revoked_reason: 'logout' });
  }
});

test('Interface 8: of 110 logouts of one session at once 100 are audited, and the first alone ends it', async () => {
  const [session] = await sessions(1);
  const [answers, events] = await auditDuring(gateway, () =>
    gathering(gateway, 2, () => Promise.all(Array.from({ length: 110 }, () => logout(gateway, session?.token)))),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(110).fill(200));
  expect(events.map(({ metadata }) => metadata)).toEqual(Array(100).fill({ jti: session?.jti }));
  expect(await recordOf(gateway, session?.jti)).toMatchObject({ revoked_reason: 'logout', retry_ended: null });
});

test('a record that another transaction holds keeps its own refresh and logout waiting, and no others', async () => {
  const [refreshing, leaving] = [await sessions(), await sessions()];
  const middle = MANY / 2;
  const [held, heldToo] = [refreshing[middle], leaving[middle]];
  const holder = new pg.Client({ connectionString: gateway.database.url });
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query('select from refresh_tokens where jti = any($1) for update', [[held?.jti, heldToo?.jti]]);
    const waiting: Array<Promise<Answer>> = [];
    const [answers, events] = await auditDuring(gateway, () =>
      gathering(gateway, 4, () => {
        const refreshed = refreshing.map(({ token }) => refresh(gateway, token));
        const loggedOut = leaving.map(({ token }) => logout(gateway, token));
        waiting.push(...refreshed.splice(middle, 1), ...loggedOut.splice(middle, 1));
        return Promise.all([...refreshed, ...loggedOut]);
      }),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(2 * MANY - 2).fill(200));
    expect(events.map(({ user_id }) => user_id)).not.toContain(heldToo?.userId);
    await holder.query('commit');
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
    expect(await recordOf(gateway, held?.jti)).toMatchObject({ revoked_reason: 'rotated' });
    expect(await recordOf(gateway, heldToo?.jti)).toMatchObject({ revoked_reason: 'logout' });
  } finally {
    await holder.end();
  }
});

test('Interface 6: of many signed requests at once each key has its own count, and each nonce works once', async () => {
  const limits = [10, 1_000, 15];
  const keyIds: string[] = [];
  const signers: Sign[] = [];
  for (const rateLimit of limits) {
    const fields = { serviceName: 'billing', scopes: [], rateLimit };
    const { key, secret } = await createApiKey(gateway.app, COMMAND_LINE, fields);
    keyIds.push(key.keyId);
    signers.push(signerAt(gateway, key.keyId, secret));
  }
  for (const sign of signers) await sendSigned(gateway, sign()); // so that the instance knows its secret
  gateway.clock.advance(60); // the next window
  const requests = signers.flatMap((sign) => Array.from({ length: 20 }, () => sign()));
  const answers = await gathering(gateway, 1, () =>
    Promise.all(requests.map((request) => sendSigned(gateway, request))),
  );
  const ofKey = (key: number) => answers.slice(20 * key, 20 * key + 20);
  const passed = limits.map((_, key) => ofKey(key).filter(({ status }) => status === 200).length);
  expect(passed).toEqual([10, 20, 15]);
  const left = ofKey(1).map(({ headers }) => Number(/r=(\d+);/.exec(String(headers['ratelimit']))?.[1]));
  expect(left.toSorted((a, b) => b - a)).toEqual(Array.from({ length: 20 }, (_, i) => 999 - i));
  for (const [key, keyId] of keyIds.entries()) {
    const used = await gateway.rows('select 1 from signature_nonces where key_id = $1', [keyId]);
    expect(used).toHaveLength(1 + (passed[key] ?? 0));
  }
  gateway.clock.advance(60);
  const again = await Promise.all(requests.map((request) => sendSigned(gateway, request)));
  const reused = again.map(({ status, reason }) => (status === 200 ? 'passed' : reason));
  expect(reused).toEqual(answers.map(({ status }) => (status === 200 ? 'nonce_reused' : 'passed')));
});

test('Interface 6: a revoked key and an ended secret are refused alone, also if an instance knows them from before', async () => {
  const keys = await Promise.all([0, 1, 2].map(knownKey));
  const [, revoked, ended] = keys.map(({ keyId }) => keyId);
  await gateway.rows('update api_keys set revoked_at = $2 where key_id = $1', [revoked, gateway.clock.now()]);
  await gateway.rows(
    `update api_keys set previous_sealed_secret = sealed_secret, previous_ends_at = $2,
       sealed_secret = (select sealed_secret from api_keys where key_id = $3) where key_id = $1`,
    [ended, gateway.clock.now(), revoked],
  );
  const requests = keys.flatMap(({ sign }) => Array.from({ length: 10 }, () => sign()));
  const answers = await gathering(gateway, 1, () =>
    Promise.all(requests.map((request) => sendSigned(gateway, request))),
  );
  expect(answers.map(({ reason }) => reason)).toEqual([
    ...Array(10).fill(undefined),
    ...Array(20).fill('invalid_signature'),
  ]);
});

test('a counter that another transaction holds keeps the requests of its own key waiting, and no others', async () => {
  const [held, free] = await Promise.all([0, 1].map(knownKey));
  const holder = new pg.Client({ connectionString: gateway.database.url });
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query('select from rate_limits where key = $1 for update', [`api_key:${held?.keyId}`]);
    let waiting: Array<Promise<{ status: number }>> = [];
    const send = (key: typeof held) =>
      Array.from({ length: 5 }, () => sendSigned(gateway, key?.sign() as ReturnType<Sign>));
    const answers = await gathering(gateway, 1, () => {
      waiting = send(held);
      return Promise.all(send(free));
    });
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
    await holder.query('commit');
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(5).fill(200));
  } finally {
    await holder.end();
  }
});

test('Interface 6: a signed request that arrives three times at once passes once', async () => {
  const { sign } = await knownKey();
  const requests = Array.from({ length: 10 }, () => sign());
  const { knownNonces } = gateway.app;
  Object.assign(knownNonces, { has: () => false }); // the database alone decides
  const answers = await gathering(gateway, 1, () =>
    Promise.all([...requests, ...requests, ...requests].map((request) => sendSigned(gateway, request))),
  ).finally(() => Reflect.deleteProperty(knownNonces, 'has'));
  for (const i of requests.keys()) {
    const ofRequest = [0, 10, 20].map((copy) => answers[copy + i]?.reason ?? 'passed');
    expect(ofRequest.toSorted()).toEqual(['nonce_reused', 'nonce_reused', 'passed']);
  }
});

test.each([
  ['unsent', 0],
  ['executed', 1],
] as const)(
  'Interface 5: many refreshes whose one answer is lost when it is %s are 503, and none is sent again',
  async (when, times) => {
    const begun = await sessions();
    const proxy = await startLosingProxy(`${decodeURIComponent(new URL(gateway.database.url).hostname)}/.s.PGSQL.5432`);
    const { clock, database } = gateway;
    const instance = await startInstance({ ...database, url: through(proxy, database.url) }, { clock });
    try {
      const { result } = await proxy.losing({ statement: /^rotate_batch$/, when }, () =>
        gathering(instance, 2, () => Promise.all(begun.map(({ token }) => refresh(instance, token)))),
      );
      const lost = begun.filter((_, i) => result[i]?.status === 503);
      expect(lost.length).toBeGreaterThan(MANY / 2);
      expect(result.map(({ status }) => status).filter((status) => status !== 503 && status !== 200)).toEqual([]);
      for (const answer of result.filter(({ status }) => status === 503))
        expect(cookieAction(answer)).toBe('unchanged');
      for (const { family } of lost) {
        const records = await gateway.rows('select 1 from refresh_tokens where family_id = $1', [family]);
        expect(records).toHaveLength(1 + times);
      }
      const thefts = await gateway.rows(
        `select 1 from audit_events where event_type = 'token_theft' and user_id = any($1)`,
        [begun.map(({ userId }) => userId)],
      );
      expect(thefts).toEqual([]);
    } finally {
      await instance.close();
      await proxy.close();
    }
  },
);
