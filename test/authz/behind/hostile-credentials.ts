/** Credentials that are none, or of another request, and messages that are read in two ways. */
import type { HostileRow } from './hostile.js';

const BEARER = 'Authorization: Bearer';

export const CREDENTIAL_ROWS: HostileRow[] = [
  ['nothing', { as: 'nobody' }, 'refused'],
  ['a garbage access token', { as: 'nobody', fields: [`${BEARER} a.b.c`] }, 'refused'],
  ['an empty access token', { as: 'nobody', fields: [`${BEARER} `] }, 'refused'],
  ['another scheme', { as: 'nobody', fields: ['Authorization: Basic YTpi'] }, 'refused'],
  ['a garbage signature', { as: 'nobody', fields: ['Signature: sig1=:AAAA:', 'Signature-Input: sig1=()'] }, 'refused'],
  ['a garbage internal key', { as: 'nobody', fields: ['X-Internal-Key: ck_a.b'] }, 'refused'],
  ['the access token twice', { fields: [`${BEARER} {viewer}`] }, 'refused'],
  ['two access tokens', { fields: [`${BEARER} {admin}`] }, 'refused'],
  ['two access tokens in one field', { as: 'nobody', fields: [`${BEARER} {viewer}, Bearer {admin}`] }, 'refused'],
  ['the internal key twice', { as: 'cron', fields: ['X-Internal-Key: {cron}'] }, 'refused'],
  ['an access token and an internal key', { as: 'cron', fields: [`${BEARER} {viewer}`] }, 'refused'],
  ['a signature and an access token', { as: 'key', fields: [`${BEARER} {viewer}`] }, 'refused'],
  ['a signature and an internal key', { as: 'key', fields: ['X-Internal-Key: {cron}'] }, 'refused'],
  ['a signature twice', { as: 'key', fields: ['Signature: sig1=:AAAA:'] }, 'refused'],
  ['an assertion as access token', { as: 'nobody', fields: [`${BEARER} {assertion}`] }, 'refused'],
  ['a refresh token as access token', { as: 'nobody', fields: [`${BEARER} {refresh}`] }, 'refused'],
  ['a refresh token as cookie', { as: 'nobody', fields: ['Cookie: refresh_token={refresh}'] }, 'refused'],
  ['an access token in the query', { as: 'nobody', line: 'GET /x?access_token=TOKEN' }, 'refused'],
  ['a user without the scope', { line: 'GET /invoices/1' }, 'refused'],
  ['a user without the scope, in upper case', { line: 'GET /INVOICES/1' }, 'refused'],
  ['a signature for another path', { as: 'key', signs: { target: '/y' } }, 'refused'],
  ['a signature for another query', { as: 'key', line: 'GET /x?a=2', signs: { target: '/x?a=1' } }, 'refused'],
  [
    'a signature for another method',
    { as: 'key', line: 'DELETE /x', signs: { method: 'GET', target: '/x' } },
    'refused',
  ],
];

const PREFLIGHT = ['Origin: https://b.test', 'Access-Control-Request-Method: PUT'];

export const METHOD_ROWS: HostileRow[] = [
  ['a preflight where no rule allows it', { as: 'nobody', line: 'OPTIONS /x', fields: PREFLIGHT }, 'refused'],
  ['a preflight to administrators', { as: 'nobody', line: 'OPTIONS /admin', fields: PREFLIGHT }, 'refused'],
  [
    'a preflight with a bad credential',
    { as: 'nobody', line: 'OPTIONS /invoices', fields: [...PREFLIGHT, `${BEARER} a`] },
    'refused',
  ],
  [
    'a preflight with an empty signature',
    { as: 'nobody', line: 'OPTIONS /invoices', fields: [...PREFLIGHT, 'Signature: '] },
    'refused',
  ],
  ['a preflight without Origin', { as: 'nobody', line: 'OPTIONS /invoices', fields: PREFLIGHT.slice(1) }, 'refused'],
  [
    'a preflight with two origins',
    { as: 'nobody', line: 'OPTIONS /invoices', fields: [...PREFLIGHT, 'Origin: a'] },
    'refused',
  ],
  ['a preflight that is a GET', { as: 'nobody', line: 'GET /invoices', fields: PREFLIGHT }, 'refused'],
  [
    'another method in a field',
    {
      as: 'nobody',
      line: 'GET /invoices',
      fields: [
        ...PREFLIGHT,
        'X-HTTP-Method-Override: OPTIONS',
        'X-Forwarded-Method: OPTIONS',
        'X-Original-Method: OPTIONS',
      ],
    },
    'refused',
  ],
  ['CONNECT', { line: 'CONNECT app.example.com:443' }, 'refused'],
  ['CONNECT to a path', { line: 'CONNECT /x' }, 'refused'],
  ['TRACE', { line: 'TRACE /x' }, 'refused'],
  ['TRACE without a credential', { as: 'nobody', line: 'TRACE /x' }, 'refused'],
  ['HEAD without a credential', { as: 'nobody', line: 'HEAD /x' }, 'refused'],
  ['PRI', { as: 'nobody', line: 'PRI * HTTP/2.0', host: [], fields: [] }, 'refused'],
  ['a method in lower case', { line: 'get /x' }, 'refused'],
];

const SECOND = 'GET /admin/users HTTP/1.1\r\nHost: app.example.com\r\nX-Auth-Role: admin\r\n\r\n';
const CHUNK = `${SECOND.length.toString(16)}\r\n${SECOND}\r\n0\r\n\r\n`;
const chunked = 'Transfer-Encoding: chunked';

export const BODY_ROWS: HostileRow[] = [
  [
    'chunked with Content-Length',
    { line: 'POST /x', fields: [chunked, 'Content-Length: 4'], body: `0\r\n\r\n${SECOND}` },
    { nginx: 'refused', haproxy: 'viewer', caddy: 'viewer' },
  ],
  [
    'two lengths',
    { line: 'POST /x', fields: ['Content-Length: 0', `Content-Length: ${SECOND.length}`], body: SECOND },
    'refused',
  ],
  ['a length with a sign', { line: 'POST /x', fields: ['Content-Length: +0'], body: SECOND }, 'refused'],
  [
    'chunked spelled otherwise',
    { line: 'POST /x', fields: ['Transfer-Encoding: xchunked', `Content-Length: ${SECOND.length}`], body: SECOND },
    'refused',
  ],
  ['chunked twice', { line: 'POST /x', fields: [chunked, chunked], body: CHUNK }, 'refused'],
  ['a request in a chunk', { line: 'POST /x', fields: [chunked], body: CHUNK }, 'viewer'],
  [
    'a request in a body of GET',
    { line: 'GET /x', fields: [`Content-Length: ${SECOND.length}`], body: SECOND },
    'viewer',
  ],
  [
    'a body of a refused request',
    { as: 'nobody', line: 'POST /x', fields: [`Content-Length: ${SECOND.length}`], body: SECOND },
    'refused',
  ],
  ['a request that follows a refused one', { as: 'nobody', body: SECOND }, 'refused'],
  ['Expect', { line: 'POST /x', fields: ['Expect: 100-continue', 'Content-Length: 1'], body: 'a' }, 'viewer'],
  [
    'Expect without a credential',
    { as: 'nobody', line: 'POST /x', fields: ['Expect: 100-continue', 'Content-Length: 1'], body: 'a' },
    'refused',
  ],
  [
    'Expect of something else',
    { line: 'POST /x', fields: ['Expect: miracles', 'Content-Length: 1'], body: 'a' },
    { nginx: 'viewer', haproxy: 'refused', caddy: 'refused' },
  ],
  [
    'a field in the trailer',
    { line: 'POST /x', fields: [chunked, 'Trailer: X-Auth-Role'], body: '1\r\na\r\n0\r\nX-Auth-Role: admin\r\n\r\n' },
    { nginx: 'viewer', haproxy: 'viewer, with a trailer', caddy: 'viewer' },
  ],
  ['100 KB of fields', { fields: Array.from({ length: 100 }, (_, i) => `X-${i}: ${'x'.repeat(1000)}`) }, 'refused'],
  ['one field of 100 KB', { fields: [`X-A: ${'x'.repeat(100_000)}`] }, 'refused'],
  ['2,000 fields', { fields: Array.from({ length: 2000 }, (_, i) => `X-${i}: x`) }, 'refused'],
  ['a target of 20 KB', { line: `GET /${'x'.repeat(20_000)}` }, 'refused'],
];
