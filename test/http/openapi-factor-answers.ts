/** Brings about each answer of the routes of second factors. (Interface 20) */
import { randomUUID } from 'node:crypto';
import {
  addPasskey,
  codeAt,
  confirm,
  finishLogin,
  halfLogin,
  post,
  removeFactor,
  withPasskey,
  withTotp,
  wrongCode,
} from '../support/gateway/factors.js';
import type { TestGateway } from '../support/gateway/gateway.js';
import { newcomer } from '../support/gateway/graphql.js';
import { login, WRONG } from '../support/gateway/routes.js';
import { SoftwareAuthenticator } from '../support/independent/passkeys/software-authenticator.js';
import { lacksColumn, withFault } from '../support/postgres/faults.js';
import type { Answered } from './openapi-checker.js';

export type Row = [path: string, status: number, word: string, act: () => Promise<Answered>];

export const COUNTED_FACTOR_ROUTES = [
  '/auth/login/factor',
  '/auth/login/passkey/options',
  '/auth/login/passkey',
  '/auth/confirm',
  '/auth/confirm/options',
];
export const OWN_FACTOR_ROUTES = [
  '/auth/factors/totp',
  '/auth/factors/totp/{id}',
  '/auth/factors/passkey/options',
  '/auth/factors/passkey',
  '/auth/factors/recovery-codes',
  '/auth/factors/{id}',
];

/** The path of a request. */
export const urlOf = (path: string): string => path.replace('{id}', randomUUID());
const NOT_POST: Record<string, 'DELETE' | 'GET'> = {
  '/auth/factors/{id}': 'DELETE',
  '/auth/account': 'DELETE',
  '/auth/account/export': 'GET',
  '/export/audit.csv': 'GET',
  '/export/audit.jsonl': 'GET',
  '/export/users.csv': 'GET',
};
export const methodOf = (path: string): 'DELETE' | 'GET' | 'POST' => NOT_POST[path] ?? 'POST';

const BEGUN_BY = { ceremony: 'x', credential: {} };
/** A body that is valid, and that of nothing. */
const VALID: Record<string, object> = {
  '/auth/login/factor': { challenge: 'x', code: '000000' },
  '/auth/login/passkey': BEGUN_BY,
  '/auth/confirm': { code: '000000' },
  '/auth/factors/totp/{id}': { code: '000000' },
  '/auth/factors/passkey': { ...BEGUN_BY, name: 'Laptop' },
};

/** @param on the gateway, once it has started */
export function factorRows(on: () => TestGateway): Row[] {
  const now = () => on().clock.now();
  const send = (path: string, headers: Record<string, string> = {}, body: unknown = VALID[path] ?? {}) =>
    on().send(methodOf(path), urlOf(path), { headers, ...(methodOf(path) === 'POST' && { body }) });
  const sendAs = (path: string, accessToken: string, body?: unknown) =>
    send(path, { authorization: `Bearer ${accessToken}` }, body);
  const stale = async (path: string): Promise<Answered> => {
    const { accessToken } = await newcomer(on());
    on().clock.advance(301);
    return sendAs(path, accessToken);
  };
  const options = async (of: string, token?: string) => (await post(on(), of, {}, token)).json;
  const lock = (userId: string) => on().rows(`update users set locked_until = '2100-01-01' where id = $1`, [userId]);
  const authenticator = () =>
    new SoftwareAuthenticator({ rpId: new URL(on().config.publicUrl).hostname, origin: on().config.publicUrl });
  const withPasskeys = async (count: number) => {
    const user = await withPasskey(on());
    for (let i = 1; i < count; i += 1) await addPasskey(on(), user);
    return user;
  };

  const ofLogin: Row[] = [
    ['/auth/login', 401, 'second_factor_required', async () => login(on(), (await withTotp(on())).user.email)],
    [
      '/auth/login/factor',
      200,
      '',
      async () => {
        const { user, secret } = await withTotp(on());
        return finishLogin(on(), await halfLogin(on(), user.email), { code: codeAt(secret, now()) });
      },
    ],
    [
      '/auth/login/factor',
      401,
      'invalid_credentials',
      async () => {
        const { user, secret } = await withTotp(on());
        return finishLogin(on(), await halfLogin(on(), user.email), { code: wrongCode(secret, now()) });
      },
    ],
    [
      '/auth/login/factor',
      429,
      'account_locked',
      async () => {
        const { user, secret } = await withTotp(on());
        const challenge = await halfLogin(on(), user.email);
        await lock(user.id);
        return finishLogin(on(), challenge, { code: codeAt(secret, now()) });
      },
    ],
    ['/auth/login/factor', 422, '', () => post(on(), 'login/factor', { challenge: 'x' })],
    ['/auth/login/passkey/options', 200, '', () => post(on(), 'login/passkey/options')],
    [
      '/auth/login/passkey/options',
      401,
      'challenge_invalid',
      () => post(on(), 'login/passkey/options', { challenge: 'x' }),
    ],
    ['/auth/login/passkey/options', 422, '', () => post(on(), 'login/passkey/options', { challenge: 5 })],
    [
      '/auth/login/passkey',
      200,
      '',
      async () => {
        const user = await withPasskey(on());
        const { ceremony, publicKey } = await options('login/passkey/options');
        return post(on(), 'login/passkey', { ceremony, credential: user.authenticator.get(publicKey) });
      },
    ],
    [
      '/auth/login/passkey',
      401,
      'invalid_credentials',
      async () => {
        const { ceremony } = await options('login/passkey/options');
        return post(on(), 'login/passkey', { ceremony, credential: {} });
      },
    ],
    [
      '/auth/login/passkey',
      429,
      'account_locked',
      async () => {
        const { user, authenticator: key } = await withPasskey(on());
        const { ceremony, publicKey } = await options('login/passkey/options');
        await lock(user.id);
        return post(on(), 'login/passkey', { ceremony, credential: key.get(publicKey) });
      },
    ],
    ['/auth/login/passkey', 422, '', () => post(on(), 'login/passkey', {})],
    ...['/auth/login/factor', '/auth/login/passkey'].map(
      (path): Row => [path, 401, 'challenge_invalid', () => send(path)],
    ),
    ...['/auth/login/factor', '/auth/login/passkey/options', '/auth/login/passkey'].map(
      (path): Row => [
        path,
        500,
        'internal_error',
        () => withFault(on(), lacksColumn('ceremonies', 'token_sha256'), () => send(path)),
      ],
    ),
  ];

  const ofConfirmation: Row[] = [
    [
      '/auth/confirm',
      200,
      '',
      async () => {
        const { accessToken, secret } = await withTotp(on());
        return confirm(on(), accessToken, { code: codeAt(secret, now()) });
      },
    ],
    [
      '/auth/confirm',
      401,
      'challenge_invalid',
      async () => confirm(on(), (await newcomer(on())).accessToken, BEGUN_BY),
    ],
    [
      '/auth/confirm',
      403,
      'factor_wrong',
      async () => confirm(on(), (await newcomer(on())).accessToken, { password: WRONG }),
    ],
    [
      '/auth/confirm',
      403,
      'second_factor_required',
      async () => confirm(on(), (await withTotp(on())).accessToken, { password: WRONG }),
    ],
    ['/auth/confirm', 422, '', async () => confirm(on(), (await newcomer(on())).accessToken, {})],
    [
      '/auth/confirm',
      429,
      'account_locked',
      async () => {
        const { user, accessToken } = await newcomer(on());
        await lock(user.id);
        return confirm(on(), accessToken, { password: WRONG });
      },
    ],
    [
      '/auth/confirm/options',
      200,
      '',
      async () => sendAs('/auth/confirm/options', (await withPasskey(on())).accessToken),
    ],
    [
      '/auth/confirm/options',
      404,
      'factor_unknown',
      async () => sendAs('/auth/confirm/options', (await newcomer(on())).accessToken),
    ],
    [
      '/auth/confirm/options',
      422,
      '',
      async () => sendAs('/auth/confirm/options', (await newcomer(on())).accessToken, []),
    ],
  ];

  const ofOwn: Row[] = [
    ['/auth/factors/totp', 200, '', async () => sendAs('/auth/factors/totp', (await newcomer(on())).accessToken)],
    [
      '/auth/factors/totp',
      409,
      'totp_exists',
      async () => sendAs('/auth/factors/totp', (await withTotp(on())).accessToken),
    ],
    [
      '/auth/factors/totp/{id}',
      200,
      '',
      async () => {
        const { accessToken } = await newcomer(on());
        const { id, secret } = await options('factors/totp', accessToken);
        return post(on(), `factors/totp/${id}`, { code: codeAt(secret, now()) }, accessToken);
      },
    ],
    [
      '/auth/factors/totp/{id}',
      401,
      'challenge_invalid',
      async () => sendAs('/auth/factors/totp/{id}', (await newcomer(on())).accessToken),
    ],
    [
      '/auth/factors/totp/{id}',
      403,
      'factor_wrong',
      async () => {
        const { accessToken } = await newcomer(on());
        const { id, secret } = await options('factors/totp', accessToken);
        return post(on(), `factors/totp/${id}`, { code: wrongCode(secret, now()) }, accessToken);
      },
    ],
    [
      '/auth/factors/totp/{id}',
      409,
      'totp_exists',
      async () => {
        const { user, accessToken } = await newcomer(on());
        const { id, secret } = await options('factors/totp', accessToken);
        await on().rows(
          `insert into factors (id, user_id, kind, name, created_at, sealed_secret, last_step)
           values (gen_random_uuid(), $1, 'totp', 'Other', now(), 'x', 0)`,
          [user.id],
        );
        return post(on(), `factors/totp/${id}`, { code: codeAt(secret, now()) }, accessToken);
      },
    ],
    [
      '/auth/factors/passkey/options',
      200,
      '',
      async () => sendAs('/auth/factors/passkey/options', (await newcomer(on())).accessToken),
    ],
    [
      '/auth/factors/passkey/options',
      409,
      'too_many_passkeys',
      async () => sendAs('/auth/factors/passkey/options', (await withPasskeys(10)).accessToken),
    ],
    [
      '/auth/factors/passkey',
      200,
      '',
      async () => {
        const { accessToken } = await newcomer(on());
        const { ceremony, publicKey } = await options('factors/passkey/options', accessToken);
        const credential = authenticator().create(publicKey);
        return sendAs('/auth/factors/passkey', accessToken, { ceremony, credential, name: 'Laptop' });
      },
    ],
    [
      '/auth/factors/passkey',
      401,
      'challenge_invalid',
      async () => sendAs('/auth/factors/passkey', (await newcomer(on())).accessToken),
    ],
    [
      '/auth/factors/passkey',
      403,
      'factor_wrong',
      async () => {
        const { accessToken } = await newcomer(on());
        const { ceremony } = await options('factors/passkey/options', accessToken);
        return sendAs('/auth/factors/passkey', accessToken, { ceremony, credential: {}, name: 'Laptop' });
      },
    ],
    [
      '/auth/factors/passkey',
      409,
      'passkey_exists',
      async () => {
        const { accessToken, authenticator: key } = await withPasskey(on());
        const { ceremony, publicKey } = await options('factors/passkey/options', accessToken);
        const { excludeCredentials: _, ...again } = publicKey;
        const [held] = key.passkeys;
        const credential = key.create(again, (draft) => {
          if (held !== undefined) draft.credentialId = held.id;
        });
        return sendAs('/auth/factors/passkey', accessToken, { ceremony, credential, name: 'Laptop' });
      },
    ],
    [
      '/auth/factors/passkey',
      409,
      'too_many_passkeys',
      async () => {
        const user = await withPasskeys(9);
        const { ceremony, publicKey } = await options('factors/passkey/options', user.accessToken);
        await addPasskey(on(), user);
        const credential = authenticator().create(publicKey);
        return sendAs('/auth/factors/passkey', user.accessToken, { ceremony, credential, name: 'Laptop' });
      },
    ],
    [
      '/auth/factors/recovery-codes',
      200,
      '',
      async () => sendAs('/auth/factors/recovery-codes', (await withTotp(on())).accessToken),
    ],
    [
      '/auth/factors/recovery-codes',
      404,
      'factor_unknown',
      async () => sendAs('/auth/factors/recovery-codes', (await newcomer(on())).accessToken),
    ],
    [
      '/auth/factors/{id}',
      204,
      '',
      async () => {
        const { accessToken, factorId } = await withTotp(on());
        return removeFactor(on(), accessToken, factorId);
      },
    ],
    [
      '/auth/factors/{id}',
      404,
      'factor_unknown',
      async () => sendAs('/auth/factors/{id}', (await newcomer(on())).accessToken),
    ],
    ...OWN_FACTOR_ROUTES.filter((path) => path !== '/auth/factors/totp/{id}').map(
      (path): Row => [path, 401, 'confirmation_required', () => stale(path)],
    ),
    ...OWN_FACTOR_ROUTES.filter((path) => methodOf(path) === 'POST').map(
      (path): Row => [path, 422, '', async () => sendAs(path, (await newcomer(on())).accessToken, [])],
    ),
  ];

  const ofUsers = ['/auth/confirm', '/auth/confirm/options', ...OWN_FACTOR_ROUTES].flatMap((path): Row[] => [
    [path, 401, 'missing_credentials', () => send(path)],
    [path, 401, 'unsupported_scheme', () => send(path, { authorization: 'Basic x' })],
    [path, 401, 'invalid_request', () => send(path, { authorization: 'Bearer' })],
    [path, 401, 'invalid_token', () => send(path, { authorization: 'Bearer x' })],
    [
      path,
      500,
      'internal_error',
      async () => {
        const { accessToken } = await newcomer(on());
        return withFault(on(), lacksColumn('refresh_tokens', 'revoked'), () => sendAs(path, accessToken));
      },
    ],
  ]);

  return [...ofLogin, ...ofConfirmation, ...ofOwn, ...ofUsers];
}
