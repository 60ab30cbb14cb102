/** The field `Refresh-Retry`: how and on which routes it is read, and that it stays secret. (Interface 12) */
import { createHash } from 'node:crypto';
import { logIn, refreshTokenOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { captureLog } from '../support/gateway/log.js';
import { refresh } from '../support/gateway/routes.js';
import { type RecordRow, recordOf } from '../support/gateway/rows.js';
import { figureOf, readMetrics } from '../support/independent/prometheus.js';
import {
  expectRetry,
  expectTheft,
  jtiOf,
  newKey,
  retryField,
  retrySession,
  sequence,
} from '../support/independent/retries.js';

const captured = captureLog();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { REFRESH_RETRY: 'true', CORS_ORIGINS: APP }, log: captured.log });
});
afterAll(() => gateway.close());

const APP = 'https://app.example.com';

/** The field in forms that hold the key, and in forms that do not. */
type Form = [name: string, field: (key: Buffer) => string | string[]];

const FITTING: Form[] = [
  ['this', (key) => `this=${sequence(key)}`],
  ['previous', (key) => `this=${sequence(newKey())}, previous=${sequence(key)}`],
  ['in the other order, without a space', (key) => `previous=${sequence(key)},this=${sequence(newKey())}`],
  ['in two lines', (key) => [`previous=${sequence(key)}`, `this=${sequence(newKey())}`]],
  ['next to an unknown member', (key) => `this=${sequence(key)}, other=1`],
  ['with a parameter that nobody knows', (key) => `this=${sequence(key)};a=1`],
  ['next to an invalid previous key', (key) => `this=${sequence(key)}, previous=${sequence(newKey(31))}`],
  ['the last of two', (key) => `this=${sequence(newKey())}, this=${sequence(key)}`],
  ['without the padding', (key) => `this=${sequence(key).replace('=:', ':')}`],
];

test.each(FITTING)('Interface 12: the field is read: %s', async (_name, field) => {
  const on = await retrySession(gateway);
  await expectRetry(gateway, on, { 'refresh-retry': field(on.key) });
});

const OTHER_KEY = 'the hash in the place of the key';
const UNFIT: Form[] = [
  ['nothing', () => ''],
  ['31 bytes', (key) => `this=${sequence(key.subarray(1))}`],
  ['33 bytes', (key) => `this=${sequence(Buffer.concat([key, Buffer.alloc(1)]))}`],
  ['no bytes', () => 'this=::'],
  ['previous alone', (key) => `previous=${sequence(key)}`],
  ['a string', (key) => `this="${key.toString('base64')}"`],
  ['a token', (key) => `this=${key.toString('hex').replace(/^./, 'a')}`],
  ['a list', (key) => `this=(${sequence(key)})`],
  ['true', () => 'this'],
  ['another name', (key) => `This=${sequence(key)}`],
  ['base64url', (key) => `this=:${Buffer.concat([Buffer.from([0xfb, 0xff]), key.subarray(2)]).toString('base64url')}:`],
  ['a bare sequence', (key) => sequence(key)],
  ['a comma too many', (key) => `this=${sequence(key)},`],
  ['junk behind it', (key) => `this=${sequence(key)} x`],
  ['another line that is no dictionary', (key) => [`this=${sequence(key)}`, '"']],
  [OTHER_KEY, (key) => `this=${sequence(createHash('sha256').update(key).digest())}`],
  ['more than anybody needs', (key) => `this=${sequence(key)}, ${Array.from({ length: 200 }, (_, i) => `a${i}`)}`],
];

test.each(UNFIT)('Interface 12: anything else in the field is as if it were not there: %s', async (_name, field) => {
  const on = await retrySession(gateway);
  await expectTheft(gateway, on, { 'refresh-retry': field(on.key) });
});

/** A rotation with this field. @returns the new record */
async function madeWith(field: string | string[]): Promise<RecordRow> {
  const { refreshToken } = await logIn(gateway, (await gateway.user()).email);
  const answer = await refresh(gateway, refreshToken, { 'refresh-retry': field });
  return recordOf(gateway, jtiOf(refreshTokenOf(answer) ?? ''));
}

test('Interface 12: a rotation stores the key of this attempt, never the previous one', async () => {
  const key = newKey();
  const stored = createHash('sha256').update(key).digest();
  expect(await madeWith(`this=${sequence(key)}, previous=${sequence(newKey())}`)).toMatchObject({
    retry_key_sha256: stored,
  });
});

test.each(UNFIT.filter(([name]) => name !== OTHER_KEY))(
  'Interface 12: a rotation with anything else stores no key: %s',
  async (_name, field) => {
    expect(await madeWith(field(newKey()))).toMatchObject({ retry_key_sha256: null, predecessor_jti: null });
  },
);

test('Interface 12: the preflight allows it, so scripts of other origins can send it', async () => {
  const answer = await gateway.send('OPTIONS', '/auth/refresh', {
    headers: {
      origin: APP,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'refresh-retry',
    },
  });
  expect(answer.headers['access-control-allow-headers']?.split(',')).toContain('Refresh-Retry');
});

test('Interface 12: no line of the log has a key or its hash; the line and the counter distinguish a retry from a rotation', async () => {
  const on = await retrySession(gateway);
  const counted = async () => {
    const families = readMetrics((await gateway.send('GET', '/metrics')).text);
    return ['success', 'retried', 'record_revoked'].map((outcome) =>
      figureOf(families, 'auth_gateway_refreshes_total', { outcome }),
    );
  };
  const [successes = 0, retried = 0, thefts = 0] = await counted();
  const ids = { 'x-request-id': 'a-retry' };
  const other = newKey();
  await expectRetry(gateway, on, { ...retryField(on.key), ...ids });
  await refresh(gateway, on.successor, { ...retryField(other, on.key), ...ids });
  await expectTheft(gateway, on, { ...retryField(on.key), ...ids });
  const lines = captured.lines().filter(({ request_id }) => request_id === 'a-retry');
  expect(lines.map(({ outcome }) => outcome)).toEqual(['retried', 'success', 'record_revoked']);
  expect(await counted()).toEqual([successes + 1, retried + 1, thefts + 1]);
  const text = captured.text();
  for (const key of [on.key, other]) {
    for (const secret of [key, createHash('sha256').update(key).digest()]) {
      for (const form of ['hex', 'base64', 'base64url'] as const) expect(text).not.toContain(secret.toString(form));
    }
  }
});
