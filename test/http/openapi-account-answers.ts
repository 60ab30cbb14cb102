/** Brings about each answer of the routes of one's own account. (Interface 21) */
import {
  beginChange,
  deleteAccount,
  exportAccount,
  newAddress,
  redeemEmail,
  requestEmail,
  undoEmail,
  withChangedEmail,
} from '../support/gateway/account.js';
import type { TestGateway } from '../support/gateway/gateway.js';
import { newcomer } from '../support/gateway/graphql.js';
import { lacksColumn, withFault } from '../support/postgres/faults.js';
import type { Answered } from './openapi-checker.js';
import { methodOf, type Row } from './openapi-factor-answers.js';

export const OWN_ACCOUNT_ROUTES = ['/auth/email', '/auth/email/redeem', '/auth/account/export', '/auth/account'];
export const ACCOUNT_ROUTES = [...OWN_ACCOUNT_ROUTES, '/auth/email/undo'];
const FRESH = OWN_ACCOUNT_ROUTES.filter((path) => path !== '/auth/email/redeem');
const WITH_BODY = ['/auth/email', '/auth/email/redeem', '/auth/email/undo'];

const VALID: Record<string, object> = {
  '/auth/email': { email: 'new@example.net' },
  '/auth/email/redeem': { token: 'el_x' },
  '/auth/email/undo': { token: 'eu_x' },
};

/** @param on the gateways, once they have started; the accounts of `off` are off */
export function accountRows(on: () => { gateway: TestGateway; off: TestGateway }): Row[] {
  const gateway = () => on().gateway;
  const send = (path: string, headers: Record<string, string> = {}, body: unknown = VALID[path]) =>
    gateway().send(methodOf(path), path, { headers, body });
  const sendAs = (path: string, accessToken: string, body?: unknown) =>
    send(path, { authorization: `Bearer ${accessToken}` }, body);
  const stale = async (path: string): Promise<Answered> => {
    const { accessToken } = await newcomer(gateway());
    gateway().clock.advance(301);
    return sendAs(path, accessToken);
  };

  const ofEmail: Row[] = [
    [
      '/auth/email',
      202,
      '',
      async () => requestEmail(gateway(), (await newcomer(gateway())).accessToken, newAddress()),
    ],
    [
      '/auth/email/redeem',
      200,
      '',
      async () => {
        const person = await newcomer(gateway());
        return redeemEmail(gateway(), person.accessToken, await beginChange(gateway(), person));
      },
    ],
    [
      '/auth/email/redeem',
      401,
      'link_invalid',
      async () => redeemEmail(gateway(), (await newcomer(gateway())).accessToken, 'el_x'),
    ],
    [
      '/auth/email/redeem',
      409,
      'email_taken',
      async () => {
        const person = await newcomer(gateway());
        const link = await beginChange(gateway(), person, (await gateway().user()).email);
        return redeemEmail(gateway(), person.accessToken, link);
      },
    ],
    ['/auth/email/undo', 204, '', async () => undoEmail(gateway(), (await withChangedEmail(gateway())).wayBack)],
    ['/auth/email/undo', 401, 'link_invalid', () => undoEmail(gateway(), 'eu_x')],
    [
      '/auth/email/undo',
      409,
      'email_taken',
      async () => {
        const { former, wayBack } = await withChangedEmail(gateway());
        const other = await gateway().user();
        await gateway().rows('update users set email = $2 where id = $1', [other.id, former]); // past its reservation
        return undoEmail(gateway(), wayBack);
      },
    ],
    [
      '/auth/email/undo',
      500,
      'internal_error',
      () => withFault(gateway(), lacksColumn('email_undos', 'token_sha256'), () => send('/auth/email/undo')),
    ],
    ...WITH_BODY.map(
      (path): Row => [path, 422, '', async () => sendAs(path, (await newcomer(gateway())).accessToken, {})],
    ),
  ];

  const ofAccount: Row[] = [
    ['/auth/account/export', 200, '', async () => exportAccount(gateway(), (await newcomer(gateway())).accessToken)],
    ['/auth/account', 204, '', async () => deleteAccount(gateway(), (await newcomer(gateway())).accessToken)],
    [
      '/auth/account',
      409,
      'last_administrator',
      async () => {
        await gateway().rows(`update users set role = 'viewer'`);
        return deleteAccount(gateway(), (await newcomer(gateway(), 'admin')).accessToken);
      },
    ],
  ];

  const ofUsers = OWN_ACCOUNT_ROUTES.flatMap((path): Row[] => [
    [path, 401, 'missing_credentials', () => send(path)],
    [path, 401, 'unsupported_scheme', () => send(path, { authorization: 'Basic x' })],
    [path, 401, 'invalid_request', () => send(path, { authorization: 'Bearer' })],
    [path, 401, 'invalid_token', () => send(path, { authorization: 'Bearer x' })],
    [
      path,
      500,
      'internal_error',
      async () => {
        const { accessToken } = await newcomer(gateway());
        return withFault(gateway(), lacksColumn('refresh_tokens', 'revoked'), () => sendAs(path, accessToken));
      },
    ],
  ]);

  return [
    ...ofEmail,
    ...ofAccount,
    ...ofUsers,
    ...FRESH.map((path): Row => [path, 401, 'confirmation_required', () => stale(path)]),
    ...ACCOUNT_ROUTES.map((path): Row => [path, 404, 'not_found', () => on().off.send(methodOf(path), path)]),
  ];
}
