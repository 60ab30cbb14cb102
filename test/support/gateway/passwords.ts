/** The routes of Interface 15, one call each, and links as an operator issues them. */
import { COMMAND_LINE } from '../../../src/admin/administer.js';
import { issuePasswordLink } from '../../../src/admin/password-links.js';
import type { LinkPurpose } from '../../../src/domain/link-purpose.js';
import { type Answer, type Instance, PASSWORD } from './gateway.js';

export const CHOSEN = 'eleven teal otters juggle';
export const ANOTHER = 'seven grey herons listen';

export function changePassword(
  on: Pick<Instance, 'send'>,
  accessToken: string | undefined,
  newPassword: unknown = CHOSEN,
  currentPassword: unknown = PASSWORD,
): Promise<Answer> {
  return on.send('POST', '/auth/password', {
    headers: accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` },
    body: { current_password: currentPassword, new_password: newPassword },
  });
}

export function check(on: Pick<Instance, 'send'>, token: unknown): Promise<Answer> {
  return on.send('POST', '/auth/password/check', { body: { token } });
}

export function redeem(on: Pick<Instance, 'send'>, token: unknown, newPassword: unknown = CHOSEN): Promise<Answer> {
  return on.send('POST', '/auth/password/redeem', { body: { token, new_password: newPassword } });
}

/** @returns the token in the link */
export async function issueLink(
  on: Pick<Instance, 'app'>,
  userId: string,
  purpose: LinkPurpose = 'reset',
): Promise<string> {
  const { link } = await issuePasswordLink(on.app, COMMAND_LINE, userId, purpose);
  return new URLSearchParams(new URL(link).hash.slice(1)).get('token') ?? '';
}

/** `POST /auth/password/forgot`. */
export function forgot({ send }: Pick<Instance, 'send'>, email: unknown, from = '192.0.2.1'): Promise<Answer> {
  return send('POST', '/auth/password/forgot', { headers: { 'x-forwarded-for': from }, body: { email } });
}
