/** The three routes of Spec 4, one call each. */
import { type Answer, type Instance, PASSWORD } from './gateway.js';

type Headers = Record<string, string | string[]>;

export function login(
  on: Pick<Instance, 'send'>,
  email: string,
  password = PASSWORD,
  headers: Headers = {},
): Promise<Answer> {
  return on.send('POST', '/auth/login', { headers, body: { email, password } });
}

/** Without a token no cookie is sent. */
export function refresh(on: Pick<Instance, 'send'>, refreshToken?: string, headers: Headers = {}): Promise<Answer> {
  return on.send('POST', '/auth/refresh', { headers: { ...headers, ...cookie(refreshToken) } });
}

/** Without a token no cookie is sent. */
export function logout(on: Pick<Instance, 'send'>, refreshToken?: string, headers: Headers = {}): Promise<Answer> {
  return on.send('POST', '/auth/logout', { headers: { ...headers, ...cookie(refreshToken) } });
}

function cookie(refreshToken: string | undefined): Headers {
  return refreshToken === undefined ? {} : { cookie: `refresh_token=${refreshToken}` };
}

export const WRONG = 'not the password at all';
