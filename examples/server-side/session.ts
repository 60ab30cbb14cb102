/** The session of the application itself, made from an access token. For any server with `Request` and `Response`. */
import { createRemoteJWKSet, jwtVerify, SignJWT } from 'jose';
import type { Visitor } from './app';

const { ISSUER = '', AUDIENCE = '', SESSION_KEY = '' } = process.env; // as in verify-access-tokens.md; openssl rand -hex 32
const keys = createRemoteJWKSet(new URL(`${ISSUER}/.well-known/jwks.json`));
const ownKey = new TextEncoder().encode(SESSION_KEY);

function answer(session: string, maxAgeSeconds: number): Response {
  const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; Secure; SameSite=Lax`;
  return new Response(null, { status: 204, headers: { 'set-cookie': `session=${session}; ${attributes}` } });
}

/** POST /session */
export async function begin(request: Request): Promise<Response> {
  const [, token = ''] = (request.headers.get('authorization') ?? '').split(' ');
  const rules = { issuer: ISSUER, audience: AUDIENCE, typ: 'at+jwt', requiredClaims: ['sub', 'role', 'exp'] };
  const verified = await jwtVerify<Visitor & { exp: number }>(token, keys, rules).catch(() => undefined);
  if (!verified) return new Response(null, { status: 401 });
  const { sub, role, exp } = verified.payload;
  const session = new SignJWT({ sub, role, exp }).setProtectedHeader({ alg: 'HS256' });
  return answer(await session.sign(ownKey), exp - Math.floor(Date.now() / 1000));
}

/** DELETE /session */
export function end(): Response {
  return answer('', 0);
}

/** The user who asks for a page, if the application knows one */
export async function visitorOf(request: Request): Promise<Visitor | undefined> {
  const [, session = ''] = /(?:^|; )session=([^;]+)/.exec(request.headers.get('cookie') ?? '') ?? [];
  const verified = await jwtVerify<Visitor>(session, ownKey, { algorithms: ['HS256'] }).catch(() => undefined);
  return verified?.payload;
}
