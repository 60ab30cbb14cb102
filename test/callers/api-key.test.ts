/** The caller `api_key`, by a signed request, against the whole gateway over HTTP. (Interface 6) */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { createApiKey, revokeApiKey, rotateApiKey } from '../../src/admin/api-keys.js';
import { apiKey } from '../../src/callers/api-key.js';
import type { Db } from '../../src/db/statement.js';
import { createRateLimiter } from '../../src/rate-limits/rate-limiter.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { ask, newCronKey } from '../support/gateway/graphql.js';
import { sendSigned, signerAt } from '../support/gateway/send-signed.js';
import type { RefusedCase } from '../support/independent/refused-signatures/case.js';
import { contentCases } from '../support/independent/refused-signatures/contents.js';
import { coverageCases } from '../support/independent/refused-signatures/coverage.js';
import { fieldCases } from '../support/independent/refused-signatures/fields.js';
import { parameterCases } from '../support/independent/refused-signatures/parameters.js';
import { freshNonce, QUERY, type Sign, type SignedRequest } from '../support/independent/signer.js';
import { AUTHORITY } from '../support/independent/verify.js';
import { whileAway } from '../support/postgres/faults.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ instances: 2 });
});
afterAll(() => gateway.close());

interface Holder {
  keyId: string;
  secret: string;
  sign: Sign;
}

async function issue(rateLimit = 1_000_000): Promise<Holder> {
  const fields = { serviceName: 'billing', scopes: ['invoices:read'], rateLimit };
  const { key, secret } = await createApiKey(gateway.app, COMMAND_LINE, fields);
  return { keyId: key.keyId, secret, sign: signerAt(gateway, key.keyId, secret) };
}

/** Three of each reason. */
function sampleOf(cases: RefusedCase[]): RefusedCase[] {
  return [...Map.groupBy(cases, ([, reason]) => reason).values()].flatMap((alike) => alike.slice(0, 3));
}

const nonces = async (): Promise<number> => (await gateway.rows('select 1 from signature_nonces')).length;

describe('Interface 6: a well-signed request', () => {
  test('Spec 2.8: gives the identity object of its key', async () => {
    const { keyId, sign } = await issue(60);
    const body =
      '{"query":"{ caller { __typename callerType ... on ApiKeyCaller { keyId serviceName scopes rateLimit } } }"}';
    const { status, text } = await sendSigned(gateway, sign({ body }));
    expect(status).toBe(200);
    expect(JSON.parse(text).data.caller).toEqual({
      __typename: 'ApiKeyCaller',
      callerType: 'api_key',
      keyId,
      serviceName: 'billing',
      scopes: ['invoices:read'],
      rateLimit: 60,
    });
  });

  test('uses up its nonce until 360 s after it was created', async () => {
    const { keyId, sign } = await issue();
    const nonce = freshNonce();
    await sendSigned(gateway, sign({ nonce }));
    const [row] = await gateway.rows<{ expires_at: Date }>(
      'select expires_at from signature_nonces where key_id = $1 and nonce = $2',
      [keyId, nonce],
    );
    expect(row?.expires_at).toEqual(new Date(gateway.clock.now().getTime() + 360_000));
  });

  test('is served once of 64 presentations over two instances, in 10 of 10 rounds', async () => {
    const { sign } = await issue();
    const [one, two] = gateway.two();
    for (let round = 0; round < 10; round += 1) {
      const request = sign();
      const answers = await Promise.all(
        Array.from({ length: 64 }, (_, i) => sendSigned(i % 2 === 0 ? one : two, request)),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ reason }) => reason === 'nonce_reused')).toHaveLength(63);
    }
  });

  test.each(['abcdefghijklmnopqr+/Aw==', 'n'.repeat(128), '+/=_.~-'.repeat(4)])(
    'may have the nonce %s, once, and its case counts',
    async (nonce) => {
      const { sign } = await issue();
      expect((await sendSigned(gateway, sign({ nonce }))).status).toBe(200);
      expect(await sendSigned(gateway, sign({ nonce }))).toMatchObject({ status: 401, reason: 'nonce_reused' });
      const other = nonce.toUpperCase();
      if (other !== nonce) expect((await sendSigned(gateway, sign({ nonce: other }))).status).toBe(200);
    },
  );

  test.each(['application/json; charset=utf-8', 'Application/JSON'])('may call its body %s', async (contentType) => {
    const { sign } = await issue();
    expect((await sendSigned(gateway, sign({ contentType }))).status).toBe(200);
  });

  test('may use a nonce that another key has used', async () => {
    const [one, other] = [await issue(), await issue()];
    const nonce = freshNonce();
    expect((await sendSigned(gateway, one.sign({ nonce }))).status).toBe(200);
    expect((await sendSigned(gateway, other.sign({ nonce }))).status).toBe(200);
  });
});

describe('Interface 6: a request is refused without a nonce being used up:', () => {
  let holder: Holder;
  let other: Holder;
  beforeAll(async () => {
    holder = await issue();
    other = await issue();
  });

  // The fields all, since HTTP carries them; of the rest a sample. The verifier alone has the whole table:
  // test/credentials/request-signature.test.ts.
  const sampled = [contentCases, coverageCases, parameterCases].flatMap(sampleOf);
  const routed = [...fieldCases, ...sampled].filter(([, , , early]) => early === undefined);
  test.each(routed.map(([name, reason, make]) => [name, reason, make] as const))('%s: %s', async (_, reason, make) => {
    const before = await nonces();
    const now = Math.floor(gateway.clock.now().getTime() / 1000);
    const answer = await sendSigned(gateway, make(holder.sign, now, other.sign));
    expect(answer).toMatchObject({ status: 401, code: 'UNAUTHENTICATED', reason });
    expect(typeof answer.signatureBase).toBe(reason === 'invalid_signature' ? 'string' : 'undefined');
    expect(answer.headers['www-authenticate']).toBe(`Signature realm="auth-gateway", error="${reason}"`);
    expect(answer.headers['accept-signature']).toMatch(
      /^sig1=\("@method" "@authority" "@path" "@query".*;created;nonce=/,
    );
    expect(await nonces()).toBe(before);
  });

  test('signature_expired comes with the time of the server', async () => {
    const request = holder.sign();
    gateway.clock.advance(301);
    const { reason, text } = await sendSigned(gateway, request);
    expect(reason).toBe('signature_expired');
    expect(JSON.parse(text).errors[0].extensions.serverTime).toBe(gateway.clock.now().toISOString());
  });

  test('an unknown key answers what a wrong secret does', async () => {
    const unknown = signerAt(gateway, 'ak_00000000000000000000', 'aks_nobody');
    const wrong = signerAt(gateway, holder.keyId, other.secret);
    const answers = [];
    for (const request of [unknown(), wrong()]) {
      const { status, reason, text } = await sendSigned(gateway, request);
      expect([status, reason]).toEqual([401, 'invalid_signature']);
      answers.push(text.replace(JSON.stringify(request.base), '"BASE"')); // which has the key id and the nonce
    }
    expect(answers[0]).toContain('"signatureBase":"BASE"');
    expect(answers[0]).toBe(answers[1]);
  });

  test('two kinds of credential, whichever is good', async () => {
    const request = holder.sign();
    const twice = { ...request, headers: [...request.headers, ['X-Internal-Key', 'x'] as [string, string]] };
    expect(await sendSigned(gateway, twice)).toMatchObject({ status: 401, reason: 'multiple_credentials' });
    expect((await sendSigned(gateway, request)).status).toBe(200); // its nonce was not used up
  });
});

describe('Interface 6: the life of a key', () => {
  test('a revoked key is refused at once on every instance, and works again nowhere', async () => {
    const { keyId, sign } = await issue();
    for (const instance of gateway.two()) expect((await sendSigned(instance, sign())).status).toBe(200);
    await revokeApiKey(gateway.app, COMMAND_LINE, keyId);
    for (const instance of gateway.two()) {
      expect(await sendSigned(instance, sign())).toMatchObject({ status: 401, reason: 'invalid_signature' });
    }
    await expect(rotateApiKey(gateway.app, COMMAND_LINE, keyId, { overlapSeconds: 0 })).rejects.toThrow(
      'no active key',
    );
  });

  test('rotate gives a second live secret; the old one ends with the overlap', async () => {
    const { keyId, sign } = await issue();
    const { secret } = await rotateApiKey(gateway.app, COMMAND_LINE, keyId, { overlapSeconds: 3600 });
    const fresh = signerAt(gateway, keyId, secret);
    gateway.clock.advance(3599);
    expect((await sendSigned(gateway, sign())).status).toBe(200);
    expect((await sendSigned(gateway, fresh())).status).toBe(200);
    gateway.clock.advance(1);
    expect(await sendSigned(gateway, sign())).toMatchObject({ reason: 'invalid_signature' });
    expect((await sendSigned(gateway, fresh())).status).toBe(200);
  });

  test('an overlap of 0 ends the old secret at once, and a second rotation by force the oldest', async () => {
    const { keyId, sign } = await issue();
    expect((await sendSigned(gateway, sign())).status).toBe(200);
    const second = await rotateApiKey(gateway.app, COMMAND_LINE, keyId, { overlapSeconds: 3600 });
    const third = await rotateApiKey(gateway.app, COMMAND_LINE, keyId, { overlapSeconds: 3600, force: true });
    expect((await sendSigned(gateway, sign())).status).toBe(401);
    expect((await sendSigned(gateway, signerAt(gateway, keyId, second.secret)())).status).toBe(200);
    expect((await sendSigned(gateway, signerAt(gateway, keyId, third.secret)())).status).toBe(200);
    const last = await rotateApiKey(gateway.app, COMMAND_LINE, keyId, { overlapSeconds: 0 });
    expect((await sendSigned(gateway, signerAt(gateway, keyId, third.secret)())).status).toBe(401);
    expect((await sendSigned(gateway, signerAt(gateway, keyId, last.secret)())).status).toBe(200);
  });

  test('other scopes and another limit hold from the next request on', async () => {
    const { keyId, sign } = await issue();
    await sendSigned(gateway, sign());
    await gateway.rows(`update api_keys set scopes = '{other:read}', rate_limit = 7 where key_id = $1`, [keyId]);
    const body = '{"query":"{ caller { ... on ApiKeyCaller { scopes rateLimit } } }"}';
    const { headers, text } = await sendSigned(gateway, sign({ body }));
    expect(JSON.parse(text).data.caller).toEqual({ scopes: ['other:read'], rateLimit: 7 });
    expect(headers['ratelimit-policy']).toBe('"key";q=7;w=60');
  });

  test('last_used_at is written at most once a minute', async () => {
    const { keyId, sign } = await issue();
    const used = async () =>
      (await gateway.rows<{ at: Date | null }>('select last_used_at as at from api_keys where key_id = $1', [keyId]))[0]
        ?.at;
    expect(await used()).toBeNull();
    await sendSigned(gateway, sign());
    const first = gateway.clock.now();
    expect(await used()).toEqual(first);
    gateway.clock.advance(59);
    await sendSigned(gateway, sign());
    expect(await used()).toEqual(first);
    gateway.clock.advance(1);
    await sendSigned(gateway, sign());
    expect(await used()).toEqual(gateway.clock.now());
  });

  test('the secret is stored sealed and in no other form', async () => {
    const { keyId, secret } = await issue();
    const [row] = await gateway.rows<{ sealed_secret: string }>('select * from api_keys where key_id = $1', [keyId]);
    expect(JSON.stringify(row)).not.toContain(secret);
    const header = JSON.parse(Buffer.from(row?.sealed_secret.split('.')[0] ?? '', 'base64url').toString());
    expect(header).toMatchObject({ alg: 'dir', enc: 'A256GCM', key_id: keyId });
  });

  test('a sealed secret that was moved to another key opens nothing', async () => {
    const [one, other] = [await issue(), await issue()];
    await gateway.rows(
      'update api_keys set sealed_secret = (select sealed_secret from api_keys where key_id = $1) where key_id = $2',
      [one.keyId, other.keyId],
    );
    const answer = await sendSigned(gateway, signerAt(gateway, other.keyId, one.secret)());
    expect(answer).toMatchObject({ status: 401, reason: 'invalid_signature' });
  });
});

describe('Interface 6: the rate limit of a key', () => {
  test('lets exactly 10 of 14 requests over two instances pass', async () => {
    const { sign } = await issue(10);
    const [one, two] = gateway.two();
    const answers = await Promise.all(
      Array.from({ length: 14 }, (_, i) => sendSigned(i % 2 === 0 ? one : two, sign())),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    const limited = answers.filter(({ status }) => status === 429);
    expect(limited).toHaveLength(4);
    for (const { code, headers } of limited) {
      expect(code).toBe('RATE_LIMITED');
      expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
    }
  });

  const LEFT = /^"key";r=(\d+);t=(\d+)$/;

  test('is in every answer to the key: 200, 400, 429', async () => {
    const { sign } = await issue(3);
    const bodies = [QUERY, '{"query":"{ nothing }"}', '{', QUERY, QUERY];
    const answers = [];
    for (const body of bodies) answers.push(await sendSigned(gateway, sign({ body })));
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 400, 429, 429]);
    for (const { headers } of answers) {
      expect(headers['ratelimit-policy']).toBe('"key";q=3;w=60');
      const [, , seconds] = LEFT.exec(String(headers['ratelimit'])) ?? [];
      expect(Number(seconds)).toBeGreaterThanOrEqual(1);
      expect(Number(seconds)).toBeLessThanOrEqual(60);
      if ('retry-after' in headers) expect(headers['retry-after']).toBe(seconds);
    }
    const left = answers.map(({ headers }) => Number(LEFT.exec(String(headers['ratelimit']))?.[1]));
    expect(left).toEqual([2, 1, 0, 0, 0]);
  });

  test('is in no other answer: neither for an unknown key, nor for other callers', async () => {
    const { keyId, sign } = await issue(3);
    const used = sign();
    await sendSigned(gateway, used);
    const [wrong, cron] = [signerAt(gateway, keyId, 'aks_other')(), await newCronKey(gateway)];
    const answers = [await sendSigned(gateway, used), await sendSigned(gateway, wrong)];
    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
    for (const { headers } of [...answers, await ask(gateway, cron.as, '{ caller { callerType } }')]) {
      expect(Object.keys(headers).filter((name) => name.startsWith('ratelimit'))).toEqual([]);
    }
  });

  test('is not touched by a request that is refused', async () => {
    const { keyId, sign } = await issue(10);
    const used = sign();
    const wrong = signerAt(gateway, keyId, 'aks_other');
    const left = async (request: SignedRequest) => (await sendSigned(gateway, request)).headers['ratelimit'];
    expect(await left(used)).toMatch(/r=9;/);
    for (const request of [used, wrong(), used]) expect(await left(request)).toBeUndefined();
    expect(await left(sign())).toMatch(/r=8;/);
  });

  test('is counted where an instance of an older version counts, and as it does', async () => {
    const { keyId, sign } = await issue(10);
    const older = createRateLimiter({ ...gateway.app, redis: undefined }, 'api_key', 60);
    const left = async () => LEFT.exec(String((await sendSigned(gateway, sign())).headers['ratelimit']))?.[1];
    expect(await left()).toBe('9');
    expect(await older.count(keyId)).toMatchObject({ count: 2 });
    expect(await left()).toBe('7');
    expect(await older.count(keyId)).toMatchObject({ count: 4 });
    const rows = await gateway.rows('select key, points from rate_limits where key like $1', [`%${keyId}`]);
    expect(rows).toEqual([{ key: `api_key:${keyId}`, points: 4 }]);
  });

  test('is each key its own, and begins anew after its minute', async () => {
    const [one, other] = [await issue(1), await issue(1)];
    expect((await sendSigned(gateway, one.sign())).status).toBe(200);
    expect((await sendSigned(gateway, one.sign())).status).toBe(429);
    expect((await sendSigned(gateway, other.sign())).status).toBe(200);
    gateway.clock.advance(59);
    expect((await sendSigned(gateway, one.sign())).status).toBe(429);
    gateway.clock.advance(1);
    for (const status of [200, 429]) expect((await sendSigned(gateway, one.sign())).status).toBe(status);
  });
});

describe('Interface 6: the cache of opened secrets', () => {
  /** Resolves the caller of a request. @returns the result, and the names of the statements that were run */
  async function resolved(request: SignedRequest): Promise<[kind: string, statements: string[]]> {
    const { app } = gateway;
    const statements: string[] = [];
    const db: Db = {
      run: (statement, values) => {
        statements.push(statement.name);
        return app.db.run(statement, values);
      },
    };
    const facts = { ...request, authority: AUTHORITY, rawHeaders: request.headers.flat() };
    const { kind } = await apiKey.resolve({ ...app, db: { ...app.db, ...db } }, facts);
    return [kind, statements];
  }

  const FIND = 'secrets_of_api_key';
  const ADMIT = 'admit_api_key';

  test('spare a key in use a statement; a wrong secret costs what an unknown key does', async () => {
    const { keyId, sign } = await issue();
    const wrong = signerAt(gateway, keyId, 'aks_other');
    const unknown = signerAt(gateway, 'ak_00000000000000000000', 'aks_other');
    for (const signAs of [wrong, unknown]) expect(await resolved(signAs())).toEqual(['refused', [FIND]]);
    expect(await resolved(sign())).toEqual(['caller', [FIND, ADMIT, 'touch_api_keys']]);
    expect(await resolved(sign())).toEqual(['caller', [ADMIT]]);
    for (const signAs of [wrong, unknown]) expect(await resolved(signAs())).toEqual(['refused', [FIND]]);
    await revokeApiKey(gateway.app, COMMAND_LINE, keyId);
    expect(await resolved(sign())).toEqual(['refused', [ADMIT, FIND]]);
    expect(await resolved(sign())).toEqual(['refused', [FIND]]);
  });

  test('are those of keys whose secret was right, and go 10 s after they were opened', async () => {
    const { secretCache } = gateway.app;
    const { keyId, sign } = await issue();
    await resolved(signerAt(gateway, keyId, 'aks_other')());
    expect(secretCache.has(keyId)).toBe(false);
    await resolved(sign());
    expect(secretCache.getRemainingTTL(keyId)).toBeLessThanOrEqual(10_000);
    expect(secretCache).toMatchObject({ ttlAutopurge: true, updateAgeOnGet: false });
  });
});

test('Interface 6: a store that is away is 503, never a pass', async () => {
  const { sign } = await issue();
  const answer = await whileAway(gateway.database, () => sendSigned(gateway, sign()));
  expect(answer).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
  expect(answer.headers['retry-after']).toBe('5');
  expect((await sendSigned(gateway, sign())).status).toBe(200);
});
