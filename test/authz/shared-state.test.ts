/**
 * Nonces, limits and revoked keys are shared with GraphQL, by all families of proxies and all instances.
 * (Interface 18 and 6)
 */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { revokeApiKey } from '../../src/admin/api-keys.js';
import { askAs, FAMILIES, FORWARD_AUTH, signedOriginal } from '../support/gateway/authz.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { ask, newApiKey } from '../support/gateway/graphql.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: FORWARD_AUTH, instances: 2 });
});
afterAll(() => gateway.close());

const KEY = 'caller=api_key';
const CALLER = '{ caller { callerType } }';

test('Interface 18: of one signed request at all families of two instances at once, one is answered', async () => {
  const key = await newApiKey(gateway);
  for (let round = 0; round < 20; round += 1) {
    const original = signedOriginal(gateway, key);
    const asked = gateway.two().flatMap((on) => FAMILIES.map((family) => askAs(on, family, KEY, original)));
    const answers = await Promise.all(asked);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401, 401, 401]);
    const refused = answers.filter(({ status }) => status === 401);
    expect(refused.map(({ json }) => json.reason)).toEqual(Array(5).fill('nonce_reused'));
  }
});

test('Interface 18: a key has one limit for GraphQL and all families', async () => {
  const { as, ...key } = await newApiKey(gateway, [], 3);
  const [one, two] = gateway.two();
  expect((await ask(one, as, CALLER)).status).toBe(200);
  expect((await askAs(two, 'auth-request', KEY, signedOriginal(gateway, key))).status).toBe(200);
  const last = await askAs(one, 'ext-authz', KEY, signedOriginal(gateway, key));
  expect([last.status, last.headers['ratelimit']]).toEqual([200, expect.stringMatching(/^"key";r=0;t=\d+$/)]);

  const beyond = await askAs(two, 'forward-auth', KEY, signedOriginal(gateway, key));
  expect([beyond.status, beyond.json.reason, beyond.headers['x-auth-status']]).toEqual([
    429,
    'rate_limited',
    undefined,
  ]);
  const retryAfter = Number(beyond.headers['retry-after']);
  expect(retryAfter).toBeGreaterThan(0);
  const toNginx = await askAs(one, 'auth-request', KEY, signedOriginal(gateway, key));
  expect([
    toNginx.status,
    toNginx.json.reason,
    toNginx.headers['x-auth-status'],
    toNginx.headers['retry-after'],
  ]).toEqual([403, 'rate_limited', '429', String(retryAfter)]);
  expect((await ask(one, as, CALLER)).status).toBe(429);

  gateway.clock.advance(60);
  expect((await askAs(one, 'auth-request', KEY, signedOriginal(gateway, key))).status).toBe(200);
});

test('Interface 18: a revoked key is refused at once, by every instance', async () => {
  const key = await newApiKey(gateway);
  for (const on of gateway.two())
    expect((await askAs(on, 'forward-auth', KEY, signedOriginal(gateway, key))).status).toBe(200);
  await revokeApiKey(gateway.app, COMMAND_LINE, key.keyId);
  for (const on of gateway.two()) {
    const answer = await askAs(on, 'forward-auth', KEY, signedOriginal(gateway, key));
    expect([answer.status, answer.json.reason]).toEqual([401, 'invalid_signature']);
  }
});

test('Interface 18: a request that its key may not send has used its nonce, and no row is written for a stranger', async () => {
  const key = await newApiKey(gateway);
  const original = signedOriginal(gateway, key);
  const nonces = async () => (await gateway.rows<{ n: string }>('select count(*) as n from signature_nonces'))[0]?.n;
  const before = Number(await nonces());
  expect((await askAs(gateway, 'forward-auth', 'caller=api_key;scope=a:b', original)).status).toBe(403);
  expect(Number(await nonces())).toBe(before + 1);
  for (const wrong of [
    { ...key, secret: 'aks_other' },
    { ...key, keyId: 'ak_00000000000000000000' },
  ]) {
    for (const family of FAMILIES) {
      const answer = await askAs(gateway, family, KEY, signedOriginal(gateway, wrong));
      expect([answer.status, answer.json.reason, answer.json.signature_base]).toEqual([
        401,
        'invalid_signature',
        expect.stringContaining('"@authority": app.example.com'),
      ]);
    }
  }
  expect(Number(await nonces())).toBe(before + 1);
});
