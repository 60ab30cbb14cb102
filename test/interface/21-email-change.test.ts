/** A change of one's own e-mail begins with a fresh proof and ends with the link to the new address. (Interface 21) */
import { createHash } from 'node:crypto';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { deleteUser, setUserActive, setUserEmail, setUserPassword } from '../../src/admin/user-changes.js';
import {
  beginChange,
  changeEmail,
  newAddress,
  redeemEmail,
  requestEmail,
  startUnmailed,
  waitingToken,
} from '../support/gateway/account.js';
import { confirm, logInByCode, withTotp } from '../support/gateway/factors.js';
import { type Answer, logIn, PASSWORD, type TestGateway } from '../support/gateway/gateway.js';
import { newcomer, type SignedIn, signIn } from '../support/gateway/graphql.js';
import { CHOSEN, changePassword, check, issueLink, redeem } from '../support/gateway/passwords.js';
import { login, refresh } from '../support/gateway/routes.js';
import { auditDuring, recordsOf, userRow } from '../support/gateway/rows.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startUnmailed();
});
afterAll(() => gateway.close());

const LINK_CHALLENGE = 'Cookie realm="auth-gateway", form-action="/auth/login", cookie-name="refresh_token"';

function expectDead(answer: Answer): void {
  expect([answer.status, answer.json, answer.headers['www-authenticate']]).toEqual([
    401,
    { detail: 'Link is not valid', reason: 'link_invalid' },
    LINK_CHALLENGE,
  ]);
}

const emailOf = async ({ user }: SignedIn): Promise<string> => (await userRow(gateway, user.id)).email;
const pendingOf = ({ user }: SignedIn) =>
  gateway.rows<{ email: string; expires_at: Date }>('select * from email_changes where user_id = $1', [user.id]);

test('Interface 21: a request changes nothing, and the link makes the new address the e-mail of the user', async () => {
  const person = await newcomer(gateway);
  const to = newAddress();
  const [requested, begun] = await auditDuring(gateway, () =>
    requestEmail(gateway, person.accessToken, ` ${to.toUpperCase()} `),
  );
  expect([requested.status, requested.json, requested.cookies]).toEqual([
    202,
    { detail: 'If this address is free, a message is on its way to it' },
    [],
  ]);
  const { family_id } = (await recordsOf(gateway, person.user.id))[0] ?? {};
  expect(begun).toMatchObject([
    { event_type: 'email_change_requested', user_id: person.user.id, metadata: { to, family_id } },
  ]);
  expect(await emailOf(person)).toBe(person.user.email);

  const link = await waitingToken(gateway, 'change', person.user.id);
  expect(link).toMatch(/^el_\w{49}$/);
  const [changed, ended] = await auditDuring(gateway, () => redeemEmail(gateway, person.accessToken, link));
  expect([changed.status, changed.json, changed.cookies]).toEqual([200, { email: to }, []]);
  expect(ended).toMatchObject([
    { event_type: 'email_changed', user_id: person.user.id, metadata: { from: person.user.email, to, family_id } },
  ]);
  expect(await emailOf(person)).toBe(to);
  expect((await login(gateway, to)).status).toBe(200);
  expect((await login(gateway, person.user.email)).status).toBe(401);
});

test('Interface 21: sessions stay, and password links, which went to the old address, end', async () => {
  const person = await newcomer(gateway);
  const other = await logIn(gateway, person.user.email);
  const passwordLink = await issueLink(gateway, person.user.id);
  await changeEmail(gateway, person);
  expect((await check(gateway, passwordLink)).status).toBe(401);
  for (const token of [person.refreshToken, other.refreshToken])
    expect((await refresh(gateway, token)).status).toBe(200);
});

test('Interface 21: a token is stored as its SHA-256, and sealed until it is mailed', async () => {
  const person = await newcomer(gateway);
  const sha256 = (token: string) => createHash('sha256').update(token).digest();
  const link = await beginChange(gateway, person);
  const [pending] = await pendingOf(person);
  expect(pending).toMatchObject({ token_sha256: sha256(link) });
  expect(JSON.stringify(pending)).not.toContain(link.slice(3));
  const { wayBack } = await changeEmail(gateway, person);
  const undos = await gateway.rows('select * from email_undos where user_id = $1', [person.user.id]);
  expect(undos).toMatchObject([{ token_sha256: sha256(wayBack), email: person.user.email }]);
  expect(JSON.stringify(undos)).not.toContain(wayBack.slice(3));
});

test('Interface 21: a free address, a taken one, a reserved one and one’s own are answered alike', async () => {
  const taken = await gateway.user();
  const { former: reserved } = await changeEmail(gateway, await newcomer(gateway));
  const person = await newcomer(gateway);
  const asked = [newAddress(), taken.email, reserved, person.user.email];
  const seen = [];
  for (const email of asked) {
    const [{ status, json, headers }, events] = await auditDuring(gateway, () =>
      requestEmail(gateway, person.accessToken, email),
    );
    const { 'x-request-id': _, date: __, ...fields } = headers;
    seen.push({ status, json, fields, events: events.map(({ event_type }) => event_type) });
    expect(await pendingOf(person)).toMatchObject([{ email }]);
  }
  expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(1);
});

test.each([
  ['taken', async () => (await gateway.user()).email],
  ['reserved', async () => (await changeEmail(gateway, await newcomer(gateway))).former],
])('Interface 21: the link of an address that is %s is 409 too, if somebody could read it', async (_what, email) => {
  const person = await newcomer(gateway);
  const link = await beginChange(gateway, person, await email());
  const [answer, events] = await auditDuring(gateway, () => redeemEmail(gateway, person.accessToken, link));
  expect([answer.status, answer.json.reason, events]).toEqual([409, 'email_taken', []]);
  expect(await emailOf(person)).toBe(person.user.email);
});

test('Interface 21: an address that is taken meanwhile is 409, and the link works once it is free again', async () => {
  const person = await newcomer(gateway);
  const to = newAddress();
  const link = await beginChange(gateway, person, to);
  const passwordLink = await issueLink(gateway, person.user.id);
  const quicker = await gateway.user({ email: to });
  const answer = await redeemEmail(gateway, person.accessToken, link);
  expect([answer.status, answer.json, answer.headers['www-authenticate']]).toEqual([
    409,
    { detail: 'A user with this e-mail already exists', reason: 'email_taken' },
    undefined,
  ]);
  expect((await check(gateway, passwordLink)).status).toBe(204);
  await deleteUser(gateway.app, COMMAND_LINE, quicker.id);
  expect((await redeemEmail(gateway, person.accessToken, link)).status).toBe(200);
});

test('Interface 21: the link works for 30 minutes, without a fresh proof', async () => {
  const person = await newcomer(gateway);
  const late = await newcomer(gateway);
  const links = [await beginChange(gateway, person), await beginChange(gateway, late)];
  gateway.clock.advance(1_799);
  const [in_time, too_late] = links;
  const tokens = [(await refresh(gateway, person.refreshToken)).json, (await refresh(gateway, late.refreshToken)).json];
  expect((await redeemEmail(gateway, tokens[0].access_token, in_time)).status).toBe(200);
  gateway.clock.advance(1);
  expectDead(await redeemEmail(gateway, tokens[1].access_token, too_late));
});

test('Interface 21: a request needs a proof of the last 300 seconds, by a factor if there is one', async () => {
  const person = await newcomer(gateway);
  gateway.clock.advance(300);
  const [stale, events] = await auditDuring(gateway, () => requestEmail(gateway, person.accessToken, newAddress()));
  expect([stale.status, stale.json.reason, events]).toEqual([401, 'confirmation_required', []]);
  const challenge = 'Bearer realm="auth-gateway", error="insufficient_user_authentication", max_age="300"';
  expect(stale.headers['www-authenticate']).toBe(challenge);
  await confirm(gateway, person.accessToken, { password: PASSWORD });
  expect((await requestEmail(gateway, person.accessToken, newAddress())).status).toBe(202);

  const app = await withTotp(gateway);
  const session = await logInByCode(gateway, app);
  expect((await requestEmail(gateway, session.accessToken, newAddress())).status).toBe(202);
  gateway.clock.advance(301);
  const again = await requestEmail(gateway, session.accessToken, newAddress());
  expect(again.headers['www-authenticate']).toBe(`${challenge}, acr_values="aal2"`);
});

test('Interface 21: the link is for the user who asked, in whichever session, and works once', async () => {
  const person = await newcomer(gateway);
  const stranger = await newcomer(gateway);
  const link = await beginChange(gateway, person);
  expectDead(await redeemEmail(gateway, stranger.accessToken, link));
  expect((await redeemEmail(gateway, undefined, link)).json.reason).toBe('missing_credentials');
  const elsewhere = await signIn(gateway, person.user);
  expect((await redeemEmail(gateway, elsewhere.accessToken, link)).status).toBe(200);
  expectDead(await redeemEmail(gateway, elsewhere.accessToken, link));
});

test('Interface 21: links and tokens of other kinds are dead', async () => {
  const person = await newcomer(gateway);
  const { wayBack } = await changeEmail(gateway, person);
  const passwordLink = await issueLink(gateway, person.user.id);
  for (const token of [wayBack, passwordLink, person.refreshToken, '', 'el_', 'el_\0', '\ud800', 'x'.repeat(10_000)])
    expectDead(await redeemEmail(gateway, person.accessToken, token));
});

test('Interface 21: one change is pending; a newer one ends it, also one to the same address', async () => {
  const person = await newcomer(gateway);
  const to = newAddress();
  const links = [await beginChange(gateway, person, to), await beginChange(gateway, person, to)];
  expect(await pendingOf(person)).toHaveLength(1);
  expectDead(await redeemEmail(gateway, person.accessToken, links[0]));
  expect((await redeemEmail(gateway, person.accessToken, links[1])).status).toBe(200);
});

type Ending = (person: SignedIn) => Promise<string>;

/** What ends a change; each returns an access token of the user from afterwards. */
const ENDINGS: Array<[what: string, end: Ending]> = [
  [
    'a new password of the user’s own',
    async ({ accessToken }) => {
      expect((await changePassword(gateway, accessToken)).status).toBe(200);
      return accessToken;
    },
  ],
  [
    'a reset link',
    async ({ user }) => {
      expect((await redeem(gateway, await issueLink(gateway, user.id), CHOSEN)).status).toBe(204);
      return (await signIn(gateway, user, CHOSEN)).accessToken;
    },
  ],
  [
    'an operator’s password',
    async ({ user }) => {
      await setUserPassword(gateway.app, COMMAND_LINE, user.id, CHOSEN);
      return (await signIn(gateway, user, CHOSEN)).accessToken;
    },
  ],
  [
    'an operator’s change of the e-mail',
    async ({ user, accessToken }) => {
      await setUserEmail(gateway.app, COMMAND_LINE, user.id, newAddress());
      return accessToken;
    },
  ],
  [
    'deactivation',
    async ({ user }) => {
      await setUserActive(gateway.app, COMMAND_LINE, user.id, false);
      await setUserActive(gateway.app, COMMAND_LINE, user.id, true);
      return (await signIn(gateway, user)).accessToken;
    },
  ],
];

test.each(ENDINGS)('Interface 21: it ends a change: %s', async (_what, end) => {
  const person = await newcomer(gateway);
  const link = await beginChange(gateway, person);
  const token = await end(person);
  const before = await emailOf(person);
  expectDead(await redeemEmail(gateway, token, link));
  expect(await emailOf(person)).toBe(before);
});

test('Interface 21: a change ends with its user, and while they are deactivated', async () => {
  const person = await newcomer(gateway);
  const link = await beginChange(gateway, person);
  await setUserActive(gateway.app, COMMAND_LINE, person.user.id, false);
  expect((await redeemEmail(gateway, person.accessToken, link)).json.reason).toBe('invalid_token');
  await deleteUser(gateway.app, COMMAND_LINE, person.user.id);
  expect((await redeemEmail(gateway, person.accessToken, link)).json.reason).toBe('invalid_token');
  expect(await pendingOf(person)).toEqual([]);
});
