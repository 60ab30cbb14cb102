/** A ceremony is good once, for five minutes, for its purpose, and for the session or half login that began it. (Interface 20) */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { setUserActive } from '../../src/admin/user-changes.js';
import {
  confirm,
  confirmByPasskey,
  finishLogin,
  halfLogin,
  logInByPasskey,
  post,
  type WithPasskey,
  withPasskey,
} from '../support/gateway/factors.js';
import { type Answer, type Instance, PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { changePassword, issueLink, redeem } from '../support/gateway/passwords.js';
import { auditDuring, userRow } from '../support/gateway/rows.js';
import { SoftwareAuthenticator } from '../support/independent/passkeys/software-authenticator.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ instances: 2 });
});
afterAll(() => gateway.close());

/** A ceremony that was begun, and in which session or half login. */
interface Begun {
  ceremony: string;
  token: string;
  challenge: string;
}

interface Finishing {
  on?: Instance | undefined;
  /** Of the page: ours by default */
  origin?: string;
}

interface Purpose {
  begin(user: WithPasskey): Promise<Begun>;
  /** In the session or half login of `begun`; if it has none, in one of the user. */
  finish(user: WithPasskey, begun: Begun, how?: Finishing): Promise<Answer>;
  /** What an unknown ceremony is answered */
  refusal: [status: number, reason: string];
}

/** The answer of an authenticator to this challenge, whatever it was made for. */
function assertion({ authenticator }: WithPasskey, challenge: string, origin = gateway.config.publicUrl): object {
  return authenticator.get({ challenge, rpId: 'localhost', userVerification: 'required' }, ({ clientData }) => {
    clientData['origin'] = origin;
  });
}

function registration({ user }: WithPasskey, challenge: string, origin = gateway.config.publicUrl): object {
  return new SoftwareAuthenticator({ rpId: 'localhost', origin }).create({
    rp: { id: 'localhost', name: 'localhost' },
    user: { id: Buffer.from(user.id).toString('base64url'), name: user.email, displayName: user.email },
    challenge,
    pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
  });
}

const ceremonyOf = async (path: string, body: object, token?: string): Promise<string> => {
  const { json, text } = await post(gateway, path, body, token);
  if (json?.ceremony === undefined) throw new Error(`no ceremony: ${text}`);
  return json.ceremony;
};
const none = { token: '', challenge: '' };
const UNKNOWN: Purpose['refusal'] = [401, 'challenge_invalid'];

const PURPOSES: Record<string, Purpose> = {
  'a login': {
    begin: async () => ({ ...none, ceremony: await ceremonyOf('login/passkey/options', {}) }),
    finish: (user, { ceremony }, { on = gateway, origin } = {}) =>
      post(on, 'login/passkey', { ceremony, credential: assertion(user, ceremony, origin) }),
    refusal: UNKNOWN,
  },
  // The body names no ceremony, so it is a wrong answer: the half login goes on.
  'a second step': {
    begin: async ({ user }) => {
      const challenge = await halfLogin(gateway, user.email);
      return { ...none, challenge, ceremony: await ceremonyOf('login/passkey/options', { challenge }) };
    },
    finish: async (user, { ceremony, challenge }, { on = gateway, origin } = {}) => {
      const credential = assertion(user, ceremony, origin);
      return finishLogin(on, challenge || (await halfLogin(on, user.user.email)), { credential });
    },
    refusal: [401, 'invalid_credentials'],
  },
  'a confirmation': {
    begin: async ({ accessToken: token }) => ({
      ...none,
      token,
      ceremony: await ceremonyOf('confirm/options', {}, token),
    }),
    finish: (user, { ceremony, token }, { on = gateway, origin } = {}) =>
      confirm(on, token || user.accessToken, { ceremony, credential: assertion(user, ceremony, origin) }),
    refusal: UNKNOWN,
  },
  'an enrolment': {
    begin: async ({ accessToken: token }) => ({
      ...none,
      token,
      ceremony: await ceremonyOf('factors/passkey/options', {}, token),
    }),
    finish: (user, { ceremony, token }, { on = gateway, origin } = {}) => {
      const body = { ceremony, credential: registration(user, ceremony, origin), name: 'Laptop' };
      return post(on, 'factors/passkey', body, token || user.accessToken);
    },
    refusal: UNKNOWN,
  },
};

const names = Object.keys(PURPOSES);
const purposeOf = (name: string): Purpose => {
  const purpose = PURPOSES[name];
  if (purpose === undefined) throw new Error(`no purpose ${name}`);
  return purpose;
};

/** Expects that the attempt is refused as one with an unknown ceremony, and is nobody's failed login. */
async function expectRefused(
  { user }: WithPasskey,
  refusal: Purpose['refusal'],
  attempt: () => Promise<Answer>,
): Promise<void> {
  const [answer, events] = await auditDuring(gateway, attempt);
  expect([answer.status, answer.json.reason, answer.cookies]).toEqual([...refusal, []]);
  expect(events.length).toBe(refusal[1] === 'challenge_invalid' ? 0 : 1);
  expect(await userRow(gateway, user.id)).toMatchObject({ failed_login_attempts: 0 });
}

test.each(names)('Interface 20: the ceremony of %s is good once, at any instance', async (name) => {
  const [user, purpose] = [await withPasskey(gateway), purposeOf(name)];
  const begun = await purpose.begin(user);
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, i) => purpose.finish(user, begun, { on: gateway.instances[i % 2] })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  await expectRefused(user, UNKNOWN, () => purpose.finish(user, begun)); // the half login is used up too
});

test.each(names)('Interface 20: the ceremony of %s is good for five minutes', async (name) => {
  const [user, purpose] = [await withPasskey(gateway), purposeOf(name)];
  const [first, second] = [await purpose.begin(user), await purpose.begin(user)];
  gateway.clock.advance(299);
  expect((await purpose.finish(user, first)).status).toBe(200);
  await confirmByPasskey(gateway, user.accessToken, user.authenticator); // the session stays fresh
  gateway.clock.advance(1);
  await expectRefused(user, UNKNOWN, () => purpose.finish(user, second));
});

const CROSSED = names.flatMap((begun) => names.filter((name) => name !== begun).map((used) => [begun, used] as const));

test.each(CROSSED)(
  'Interface 20: the ceremony of %s is not one of %s, which leaves it alive',
  async (begunAs, usedAs) => {
    const [user, own, other] = [await withPasskey(gateway), purposeOf(begunAs), purposeOf(usedAs)];
    const begun = await own.begin(user);
    await expectRefused(user, other.refusal, () => other.finish(user, { ...none, ceremony: begun.ceremony }));
    expect((await own.finish(user, begun)).status).toBe(200);
  },
);

test.each(['a confirmation', 'an enrolment'])(
  'Interface 20: the ceremony of %s is good in its own session alone',
  async (name) => {
    const [user, purpose] = [await withPasskey(gateway), purposeOf(name)];
    const begun = await purpose.begin(user);
    const entered = await logInByPasskey(gateway, user.authenticator);
    const other = await withPasskey(gateway);
    for (const token of [entered.json.access_token, other.accessToken]) {
      await expectRefused(user, purpose.refusal, () => purpose.finish(user, { ...begun, token }));
    }
    expect((await purpose.finish(user, begun)).status).toBe(200);
  },
);

test('Interface 20: the ceremony of a second step is good for its own half login alone', async () => {
  const [user, other, purpose] = [await withPasskey(gateway), await withPasskey(gateway), purposeOf('a second step')];
  const begun = await purpose.begin(user);
  for (const { email } of [user.user, other.user]) {
    const challenge = await halfLogin(gateway, email);
    await expectRefused(user, purpose.refusal, () => purpose.finish(user, { ...begun, challenge }));
  }
  expect((await purpose.finish(user, begun)).status).toBe(200);
});

test.each(names)('Interface 20: a wrong answer uses up the ceremony of %s', async (name) => {
  const [user, purpose] = [await withPasskey(gateway), purposeOf(name)];
  const begun = await purpose.begin(user);
  const wrong = await purpose.finish(user, begun, { origin: 'https://evil.example' });
  const isLogin = name === 'a login' || name === 'a second step';
  expect([wrong.status, wrong.json.reason]).toEqual(isLogin ? [401, 'invalid_credentials'] : [403, 'factor_wrong']);
  await expectRefused(user, purpose.refusal, () => purpose.finish(user, begun));
});

/** A reset link and a deactivation end the session too. */
const ENDED = expect.stringMatching(/^(challenge_invalid|invalid_token)$/);
const ENDINGS: Array<[what: string, end: (user: WithPasskey) => Promise<unknown>]> = [
  ['a changed password', ({ accessToken }) => changePassword(gateway, accessToken, undefined, PASSWORD)],
  ['a reset link', async ({ user }) => redeem(gateway, await issueLink(gateway, user.id))],
  [
    'a deactivation, also after an activation',
    async ({ user }) => {
      await setUserActive(gateway.app, COMMAND_LINE, user.id, false);
      await setUserActive(gateway.app, COMMAND_LINE, user.id, true);
    },
  ],
];

test.each(ENDINGS)(
  'Interface 20: %s ends the ceremonies of the user, except a login by a passkey',
  async (_what, end) => {
    const user = await withPasskey(gateway);
    const begun = new Map<string, Begun>();
    for (const name of names) begun.set(name, await purposeOf(name).begin(user));
    await end(user);
    for (const [name, one] of begun) {
      const answer = await purposeOf(name).finish(user, one);
      if (name === 'a login') expect(answer.status).toBe(200);
      else expect([name, answer.status, answer.json.reason]).toEqual([name, 401, ENDED]);
    }
  },
);

test('Interface 20: the database has no token of a ceremony, only its SHA-256', async () => {
  const user = await withPasskey(gateway);
  const tokens = [];
  for (const name of names) {
    const { ceremony, challenge } = await purposeOf(name).begin(user);
    tokens.push(ceremony, ...(challenge === '' ? [] : [challenge]));
  }
  const stored = JSON.stringify(await gateway.rows('select to_jsonb(ceremonies) from ceremonies'));
  const hex = (token: string) => Buffer.from(token, 'base64url').toString('hex');
  expect(tokens).toHaveLength(5);
  for (const token of tokens) expect([stored.includes(token), stored.includes(hex(token))]).toEqual([false, false]);
});

test('Interface 20: several ceremonies of a user are open at once', async () => {
  const user = await withPasskey(gateway);
  const purpose = purposeOf('a confirmation');
  const [first, second] = [await purpose.begin(user), await purpose.begin(user)];
  for (const begun of [second, first]) expect((await purpose.finish(user, begun)).status).toBe(200);
});
