/** Users add authenticator apps and passkeys, and renew their recovery codes. (Interface 20) */
import {
  addPasskey,
  codeAt,
  finishLogin,
  halfLogin,
  logInByPasskey,
  post,
  withPasskey,
  withTotp,
  wrongCode,
} from '../support/gateway/factors.js';
import { type Answer, claimsOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newcomer, type SignedIn, signIn } from '../support/gateway/graphql.js';
import { login, refresh } from '../support/gateway/routes.js';
import { auditDuring, userRow } from '../support/gateway/rows.js';
import { SoftwareAuthenticator } from '../support/independent/passkeys/software-authenticator.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ instances: 2 });
});
afterAll(() => gateway.close());

const now = () => gateway.clock.now();
const rightCode = (secret: string) => ({ code: codeAt(secret, now()) });
const begin = ({ accessToken }: SignedIn) => post(gateway, 'factors/totp', {}, accessToken);
const activate = ({ accessToken }: SignedIn, id: string, code: object) =>
  post(gateway, `factors/totp/${id}`, code, accessToken);
const renew = ({ accessToken }: SignedIn) => post(gateway, 'factors/recovery-codes', {}, accessToken);
const factorsOf = ({ user }: SignedIn) =>
  gateway.rows<{ id: string; kind: string; name: string; user_handle: Buffer | null }>(
    'select * from factors where user_id = $1 order by created_at, id',
    [user.id],
  );
const ten = expect.arrayContaining(Array(10).fill(expect.stringMatching(/^[0-9A-Z]{5}(-[0-9A-Z]{4,5}){5}$/)));

test('Interface 20: an authenticator app is added by its first code, and the session reaches aal2', async () => {
  const session = await newcomer(gateway);
  const other = await signIn(gateway, session.user);
  const { status, json } = await begin(session);
  expect([status, json]).toEqual([
    200,
    {
      id: expect.stringMatching(/^[\w-]{36}$/),
      secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
      uri: expect.any(String),
    },
  ]);
  const uri = new URL(json.uri);
  const label = `localhost 3000:${session.user.email}`;
  expect([uri.protocol, uri.host, decodeURIComponent(uri.pathname)]).toEqual(['otpauth:', 'totp', `/${label}`]);
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    secret: json.secret,
    issuer: 'localhost 3000',
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
  expect((await login(gateway, session.user.email)).status).toBe(200); // it does not count yet
  gateway.clock.advance(400); // so the session is not fresh
  const [answer, events] = await auditDuring(gateway, () => activate(session, json.id, rightCode(json.secret)));
  expect([answer.status, answer.json, answer.cookies]).toEqual([200, { recovery_codes: ten }, []]);
  const { sid } = claimsOf(session.accessToken);
  expect(events).toMatchObject([
    {
      event_type: 'factor_added',
      user_id: session.user.id,
      metadata: { factor_id: json.id, kind: 'totp', family_id: sid },
    },
  ]);
  const claims = claimsOf((await refresh(gateway, session.refreshToken)).json.access_token);
  expect(claims).toMatchObject({ acr: 'aal2', amr: ['pwd', 'otp', 'mfa'], auth_time: now().getTime() / 1000 });
  const others = claimsOf((await refresh(gateway, other.refreshToken)).json.access_token);
  expect(others).toMatchObject({ acr: 'aal1', amr: ['pwd'] });
  expect((await login(gateway, session.user.email)).json.reason).toBe('second_factor_required');
});

test('Interface 20: a wrong first code is 403, counts for nobody, and leaves the new app waiting', async () => {
  const session = await newcomer(gateway);
  const { id, secret } = (await begin(session)).json;
  for (let i = 0; i < 6; i += 1) {
    const [answer, events] = await auditDuring(gateway, () =>
      activate(session, id, { code: wrongCode(secret, now()) }),
    );
    expect([answer.status, answer.json.reason, events]).toEqual([403, 'factor_wrong', []]);
  }
  expect(await userRow(gateway, session.user.id)).toMatchObject({ failed_login_attempts: 0, has_factors: false });
  expect((await activate(session, id, rightCode(secret))).status).toBe(200);
});

test('Interface 20: a new app waits for ten minutes', async () => {
  const session = await newcomer(gateway);
  const first = (await begin(session)).json;
  gateway.clock.advance(600);
  const late = await activate(session, first.id, rightCode(first.secret));
  expect([late.status, late.json.reason]).toEqual([401, 'challenge_invalid']);
  const again = await newcomer(gateway);
  const second = (await begin(again)).json;
  gateway.clock.advance(599);
  expect((await activate(again, second.id, rightCode(second.secret))).status).toBe(200);
});

test('Interface 20: a new app replaces the one that was waiting', async () => {
  const session = await newcomer(gateway);
  const first = (await begin(session)).json;
  const second = (await begin(session)).json;
  expect((await activate(session, first.id, rightCode(first.secret))).json.reason).toBe('challenge_invalid');
  expect((await activate(session, second.id, rightCode(second.secret))).status).toBe(200);
});

test('Interface 20: a new app waits for the session that began it', async () => {
  const session = await newcomer(gateway);
  const [sibling, stranger] = [await signIn(gateway, session.user), await newcomer(gateway)];
  const { id, secret } = (await begin(session)).json;
  for (const other of [sibling, stranger]) {
    const answer = await activate(other, id, rightCode(secret));
    expect([answer.status, answer.json.reason]).toEqual([401, 'challenge_invalid']);
  }
  expect((await activate(session, id.toUpperCase(), rightCode(secret))).status).toBe(200);
});

test('Interface 20: of several first codes at once over two instances one adds the app', async () => {
  const session = await newcomer(gateway);
  const { id, secret } = (await begin(session)).json;
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      post(gateway.instances[i % 2] ?? gateway, `factors/totp/${id}`, rightCode(secret), session.accessToken),
    ),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  const refused = answers.filter(({ status }) => status !== 200).map(({ json }) => json.reason);
  expect(new Set(refused)).toEqual(new Set(['challenge_invalid']));
  expect(await factorsOf(session)).toHaveLength(1);
});

test('Interface 20: a second authenticator app is 409, whichever session asks', async () => {
  const app = await withTotp(gateway);
  const answer = await begin(app);
  expect([answer.status, answer.json.reason]).toEqual([409, 'totp_exists']);
  expect(await factorsOf(app)).toHaveLength(1);
});

test('Interface 20: authenticators show the product, if PRODUCT_NAME is set', async () => {
  const named = await startGateway({ env: { PRODUCT_NAME: 'Ada & Co' } });
  const { accessToken } = await newcomer(named);
  const app = await post(named, 'factors/totp', {}, accessToken);
  const passkey = await post(named, 'factors/passkey/options', {}, accessToken);
  await named.close();
  expect(new URL(app.json.uri).searchParams.get('issuer')).toBe('Ada & Co');
  expect(passkey.json.publicKey.rp).toEqual({ id: 'localhost', name: 'Ada & Co' });
});

test('Interface 20: no secret of an app is in the database as text', async () => {
  const session = await newcomer(gateway);
  const { id, secret } = (await begin(session)).json;
  const waiting = JSON.stringify(await gateway.rows('select to_jsonb(ceremonies) from ceremonies'));
  await activate(session, id, rightCode(secret));
  const added = JSON.stringify(await gateway.rows('select to_jsonb(factors) from factors'));
  expect([waiting.includes(secret), added.includes(secret)]).toEqual([false, false]);
});

test('Interface 20: a passkey is added with its name, and the session reaches aal2', async () => {
  const session = await newcomer(gateway);
  const { json: options } = await post(gateway, 'factors/passkey/options', {}, session.accessToken);
  const { publicKey } = options;
  expect(publicKey).toMatchObject({
    challenge: options.ceremony,
    rp: { id: 'localhost', name: 'localhost:3000' },
    user: { name: session.user.email, displayName: session.user.email },
    attestation: 'none',
    excludeCredentials: [],
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  const authenticator = new SoftwareAuthenticator({ rpId: 'localhost', origin: gateway.config.publicUrl });
  const body = { ceremony: options.ceremony, credential: authenticator.create(publicKey), name: '  My laptop  ' };
  const [answer, events] = await auditDuring(gateway, () =>
    post(gateway, 'factors/passkey', body, session.accessToken),
  );
  const { id } = answer.json;
  expect([answer.status, answer.json]).toEqual([200, { id, recovery_codes: ten }]);
  const { sid } = claimsOf(session.accessToken);
  expect(events).toMatchObject([
    { event_type: 'factor_added', metadata: { factor_id: id, kind: 'passkey', family_id: sid } },
  ]);
  expect(await factorsOf(session)).toMatchObject([{ id, kind: 'passkey', name: 'My laptop' }]);
  const claims = claimsOf((await refresh(gateway, session.refreshToken)).json.access_token);
  expect(claims).toMatchObject({ acr: 'aal2', amr: ['pwd', 'hwk', 'user', 'mfa'] });
});

test('Interface 20: all passkeys of a user have one handle, which is random, and says neither id nor e-mail', async () => {
  const first = await withPasskey(gateway);
  await addPasskey(gateway, first);
  const other = await withPasskey(gateway);
  const handles = (await factorsOf(first)).map(({ user_handle }) => user_handle?.toString('hex') ?? '');
  expect([handles.length, new Set(handles).size, handles[0]?.length]).toEqual([2, 1, 64]);
  const [othersHandle] = await factorsOf(other);
  expect(othersHandle?.user_handle?.toString('hex')).not.toBe(handles[0]);
  const { id, email } = first.user;
  for (const text of [id, id.replaceAll('-', ''), email]) {
    expect(handles[0]).not.toContain(Buffer.from(text).toString('hex'));
    expect(handles[0]).not.toContain(text);
  }
});

test('Interface 20: an authenticator that has a passkey is excluded, and a credential that somebody has is 409', async () => {
  const [owner, other] = [await withPasskey(gateway), await withPasskey(gateway)];
  const [held] = owner.authenticator.passkeys;
  for (const session of [owner, other]) {
    const { ceremony, publicKey } = (await post(gateway, 'factors/passkey/options', {}, session.accessToken)).json;
    const excluded = publicKey.excludeCredentials.map(({ id }: { id: string }) => id);
    expect(excluded.includes(held?.id.toString('base64url'))).toBe(session === owner);
    const careless = { ...publicKey, excludeCredentials: [] };
    const credential = owner.authenticator.create(careless, (draft) => {
      draft.credentialId = held?.id ?? draft.credentialId;
    });
    const body = { ceremony, credential, name: 'Again' };
    const answer = await post(gateway, 'factors/passkey', body, session.accessToken);
    expect([answer.status, answer.json.reason]).toEqual([409, 'passkey_exists']);
    expect(await factorsOf(session)).toHaveLength(1);
  }
});

test('Interface 20: a user has up to ten passkeys, also if several are added at once', async () => {
  const owner = await withPasskey(gateway);
  for (let i = 0; i < 7; i += 1) await addPasskey(gateway, owner);
  const begun = [];
  for (let i = 0; i < 4; i += 1) {
    begun.push((await post(gateway, 'factors/passkey/options', {}, owner.accessToken)).json);
  }
  const answers = await Promise.all(
    begun.map(({ ceremony, publicKey }, i) => {
      const authenticator = new SoftwareAuthenticator({ rpId: 'localhost', origin: gateway.config.publicUrl });
      const body = { ceremony, credential: authenticator.create(publicKey), name: 'Key' };
      return post(gateway.instances[i % 2] ?? gateway, 'factors/passkey', body, owner.accessToken);
    }),
  );
  const came = answers.map(({ status, json }) => `${status} ${json.reason}`).sort();
  expect(came).toEqual([...Array(2).fill('200 undefined'), ...Array(2).fill('409 too_many_passkeys')]);
  const answer = await post(gateway, 'factors/passkey/options', {}, owner.accessToken);
  expect([answer.status, answer.json.reason]).toEqual([409, 'too_many_passkeys']);
  expect((await begin(owner)).status).toBe(200);
});

test('Interface 20: recovery codes come with the first factor alone, of either kind', async () => {
  const app = await withTotp(gateway);
  expect((await addPasskey(gateway, app)).recoveryCodes).toEqual([]);
  const key = await withPasskey(gateway);
  expect(key.recoveryCodes).toEqual(ten);
  expect((await addPasskey(gateway, key)).recoveryCodes).toEqual([]);
  const { id, secret } = (await begin(key)).json;
  expect((await activate(key, id, rightCode(secret))).json).toEqual({ recovery_codes: [] });
  const [{ count } = { count: '' }] = await gateway.rows<{ count: string }>(
    'select count(*) from recovery_codes where user_id = $1',
    [key.user.id],
  );
  expect(count).toBe('10');
});

const byRecoveryCode = async ({ user }: SignedIn, recovery_code: string | undefined): Promise<Answer> =>
  finishLogin(gateway, await halfLogin(gateway, user.email), { recovery_code });

test('Interface 20: new recovery codes end the old ones', async () => {
  const app = await withTotp(gateway);
  const [answer, events] = await auditDuring(gateway, () => renew(app));
  expect([answer.status, answer.json]).toEqual([200, { recovery_codes: ten }]);
  expect(events).toMatchObject([
    {
      event_type: 'recovery_codes_renewed',
      user_id: app.user.id,
      metadata: { family_id: claimsOf(app.accessToken)['sid'] },
    },
  ]);
  const renewed: string[] = answer.json.recovery_codes;
  expect(renewed.filter((code) => app.recoveryCodes.includes(code))).toEqual([]);
  expect((await byRecoveryCode(app, app.recoveryCodes[0])).json.reason).toBe('invalid_credentials');
  expect((await byRecoveryCode(app, renewed[0])).status).toBe(200);
  const none = await renew(await newcomer(gateway));
  expect([none.status, none.json.reason]).toEqual([404, 'factor_unknown']);
});

test('Interface 20: no recovery code is in the database as text, and all that is stored of one is its SHA-256', async () => {
  const { recoveryCodes } = await withTotp(gateway);
  const stored = JSON.stringify(await gateway.rows('select to_jsonb(recovery_codes) from recovery_codes'));
  for (const code of recoveryCodes) {
    const forms = [code, code.replaceAll('-', '')];
    expect(forms.filter((form) => stored.toLowerCase().includes(form.toLowerCase()))).toEqual([]);
  }
});

test('Interface 20: a user with passkeys alone has a second step too, and one with both chooses', async () => {
  const key = await withPasskey(gateway);
  expect((await login(gateway, key.user.email)).json.factors).toEqual(['passkey', 'recovery_code']);
  const { id, secret } = (await begin(key)).json;
  await activate(key, id, rightCode(secret));
  expect((await login(gateway, key.user.email)).json.factors).toEqual(['totp', 'passkey', 'recovery_code']);
  expect((await logInByPasskey(gateway, key.authenticator)).status).toBe(200);
});
