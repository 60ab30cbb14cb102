/** Each hostile ceremony is refused over HTTP, at a login and at a registration, and is nobody's failed login. (Interface 20) */
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import {
  confirm,
  finishLogin,
  halfLogin,
  logInByPasskey,
  post,
  type WithPasskey,
  withPasskey,
} from '../support/gateway/factors.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newcomer } from '../support/gateway/graphql.js';
import { userRow } from '../support/gateway/rows.js';
import { HOSTILE_ASSERTIONS } from '../support/independent/passkeys/hostile-assertions.js';
import type { Hostile } from '../support/independent/passkeys/hostile-parts.js';
import { HOSTILE_REGISTRATIONS } from '../support/independent/passkeys/hostile-registrations.js';
import {
  type AssertionDraft,
  type RegistrationDraft,
  SoftwareAuthenticator,
} from '../support/independent/passkeys/software-authenticator.js';

const PUBLIC_URL = 'https://gate.example';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { PUBLIC_URL, CORS_ORIGINS: 'https://app.gate.example' } });
});
afterAll(() => gateway.close());

const MAX_BODY_BYTES = 16 * 1024;
const TOO_LARGE = '413 body_too_large';

/** A user whose passkey has counted to 1, which is what the gateway has stored. */
async function used(): Promise<WithPasskey> {
  const user = await withPasskey(gateway);
  expect((await logInByPasskey(gateway, user.authenticator)).status).toBe(200);
  return user;
}

/** The next answer of an authenticator whose refused answers have not counted. */
function answerOf(
  { authenticator }: WithPasskey,
  options: PublicKeyCredentialRequestOptionsJSON,
  alter?: (draft: AssertionDraft) => void,
): object {
  authenticator.signCount = 1;
  return authenticator.get(options, alter);
}

/** The outcome of each, except what should have come. */
async function unexpected<Row extends { name: string }>(
  rows: readonly Row[],
  attempt: (row: Row) => Promise<{ body: object; answer: { status: number; json: { reason?: string } } }>,
  refusal: string,
): Promise<string[]> {
  const found = [];
  for (const row of rows) {
    const { body, answer } = await attempt(row);
    const isTooLarge = JSON.stringify(body).length > MAX_BODY_BYTES;
    const came = `${answer.status} ${answer.json?.reason}`;
    if (came !== (isTooLarge ? TOO_LARGE : refusal)) found.push(`${row.name}: ${came}`);
  }
  return found;
}

test('Interface 20: each hostile assertion is refused at a login by a passkey, and counts for nobody', async () => {
  const owner = await used();
  const attempt = async ({ alter }: Hostile<AssertionDraft>) => {
    const { ceremony, publicKey } = (await post(gateway, 'login/passkey/options')).json;
    const body = { ceremony, credential: answerOf(owner, publicKey, alter) };
    return { body, answer: await post(gateway, 'login/passkey', body) };
  };
  expect(await unexpected(HOSTILE_ASSERTIONS, attempt, '401 invalid_credentials')).toEqual([]);
  expect(await userRow(gateway, owner.user.id)).toMatchObject({ failed_login_attempts: 0, locked_until: null });
  expect((await logInByPasskey(gateway, owner.authenticator)).status).toBe(200);
});

test('Interface 20: each hostile assertion is refused as a second step, and leaves the half login alive', async () => {
  const owner = await used();
  const challenge = await halfLogin(gateway, owner.user.email);
  const attempt = async ({ alter }: Hostile<AssertionDraft>) => {
    const { publicKey } = (await post(gateway, 'login/passkey/options', { challenge })).json;
    const body = { challenge, credential: answerOf(owner, publicKey, alter) };
    return { body, answer: await post(gateway, 'login/factor', body) };
  };
  expect(await unexpected(HOSTILE_ASSERTIONS, attempt, '401 invalid_credentials')).toEqual([]);
  expect(await userRow(gateway, owner.user.id)).toMatchObject({ failed_login_attempts: 0, locked_until: null });
  const { publicKey } = (await post(gateway, 'login/passkey/options', { challenge })).json;
  expect((await finishLogin(gateway, challenge, { credential: answerOf(owner, publicKey) })).status).toBe(200);
});

test('Interface 20: each hostile assertion is refused at a confirmation, and counts for nobody', async () => {
  const owner = await used();
  const attempt = async ({ alter }: Hostile<AssertionDraft>) => {
    const { ceremony, publicKey } = (await post(gateway, 'confirm/options', {}, owner.accessToken)).json;
    const body = { ceremony, credential: answerOf(owner, publicKey, alter) };
    return { body, answer: await confirm(gateway, owner.accessToken, body) };
  };
  expect(await unexpected(HOSTILE_ASSERTIONS, attempt, '403 factor_wrong')).toEqual([]);
  expect(await userRow(gateway, owner.user.id)).toMatchObject({ failed_login_attempts: 0, locked_until: null });
});

test('Interface 20: each hostile registration is refused, and adds nothing', async () => {
  const { user, accessToken } = await newcomer(gateway);
  const attempt = async ({ alter }: Hostile<RegistrationDraft>) => {
    const { ceremony, publicKey } = (await post(gateway, 'factors/passkey/options', {}, accessToken)).json;
    const authenticator = new SoftwareAuthenticator({ rpId: 'gate.example', origin: PUBLIC_URL });
    const body = { ceremony, credential: authenticator.create(publicKey, alter), name: 'Laptop' };
    return { body, answer: await post(gateway, 'factors/passkey', body, accessToken) };
  };
  expect(await unexpected(HOSTILE_REGISTRATIONS, attempt, '403 factor_wrong')).toEqual([]);
  expect(await gateway.rows('select * from factors where user_id = $1', [user.id])).toEqual([]);
  expect(await userRow(gateway, user.id)).toMatchObject({ has_factors: false, failed_login_attempts: 0 });
  expect(await unexpected([{ name: 'good', alter: () => undefined }], attempt, '200 undefined')).toEqual([]);
});
