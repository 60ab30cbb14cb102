/** The body of POST /auth/login, and the answer to a bad one. (Spec 2.1 and Interface 5) */
import { type Answer, PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { login } from '../support/gateway/routes.js';
import { userRow, wholeState } from '../support/gateway/rows.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const post = (body: unknown): Promise<Answer> => gateway.send('POST', '/auth/login', { body });

/** Only `field` is reported, and nothing was written. */
async function refusesField(body: unknown, field: string): Promise<void> {
  const before = await wholeState(gateway);
  const answer = await post(body);
  expect(answer.status).toBe(422);
  const { detail, errors, ...more } = answer.json;
  expect({ detail, more }).toEqual({ detail: 'Request body is invalid', more: { reason: 'body_invalid' } });
  expect(errors).toContainEqual({ field, message: expect.stringMatching(/^must /) });
  expect(errors.every((error: { field: string }) => error.field === field)).toBe(true);
  expect(answer.cookies).toEqual([]);
  expect(await wholeState(gateway)).toEqual(before);
}

test('Spec 2.1: strips and lowercases the e-mail before any comparison', async () => {
  await gateway.user({ email: 'ann.lee@example.com' });
  for (const email of [' Ann.Lee@Example.COM ', '\t\nann.lee@example.com\r\n', '\u00a0ANN.LEE@EXAMPLE.COM']) {
    expect((await login(gateway, email)).status).toBe(200);
  }
});

test('Spec 2.1: counts the spellings of one e-mail together', async () => {
  const user = await gateway.user({ email: 'bob@example.com' });
  for (const email of ['BOB@example.com', ' bob@EXAMPLE.com', 'bob@example.com ']) await login(gateway, email, 'wrong');
  expect((await userRow(gateway, user.id)).failed_login_attempts).toBe(3);
});

test.each(['email', 'password'])('Spec 2.1: requires %s', async (field) => {
  const { [field]: _left, ...rest } = { email: 'a@x.io', password: 'p' } as Record<string, string>;
  await refusesField(rest, field);
});

test.each([null, 1, true, [], {}])('Spec 2.1: takes only text: %j', async (value) => {
  await refusesField({ email: value, password: 'p' }, 'email');
  await refusesField({ email: 'a@x.io', password: value }, 'password');
});

test('Spec 2.1: names every wrong field at once', async () => {
  const answer = await post({ email: 'no', password: '' });
  expect(answer.json.errors.map(({ field }: { field: string }) => field)).toEqual(['email', 'password']);
});

test.each([
  '',
  ' ',
  'plain',
  'a@',
  '@x.io',
  'a@x',
  'a@@x.io',
  'a b@x.io',
  'a@x..io',
  'a..b@x.io',
  '.a@x.io',
  'a.@x.io',
  'a@-x.io',
  'a@x-.io',
  'a@x.io, b@x.io',
  'a@x.io\nb@x.io',
  'a@x.io\0',
  'ä@x.io',
  'Ann <a@x.io>',
  `${'a'.repeat(65)}@x.io`,
  `a@${'x'.repeat(64)}.io`,
  `${'a'.repeat(60)}@${'x'.repeat(60)}.${'y'.repeat(60)}.${'z'.repeat(60)}.${'w'.repeat(11)}`, // 255
])('Spec 2.1: refuses an invalid e-mail address: %j', (email) => refusesField({ email, password: 'p' }, 'email'));

test.each([
  'a@x.io',
  'a.b+tag@sub.example.co.uk',
  "o'neil@example.com",
  '!#$%&*/=?^_`{|}~-@example.com',
  'a@1and1.de',
  'a@xn--bcher-kva.example',
  `${'a'.repeat(64)}@x.io`,
  `${'a'.repeat(60)}@${'x'.repeat(60)}.${'y'.repeat(60)}.${'z'.repeat(60)}.${'w'.repeat(10)}`, // 254
])('Spec 2.1: takes the e-mail address %j', async (email) => {
  expect((await post({ email, password: 'p' })).status).toBe(401);
});

test('Spec 2.1: refuses an empty password and takes one of a single character', async () => {
  await refusesField({ email: 'a@x.io', password: '' }, 'password');
  expect((await post({ email: 'a@x.io', password: ' ' })).status).toBe(401);
});

test('Spec 2.1: changes nothing about the password: blanks, case and every one of 1024 bytes count', async () => {
  const password = ` ${'é'.repeat(511)} `; // 1024 bytes of UTF-8
  const { email } = await gateway.user({ password });
  expect((await login(gateway, email, password)).status).toBe(200);
  for (const wrong of [password.trim(), password.toUpperCase(), password.slice(0, -1), password.slice(1)]) {
    expect((await login(gateway, email, wrong)).status).toBe(401);
  }
});

test('Spec 2.1: (Interface 5) refuses a password over 1024 bytes, with NUL, or that is not text', async () => {
  await refusesField({ email: 'a@x.io', password: 'é'.repeat(513) }, 'password');
  await refusesField({ email: 'a@x.io', password: 'x'.repeat(1025) }, 'password');
  await refusesField({ email: 'a@x.io', password: `${PASSWORD}\0` }, 'password');
  await refusesField({ email: 'a@x.io', password: 'lone surrogate \ud800' }, 'password');
});

test.each(['null', '1', '"text"', '[]', 'true'])('Spec 2.1: takes only a JSON object: %s', async (body) => {
  const answer = await gateway.send('POST', '/auth/login', { headers: { 'content-type': 'application/json' }, body });
  expect(answer.status).toBe(422);
  expect(answer.json.errors.length).toBeGreaterThan(0);
});

test('Spec 2.1: ignores fields it does not know', async () => {
  const { email } = await gateway.user();
  const answer = await post({ email, password: PASSWORD, role: 'admin', is_active: true });
  expect(answer.status).toBe(200);
});
