/** The caller `cron`, by X-Internal-Key. (Interface 6) */
import { createHash } from 'node:crypto';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, dataOf, internalKey, newCronKey } from '../support/gateway/graphql.js';
import { countWork } from '../support/gateway/work.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ instances: 2 });
});
afterAll(() => gateway.close());

const CALLER = '{ caller { callerType ... on CronCaller { keyId serviceName scopes } } }';

async function expectRefused(as: As): Promise<void> {
  const answer = await ask(gateway, as, CALLER);
  expect(answer).toMatchObject({ status: 401, code: 'UNAUTHENTICATED', reason: 'invalid_key', data: undefined });
}

/** The same but for its last character. */
function wrong(value: string): string {
  return value.slice(0, -1) + (value.endsWith('0') ? '1' : '0');
}

test('Spec 2.8: the key is answered with its id, service and scopes', async () => {
  const { keyId, as } = await newCronKey(gateway, ['a:b', 'users:read']);
  const caller = { callerType: 'cron', keyId, serviceName: 'nightly', scopes: ['a:b', 'users:read'] };
  expect(await dataOf(gateway, as, CALLER)).toEqual({ caller });
});

test('Interface 6: a wrong secret, an unknown id, another key’s secret and a revoked key answer the same', async () => {
  const [{ secret, keyId }, other, revoked] = [
    await newCronKey(gateway),
    await newCronKey(gateway),
    await newCronKey(gateway),
  ];
  await gateway.rows('update cron_keys set revoked_at = $2 where key_id = $1', [revoked.keyId, gateway.clock.now()]);
  const unknown = `ck_${'0'.repeat(20)}.${secret.split('.')[1]}`;
  const crossed = `${keyId}.${other.secret.split('.')[1]}`;
  const answers = [];
  for (const value of [wrong(secret), unknown, crossed, revoked.secret]) {
    const { status, text, headers } = await ask(gateway, internalKey(value), CALLER);
    const { date: _date, 'x-request-id': _id, ...same } = headers;
    answers.push({ status, text, headers: same });
  }
  expect(answers[0]).toMatchObject({ status: 401 });
  for (const answer of answers) expect(answer).toEqual(answers[0]);
});

test('Interface 6: an unknown id costs the statements of a wrong secret: one look-up, nothing written', async () => {
  const { secret } = await newCronKey(gateway);
  const work = countWork();
  await work.watch(gateway.app.db);
  const statements = async (value: string) =>
    (await work.during(() => ask(gateway, internalKey(value), CALLER)))[1].statements;
  const ofWrong = await statements(wrong(secret));
  expect(ofWrong).toHaveLength(1);
  expect(await statements(`ck_${'1'.repeat(20)}.${secret.split('.')[1]}`)).toEqual(ofWrong);
});

test('Interface 6: every other form of the field is refused, and two of them', async () => {
  const { secret, keyId } = await newCronKey(gateway);
  const part = secret.split('.')[1] ?? '';
  const forms = ['', 'x', keyId, part, `${keyId}.`, `.${part}`, `${keyId}:${part}`, `${secret}x`, `${secret}.x`];
  forms.push(`Bearer ${secret}`, secret.toLowerCase(), `${keyId}.${part}, ${keyId}.${part}`, `${secret},${secret}`);
  for (const form of forms) await expectRefused(internalKey(form));
  await expectRefused(() => ({ 'x-internal-key': [secret, secret] }));
  await expectRefused(() => ({ 'x-internal-key': [secret, 'x'] }));
  expect((await ask(gateway, internalKey(secret), CALLER)).status).toBe(200);
});

test('Interface 6: a key revoked on one instance is refused on the other at once', async () => {
  const { keyId, as } = await newCronKey(gateway);
  const admin = await newCronKey(gateway, ['keys:write']);
  const [one, two] = gateway.two();
  expect((await ask(two, as, CALLER)).status).toBe(200);
  await dataOf(one, admin.as, `mutation { revokeCronKey(input: { id: "${keyId}" }) { cronKey { id } } }`);
  for (const on of [one, two]) expect((await ask(on, as, CALLER)).status).toBe(401);
});

test('Interface 6: a cron secret is stored as SHA-256 alone', async () => {
  const { keyId, secret } = await newCronKey(gateway);
  const [row] = await gateway.rows('select * from cron_keys where key_id = $1', [keyId]);
  const part = secret.split('.')[1] ?? '';
  expect(row).toMatchObject({ secret_sha256: createHash('sha256').update(part).digest('hex') });
  expect(JSON.stringify(row)).not.toContain(part.slice(4));
});

test('Interface 6: last_used_at is written at most once a minute, by one statement, and only by good requests', async () => {
  const { keyId, as, secret } = await newCronKey(gateway);
  const lastUsed = async () => {
    const [row] = await gateway.rows('select last_used_at from cron_keys where key_id = $1', [keyId]);
    return row?.['last_used_at']?.getTime() ?? null;
  };
  const work = countWork();
  await work.watch(gateway.app.db);
  const writes = async (by: As) => {
    const [, { statements }] = await work.during(() => ask(gateway, by, CALLER));
    return statements.filter((sql) => /\b(update|insert into|delete from|merge into)\b/i.test(sql)).length;
  };
  expect(await writes(internalKey(wrong(secret)))).toBe(0);
  expect(await lastUsed()).toBeNull();
  const first = gateway.clock.now().getTime();
  expect(await writes(as)).toBe(1);
  expect(await lastUsed()).toBe(first);
  gateway.clock.advance(59.999);
  expect(await writes(as)).toBe(0);
  expect(await lastUsed()).toBe(first);
  gateway.clock.advance(0.001);
  expect(await writes(as)).toBe(1);
  expect(await lastUsed()).toBe(first + 60_000);
});
