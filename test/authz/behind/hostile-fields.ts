/** Fields by which a client tries to be another caller, or to keep the proxy's own fields from the service. */
import type { Expected, HostileRow } from './hostile.js';

const NAMES = ['Caller-Type', 'Caller-Id', 'Role', 'Scopes', 'Assertion'];

/** Caddy drops these, the gateway refuses them elsewhere. */
const plain: Expected = { nginx: 'refused', haproxy: 'refused', caddy: 'viewer' };

/** nginx drops names with other characters than letters, digits and hyphens; elsewhere the gateway refuses the request. */
const dropped: Expected = { nginx: 'viewer', haproxy: 'refused', caddy: 'refused' };

const SPELLINGS: Array<[spell: (name: string) => string, expected: Expected]> = [
  [(name) => `X-Auth-${name}`, plain],
  [(name) => `x-auth-${name}`.toLowerCase(), plain],
  [(name) => `x_auth_${name.replace('-', '_')}`.toLowerCase(), dropped],
  [(name) => `X.Auth.${name.replace('-', '.')}`, dropped],
  [(name) => `X-Auth_${name}`, dropped],
  [(name) => `X_AUTH-${name.toUpperCase()}`, dropped],
  [(name) => `X~Auth+${name}`, dropped],
];

export const IDENTITY_ROWS: HostileRow[] = NAMES.flatMap((name) =>
  SPELLINGS.map(([spell, expected]): HostileRow => [spell(name), { fields: [`${spell(name)}: admin`] }, expected]),
);

export const MORE_IDENTITY_ROWS: HostileRow[] = [
  ['a sixth field', { fields: ['X-Auth-Email: root@example.com'] }, plain],
  ['the field twice', { fields: ['X-Auth-Role: admin', 'X-Auth-Role: viewer'] }, plain],
  ['X-Auth-Status', { fields: ['X-Auth-Status: 200'] }, plain],
  ['a forged assertion', { as: 'nobody', fields: ['X-Auth-Assertion: {assertion}'] }, 'refused'],
  ['the field without a credential', { as: 'nobody', fields: ['X-Auth-Caller-Type: user'] }, 'refused'],
  ['a space before the colon', { fields: ['X-Auth-Role : admin'] }, 'refused'],
  [
    'a folded line',
    { fields: ['X-A: b', ' X-Auth-Role: admin'] },
    { nginx: 'refused', haproxy: 'viewer', caddy: 'viewer' },
  ],
  ['a bare line feed', { fields: ['X-A: b\nX-Auth-Role: admin'] }, plain],
  ['a carriage return', { fields: ['X-A: b\rX-Auth-Role: admin'] }, 'refused'],
  ['NUL in a value', { fields: ['X-A: b\0X-Auth-Role: admin'] }, 'refused'],
];

const WEBSOCKET = ['Upgrade: websocket', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 13'];

export const CONNECTION_ROWS: HostileRow[] = [
  ...NAMES.map(
    (name): HostileRow => [
      `Connection: close, X-Auth-${name}`,
      { fields: [`Connection: close, X-Auth-${name}`] },
      'viewer',
    ],
  ),
  ['Connection: all of them', { fields: [`Connection: ${NAMES.map((name) => `X-Auth-${name}`).join()}`] }, 'viewer'],
  ['two Connection fields', { fields: ['Connection: close', 'Connection: x-auth-role'] }, 'viewer'],
  ['Connection: Authorization', { fields: ['Connection: close, Authorization'] }, 'viewer'],
  [
    'Connection: X-Forwarded-Uri',
    { fields: ['Connection: X-Forwarded-Uri, X-Forwarded-Host, X-Forwarded-Method'] },
    'viewer',
  ],
  ['Connection: Host', { fields: ['Connection: close, Host'] }, 'viewer'],
  ['Proxy-Connection', { fields: ['Proxy-Connection: X-Auth-Role'] }, 'viewer'],
  [
    'Connection hides a field of the client',
    { fields: ['X-Auth-Role: admin', 'Connection: close, X-Auth-Role'] },
    plain,
  ],
  ['a websocket with a field in Connection', { fields: ['Connection: Upgrade, X-Auth-Role', ...WEBSOCKET] }, 'viewer'],
  ['a websocket without a credential', { as: 'nobody', fields: ['Connection: Upgrade', ...WEBSOCKET] }, 'refused'],
  [
    'an upgrade to h2c',
    { fields: ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'] },
    'viewer',
  ],
  [
    'an upgrade to h2c or websocket',
    { fields: ['Connection: Upgrade', 'Upgrade: h2c, websocket'] },
    { nginx: 'viewer', haproxy: 'refused', caddy: 'viewer' },
  ],
];

const ADMIN_PATH = '/admin/users';

export const DESCRIPTION_ROWS: HostileRow[] = [
  ['a query like a rule', { line: `GET ${ADMIN_PATH}?caller=user;role=viewer` }, 'refused'],
  ['a query like a rule, encoded', { line: `GET ${ADMIN_PATH}?caller%3duser%3Brole%3Dviewer` }, 'refused'],
  ['a query like an answer', { line: 'GET /x?X-Auth-Role=admin&preflight=allow' }, 'viewer'],
  ['a rule in the path', { line: 'GET /caller=user/../admin/users' }, 'refused'],
  ['X-Original-URL', { line: `GET ${ADMIN_PATH}`, fields: ['X-Original-URL: https://app.example.com/x'] }, 'refused'],
  ['X-Original-URL to administrators', { fields: ['X-Original-URL: /admin/users'] }, 'viewer'],
  ['X-Rewrite-URL to administrators', { fields: ['X-Rewrite-URL: /admin/users'] }, 'viewer'],
  [
    'X-Forwarded-Uri',
    { line: `GET ${ADMIN_PATH}`, fields: ['X-Forwarded-Uri: /x?caller=user;role=viewer'] },
    'refused',
  ],
  [
    'X-Forwarded-Uri to administrators',
    { fields: ['X-Forwarded-Uri: /admin/users'] },
    { nginx: 'viewer', haproxy: 'viewer', caddy: 'viewer' },
  ],
  ['X-Forwarded-Uri twice', { fields: ['X-Forwarded-Uri: /a', 'X-Forwarded-Uri: /b'] }, 'viewer'],
  ['X-Original-Method', { line: 'GET /x', fields: ['X-Original-Method: DELETE'] }, 'viewer'],
  [
    'X-Forwarded-Method and all the others',
    {
      fields: [
        'X-Forwarded-Method: DELETE',
        'X-Forwarded-Host: b.test:8080',
        'X-Forwarded-Proto: http',
        'X-Forwarded-For: 10.0.0.1',
      ],
    },
    'viewer',
  ],
  ...['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override', 'x-http-method-override'].map(
    (name): HostileRow => [name, { fields: [`${name}: DELETE`] }, 'viewer'],
  ),
  ['Forwarded', { fields: ['Forwarded: for=10.0.0.1;host=b.test;proto=http'] }, 'viewer'],
  [
    'a signature for what X-Forwarded-Uri says',
    {
      as: 'key',
      signs: { target: '/y' },
      fields: ['X-Forwarded-Uri: /y', 'X-Original-URL: https://app.example.com/y'],
    },
    'refused',
  ],
  [
    'a signature for what X-Forwarded-Method says',
    {
      as: 'key',
      signs: { method: 'POST', target: '/x' },
      fields: ['X-Forwarded-Method: POST', 'X-Original-Method: POST'],
    },
    'refused',
  ],
  [
    'a signature for what X-Forwarded-Host says',
    {
      as: 'key',
      signs: { authority: 'b.test:8080', target: '/x' },
      fields: ['X-Forwarded-Host: b.test:8080', 'X-Forwarded-Proto: http', 'X-Original-URL: http://b.test:8080/x'],
    },
    'refused',
  ],
];
