/** The table of errors, retyped by hand; each row is brought about over HTTP. (Spec 7) */
import { readFileSync } from 'node:fs';
import { REFUSALS } from '../../src/http/refusals.js';
import { type Answer, logIn, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { login, logout, refresh, WRONG } from '../support/gateway/routes.js';
import { cookieAction } from '../support/independent/cookies.js';
import { forgeRefreshToken } from '../support/independent/forge.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

type Row = [route: string, status: number, detail: string | null, cookie: string, condition: string, act: Act];
type Act = () => Promise<Answer>;

const newUser = () => gateway.user();
const forged = async (claims: Record<string, unknown>) =>
  refresh(gateway, await forgeRefreshToken(gateway, { claims }));

async function setUser(column: string, value: unknown, password?: string): Promise<Answer> {
  const { id, email } = await newUser();
  await gateway.rows(`update users set ${column} = $2 where id = $1`, [id, value]);
  return login(gateway, email, password);
}

async function presented(column: string, value: unknown): Promise<Answer> {
  const { id, email } = await newUser();
  const { refreshToken } = await logIn(gateway, email);
  await gateway.rows(`update refresh_tokens set ${column} = $2 where user_id = $1`, [id, value]);
  return refresh(gateway, refreshToken);
}

const table: Row[] = [
  // route, status, detail, cookie, condition
  ['login', 401, 'Invalid credentials', 'unchanged', 'unknown e-mail', () => login(gateway, 'nobody@example.com')],
  ['login', 401, 'Invalid credentials', 'unchanged', 'inactive e-mail', () => setUser('is_active', false)],
  [
    'login',
    401,
    'Invalid credentials',
    'unchanged',
    'wrong password',
    async () => login(gateway, (await newUser()).email, WRONG),
  ],
  [
    'login',
    429,
    'Account temporarily locked due to too many failed attempts',
    'unchanged',
    'locked_until in the future',
    () => setUser('locked_until', '2100-01-01'),
  ],
  ['refresh', 401, 'No refresh token provided', 'unchanged', 'cookie absent', () => refresh(gateway)],
  [
    'refresh',
    401,
    'Invalid or expired refresh token',
    'cleared',
    'signature check failed',
    async () => refresh(gateway, `${await forgeRefreshToken(gateway)}AAAA`),
  ],
  ['refresh', 401, 'Invalid or expired refresh token', 'cleared', 'expiry check failed', () => forged({ exp: 1 })],
  ['refresh', 401, 'Invalid token type', 'cleared', 'type is not refresh', () => forged({ type: 'other' })],
  ['refresh', 401, 'Malformed token', 'cleared', 'jti missing', () => forged({ jti: undefined })],
  ['refresh', 401, 'Malformed token', 'cleared', 'sub missing', () => forged({ sub: undefined })],
  ['refresh', 401, 'Invalid token format', 'unchanged', 'jti is not a UUID', () => forged({ jti: 'x' })],
  ['refresh', 401, 'Token not recognised', 'cleared', 'no record for jti', () => forged({})],
  [
    'refresh',
    401,
    'Session invalidated — please log in again',
    'cleared',
    'record already revoked',
    () => presented('revoked', true),
  ],
  [
    'refresh',
    401,
    'Refresh token expired',
    'cleared',
    'record expires_at in the past',
    () => presented('expires_at', '2000-01-01'),
  ],
  ['logout', 200, null, 'cleared', 'a bad cookie is no error', () => logout(gateway, 'junk')],
];

test.each(table)('Spec 7: %s %i %s, cookie %s: %s', async (_route, status, detail, cookie, _condition, act) => {
  const answer = await act();
  expect(answer.status).toBe(status);
  expect(cookieAction(answer)).toBe(cookie);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  const { reason, ...body } = answer.json;
  expect(body).toEqual(detail === null ? { message: 'Logged out successfully' } : { detail });
  if (detail !== null) expect(REFUSALS).toMatchObject({ [reason]: { status, detail } }); // Interface 5
  const challenge = 'Cookie realm="auth-gateway", form-action="/auth/login", cookie-name="refresh_token"';
  expect(answer.headers['www-authenticate']).toBe(status === 401 ? challenge : undefined); // Interface 5
  expect(answer.headers['retry-after'] !== undefined).toBe(status === 429);
});

test('Spec 7: the table above has every refusal', () => {
  const details = new Set(table.map(([, status, detail]) => `${status} ${detail}`).filter((row) => row !== '200 null'));
  expect(details).toEqual(new Set(Object.values(REFUSALS).map(({ status, detail }) => `${status} ${detail}`)));
});

test('Spec 7: docs/specification.md has every refusal to the letter', () => {
  const row = /^\| (login|refresh) \| (\d{3}) \| `([^`]+)` \|[^|]*\| (unchanged|cleared) \|$/gm;
  const written = Array.from(readFileSync('docs/specification.md', 'utf8').matchAll(row), ([, ...cells]) =>
    cells.join(' '),
  );
  const refusals = table.filter(([route]) => route !== 'logout');
  expect(new Set(written)).toEqual(new Set(refusals.map((cells) => cells.slice(0, 4).join(' '))));
});
