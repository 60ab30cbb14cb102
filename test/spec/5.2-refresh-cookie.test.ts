/** The part of the answer that has each token, and every attribute of the cookie. (Spec 5.1 and 5.2) */

import { type Answer, logIn, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { logout, refresh } from '../support/gateway/routes.js';
import { refreshCookieOf } from '../support/independent/cookies.js';

let gateway: TestGateway;
afterEach(() => gateway.close());

interface Cookies {
  /** As login and refresh set it */
  set: Answer[];
  /** As a failed refresh and logout clear it */
  cleared: Answer[];
}

async function cookiesWith(env: Record<string, string>): Promise<Cookies> {
  gateway = await startGateway({ env });
  const { answer, refreshToken } = await logIn(gateway, (await gateway.user()).email);
  const refreshed = await refresh(gateway, refreshToken);
  return { set: [answer, refreshed], cleared: [await refresh(gateway, refreshToken), await logout(gateway)] };
}

const CLEARED = { name: 'refresh_token', value: '' };
const EXPIRED = { 'max-age': '0', expires: 'Thu, 01 Jan 1970 00:00:00 GMT' };

test('Spec 5.2: by default: HttpOnly, SameSite=Strict, Path=/auth, Max-Age of the lifetime, and Secure only on https', async () => {
  const { set, cleared } = await cookiesWith({ REFRESH_TOKEN_TTL_SECONDS: '1234' });
  const attributes = { httponly: true, samesite: 'Strict', path: '/auth' };
  for (const answer of set) {
    const cookie = refreshCookieOf(answer);
    expect(cookie?.name).toBe('refresh_token');
    expect(cookie?.value).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/); // the refresh JWT, unencoded
    expect(cookie?.attributes).toEqual({ ...attributes, 'max-age': '1234' });
  }
  for (const answer of cleared) {
    expect(refreshCookieOf(answer)).toEqual({ ...CLEARED, attributes: { ...attributes, ...EXPIRED } });
  }
});

test('Spec 5.2: Secure, SameSite and Domain come from the configuration, and clearing uses the same', async () => {
  const { set, cleared } = await cookiesWith({
    PUBLIC_URL: 'https://auth.example.com',
    COOKIE_SAMESITE: 'lax',
    COOKIE_DOMAIN: 'example.com',
  });
  const attributes = { httponly: true, secure: true, samesite: 'Lax', path: '/auth', domain: 'example.com' };
  for (const answer of set) {
    expect(refreshCookieOf(answer)?.attributes).toEqual({ ...attributes, 'max-age': '1209600' });
  }
  for (const answer of cleared) {
    expect(refreshCookieOf(answer)).toEqual({ ...CLEARED, attributes: { ...attributes, ...EXPIRED } });
  }
});

test('Spec 5.2: SameSite may be none if the cookie is Secure', async () => {
  const { set } = await cookiesWith({ COOKIE_SECURE: 'true', COOKIE_SAMESITE: 'none' });
  for (const answer of set) {
    expect(refreshCookieOf(answer)?.attributes).toMatchObject({ secure: true, samesite: 'None' });
  }
});

test('Spec 5.1: the access token is only in the body, the refresh token only in the cookie', async () => {
  gateway = await startGateway();
  const { answer, refreshToken } = await logIn(gateway, (await gateway.user()).email);
  expect(answer.text).not.toContain(refreshToken);
  expect(answer.cookies.join()).not.toContain(answer.json.access_token);
  const others = Object.entries(answer.headers).filter(([name]) => name !== 'set-cookie');
  expect(JSON.stringify(others)).not.toContain(refreshToken);
  expect(JSON.stringify(others)).not.toContain(answer.json.access_token);
});
