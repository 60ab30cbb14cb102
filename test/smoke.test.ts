/** The built program as a process of its own. What else is true of it is tried by slow tests; all others run the sources. */
import { logIn, refreshTokenOf, send, startGateway, type TestGateway } from './support/gateway/gateway.js';
import { bearer, dataOf } from './support/gateway/graphql.js';
import { refresh } from './support/gateway/routes.js';
import { startProcess } from './support/gateway/server-process.js';
import { until } from './support/until.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ passwords: 'argon2' });
});
afterAll(() => gateway.close());

test('Spec 1 and 9: the build starts, logs in, refreshes and answers GraphQL on paths without a version, and stops', async () => {
  const { email } = await gateway.user();
  await using server = await startProcess(gateway);
  const on = { ...gateway, url: server.url, send: send.bind(undefined, server.url) };
  const ready = () => on.send('GET', '/health/ready').catch(() => undefined);
  await until('it is ready', async () => (await ready())?.status === 200);
  const { refreshToken } = await logIn(on, email);
  const answer = await refresh(on, refreshToken);
  expect([answer.status, refreshTokenOf(answer)]).toEqual([200, expect.not.stringMatching(refreshToken)]);
  expect(await dataOf(on, bearer(answer.json.access_token), '{ caller { callerType } }')).toEqual({
    caller: { callerType: 'user' },
  });
  server.process.kill('SIGTERM');
  expect(await server.exited).toEqual([0, null]);
  expect(server.errors()).toBe('');
});
