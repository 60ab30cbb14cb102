/** JWTs under the keyring's own signatures with claims and headers of any kind, and JWTs that are broken. (Interface 4) */
import { createHmac, createPrivateKey, type KeyObject, randomUUID, sign } from 'node:crypto';
import { keyringJwk } from '../../test/support/independent/forge.js';
import type { Dice } from './dice.js';
import { clientHeaders } from './headers.js';
import type { HttpRequest, World } from './request.js';
import { JSON_TYPE } from './request.js';
import { jsonText, mutateField } from './texts.js';

const QUERY = Buffer.from('{"query":"{ caller { callerType } }"}');

/** A field of either route that reads the cookie. */
export function sessionPath(dice: Dice): string {
  return dice.pick(['/auth/refresh', '/auth/logout']);
}

export function tokenRequest(dice: Dice, world: World): HttpRequest {
  const asCookie = dice.chance(0.6);
  const token = madeToken(dice, world, dice.chance(0.85) === asCookie ? 'refresh' : 'access');
  if (asCookie) {
    return {
      method: 'POST',
      path: sessionPath(dice),
      headers: [['Cookie', `refresh_token=${token}`], ...clientHeaders(dice)],
      body: Buffer.alloc(0),
      mayEcho: 'nowhere',
    };
  }
  return {
    method: 'POST',
    path: '/graphql',
    headers: [JSON_TYPE, ['Authorization', authorization(dice, token)]],
    body: QUERY,
    mayEcho: 'nowhere',
  };
}

function authorization(dice: Dice, token: string): string {
  if (dice.chance(0.85)) return `Bearer ${token}`;
  const { word } = dice.secret;
  return dice.pick([
    ...[`bearer ${token}`, `Bearer  ${token}`, `Bearer\t${token}`, `Bearer ${token},`, `Bearer ${token} ${word}`],
    ...[token, 'Bearer', 'Bearer ', '', `Basic ${word}`, `DPoP ${token}`, `Bearer "${token}"`, `Bearer ${word}`],
    ...[`Bearer ${'='.repeat(5_000)}`, `Bearer ${'a'.repeat(5_000)} `, `Bearer ${token}, Bearer ${token}`],
  ]);
}

type Kind = 'refresh' | 'access';

export function madeToken(dice: Dice, world: World, kind: Kind): string {
  const token = signed(kind, header(dice, kind), claims(dice, world, kind));
  if (dice.chance(0.8)) return token;
  const [head = '', payload = '', signature = ''] = token.split('.');
  return dice.pick([
    mutateField(dice, token),
    `${head}.${payload}.`,
    `${head}..${signature}`,
    `${head}.${payload}.${signature}.${signature}`,
    `${head}.${payload}.${signature}=`,
    `${payload}.${head}.${signature}`,
    `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`,
    `${head}.${payload.replace(/..$/, '')}.${signature}`,
  ]);
}

/** The keys are the same for a whole run. */
const keys = new Map<Kind, { kid: string; alg: string; mac(signing: string): Buffer }>();

function keyOf(kind: Kind) {
  const known = keys.get(kind);
  if (known !== undefined) return known;
  const jwk = keyringJwk(kind === 'refresh' ? 'HS256' : 'EdDSA');
  const secret = Buffer.from(jwk.k ?? '', 'base64url');
  const privateKey: KeyObject | undefined =
    kind === 'access' ? createPrivateKey({ key: { ...jwk }, format: 'jwk' }) : undefined;
  const key = {
    kid: jwk.kid,
    alg: jwk.alg,
    mac: (signing: string): Buffer =>
      privateKey === undefined
        ? createHmac('sha256', secret).update(signing).digest()
        : sign(null, Buffer.from(signing), privateKey),
  };
  keys.set(kind, key);
  return key;
}

function signed(kind: Kind, headerText: string, claimsText: string): string {
  const signing = [headerText, claimsText].map((part) => Buffer.from(part).toString('base64url')).join('.');
  return `${signing}.${keyOf(kind).mac(signing).toString('base64url')}`;
}

/** Members as JSON text; those that are changed come last, so that some are there twice. */
function object(members: Record<string, string>): string {
  return `{${Object.entries(members)
    .map(([name, value]) => `${JSON.stringify(name)}:${value}`)
    .join(',')}}`;
}

function header(dice: Dice, kind: Kind): string {
  const { kid, alg } = keyOf(kind);
  const good = { alg: `"${alg}"`, typ: kind === 'access' ? '"at+jwt"' : '"JWT"', kid: JSON.stringify(kid) };
  if (dice.chance(0.7)) return object(good);
  const { word } = dice.secret;
  const name = dice.pick(['alg', 'typ', 'kid', 'crit', 'b64', 'jku', 'jwk', 'x5c', 'zip', 'cty', '__proto__', word]);
  const values = {
    alg: ['"none"', '"HS384"', '"hs256"', '"EdDSA"', '"HS256"', `"${word}"`],
    typ: ['"at+jwt"', '"application/at+jwt"', '"JWT"', `"${word}"`],
    kid: [`"${word}"`, '"__proto__"', '"../keyring.json"'],
    crit: ['["exp"]', '["b64"]', '[]', `["${word}"]`, '"b64"'],
    b64: ['false', 'true'],
    jku: [`"http://127.0.0.1:1/${word}"`],
  };
  const odd = name in values ? dice.pick(values[name as keyof typeof values]) : jsonText(dice, 2);
  const changed = { ...good, [name]: dice.chance(0.7) ? odd : jsonText(dice, 2) };
  return dice.chance(0.03) ? jsonText(dice, 2) : object(changed);
}

function claims(dice: Dice, { gateway, known }: World, kind: Kind): string {
  const now = Math.floor(gateway.clock.now().getTime() / 1000);
  const issuer = JSON.stringify(gateway.config.publicUrl);
  const good: Record<string, string> = {
    iss: issuer,
    aud: issuer,
    sub: `"${dice.chance(0.5) ? known.user.id : randomUUID()}"`,
    jti: `"${randomUUID()}"`,
    sid: `"${randomUUID()}"`,
    iat: String(now),
    exp: String(now + 600),
    type: `"${kind}"`,
    ...(kind === 'access' ? { client_id: '"auth-gateway"', role: '"viewer"' } : {}),
  };
  if (dice.chance(0.03)) return jsonText(dice, 3);
  for (let times = dice.int(0, 3); times > 0; times -= 1) {
    const name = dice.pick([
      'jti',
      'jti',
      'sub',
      'type',
      'exp',
      'iat',
      'nbf',
      'iss',
      'aud',
      'role',
      'sid',
      '__proto__',
    ]);
    if (dice.chance(0.1)) delete good[name];
    else good[name] = claim(dice, now);
  }
  return object(good);
}

function claim(dice: Dice, now: number): string {
  const { word } = dice.secret;
  return dice.pick([
    `"${word}"`,
    `"${word}\\u0000"`,
    '"\\u0000"',
    `"\\ud800${word}"`,
    `"\\udc00\\ud800"`,
    `{"toString":1,"valueOf":1,"a":"${word}"}`,
    `{"toString":null}`,
    `{"toJSON":1}`,
    `["${word}"]`,
    `["${randomUUID()}"]`,
    '[[],{"toString":1}]',
    '[null,{"__proto__":null}]',
    `${'['.repeat(1_500)}${']'.repeat(1_500)}`,
    `"${word}${'x'.repeat(dice.int(100, 5_000))}"`,
    `"${randomUUID().toUpperCase()}"`,
    `"{${randomUUID()}}"`,
    `" ${randomUUID()}"`,
    `"00000000-0000-0000-0000-000000000000"`,
    ...['null', '""', '0', '1', 'true', '[]', '{}', '-1', '1e308', '0.1', '9007199254740993', `"${now}"`],
    ...[String(now), String(now - 1), String(now + 1), `${now + 0.5}`, '"refresh"', '"access"', '"admin"', '["admin"]'],
    jsonText(dice, 2),
  ]);
}
