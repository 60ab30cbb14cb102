/** Compact JWS of every kind near to a good token: signed rightly and wrongly, and broken before or after. (Interface 4) */
import { createHmac, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import type { JWK } from 'jose';
import type { Dice } from './dice.js';
import { jsonText, mutateField } from './texts.js';

export type Kind = 'refresh' | 'access';

export interface Making {
  /** Those of the keyring that sign */
  keys: readonly JWK[];
  /** Others, under the same names */
  strangers: readonly JWK[];
  issuer: string;
  audience: string;
  /** Seconds since the epoch */
  now: number;
}

/** One in four is good but for its claims; of the others one thing or several are wrong. */
export function mutatedToken(dice: Dice, making: Making): string {
  const kind = dice.pick(['refresh', 'access'] as const);
  const isOdd = (): boolean => dice.chance(0.25);
  const own = making.keys.filter(({ kty }) => (kty === 'oct') === (kind === 'refresh'));
  const key = dice.pick(isOdd() ? making.keys : own);
  const signer = dice.chance(0.1) ? dice.pick([...making.keys, ...making.strangers]) : key;
  const header = isOdd() ? oddHeader(dice, key, kind) : object(headerOf(key, kind));
  const payload = claimsText(dice, kind, making);
  const signed = `${encoded(dice, header)}.${encoded(dice, payload)}`;
  const token = `${signed}.${signature(dice, signed, signer, making.keys)}`;
  return dice.chance(0.8) ? token : broken(dice, token);
}

/** Names and JSON texts; a map, which `__proto__` is nothing special in. */
type Members = Map<string, string>;

function headerOf({ alg, kid }: JWK, kind: Kind): Members {
  return new Map([
    ['alg', json(alg)],
    ['typ', json(kind === 'access' ? 'at+jwt' : 'JWT')],
    ['kid', json(kid)],
  ]);
}

const json = (value: unknown): string => JSON.stringify(value);

/** As `JSON.stringify` writes it. */
function object(members: Members): string {
  return `{${Array.from(members, ([name, value]) => `${json(name)}:${value}`).join(',')}}`;
}

/** Another order, white space, or a member said twice: the same meaning, or nearly. */
function otherwise(dice: Dice, members: Members): string {
  const said = Array.from(members, ([name, value]) => `${json(name)}:${value}`);
  if (dice.chance(0.4)) said.reverse();
  if (dice.chance(0.4)) said.push(dice.pick(said));
  if (dice.chance(0.3)) said.unshift(`${dice.pick(said).split(':')[0]}:${dice.pick(['null', '"x"', '0', '[]'])}`);
  const space = dice.pick(['', ' ', '\n', '\t', '\r\n', '\u00a0', '\ufeff']);
  return dice.pick([
    () => `${space}{${said.join(',')}}`,
    () => `{${space}${said.join(`${space},`)}${space}}`,
    () => `{${said.join(',')}}${space}`,
    () => `{${said.join(',')},}`,
    () => `[{${said.join(',')}}]`,
  ])();
}

function oddHeader(dice: Dice, key: JWK, kind: Kind): string {
  const good = headerOf(key, kind);
  const [name, values] = dice.pick([
    [
      'alg',
      ['"none"', '"HS256"', '"EdDSA"', '"Ed25519"', '"ES256"', '"RS256"', '"PS256"', '"HS512"', '"hs256"', 'null'],
    ],
    ['typ', ['"at+jwt"', '"AT+JWT"', '"application/at+jwt"', '"JWT"', '"jwt"', '""', 'null', '["at+jwt"]']],
    ['kid', ['"x"', '""', 'null', '0', '[]', `[${json(key.kid)}]`, json(`${key.kid} `), '"__proto__"']],
    ['crit', ['["exp"]', '["b64"]', '["alg"]', '[]', '"b64"', 'null']],
    ['b64', ['true', 'false', '"true"']],
    ['zip', ['"DEF"']],
    ['jwk', ['{}', '{"kty":"oct","k":"AA"}']],
    ['__proto__', ['{"alg":"none"}', 'null']],
  ] as const);
  const changed = new Map(good).set(name, dice.pick<string>(values));
  const without = new Map(Array.from(good).filter(([each]) => each !== name));
  return dice.pick([
    () => object(changed),
    () => object(name === 'b64' ? changed.set('crit', '["b64"]') : changed),
    () => object(without),
    () => otherwise(dice, good),
    () => otherwise(dice, changed),
    () => dice.pick(['', '{}', 'null', '[]', '"x"', jsonText(dice, 2)]),
  ])();
}

const UUID = '00000000-0000-4000-8000-00000000000a';

function claimsText(dice: Dice, kind: Kind, { issuer, audience, now }: Making): string {
  const times = [now - 1, now, now + 0.5, now + 1, now + 2, now + 600].map(String);
  const text = () =>
    dice.pick([json(UUID), json(UUID.toUpperCase()), '"x"', '""', '"\u00e9"', '"\\ud800"', '"\ufeff"']);
  const odd: Array<[name: string, values: string[]]> = [
    ['iss', [json([issuer]), json(`${issuer}/`), 'null', '[]']],
    ['aud', [json([audience]), json([audience, 'x']), json(['x']), json([]), 'null', json([audience, 1])]],
    ['exp', [...times, `"${now + 60}"`, '1e3', '1e10', '1e999', '-1', '0', 'null', 'true', `[${now + 60}]`]],
    ['iat', [...times, `"${now}"`, '1e999', 'null', 'false', '[]']],
    ['nbf', [...times, `"${now}"`, 'null']],
    ['type', ['"access"', '"refresh"', '"Access"', 'null', '["access"]']],
    ['sub', [text()]],
    ['jti', [text(), '7', '{}', '[]']],
    ['sid', [text(), '7', 'null']],
    ['role', ['"admin"', '"viewer"', '"root"', '["admin"]', '"__proto__"', 'null']],
    ['acr', ['"aal1"', '"aal2"', '"AAL2"', '["aal2"]', 'null']],
    ['auth_time', [...times, `"${now}"`, '1e999', 'null', '[]']],
    ['__proto__', ['{"exp":9999999999}', 'null']],
    ['more', [jsonText(dice, 2)]],
  ];
  const claims: Members = new Map([
    ...(kind === 'access'
      ? ([
          ['aud', json(audience)],
          ['role', '"analyst"'],
        ] as const)
      : []),
    ['type', json(kind)],
    ['jti', json(UUID)],
    ['sub', json(UUID)],
    ['sid', json(UUID)],
    ['iss', json(issuer)],
    ['iat', String(now)],
    ['exp', dice.chance(0.5) ? String(now + 600) : dice.pick(times)],
  ]);
  if (dice.chance(0.02)) return dice.pick(['', 'null', '[]', '1', '"x"', '{}', jsonText(dice, 2)]);
  for (let count = dice.pick([0, 0, 0, 1, 1, 2, 3]); count > 0; count -= 1) {
    const [name, values] = dice.pick(odd);
    if (dice.chance(0.15)) claims.delete(name);
    else claims.set(name, dice.pick(values));
  }
  return dice.chance(0.15) ? otherwise(dice, claims) : object(claims);
}

/** Base64url, or now and then what only some take for it. */
function encoded(dice: Dice, text: string): string {
  const bytes = dice.chance(0.02) ? Buffer.from(text, 'latin1') : Buffer.from(text);
  return dice.chance(0.9) ? bytes.toString('base64url') : oddlyEncoded(dice, bytes);
}

function oddlyEncoded(dice: Dice, bytes: Buffer): string {
  const good = bytes.toString('base64url');
  const at = dice.int(0, good.length);
  const split = (what: string): string => good.slice(0, at) + what + good.slice(at);
  return dice.pick([
    () => bytes.toString('base64'),
    () => `${good}=`,
    () => `${good}==`,
    () => split(dice.pick([' ', '\n', '\t', '=', '-', '_', '+', '/', '!', '.', 'A', '\u00e9'])),
    () => otherLastBits(good),
    () => good.slice(0, -1),
    () => bytes.toString('hex'),
  ])();
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The same bytes if the last character has spare bits, otherwise others. */
function otherLastBits(text: string): string {
  const last = ALPHABET.indexOf(text.at(-1) ?? 'A');
  return text.slice(0, -1) + (ALPHABET[last ^ 1] ?? 'A');
}

function signature(dice: Dice, signed: string, key: JWK, keys: readonly JWK[]): string {
  if (dice.chance(0.05)) return byPublicKey(dice, signed, keys);
  const bytes = rightSignature(dice, signed, key);
  if (dice.chance(0.03)) bytes.writeUInt8(bytes.readUInt8(7) ^ (1 << dice.int(0, 7)), 7);
  return dice.chance(0.95)
    ? bytes.toString('base64url')
    : dice.pick([() => '', () => oddlyEncoded(dice, bytes), () => bytes.subarray(1).toString('base64url')])();
}

function rightSignature(dice: Dice, signed: string, jwk: JWK): Buffer {
  if (jwk.kty === 'oct') {
    return createHmac('sha256', Buffer.from(jwk.k ?? '', 'base64url'))
      .update(signed)
      .digest();
  }
  const key = privateKeyOf(jwk);
  const dsaEncoding = dice.chance(0.95) ? 'ieee-p1363' : 'der';
  return sign(jwk.kty === 'OKP' ? null : 'sha256', Buffer.from(signed), { key, dsaEncoding });
}

const privateKeys = new Map<JWK, ReturnType<typeof createPrivateKey>>();

function privateKeyOf(jwk: JWK) {
  const key = privateKeys.get(jwk) ?? createPrivateKey({ key: { ...jwk }, format: 'jwk' });
  privateKeys.set(jwk, key);
  return key;
}

/** An HMAC by what everybody knows of an access key. */
function byPublicKey(dice: Dice, signed: string, keys: readonly JWK[]): string {
  const jwk = dice.pick(keys.filter(({ kty }) => kty !== 'oct'));
  const publicKey = createPublicKey(privateKeyOf(jwk));
  const secret = dice.pick([
    () => publicKey.export({ format: 'pem', type: 'spki' }),
    () => publicKey.export({ format: 'der', type: 'spki' }),
    () => Buffer.from(jwk.x ?? jwk.n ?? '', 'base64url'),
    () => jwk.x ?? jwk.n ?? '',
  ])();
  return createHmac('sha256', secret).update(signed).digest('base64url');
}

/** Changed after it was signed. */
function broken(dice: Dice, token: string): string {
  const [header = '', payload = '', signature = ''] = token.split('.');
  return dice.pick([
    () => mutateField(dice, token),
    () => `${header}.${payload}`,
    () => `${header}.${payload}.`,
    () => `${header}..${signature}`,
    () => `.${payload}.${signature}`,
    () => `${payload}.${header}.${signature}`,
    () => `${token}.`,
    () => `.${token}`,
    () => `${token}.${signature}`,
    () => `${token}=`,
    () => ` ${token}`,
    () => `${token}\n`,
    () => `${header}.${payload}.${otherLastBits(signature)}`,
    () => `${header}.${otherLastBits(payload)}.${signature}`,
    () => `${otherLastBits(header)}.${payload}.${signature}`,
    () => token.toLowerCase(),
  ])();
}
