/** RFC 9112: what a client can write to a connection that no HTTP library would. */
import type { Dice } from './dice.js';
import type { RawRequest, World } from './request.js';
import { mutateBytes } from './texts.js';

type Shape = (dice: Dice, host: string) => string;

const LOGIN = '{"email":"a@example.com","password":"x"}';

const SHAPES: Shape[] = [
  // Request lines
  (dice, host) => `${dice.pick(METHODS)} ${target(dice, host)} ${dice.pick(VERSIONS)}\r\nHost: ${host}\r\n\r\n`,
  (dice, host) => `GET ${target(dice, host)} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
  (dice, host) => `POST ${target(dice, host)} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\n\r\n`,
  (dice, host) =>
    dice.pick([
      `GET /health/live\r\n`,
      `GET  /health/live  HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
      ` GET / HTTP/1.1\r\n\r\n`,
    ]),
  (_dice, host) => `GET\t/health/live\tHTTP/1.1\r\nHost: ${host}\r\n\r\n`,
  (_dice, host) => `\r\n\r\n\r\nGET /health/live HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
  (_dice, host) => `GET /health/live HTTP/1.1\nHost: ${host}\n\n`,
  () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0',
  () => '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03',
  (dice, host) => `GET /${'a'.repeat(dice.int(7_000, 40_000))} HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
  (dice, host) => `${'M'.repeat(dice.int(10, 20_000))} / HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
  // Host
  () => 'GET /health/live HTTP/1.1\r\n\r\n',
  () => 'POST /auth/refresh HTTP/1.0\r\n\r\n',
  (dice, host) => `POST /auth/refresh HTTP/1.1\r\nHost: ${host}\r\nHost: ${dice.secret.word}\r\n\r\n`,
  (dice) =>
    `POST /auth/logout HTTP/1.1\r\nHost: ${dice.pick(['', '[', ':', '[::1', 'a b', '\x80', 'x'.repeat(5_000), '@', dice.secret.word])}\r\n\r\n`,
  // Fields
  (dice, host) => `GET /health/live HTTP/1.1\r\nHost: ${host}\r\n${brokenField(dice)}\r\n\r\n`,
  (dice, host) => `POST /auth/refresh HTTP/1.1\r\nHost: ${host}\r\n${brokenField(dice)}\r\n\r\n`,
  (dice, host) => `POST /graphql HTTP/1.1\r\nHost: ${host}\r\n${brokenField(dice)}\r\nContent-Length: 2\r\n\r\n{}`,
  (dice, host) => `GET /health/live HTTP/1.1\r\nHost: ${host}\r\nX: ${'x'.repeat(dice.int(15_000, 90_000))}\r\n\r\n`,
  (dice, host) => `POST /auth/logout HTTP/1.1\r\nHost: ${host}\r\n${'a:b\r\n'.repeat(dice.int(100, 4_000))}\r\n`,
  (dice, host) =>
    `GET /health/live HTTP/1.1\r\nHost: ${host}\r\nCookie: refresh_token=${dice.secret.word}${'x'.repeat(17_000)}\r\n\r\n`,
  // Length
  (dice, host) => `${login(host)}Content-Length: ${dice.pick(LENGTHS)}\r\n\r\n${LOGIN}`,
  (dice, host) =>
    `${login(host)}Content-Length: 40\r\nContent-Length: ${dice.pick(['40', '41', '', '040'])}\r\n\r\n${LOGIN}`,
  (dice, host) =>
    `${login(host)}Content-Length: 5\r\nTransfer-Encoding: ${dice.pick(ENCODINGS)}\r\n\r\n${chunked(dice)}`,
  (dice, host) => `${login(host)}Transfer-Encoding: ${dice.pick(ENCODINGS)}\r\n\r\n${chunked(dice)}`,
  (dice, host) => `${login(host)}Transfer-Encoding: chunked\r\n\r\n${chunked(dice)}`,
  (dice, host) =>
    `${login(host)}Transfer-Encoding: chunked\r\nTransfer-Encoding: ${dice.pick(ENCODINGS)}\r\n\r\n${chunked(dice)}`,
  (_dice, host) =>
    `POST /graphql HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
  (_dice, host) => `POST /auth/login HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n\r\n${LOGIN}`,
  (dice, host) =>
    `${login(host)}Transfer-Encoding: chunked\r\nTrailer: X\r\n\r\n0\r\n${dice.pick(['X: 1', dice.secret.word, 'X: \0', `X: ${'x'.repeat(20_000)}`])}\r\n\r\n`,
  // Ways of asking
  (dice, host) =>
    `${login(host)}Expect: ${dice.pick(['100-continue', '100-Continue', 'x', '', '200-ok', dice.secret.word])}\r\nContent-Length: 40\r\n\r\n${LOGIN}`,
  (dice, host) =>
    `GET /health/live HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: ${dice.pick(['websocket', 'h2c', dice.secret.word, ''])}\r\nSec-WebSocket-Key: x\r\n\r\n`,
  (dice, host) =>
    `POST /graphql HTTP/1.1\r\nHost: ${host}\r\nConnection: ${dice.pick(['upgrade', 'Host', 'Content-Length', 'x', ',', 'close, keep-alive'])}\r\nUpgrade: h2c\r\nHTTP2-Settings: AAAA\r\nContent-Length: 2\r\n\r\n{}`,
  (dice, host) =>
    `CONNECT ${dice.pick(['x:1', '/', host, dice.secret.word, '[::1]:1', ':', '*'])} HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
  // Several in one
  (dice, host) => Array.from({ length: dice.int(2, 40) }, () => pipelined(dice, host)).join(''),
  (dice, host) => `${pipelined(dice, host)}${pipelined(dice, host)}garbage ${dice.secret.word}\r\n\r\n`,
  (_dice, host) => `${login(host)}Content-Length: 5\r\n\r\n${LOGIN}`,
  // Too short
  (dice, host) => pipelined(dice, host).slice(0, dice.int(0, 120)),
  (_dice, host) => `${login(host)}Content-Length: 4000\r\n\r\n${LOGIN}`,
  (dice) => dice.bytes(dice.int(1, 300)).toString('latin1'),
];

const METHODS = [
  'GET',
  'POST',
  'get',
  'CONNECT',
  'OPTIONS',
  'TRACE',
  'M-SEARCH',
  'PROPFIND',
  'SOURCE',
  'QUERY',
  'G@T',
  '',
  'DESCRIBE',
];
const VERSIONS = [
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/0.9',
  'HTTP/2.0',
  'HTTP/3',
  'HTTP/1.2',
  'HTTP/11',
  'http/1.1',
  'RTSP/1.0',
  'ICE/1.0',
  '',
];
const LENGTHS = ['-1', '+40', '40 ', '0x28', '40, 40', '4e1', '', ' ', '99999999999999999999', '39', '0', 'x', '40;a'];
const ENCODINGS = [
  'chunked',
  'Chunked',
  'gzip, chunked',
  'chunked, gzip',
  'chunked, chunked',
  'identity',
  'x',
  '',
  ' chunked',
  '\x0bchunked',
  'chunked;a',
  'xchunked',
];

function target(dice: Dice, host: string): string {
  const { word } = dice.secret;
  return dice.pick([
    ...[
      'http://[/x',
      'http://',
      '*',
      '',
      '/',
      '//',
      '///',
      '//[',
      '/\\',
      '\\',
      '/%',
      '/%ff',
      '?',
      '#',
      '/#',
      '/?#',
      'x:1',
    ],
    ...[
      `http://${host}/health/live`,
      'http://other.example/graphql',
      'http://[::1%25eth0]/x',
      'http://a:b@c:99999/',
      '/\0',
    ],
    ...[
      'https://x',
      'javascript:x',
      'file:///etc/passwd',
      '/../../etc/passwd',
      '/health/live\x80',
      '/\xff',
      '/auth/login?\xe9',
    ],
    ...['http://x\\@y/', 'http:///x', 'http:x', '/health/live', '//auth/refresh', '/./graphql', '/;', '/[', '/|{}^`'],
    ...[`/${word}`, `http://${word}/`, word, `//${word}@/x`, `/auth/refresh?${word}`, `/graphql?query={${word}}`],
  ]);
}

function login(host: string): string {
  return `POST /auth/login HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`;
}

function brokenField(dice: Dice): string {
  const { word } = dice.secret;
  return dice.pick([
    ...[
      `X: ${word}\0`,
      `X\0: ${word}`,
      ` X: ${word}`,
      `X : ${word}`,
      `: ${word}`,
      word,
      `X: ${word}\r\n folded`,
      `X:\x01${word}`,
    ],
    ...[
      `X: ${word}\ry: 1`,
      `X: ${word}\x7f`,
      `X\x80: ${word}`,
      `X: \x80${word}`,
      `Cookie: refresh_token=${word}\x07`,
      `(): ${word}`,
    ],
    ...[
      `Cookie: refresh_token=\x80\xff${word}`,
      `Authorization: Bearer ${word}\0`,
      `X-Internal-Key: \t${word}\t`,
      `Signature:${word}`,
    ],
    ...[`X-Forwarded-For: ${word}\x80`, 'X-Forwarded-For: fe80::1%eth0', `User-Agent: \x80\x9f${word}`],
    ...[
      `Content-Type: ${word}`,
      'Content-Type: application/json;\x80',
      `Date: ${word}`,
      `Keep-Alive: timeout=${dice.secret.digits}`,
    ],
  ]);
}

function chunked(dice: Dice): string {
  const size = LOGIN.length.toString(16);
  return dice.pick([
    ...[
      `${size}\r\n${LOGIN}\r\n0\r\n\r\n`,
      `${size};a=b\r\n${LOGIN}\r\n0\r\n\r\n`,
      `0${size}\r\n${LOGIN}\r\n0\r\n\r\n`,
    ],
    ...[
      `x\r\n${LOGIN}\r\n0\r\n\r\n`,
      `-1\r\n`,
      `${size}\n${LOGIN}\n0\n\n`,
      `fffffffffffffffff\r\n`,
      `1\r\n${LOGIN}\r\n0\r\n\r\n`,
    ],
    ...[
      `${size};${'a'.repeat(17_000)}\r\n${LOGIN}\r\n0\r\n\r\n`,
      `${size} \r\n${LOGIN}\r\n0\r\n\r\n`,
      `0\r\n\r\n`,
      `7fffffff\r\n${LOGIN}`,
    ],
    ...[
      `4001\r\n${dice.secret.word}${'x'.repeat(16_390)}\r\n0\r\n\r\n`,
      `${size}\r\n${LOGIN}0\r\n\r\n`,
      '',
      dice.secret.word,
    ],
    `${Array.from(LOGIN, (each) => `1\r\n${each}\r\n`).join('')}0\r\n\r\n`,
  ]);
}

function pipelined(dice: Dice, host: string): string {
  return dice.pick([
    `GET /health/live HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    `HEAD /health/live HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    `POST /auth/refresh HTTP/1.1\r\nHost: ${host}\r\nCookie: refresh_token=${dice.secret.word}\r\nContent-Length: 0\r\n\r\n`,
    `${login(host)}Content-Length: 40\r\n\r\n${LOGIN}`,
    `POST /graphql HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
    `GET /${dice.secret.word} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 3\r\n\r\nabc`,
  ]);
}

export function rawRequest(dice: Dice, { host }: World): RawRequest {
  const whole = Buffer.from(dice.pick(SHAPES)(dice, host), 'latin1');
  const bytes = dice.chance(0.2) ? mutateBytes(dice, whole) : whole;
  const cuts = dice.chance(0.8) ? [] : [dice.int(0, bytes.length), dice.int(0, bytes.length)].sort((a, b) => a - b);
  const pieces = [0, ...cuts].map((from, i) => bytes.subarray(from, cuts[i] ?? bytes.length));
  const then = dice.chance(0.85) ? 'waits' : dice.pick(['ends', 'resets'] as const);
  return { pieces, then, mayEcho: 'nowhere' };
}
