/** A request beyond the limit of its key leaves its nonce unused, whichever store counts. (Interface 6) */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { createApiKey, rotateApiKey } from '../../src/admin/api-keys.js';
import { sealSecret } from '../../src/credentials/sealed-secret.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type SignedAnswer, sendSigned, signerAt } from '../support/gateway/send-signed.js';
import type { Sign, SignedRequest } from '../support/independent/signer.js';
import { type RedisServer, startRedis } from '../support/programs/redis.js';
import { until } from '../support/until.js';

export function keyLimitWith(store: 'PostgreSQL' | 'Redis'): void {
  let redis: RedisServer | undefined;
  let gateway: TestGateway;
  beforeAll(async () => {
    redis = store === 'Redis' ? await startRedis() : undefined;
    gateway = await startGateway({ instances: 3, env: redis ? { REDIS_URL: redis.url } : {} });
    await until('each instance is ready', async () => {
      gateway.clock.set(new Date());
      const answers = await Promise.all(gateway.instances.map(({ send }) => send('GET', '/health/ready')));
      return answers.every(({ status }) => status === 200);
    });
  });
  afterAll(async () => {
    await gateway?.close();
    await redis?.stop();
  });

  interface Holder {
    keyId: string;
    secret: string;
    sign: Sign;
  }

  async function issue(rateLimit: number): Promise<Holder> {
    const fields = { serviceName: 'billing', scopes: [], rateLimit };
    const { key, secret } = await createApiKey(gateway.app, COMMAND_LINE, fields);
    return { keyId: key.keyId, secret, sign: signerAt(gateway, key.keyId, secret) };
  }

  /** All at once, over all instances */
  const sendAll = (requests: SignedRequest[]): Promise<SignedAnswer[]> =>
    Promise.all(requests.map((request, i) => sendSigned(gateway.instances[i % 3] ?? gateway, request)));

  const noncesOf = async (keyId: string): Promise<number> =>
    (await gateway.rows('select 1 from signature_nonces where key_id = $1', [keyId])).length;

  /** As in the answer to a caller */
  const left = ({ headers }: SignedAnswer): string | undefined =>
    /^"key";r=(\d+);/.exec(String(headers['ratelimit']))?.[1];

  async function endMinute(): Promise<void> {
    await redis?.empty();
    gateway.clock.advance(60);
  }

  test('Interface 6: a request that is refused with 429 leaves no nonce, and works as it is in the next minute', async () => {
    const { keyId, sign } = await issue(2);
    for (const status of [200, 200, 429]) expect((await sendSigned(gateway, sign())).status).toBe(status);
    const refused = sign();
    for (const status of [429, 429]) expect((await sendSigned(gateway, refused)).status).toBe(status);
    expect(await noncesOf(keyId)).toBe(2);
    await endMinute();
    expect((await sendSigned(gateway, refused)).status).toBe(200);
    expect(await sendSigned(gateway, refused)).toMatchObject({ status: 401, reason: 'nonce_reused' });
    expect(await noncesOf(keyId)).toBe(3);
  });

  test('Interface 6: of 60 requests at once over three instances 20 are admitted, and 20 nonces are used up', async () => {
    const { keyId, sign } = await issue(20);
    const answers = await sendAll(Array.from({ length: 60 }, () => sign()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(40);
    expect(await noncesOf(keyId)).toBe(20);
  });

  test('Interface 6: of one request 40 times at once over three instances one is admitted', async () => {
    const { keyId, sign } = await issue(100);
    const request = sign();
    const answers = await sendAll(Array.from({ length: 40 }, () => request));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ reason }) => reason === 'nonce_reused')).toHaveLength(39);
    expect(await noncesOf(keyId)).toBe(1);
  });

  test('Interface 6: a repeated request uses up nothing of the minute, also beyond the limit', async () => {
    const { sign } = await issue(4);
    const used = sign();
    expect(left(await sendSigned(gateway, used))).toBe('3');
    for (const { reason } of await sendAll(Array.from({ length: 12 }, () => used))) expect(reason).toBe('nonce_reused');
    expect(left(await sendSigned(gateway, sign()))).toBe('2');
    for (const status of [200, 200, 429]) expect((await sendSigned(gateway, sign())).status).toBe(status);
    expect(await sendSigned(gateway, used)).toMatchObject({ status: 401, reason: 'nonce_reused' });
  });

  test('Interface 6: while a stranger repeats a request, the holder of the key has the whole minute', async () => {
    const { sign } = await issue(20);
    const used = sign();
    expect((await sendSigned(gateway, used)).status).toBe(200);
    let isOver = false;
    const repeat = async (on: number): Promise<void> => {
      while (!isOver) await sendSigned(gateway.instances[on % 3] ?? gateway, used);
    };
    const stranger = Promise.all(Array.from({ length: 48 }, (_, i) => repeat(i)));
    const statuses: number[] = [];
    try {
      for (let i = 0; i < 19; i += 1) statuses.push((await sendSigned(gateway, sign())).status);
    } finally {
      isOver = true;
      await stranger;
    }
    expect(statuses).toEqual(Array(19).fill(200));
  });

  test('Interface 6: a request by a secret that was sealed anew meanwhile is counted once', async () => {
    const { keyId, secret, sign } = await issue(10);
    expect(left(await sendSigned(gateway, sign()))).toBe('9');
    const sealed = await sealSecret(gateway.app.keyring, keyId, secret, gateway.clock.now());
    await gateway.rows('update api_keys set sealed_secret = $1 where key_id = $2', [sealed, keyId]);
    expect(left(await sendSigned(gateway, sign()))).toBe('8');
  });

  test('Interface 6: a request by a secret that has ended is not counted', async () => {
    const { keyId, sign } = await issue(10);
    expect(left(await sendSigned(gateway, sign()))).toBe('9');
    const { secret } = await rotateApiKey(gateway.app, COMMAND_LINE, keyId, { overlapSeconds: 0 });
    expect(await sendSigned(gateway, sign())).toMatchObject({ status: 401, reason: 'invalid_signature' });
    expect(left(await sendSigned(gateway, signerAt(gateway, keyId, secret)()))).toBe('8');
  });
}
