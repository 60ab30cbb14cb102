/** The routes `POST /auth/password/redeem` and `/auth/password/check`. (Interface 15) */
import { createHash } from 'node:crypto';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { issuePasswordLink } from '../../src/admin/password-links.js';
import { createUser, deleteUser, setUserActive, setUserPassword } from '../../src/admin/user-changes.js';
import { generateLinkToken } from '../../src/credentials/key-secrets.js';
import type { LinkPurpose } from '../../src/domain/link-purpose.js';
import { PASSWORD, startGateway, startInstance, type TestGateway } from '../support/gateway/gateway.js';
import { type As, dataOf, newcomer } from '../support/gateway/graphql.js';
import { ANOTHER, CHOSEN, check, issueLink, redeem } from '../support/gateway/passwords.js';
import { quickPasswords } from '../support/gateway/quick-passwords.js';
import { login, refresh, WRONG } from '../support/gateway/routes.js';
import { auditDuring, recordsOf, userRow, wholeState } from '../support/gateway/rows.js';
import { countWork } from '../support/gateway/work.js';

const passwords = quickPasswords();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ instances: 3, env: { LOGIN_MAX_FAILURES: '5' }, passwords });
});
afterAll(() => gateway.close());

const INVALID = { detail: 'Link is not valid', reason: 'link_invalid' };
const links = (userId: string) => gateway.rows('select * from password_links where user_id = $1', [userId]);

test('Interface 15: an invited user chooses the first password, and can log in then', async () => {
  const user = await createUser(gateway.app, COMMAND_LINE, { email: 'invited@example.com', role: 'viewer' });
  expect((await login(gateway, user.email)).status).toBe(401);
  const token = await issueLink(gateway, user.id, 'invitation');
  const [answer, events] = await auditDuring(gateway, () => redeem(gateway, token));
  expect([answer.status, answer.text, answer.cookies]).toEqual([204, '', []]);
  expect(events).toMatchObject([
    {
      event_type: 'user_password_set',
      user_id: user.id,
      ip_address: '127.0.0.1',
      metadata: { by: 'link', purpose: 'invitation', sessions_ended: 0, first: true },
    },
  ]);
  expect(await userRow(gateway, user.id)).toMatchObject({ password_version: 1, password_chosen_by_user: true });
  expect((await login(gateway, user.email, CHOSEN)).status).toBe(200);
});

test('Interface 15: a reset unlocks the account, ends every session, and logs nobody in', async () => {
  const { user, refreshToken } = await newcomer(gateway);
  const token = await issueLink(gateway, user.id);
  for (let i = 0; i < 5; i += 1) await login(gateway, user.email, WRONG);
  expect((await login(gateway, user.email)).status).toBe(429);
  const [answer, events] = await auditDuring(gateway, () => redeem(gateway, token));
  expect(answer.status).toBe(204);
  expect(events.map(({ metadata }) => metadata)).toEqual([{ by: 'link', purpose: 'reset', sessions_ended: 1 }]);
  expect(await userRow(gateway, user.id)).toMatchObject({ failed_login_attempts: 0, locked_until: null });
  expect((await recordsOf(gateway, user.id)).every(({ revoked }) => revoked)).toBe(true);
  expect((await refresh(gateway, refreshToken)).status).toBe(401);
  expect((await login(gateway, user.email, CHOSEN)).status).toBe(200);
});

test('Interface 15: a link works once', async () => {
  const { user } = await newcomer(gateway);
  const token = await issueLink(gateway, user.id);
  expect((await redeem(gateway, token)).status).toBe(204);
  const again = await redeem(gateway, token, ANOTHER);
  expect([again.status, again.json]).toEqual([401, INVALID]);
  expect(again.headers['www-authenticate']).toMatch(/^Cookie /);
  expect((await login(gateway, user.email, CHOSEN)).status).toBe(200);
});

test('Interface 15: of 40 redemptions at once over three instances one is 204', async () => {
  const { user } = await newcomer(gateway);
  const token = await issueLink(gateway, user.id);
  using held = passwords.hold();
  const sent = Array.from({ length: 40 }, (_, i) =>
    redeem(gateway.instances[i % 3] ?? gateway, token, `${CHOSEN} ${i}`),
  );
  await held.reached(40);
  held.release();
  const answers = await Promise.all(sent);
  expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array(39).fill(401)]);
  const winner = answers.findIndex(({ status }) => status === 204);
  expect((await login(gateway, user.email, `${CHOSEN} ${winner}`)).status).toBe(200);
  expect((await userRow(gateway, user.id)).password_version).toBe(1);
});

test('Interface 15: a refused password leaves the link alive', async () => {
  const { user } = await newcomer(gateway);
  const token = await issueLink(gateway, user.id);
  for (const [password, reason] of [
    ['too short', 'too_short'],
    ['x'.repeat(1_025), 'too_long'],
    [user.email, 'context'],
    [PASSWORD, 'current'],
  ]) {
    const answer = await redeem(gateway, token, password);
    expect([answer.status, answer.json.reason]).toEqual([422, 'body_invalid']);
    expect(answer.json.errors).toEqual([{ field: 'new_password', message: expect.stringMatching(/^must /), reason }]);
  }
  expect((await redeem(gateway, token)).status).toBe(204);
});

const ENDINGS: Array<[string, (userId: string) => Promise<unknown>]> = [
  ['a newer link', (id) => issueLink(gateway, id)],
  ['a password set by an operator', (id) => setUserPassword(gateway.app, COMMAND_LINE, id, ANOTHER)],
  [
    'deactivation, also when the user is activated again',
    async (id) => {
      await setUserActive(gateway.app, COMMAND_LINE, id, false);
      await setUserActive(gateway.app, COMMAND_LINE, id, true);
    },
  ],
  ['deletion', (id) => deleteUser(gateway.app, COMMAND_LINE, id)],
  ['its expiry', async () => gateway.clock.advance(1_800)],
];
test.each(ENDINGS)('Interface 15: a link ends with %s', async (_, end) => {
  const { user } = await newcomer(gateway);
  const token = await issueLink(gateway, user.id);
  expect((await check(gateway, token)).status).toBe(204);
  await end(user.id);
  for (const ask of [check, redeem]) {
    const [answer, events] = await auditDuring(gateway, () => ask(gateway, token));
    expect([answer.status, answer.json, events]).toEqual([401, INVALID, []]);
  }
});

test('Interface 15: a reset lives for half an hour, an invitation for three days', async () => {
  const [one, two] = [await newcomer(gateway), await newcomer(gateway)];
  const reset = await issueLink(gateway, one.user.id);
  gateway.clock.advance(1_799);
  expect((await redeem(gateway, reset)).status).toBe(204);
  const invitation = await issueLink(gateway, two.user.id, 'invitation');
  gateway.clock.advance(259_199);
  expect((await redeem(gateway, invitation)).status).toBe(204);
});

test('Interface 15: guessed, cut and altered tokens get one answer', async () => {
  const { user } = await newcomer(gateway);
  const token = await issueLink(gateway, user.id);
  const altered = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0');
  for (const wrong of [generateLinkToken(), token.slice(0, -1), altered, token.toLowerCase(), `${token} `, '', 'pl_']) {
    for (const ask of [check, redeem]) {
      const answer = await ask(gateway, wrong);
      expect([answer.status, answer.json]).toEqual([401, INVALID]);
    }
  }
  for (const ask of [check, redeem]) expect((await ask(gateway, 5)).status).toBe(422);
  expect((await redeem(gateway, token)).status).toBe(204);
});

test('Interface 15: mail scanners use nothing up', async () => {
  const { user } = await newcomer(gateway);
  const token = await issueLink(gateway, user.id);
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT']) {
    for (const path of ['/auth/password/redeem', '/auth/password/check', '/set-password']) {
      await gateway.send(method, `${path}?token=${token}`);
    }
  }
  expect((await redeem(gateway, token)).status).toBe(204);
});

test('Interface 15: a check says whether a link works, as often as it is asked, and changes nothing', async () => {
  const { user } = await newcomer(gateway);
  const token = await issueLink(gateway, user.id, 'invitation');
  const before = await wholeState(gateway);
  for (const on of [...gateway.instances, gateway]) {
    const answer = await check(on, token);
    expect([answer.status, answer.text, answer.cookies]).toEqual([204, '', []]);
  }
  expect(await wholeState(gateway)).toEqual(before);
  const answer = await redeem(gateway, token);
  expect(answer.status).toBe(204);
  const dead = await check(gateway, token);
  expect([dead.status, dead.json, dead.headers['www-authenticate']]).toEqual([
    ...[401, INVALID, expect.stringMatching(/^Cookie /)],
  ]);
});

test.each([
  ['', '/set-password', '?for=invitation'],
  ['https://app.example.com/p?lang=de', '/p?lang=de', '&for=invitation'],
])(
  'Interface 15: the link of an invitation says so next to its token: SET_PASSWORD_URL=%s',
  async (page, path, words) => {
    const other = await startInstance(gateway.database, { env: page === '' ? {} : { SET_PASSWORD_URL: page } });
    const { user } = await newcomer(gateway);
    const linkFor = async (purpose: LinkPurpose) =>
      (await issuePasswordLink(other.app, COMMAND_LINE, user.id, purpose)).link
        .replace(/^https?:\/\/[^/]+/, '')
        .replace(/pl_\w{49}$/, 'TOKEN');
    expect(await linkFor('reset')).toBe(`${path}#token=TOKEN`);
    expect(await linkFor('invitation')).toBe(`${path}${words}#token=TOKEN`);
    await other.close();
  },
);

test('Interface 15: a token has 256 bits and the checksum of our secrets, and is stored as its SHA-256 alone', async () => {
  const { user } = await newcomer(gateway);
  const token = await issueLink(gateway, user.id);
  expect(token).toMatch(/^pl_[0-9A-Za-z]{49}$/);
  const [link] = await links(user.id);
  expect(link?.['token_sha256']).toEqual(createHash('sha256').update(token).digest());
  const everything = await gateway.rows<{ row: string }>(
    'select t::text as row from password_links as t union all select t::text from audit_events as t',
  );
  for (const { row } of everything) expect(row).not.toContain(token.slice(3, 40));
});

test('Interface 15: a link of a version of the gateway that sets passwords without knowing links ends as well', async () => {
  const { user } = await newcomer(gateway);
  const token = await issueLink(gateway, user.id);
  await gateway.rows('update users set password_version = password_version + 1 where id = $1', [user.id]);
  expect((await redeem(gateway, token)).json).toEqual(INVALID);
});

test('Interface 15: the user was deactivated while the password was hashed: the link does nothing', async () => {
  const { user } = await newcomer(gateway);
  const token = await issueLink(gateway, user.id);
  const before = (await userRow(gateway, user.id)).password_hash;
  using held = passwords.hold();
  const sent = redeem(gateway, token);
  await held.reached(1);
  await gateway.rows('update users set is_active = false where id = $1', [user.id]);
  held.release();
  expect((await sent).json).toEqual(INVALID);
  expect((await userRow(gateway, user.id)).password_hash).toBe(before);
});

test('Interface 15: a link is made of the configuration, whatever Host a request has', async () => {
  const admin = await newcomer(gateway, 'admin');
  const { user } = await newcomer(gateway);
  const query = `mutation { issuePasswordLink(input: { userId: "${user.id}", purpose: reset }) { link } }`;
  const as: As = (body) => ({ ...admin.as(body), host: 'evil.example', 'x-forwarded-host': 'evil.example' });
  const { link } = (await dataOf(gateway, as, query)).issuePasswordLink;
  expect(link).toMatch(/^http:\/\/localhost:3000\/set-password#token=pl_/);
});

test('Interface 15: dead links of each kind cost the same: one statement, and no password', async () => {
  const links = async (end: (userId: string, token: string) => Promise<unknown>): Promise<string> => {
    const { user } = await newcomer(gateway);
    const token = await issueLink(gateway, user.id);
    await end(user.id, token);
    return token;
  };
  const dead = {
    expired: await links(async () => gateway.clock.advance(1_800)),
    used: await links((_, token) => redeem(gateway, token)),
    replaced: await links((id) => issueLink(gateway, id)),
    'of a deactivated user': await links((id) =>
      gateway.rows('update users set is_active = false where id = $1', [id]),
    ),
    'of a deleted user': await links((id) => deleteUser(gateway.app, COMMAND_LINE, id)),
    unknown: generateLinkToken(),
    malformed: 'pl_x',
  };
  const work = countWork();
  const counted = await startInstance(gateway.database, { clock: gateway.clock, passwords: await work.passwords });
  await work.watch(counted.app.db);
  for (const ask of [redeem, check]) {
    for (const [kind, token] of Object.entries(dead)) {
      const [answer, { statements, verifications }] = await work.during(() => ask(counted, token));
      expect([kind, answer.json]).toEqual([kind, INVALID]);
      expect([kind, statements.filter((sql) => !sql.includes('rate_limits')), verifications]).toEqual([
        ...[kind, [expect.stringContaining('password_links')], []],
      ]);
    }
  }
  await counted.close();
});

test('Interface 15: this gateway sends no mail, so nobody can ask for a link: 404', async () => {
  expect((await gateway.send('POST', '/auth/password/forgot', { body: { email: 'a@example.com' } })).status).toBe(404);
});
