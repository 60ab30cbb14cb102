/** The answers of the three routes. (Spec 2.2, 2.3 and 2.4) */
import { logIn, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { logout, refresh } from '../support/gateway/routes.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { ACCESS_TOKEN_TTL_SECONDS: '123' } });
});
afterAll(() => gateway.close());

const tokenResponse = {
  access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
  token_type: 'bearer',
  expires_in: 123,
};

test('Spec 2.2: login answers access_token, token_type and expires_in in seconds, and nothing else', async () => {
  const { answer } = await logIn(gateway, (await gateway.user()).email);
  expect(answer.json).toEqual(tokenResponse);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
});

test('Spec 2.3: refresh answers the same three fields, with another access token', async () => {
  const { answer, refreshToken } = await logIn(gateway, (await gateway.user()).email);
  const refreshed = await refresh(gateway, refreshToken);
  expect(refreshed.json).toEqual(tokenResponse);
  expect(refreshed.json.access_token).not.toBe(answer.json.access_token);
});

test('Spec 2.4: logout answers the one message, with a session and without', async () => {
  const { refreshToken } = await logIn(gateway, (await gateway.user()).email);
  for (const answer of [await logout(gateway, refreshToken), await logout(gateway)]) {
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ message: 'Logged out successfully' });
  }
});

test('Spec 2.2 to 2.4: (Interface 5) no answer of the three routes may be stored', async () => {
  const { answer, refreshToken } = await logIn(gateway, (await gateway.user()).email);
  const answers = [
    answer,
    await refresh(gateway, refreshToken),
    await refresh(gateway, refreshToken),
    await logout(gateway),
    await gateway.send('POST', '/auth/login', { body: {} }),
    await gateway.send('GET', '/auth/login'),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 200, 422, 405]);
  for (const { headers } of answers) expect(headers['cache-control']).toBe('no-store');
});
