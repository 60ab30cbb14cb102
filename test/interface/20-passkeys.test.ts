/** Passkeys: instead of a password, as a second step, and as a confirmation. (Interface 20) */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { setUserActive } from '../../src/admin/user-changes.js';
import {
  addPasskey,
  confirmByPasskey,
  finishByPasskey,
  finishLogin,
  halfLogin,
  logInByPasskey,
  post,
  removeFactor,
  withPasskey,
  withTotp,
} from '../support/gateway/factors.js';
import { type Answer, claimsOf, refreshTokenOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { login, refresh, WRONG } from '../support/gateway/routes.js';
import { auditDuring, recordsOf, userRow } from '../support/gateway/rows.js';
import {
  type AssertionDraft,
  FLAGS,
  SoftwareAuthenticator,
} from '../support/independent/passkeys/software-authenticator.js';
import { holdUser } from '../support/postgres/hold.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ instances: 2, env: { LOGIN_MAX_FAILURES: '5' } });
});
afterAll(() => gateway.close());

const now = () => gateway.clock.now();
const newAuthenticator = (): SoftwareAuthenticator => {
  const { publicUrl } = gateway.config;
  return new SoftwareAuthenticator({ rpId: new URL(publicUrl).hostname, origin: publicUrl });
};
const factorRow = async (id: string) => (await gateway.rows('select * from factors where id = $1', [id]))[0];

test.each([
  ['bound to its device', {}, 'hwk'],
  ['that may be copied', { isSynced: true, isBackedUp: true }, 'swk'],
])(
  'Interface 20: a passkey %s is a login without password and e-mail, at aal2, which a refresh keeps',
  async (_what, settings, key) => {
    const { user, factorId, authenticator } = await withPasskey(gateway, { role: 'analyst' }, settings);
    gateway.clock.advance(60);
    const [answer, events] = await auditDuring(gateway, () => logInByPasskey(gateway, authenticator));
    expect([answer.status, Object.keys(answer.json)]).toEqual([200, ['access_token', 'token_type', 'expires_in']]);
    const claims = claimsOf(answer.json.access_token);
    const said = { acr: 'aal2', amr: [key, 'user', 'mfa'], auth_time: now().getTime() / 1000 };
    expect(claims).toMatchObject({ sub: user.id, role: 'analyst', ...said });
    expect(events).toMatchObject([
      { event_type: 'login_success', user_id: user.id, metadata: { role: 'analyst', factor: 'passkey' } },
    ]);
    expect(await factorRow(factorId)).toMatchObject({ last_used_at: now() });
    expect(await userRow(gateway, user.id)).toMatchObject({ last_login_at: now() });
    gateway.clock.advance(60);
    const refreshed = await refresh(gateway, refreshTokenOf(answer));
    expect(claimsOf(refreshed.json.access_token)).toMatchObject({ sid: claims['sid'], ...said });
  },
);

test('Interface 20: the options of a login name no passkey and nobody', async () => {
  await withPasskey(gateway);
  const { status, json } = await post(gateway, 'login/passkey/options');
  expect([status, json]).toEqual([
    200,
    {
      ceremony: json.publicKey.challenge,
      publicKey: {
        challenge: expect.stringMatching(/^[\w-]{43}$/),
        timeout: 300_000,
        rpId: 'localhost',
        userVerification: 'required',
      },
    },
  ]);
});

test('Interface 20: as a second step the options name the passkeys of the user, and the session has proved both', async () => {
  const { user, authenticator } = await withPasskey(gateway);
  const challenge = await halfLogin(gateway, user.email);
  const { json } = await post(gateway, 'login/passkey/options', { challenge });
  const [{ id } = { id: Buffer.alloc(0) }] = authenticator.passkeys;
  expect(json.publicKey.allowCredentials).toEqual([
    { id: id.toString('base64url'), type: 'public-key', transports: ['internal', 'hybrid'] },
  ]);
  const [answer, events] = await auditDuring(gateway, () => finishByPasskey(gateway, challenge, authenticator));
  expect(claimsOf(answer.json.access_token)).toMatchObject({ acr: 'aal2', amr: ['pwd', 'hwk', 'user', 'mfa'] });
  expect(events).toMatchObject([{ event_type: 'login_success', metadata: { factor: 'passkey' } }]);
  const again = await post(gateway, 'login/passkey/options', { challenge });
  expect([again.status, again.json.reason]).toEqual([401, 'challenge_invalid']);
});

test('Interface 20: a passkey login resets the failures as any login does', async () => {
  const { user, authenticator } = await withPasskey(gateway);
  for (let i = 0; i < 4; i += 1) expect((await login(gateway, user.email, WRONG)).status).toBe(401);
  expect((await logInByPasskey(gateway, authenticator)).status).toBe(200);
  expect(await userRow(gateway, user.id)).toMatchObject({ failed_login_attempts: 0, locked_until: null });
});

test('Interface 20: a locked account refuses a right passkey everywhere, with 429', async () => {
  const { user, authenticator, accessToken } = await withPasskey(gateway);
  const challenge = await halfLogin(gateway, user.email);
  for (let i = 0; i < 5; i += 1) await login(gateway, user.email, WRONG);
  for (const attempt of [
    () => logInByPasskey(gateway, authenticator),
    () => finishByPasskey(gateway, challenge, authenticator),
    () => confirmByPasskey(gateway, accessToken, authenticator),
  ]) {
    const [answer, events] = await auditDuring(gateway, attempt);
    expect([answer.status, answer.json.reason, answer.headers['retry-after'], answer.cookies]).toEqual([
      429,
      'account_locked',
      '900',
      [],
    ]);
    expect(events).toMatchObject([{ event_type: 'account_locked', user_id: user.id }]);
  }
  gateway.clock.advance(900);
  expect((await logInByPasskey(gateway, authenticator)).status).toBe(200);
});

/** What a stranger learns of an answer: all but what differs from one request to the next. */
function learnt({ status, json, headers, cookies }: Answer): unknown {
  const { 'x-request-id': _id, date: _date, ratelimit: _limit, ...fields } = headers;
  return { status, json, fields, cookies };
}

const spoil = (draft: AssertionDraft): void => {
  draft.signatureBytes = (bytes) => Buffer.concat([bytes.subarray(0, -1), Buffer.of((bytes.at(-1) ?? 0) ^ 1)]);
};

test('Interface 20: a right passkey whose account is locked before the session starts is 429, and no failed login', async () => {
  const { user, authenticator } = await withPasskey(gateway);
  const lockedUntil = new Date(now().getTime() + 60_000).toISOString();
  await using lock = await holdUser(gateway, user.id, `locked_until = '${lockedUntil}'`);
  const [answer, events] = await auditDuring(gateway, async () => {
    const waiting = logInByPasskey(gateway, authenticator);
    await lock.waiting(1);
    await lock.release();
    return waiting;
  });
  expect([answer.status, answer.headers['retry-after']]).toEqual([429, '60']);
  expect(events).toMatchObject([{ event_type: 'account_locked', user_id: user.id }]);
});

test('Interface 20: wrong passkeys of known and unknown users are answered alike, and count for nobody', async () => {
  const [known, inactive, removed] = [
    await withPasskey(gateway),
    await withPasskey(gateway),
    await withPasskey(gateway),
  ];
  await setUserActive(gateway.app, COMMAND_LINE, inactive.user.id, false);
  await removeFactor(gateway, removed.accessToken, removed.factorId);
  const stranger = newAuthenticator();
  const { publicKey } = (await post(gateway, 'factors/passkey/options', {}, known.accessToken)).json;
  stranger.create(publicKey);
  const other = await withPasskey(gateway);
  const idOfKnown = known.authenticator.passkeys[0]?.id.toString('base64url');
  const handleOfOther = other.authenticator.passkeys[0]?.userHandle;

  const attempts: Array<[what: string, attempt: () => Promise<Answer>]> = [
    ['an unknown passkey', () => logInByPasskey(gateway, stranger)],
    ['a wrong signature', () => logInByPasskey(gateway, known.authenticator, spoil)],
    [
      'the id of another user',
      () =>
        logInByPasskey(gateway, other.authenticator, (draft) => {
          draft.response = (response) => ({ ...response, id: idOfKnown, rawId: idOfKnown });
        }),
    ],
    [
      'the handle of another user',
      () =>
        logInByPasskey(gateway, known.authenticator, (draft) => {
          draft.response = ({ response, ...rest }) => ({
            ...rest,
            response: { ...response, userHandle: handleOfOther },
          });
        }),
    ],
    [
      'no handle',
      () =>
        logInByPasskey(gateway, known.authenticator, (draft) => {
          draft.response = ({ response: { userHandle: _, ...response }, ...rest }) => ({ ...rest, response });
        }),
    ],
    ['a deactivated user', () => logInByPasskey(gateway, inactive.authenticator)],
    ['a removed passkey', () => logInByPasskey(gateway, removed.authenticator)],
    [
      'a credential that says nothing',
      async () => {
        const { ceremony } = (await post(gateway, 'login/passkey/options')).json;
        return post(gateway, 'login/passkey', { ceremony, credential: {} });
      },
    ],
  ];
  const before = [await userRow(gateway, known.user.id), await recordsOf(gateway, known.user.id)];
  const answers: Array<[string, unknown]> = [];
  for (const [what, attempt] of attempts) {
    const [answer, events] = await auditDuring(gateway, attempt);
    expect([what, answer.status, answer.json]).toEqual([
      what,
      401,
      { detail: 'Invalid credentials', reason: 'invalid_credentials' },
    ]);
    const metadata = { reason: 'invalid_credentials', email: expect.any(String), factor: 'passkey' };
    expect([what, events]).toMatchObject([what, [{ event_type: 'login_failure', metadata }]]);
    answers.push([what, learnt(answer)]);
  }
  for (const [what, answer] of answers) expect([what, answer]).toEqual([what, answers[0]?.[1]]);
  expect([await userRow(gateway, known.user.id), await recordsOf(gateway, known.user.id)]).toEqual(before);
  expect((await logInByPasskey(gateway, known.authenticator)).status).toBe(200);
});

test('Interface 20: a passkey is good for its own user alone, as a second step and as a confirmation', async () => {
  const [owner, thief] = [await withPasskey(gateway), await withPasskey(gateway)];
  const challenge = await halfLogin(gateway, owner.user.email);
  const { publicKey } = (await post(gateway, 'login/passkey/options', { challenge })).json;
  const { allowCredentials: _, ...ofAnybody } = publicKey;
  const answer = await finishLogin(gateway, challenge, { credential: thief.authenticator.get(ofAnybody) });
  expect([answer.status, answer.json.reason]).toEqual([401, 'invalid_credentials']);
  const options = (await post(gateway, 'confirm/options', {}, owner.accessToken)).json;
  const credential = thief.authenticator.get({ ...options.publicKey, allowCredentials: [] });
  const refused = await post(gateway, 'confirm', { ceremony: options.ceremony, credential }, owner.accessToken);
  expect([refused.status, refused.json.reason]).toEqual([403, 'factor_wrong']);
  expect(await userRow(gateway, owner.user.id)).toMatchObject({ failed_login_attempts: 0 });
  expect((await finishByPasskey(gateway, challenge, owner.authenticator)).status).toBe(200);
});

test('Interface 20: a user with several passkeys logs in by each, and a removed one is good for nothing', async () => {
  const first = await withPasskey(gateway);
  const second = await addPasskey(gateway, first);
  expect((await logInByPasskey(gateway, first.authenticator)).status).toBe(200);
  expect((await logInByPasskey(gateway, second.authenticator)).status).toBe(200);
  const challenge = await halfLogin(gateway, first.user.email);
  const { publicKey } = (await post(gateway, 'login/passkey/options', { challenge })).json;
  expect((await removeFactor(gateway, first.accessToken, second.factorId)).status).toBe(204);
  const late = await finishLogin(gateway, challenge, { credential: second.authenticator.get(publicKey) });
  expect(late.json.reason).toBe('invalid_credentials');
  expect((await finishByPasskey(gateway, challenge, first.authenticator)).status).toBe(200);
});

const withCounter =
  (signCount: number, flags = 0) =>
  (draft: AssertionDraft) => {
    draft.signCount = signCount;
    draft.flags |= flags;
  };

test.each<[what: string, settings: object, used: number, status: number]>([
  ['of a device-bound key that grows', {}, 8, 200],
  ['of a device-bound key that stands still', {}, 7, 401],
  ['of a device-bound key that falls back', {}, 1, 401],
  ['of a device-bound key that ends', {}, 0, 401],
  ['of a copied key that falls back', { isSynced: true, isBackedUp: true }, 1, 200],
  ['of a key that may be copied, and was not', { isSynced: true }, 7, 401],
])('Interface 20: after the counter 7 one %s is refused only if the key was never copied', async (...row) => {
  const [, settings, signCount, status] = row;
  const { authenticator } = await withPasskey(gateway, {}, settings);
  expect((await logInByPasskey(gateway, authenticator, withCounter(7))).status).toBe(200);
  const [answer, events] = await auditDuring(gateway, () =>
    logInByPasskey(gateway, authenticator, withCounter(signCount)),
  );
  expect([answer.status, events[0]?.event_type]).toEqual([status, status === 200 ? 'login_success' : 'login_failure']);
});

test('Interface 20: a key that never counts logs in every time', async () => {
  const { authenticator } = await withPasskey(gateway, {}, { counts: false });
  for (let i = 0; i < 3; i += 1) expect((await logInByPasskey(gateway, authenticator)).status).toBe(200);
});

test('Interface 20: an assertion without user verification is refused, so that a stolen key is not enough', async () => {
  const { user, authenticator } = await withPasskey(gateway);
  const unverified = (draft: AssertionDraft): void => {
    draft.flags &= ~FLAGS.UV;
  };
  const challenge = await halfLogin(gateway, user.email);
  expect((await logInByPasskey(gateway, authenticator, unverified)).status).toBe(401);
  expect((await finishByPasskey(gateway, challenge, authenticator, unverified)).status).toBe(401);
});

test('Interface 20: a passkey login does not end other sessions or half logins, and needs no authenticator app', async () => {
  const app = await withTotp(gateway);
  const { authenticator } = await addPasskey(gateway, app);
  const challenge = await halfLogin(gateway, app.user.email);
  expect((await logInByPasskey(gateway, authenticator)).status).toBe(200);
  expect((await finishByPasskey(gateway, challenge, authenticator)).status).toBe(200);
  const live = (await recordsOf(gateway, app.user.id)).filter(({ revoked }) => !revoked);
  expect(live).toHaveLength(3);
});
