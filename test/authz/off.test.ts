/** Forward authentication is off until both variables are set: nothing of it is there. (Interface 18) */
import { METHODS } from 'node:http';
import { askAs, FAMILIES, FORWARD_AUTH, questionOf } from '../support/gateway/authz.js';
import { type Answer, startGateway, startInstance, type TestGateway } from '../support/gateway/gateway.js';
import { newcomer } from '../support/gateway/graphql.js';
import { wholeState } from '../support/gateway/rows.js';
import { readMetrics } from '../support/independent/prometheus.js';

const CHECKS = 'auth_gateway_authz_checks_total';
const PAGE = 'https://page.example.com';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

/** Without what differs from answer to answer */
const comparable = ({ headers: { date, 'x-request-id': id, ...others } }: Answer) => others;

describe.each(FAMILIES)('Interface 18: %s', (family) => {
  test('every method is 404, as of any unknown path, and nothing is written', async () => {
    const { accessToken } = await newcomer(gateway);
    const headers = { authorization: `Bearer ${accessToken}` };
    const before = await wholeState(gateway);
    for (const method of METHODS.filter((name) => name !== 'CONNECT')) {
      const original = { method, target: '/', origin: 'https://app.example.com', headers };
      const question = questionOf(family, 'caller=user', original);
      const answer = await gateway.send(method, question.path, { headers: question.headers });
      const unknown = await gateway.send(method, '/unknown', { headers: question.headers });
      expect([method, answer.status, answer.text]).toEqual([method, 404, unknown.text]);
      expect(comparable(answer)).toEqual(comparable(unknown));
    }
    expect(await wholeState(gateway)).toEqual(before);
  });

  test('a preflight is answered as anywhere by CORS_ORIGINS, and never by a rule', async () => {
    const headers = { origin: PAGE, 'access-control-request-method': 'GET' };
    const listing = await startInstance(gateway.database, { env: { CORS_ORIGINS: PAGE } });
    try {
      for (const instance of [gateway, listing]) {
        const answer = await instance.send('OPTIONS', `/authz/${family}/caller=user;preflight=allow`, { headers });
        const unknown = await instance.send('OPTIONS', '/unknown', { headers });
        expect([answer.status, comparable(answer)]).toEqual([unknown.status, comparable(unknown)]);
      }
    } finally {
      await listing.close();
    }
  });
});

test('Interface 14: the metric has no series, and no route of it is a label', async () => {
  for (const family of FAMILIES) await askAs(gateway, family, 'caller=user');
  const { text } = await gateway.send('GET', '/metrics');
  expect(readMetrics(text).get(CHECKS)?.samples).toEqual([]);
  expect(text).not.toContain('authz/');
});

test('Interface 18: it is there if both variables are set, with every method', async () => {
  const instance = await startInstance(gateway.database, { env: { CORS_ORIGINS: PAGE, ...FORWARD_AUTH } });
  try {
    for (const family of FAMILIES) {
      for (const method of METHODS.filter((name) => name !== 'CONNECT')) {
        const { path, headers } = questionOf(family, 'caller=user', {
          method: 'GET',
          target: '/',
          origin: 'https://app.example.com',
          headers: {},
        });
        expect([method, (await instance.send(method, path, { headers })).status]).toEqual([method, 401]);
      }
    }
  } finally {
    await instance.close();
  }
});
