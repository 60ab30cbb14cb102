/** Bodies of `POST /auth/login`, with its path, method and headers. (Spec 2.1 and 4.1) */
import { PASSWORD } from '../../test/support/gateway/gateway.js';
import type { Dice } from './dice.js';
import { clientHeaders } from './headers.js';
import type { HttpRequest, World } from './request.js';
import { jsonText, mutateBytes, nested, text } from './texts.js';

const LIMIT = 16 * 1024;

export function loginRequest(dice: Dice, world: World): HttpRequest {
  const { body, charset } = encoded(dice, bodyText(dice, world));
  return {
    method: dice.chance(0.97) ? 'POST' : dice.pick(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']),
    path: path(dice),
    headers: [...contentHeaders(dice, charset), ...clientHeaders(dice)],
    body,
    mayEcho: 'nowhere',
  };
}

function path(dice: Dice): string {
  if (dice.chance(0.9)) return '/auth/login';
  const word = dice.secret.word;
  return dice.pick([
    ...[`/auth/login?password=${word}`, '/auth/login/', '/AUTH/LOGIN', '//auth/login', '/auth//login', '/auth/login?'],
    ...['/auth/login%00', '/auth/%6cogin', `/${word}`, `/auth/login#${word}`, '/auth/login;x=1', '/%', '/%ff', '/%zz'],
    ...['/auth/../auth/login', '/auth/login?a[__proto__][x]=1', `/auth/login?${'a=1&'.repeat(1_500)}`, '/health/%2e'],
    ...['/metrics/', '/.well-known/', `/.well-known/${word}`, '//', '//[', '/\\', '/auth/login?%'],
  ]);
}

function email(dice: Dice, { known }: World): string {
  const { word } = dice.secret;
  return dice.pick([
    known.user.email,
    known.user.email.toUpperCase(),
    ` ${known.user.email}\u00a0\n`,
    'locked@example.com',
    `${word}@example.com`,
    `"${word}"@example.com`,
    `${word}@${'a.'.repeat(dice.int(1, 2_000))}com`,
    `${'a'.repeat(dice.int(60, 70))}@${word}.example`,
    `${word}${"'!#$%&*+-/=?^_`{|}~"}@example.com`,
    `${word}@exa\u0130mple.com`,
    `${word}@[127.0.0.1]`,
    text(dice),
    `${text(dice)}@example.com`,
  ]);
}

function password(dice: Dice): string {
  const { word } = dice.secret;
  return dice.pick([
    PASSWORD,
    word,
    `${word}${'\u{1f600}'.repeat(dice.int(250, 256))}`,
    `${word}${'x'.repeat(dice.int(1_000, 1_030))}`,
    text(dice),
    text(dice),
    '',
  ]);
}

function bodyText(dice: Dice, world: World): string {
  const [emailText, passwordText] = [JSON.stringify(email(dice, world)), JSON.stringify(password(dice))];
  const usual = `{"email":${emailText},"password":${passwordText}}`;
  const { word } = dice.secret;
  switch (dice.int(0, 18)) {
    case 0:
      return jsonText(dice, 5);
    case 1:
      return `{"email":${jsonText(dice)},"password":${jsonText(dice)}}`;
    case 2:
      return `{"email":${emailText},"password":${jsonText(dice, 2)}}`;
    case 3: // keys twice, also in another spelling
      return `{"email":${jsonText(dice, 1)},"email":${emailText},"password":1,"passw\\u006frd":${passwordText}}`;
    case 4:
      return `{"email":${emailText},"password":${passwordText},"__proto__":${jsonText(dice)},"${word}":1}`;
    case 5:
      return nested(dice, dice.pick([100, 1_000, 2_700, 8_000]));
    case 6: // around the limit
      return usual + ' '.repeat(Math.max(0, LIMIT - Buffer.byteLength(usual) + dice.int(-2, 2)));
    case 7:
      return `{"email":${emailText},"password":"${word}${'x'.repeat(dice.int(LIMIT - 200, LIMIT + 200))}"}`;
    case 8:
      return dice.pick(['', ' ', '\n', '{', `{"email":"${word}`, `${usual}${usual}`, `${usual},`, `\ufeff${usual}`]);
    case 9:
      return `email=${word}@example.com&password=${word}`;
    default:
      return usual;
  }
}

/** The text in bytes, rarely not those that the charset says. */
function encoded(dice: Dice, body: string): { body: Buffer; charset: string } {
  if (dice.chance(0.75)) return { body: Buffer.from(body), charset: '' };
  switch (dice.int(0, 6)) {
    case 0:
      return { body: Buffer.from(body, 'utf16le'), charset: dice.pick(['utf-16le', 'utf-16', 'UTF-16LE', 'ucs-2']) };
    case 1:
      return { body: Buffer.from(body, 'latin1'), charset: dice.pick(['iso-8859-1', 'latin1', 'windows-1252', '']) };
    case 2:
      return { body: Buffer.from(body), charset: dice.pick(['utf-7', 'UTF-8', '"utf-8"', 'utf8', 'x', 'utf-32']) };
    case 3: // utf-7 writes characters in base64
      return { body: Buffer.from(body.replaceAll('"', '+ACI-')), charset: 'utf-7' };
    case 4:
      return { body: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(body)]), charset: '' };
    case 5:
      return { body: dice.bytes(dice.int(0, 200)), charset: '' };
    default:
      return { body: mutateBytes(dice, Buffer.from(body)), charset: '' };
  }
}

function contentHeaders(dice: Dice, charset: string): Array<[string, string]> {
  const lines: Array<[string, string]> = [];
  const type = charset === '' ? 'application/json' : `application/json; charset=${charset}`;
  lines.push(['Content-Type', dice.chance(0.92) ? type : oddType(dice)]);
  if (dice.chance(0.04)) {
    lines.push([
      'Content-Encoding',
      dice.pick(['gzip', 'br', 'deflate', 'identity', '', 'x', 'gzip, gzip', 'IDENTITY']),
    ]);
  }
  return lines;
}

function oddType(dice: Dice): string {
  return dice.pick([
    ...['', 'application/jsonp', 'text/json', 'application/json;', 'application/json; charset', 'application/json,x'],
    ...['application/vnd.api+json', 'application/json; charset=utf-8; charset=utf-16', 'text/plain', '*/*', '/', 'a'],
    ...['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', `application/${dice.secret.word}`],
    `application/json; charset=${dice.secret.word}`,
    `application/json; ${dice.secret.word}="\\"`,
  ]);
}
