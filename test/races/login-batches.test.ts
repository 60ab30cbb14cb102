/** docs/architecture.md, Batches: logins by factors that come at once are one statement, and each is answered as if it were alone. */
import fc from 'fast-check';
import pg from 'pg';
import { deviceOf } from '../support/gateway/devices.js';
import {
  codeAt,
  finishLogin,
  halfLogin,
  post,
  type WithPasskey,
  type WithTotp,
  withPasskey,
  withTotp,
} from '../support/gateway/factors.js';
import {
  type Answer,
  claimsOf,
  refreshTokenOf,
  startGateway,
  startInstance,
  type TestGateway,
} from '../support/gateway/gateway.js';
import { gathering } from '../support/gateway/gathering.js';
import { auditDuring, recordOf, userRow } from '../support/gateway/rows.js';
import { cookieAction } from '../support/independent/cookies.js';
import { through } from '../support/postgres/bridge.js';
import { startLosingProxy } from '../support/postgres/losing-proxy.js';

const MANY = 30;
const env = { KNOWN_DEVICES: 'on', LOGIN_RATE_LIMIT: '100000' };

let gateway: TestGateway;
let owners: WithPasskey[] = [];
let people: WithTotp[] = [];
beforeAll(async () => {
  gateway = await startGateway({ env });
  while (owners.length < MANY) {
    const role = owners.length % 2 === 0 ? 'admin' : 'viewer';
    owners.push(await withPasskey(gateway, { role }, { isSynced: owners.length % 3 === 0 }));
    people.push(await withTotp(gateway, { role }));
  }
});
beforeEach(async () => {
  gateway.clock.advance(60); // new codes
  await gateway.rows('update users set is_active = true, locked_until = null');
});
afterAll(async () => {
  owners = [];
  people = [];
  await gateway.close();
});

const now = () => gateway.clock.now();
const reasons = (answers: Answer[]) => answers.map(({ status, json }) => (status === 200 ? 'in' : json.reason));
/** That have begun now */
const sessionsOf = (userId: string) =>
  gateway.rows('select from sessions where user_id = $1 and started_at = $2', [userId, now()]);
/** How many transactions wrote the sessions that these answers begin */
async function transactions(answers: Answer[]): Promise<number> {
  const jtis = answers.map((answer) => claimsOf(refreshTokenOf(answer) ?? '')['jti']);
  return (await gateway.rows('select distinct xmin::text from refresh_tokens where jti = any($1)', [jtis])).length;
}

interface Login {
  ceremony: string;
  credential: Record<string, unknown>;
}

/** The answer of the authenticator to a challenge of its own */
async function ready({ authenticator }: Pick<WithPasskey, 'authenticator'>): Promise<Login> {
  const { ceremony, publicKey } = (await post(gateway, 'login/passkey/options')).json;
  return { ceremony, credential: { ...authenticator.get(publicKey) } };
}

const readyAll = () => Promise.all(owners.map(ready));
const enter = (body: Login) => gateway.send('POST', '/auth/login/passkey', { body });
const enterAll = (logins: Login[], on: Pick<TestGateway, 'send' | 'app'> = gateway) =>
  gathering(on as TestGateway, 1, () =>
    Promise.all(
      logins.map((login, i) =>
        on.send('POST', '/auth/login/passkey', { headers: { 'user-agent': `Browser ${i}` }, body: login }),
      ),
    ),
  );

test('Interface 20: each of many logins by a passkey at once begins a session of its own, on a device of its own', async () => {
  await gateway.rows('update users set failed_login_attempts = 2');
  const logins = await readyAll();
  const [answers, events] = await auditDuring(gateway, () => enterAll(logins));
  for (const [i, { user, factorId }] of owners.entries()) {
    const answer = answers[i] as Answer;
    const { jti, sid, amr } = claimsOf(refreshTokenOf(answer) ?? '') as { jti: string; sid: string; amr: string[] };
    const expected = [i % 3 === 0 ? 'swk' : 'hwk', 'user', 'mfa'];
    expect(claimsOf(answer.json.access_token)).toMatchObject({ sub: user.id, role: user.role, amr: expected });
    const [device] = await gateway.rows<{ id: string }>(
      'select id from known_devices where user_id = $1 order by last_used_at desc limit 1',
      [user.id],
    );
    expect(await recordOf(gateway, jti)).toMatchObject({
      user_id: user.id,
      family_id: sid,
      user_agent: `Browser ${i}`,
      amr: amr ?? expected,
      device_id: device?.id,
      session_started_at: now(),
    });
    expect(deviceOf(answer)).not.toBe('');
    expect(await userRow(gateway, user.id)).toMatchObject({ failed_login_attempts: 0, last_login_at: now() });
    const used = await gateway.rows('select last_used_at, sign_count::int from factors where id = $1', [factorId]);
    expect(used).toEqual([{ last_used_at: now(), sign_count: i % 3 === 0 ? 0 : expect.any(Number) }]);
  }
  const written = events.map(({ event_type, user_id, metadata }) => [event_type, user_id, metadata]);
  expect(written).toHaveLength(MANY);
  expect(written).toEqual(
    expect.arrayContaining(
      owners.map(({ user }) => ['login_success', user.id, { role: user.role, factor: 'passkey' }]),
    ),
  );
  expect(await transactions(answers)).toBeLessThan(MANY / 2);
  expect(reasons(await enterAll(logins))).toEqual(Array(MANY).fill('challenge_invalid'));
});

/** What is so when the login arrives, and its answer */
const STATES: Record<string, [answer: string, make: (login: Login, userId: string) => unknown]> = {
  right: ['in', () => undefined],
  'another challenge': ['challenge_invalid', (login) => Object.assign(login, { ceremony: 'x'.repeat(43) })],
  'a used challenge': ['challenge_invalid', enter],
  'an expired challenge': [
    'challenge_invalid',
    ({ ceremony }) =>
      gateway.rows('update ceremonies set expires_at = $2 where token_sha256 = sha256($1::text::bytea)', [
        ceremony,
        now(),
      ]),
  ],
  'an unknown passkey': [
    'invalid_credentials',
    ({ credential }) => Object.assign(credential, { id: 'AAAA', rawId: 'AAAA' }),
  ],
  'a wrong signature': [
    'invalid_credentials',
    ({ credential }) => Object.assign(credential['response'] as object, { signature: 'AAAA' }),
  ],
  'an inactive user': [
    'invalid_credentials',
    (_, userId) => gateway.rows('update users set is_active = false where id = $1', [userId]),
  ],
  'a locked user': [
    'account_locked',
    (_, userId) =>
      gateway.rows('update users set locked_until = $2 where id = $1', [userId, new Date(now().getTime() + 1_000)]),
  ],
};

test('Interface 20: among many logins by a passkey at once, each is answered by its own state, whatever the others are', async () => {
  const states = fc.array(fc.constantFrom(...Object.keys(STATES)), { minLength: MANY, maxLength: MANY });
  await fc.assert(
    fc.asyncProperty(states, async (chosen) => {
      gateway.clock.advance(60);
      await gateway.rows('update users set is_active = true, locked_until = null');
      const logins = await readyAll();
      const expected: string[] = [];
      for (const [i, state] of chosen.entries()) {
        const [answer, make] = STATES[state] ?? [];
        await make?.(logins[i] as Login, owners[i]?.user.id ?? '');
        expected.push(answer ?? '');
      }
      const [answers, events] = await auditDuring(gateway, () => enterAll(logins));
      expect(reasons(answers)).toEqual(expected);
      const begun = events.filter(({ event_type }) => event_type === 'login_success').map(({ user_id }) => user_id);
      const entered = owners.filter((_, i) => expected[i] === 'in').map(({ user }) => user.id);
      expect(begun.toSorted()).toEqual(entered.toSorted());
    }),
    { numRuns: 12 },
  );
});

test('Interface 20: of three logins by a passkey with one challenge at once, one is let in', async () => {
  const [first, ...others] = (await readyAll()) as [Login];
  const found = reasons(await enterAll([first, ...others, first, first]));
  const same = [found[0], ...found.splice(MANY)];
  expect(same.toSorted()).toEqual(['challenge_invalid', 'challenge_invalid', 'in']);
  expect(found.slice(1)).toEqual(Array(MANY - 1).fill('in'));
});

test('Interface 20: a passkey that logs in many times at once begins a session each time', async () => {
  const [synced] = owners as [WithPasskey];
  const logins = await Promise.all(Array.from({ length: 10 }, () => ready(synced)));
  expect(reasons(await enterAll(logins))).toEqual(Array(10).fill('in'));
});

test('Interface 20: of many second steps at once each half login and each code works once', async () => {
  const halves = await Promise.all(people.map(({ user }) => halfLogin(gateway, user.email)));
  const others = await Promise.all(people.map(({ user }) => halfLogin(gateway, user.email)));
  const steps = people.map(({ secret }, i) => ({
    secret,
    code: codeAt(secret, now()),
    challenge: halves[i],
    other: others[i],
  }));
  const answers = await gathering(gateway, 1, () =>
    Promise.all([
      ...steps.map(({ challenge, code }) => finishLogin(gateway, challenge, { code })),
      ...steps.map(({ challenge, other, code }, i) => finishLogin(gateway, i % 2 ? challenge : other, { code })),
    ]),
  );
  const found = reasons(answers);
  for (const [i, { user }] of people.entries()) {
    const lost = i % 2 ? expect.stringMatching(/^(challenge_invalid|invalid_credentials)$/) : 'invalid_credentials';
    expect([found[i], found[MANY + i]].toSorted((one) => (one === 'in' ? -1 : 1))).toEqual(['in', lost]);
    expect(await sessionsOf(user.id)).toHaveLength(1);
  }
  expect(await transactions(answers.filter(({ status }) => status === 200))).toBeLessThan(MANY / 2);
  gateway.clock.advance(60); // new codes, and half logins that have time left
  const again = steps.map(({ challenge, other, secret }, i) => {
    const used = found[i] === 'in' || i % 2 ? challenge : other;
    return finishLogin(gateway, used, { code: codeAt(secret, now()) });
  });
  expect(reasons(await Promise.all(again))).toEqual(Array(MANY).fill('challenge_invalid'));
});

test('Interface 20: users who are deactivated or locked after a batch has read them are refused, and no others', async () => {
  const answerOf = (i: number) =>
    i < MANY / 2 || i % 3 === 0 ? 'in' : i % 3 === 1 ? 'invalid_credentials' : 'account_locked';
  const usersOf = (answer: string) => owners.filter((_, i) => answerOf(i) === answer).map(({ user }) => `'${user.id}'`);
  const later = new Date(now().getTime() + 1_000).toISOString();
  const logins = await readyAll();
  await gateway.rows(`
    create function change_users() returns trigger language plpgsql as $$ begin
      if (select count(*) from taken) > 1 then
        perform pg_advisory_xact_lock(1); -- batches in turn
        update users set is_active = false where id in (${usersOf('invalid_credentials')}) and is_active;
        update users set locked_until = '${later}' where id in (${usersOf('account_locked')}) and locked_until is null;
      end if;
      return null;
    end $$`);
  await gateway.rows(`
    create trigger change_users after delete on ceremonies referencing old table as taken
    for each statement execute function change_users()`);
  // Without known devices, for which the user is read again
  const instance = await startInstance(gateway.database, { clock: gateway.clock, env: { LOGIN_RATE_LIMIT: '100000' } });
  try {
    expect(reasons(await enterAll(logins, instance))).toEqual(owners.map((_, i) => answerOf(i)));
  } finally {
    await instance.close();
    await gateway.rows('drop function change_users cascade');
  }
});

test('a user whom another transaction holds keeps their own login waiting, and no others', async () => {
  const logins = await readyAll();
  const held = owners[MANY / 2] as WithPasskey;
  const holder = new pg.Client({ connectionString: gateway.database.url });
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query('select from users where id = $1 for update', [held.user.id]);
    const [own] = logins.splice(MANY / 2, 1);
    let waiting: Promise<Answer> | undefined;
    const answers = await gathering(gateway, 1, () => {
      const send = (body?: Login) => gateway.send('POST', '/auth/login/passkey', { ...(body && { body }) });
      const first = logins.slice(0, 10).map(send);
      waiting = send(own);
      return Promise.all([...first, ...logins.slice(10).map(send)]);
    });
    expect(reasons(answers)).toEqual(Array(MANY - 1).fill('in'));
    await holder.query('commit');
    expect((await waiting)?.status).toBe(200);
  } finally {
    await holder.end();
  }
});

test.each([
  ['take_passkey_login', 'unsent', 0],
  ['take_passkey_login', 'executed', 0],
  ['start_session_by_factor', 'unsent', 0],
  ['start_session_by_factor', 'executed', 1],
] as const)(
  'Interface 5: many logins whose one answer to %s is lost when it is %s are 503, and none is sent again',
  async (name, when, times) => {
    const logins = await readyAll();
    const proxy = await startLosingProxy(`${decodeURIComponent(new URL(gateway.database.url).hostname)}/.s.PGSQL.5432`);
    const { clock, database } = gateway;
    const instance = await startInstance({ ...database, url: through(proxy, database.url) }, { clock, env });
    try {
      const statement = new RegExp(`^${name}_batch$`);
      const { result } = await proxy.losing({ statement, when }, () => enterAll(logins, instance));
      const lost = owners.filter((_, i) => result[i]?.status === 503);
      expect(lost.length).toBeGreaterThan(1);
      expect(new Set(result.map(({ status }) => status))).toEqual(new Set([200, 503]));
      for (const answer of result.filter(({ status }) => status === 503))
        expect(cookieAction(answer)).toBe('unchanged');
      for (const { user } of lost) {
        expect(await sessionsOf(user.id)).toHaveLength(times);
      }
    } finally {
      await instance.close();
      await proxy.close();
    }
  },
);
