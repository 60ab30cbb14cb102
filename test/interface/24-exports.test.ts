/** Exports: the audit log and the users as files. (Interface 24) */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { revokeApiKey } from '../../src/admin/api-keys.js';
import { setUserActive, setUserRole } from '../../src/admin/user-changes.js';
import { exportAudit } from '../../src/audit/export.js';
import { listAuditEvents } from '../../src/audit/log.js';
import { AUDIT_COLUMNS, begin, download, storeEvents, storeMany } from '../support/gateway/exports.js';
import { renewed, withTotp } from '../support/gateway/factors.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newApiKey, newCronKey, newcomer, type SignedIn } from '../support/gateway/graphql.js';
import { captureLog } from '../support/gateway/log.js';
import { logout } from '../support/gateway/routes.js';
import { readCsv } from '../support/independent/csv.js';
import { signByHand } from '../support/independent/signer.js';
import { whileAway } from '../support/postgres/faults.js';
import { until } from '../support/until.js';

const AUDIT = 'audit.csv';
const LINES = 'audit.jsonl';
const USERS = 'users.csv';
/** More than the kernel stores between a gateway and a client that does not read */
const FAT = { count: 6_000, length: 4_000 };

const captured = captureLog();
let gateway: TestGateway;
let key: Record<string, string | string[]>;
beforeAll(async () => {
  gateway = await startGateway({ log: captured.log, env: { CORS_ORIGINS: 'https://app.example' } });
  key = (await newCronKey(gateway, ['audit:read', 'users:read'])).as('');
});
afterAll(() => gateway.close());
beforeEach(() => gateway.rows('delete from audit_events'));

const outcomes = () =>
  captured
    .lines()
    .filter(({ msg, route }) => msg === 'request' && String(route).startsWith('/export/'))
    .map(({ outcome }) => outcome);
const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

test('Interface 24: the audit log as CSV has the columns of audit export, oldest event first, and the count in the last line', async () => {
  const ids = await storeEvents(gateway, [
    { user_agent: null, metadata: { reason: 'unknown_email', email: 'é@example.com' } },
    { user_id: '01997a3e-5f0c-7cc3-9a4e-0d1b6c2f8a77', event_type: 'logout', user_agent: 'Caf\u00e9 "1", \n\u{1f600}' },
  ]);
  const { status, headers, text } = await download(gateway, AUDIT, key);
  const [{ cell }] = (await gateway.rows<{ cell: string }>(
    `select to_char(written_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as cell from audit_events order by written_at`,
  )) as [{ cell: string }];
  const [head, one, two, last, ...more] = readCsv(text);
  expect([status, head, more]).toEqual([200, AUDIT_COLUMNS, []]);
  const created = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const cursor = Buffer.from(JSON.stringify([cell, ids[0], 'written'])).toString('base64url');
  const metadata = '{"email":"\\u00e9@example.com","reason":"unknown_email"}';
  expect(one).toEqual([ids[0], 'login_failure', 'user', '', '192.0.2.1', '', metadata, created, cursor]);
  expect(two?.slice(0, 7)).toEqual([
    ...[
      ids[1],
      'logout',
      'user',
      '01997a3e-5f0c-7cc3-9a4e-0d1b6c2f8a77',
      '192.0.2.1',
      'Caf\u00e9 "1", \n\u{1f600}',
      '{}',
    ],
  ]);
  expect(last).toEqual(['count', '2', ...Array(7).fill('')]);
  const moment = String(headers['export-until']);
  expect(moment).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  expect(headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="audit-${moment.slice(0, 19).replaceAll(':', '-')}Z.csv"`,
    'cache-control': 'no-store',
  });
  expect(text.charCodeAt(0)).toBe('"'.charCodeAt(0));
});

test('Interface 24: as JSON lines each event is as audit export prints it; `after` goes on behind a cursor', async () => {
  await storeEvents(gateway, [{}, { user_agent: 'line\u2028\u0085 \u00e9' }, {}]);
  const { pages } = await exportAudit(gateway.app, {});
  const { value } = await pages.next();
  const printed = JSON.parse(JSON.stringify(value)).map(
    ({ written_at: _, ...event }: Record<string, unknown>) => event,
  );
  const { text, headers } = await download(gateway, LINES, key);
  expect(linesOf(text)).toEqual([...printed, { count: 3 }]);
  expect(headers['content-type']).toBe('application/jsonl');
  expect(text).toMatch(/^[\n -~]*$/);
  for (const file of [LINES, AUDIT]) {
    const { text: rest } = await download(gateway, `${file}?after=${printed[0].cursor}`, key);
    expect(rest).not.toContain(printed[0].id);
    expect(rest).toContain(printed[1].id);
    expect(rest.trimEnd().split('\n').at(-1)).toContain('2');
  }
});

test('Interface 24: an empty log is a head and a last line', async () => {
  const empty = [AUDIT_COLUMNS, ['count', '0', ...Array(7).fill('')]];
  expect(readCsv((await download(gateway, AUDIT, key)).text)).toEqual(empty);
  expect((await download(gateway, LINES, key)).text).toBe('{"count":0}\n');
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '\uff1d1', '\uff0b1', '\uff0d1', '\uff201'])(
  'Interface 24: a user agent that begins as %j gets an apostrophe in CSV, and is itself in JSON lines',
  async (user_agent) => {
    await storeEvents(gateway, [{ user_agent }]);
    expect(readCsv((await download(gateway, AUDIT, key)).text)[1]?.[5]).toBe(`'${user_agent}`);
    expect(linesOf((await download(gateway, LINES, key)).text)[0].user_agent).toBe(user_agent);
  },
);

const PERSON = '01997a3e-5f0c-7cc3-9a4e-0d1b6c2f8a77';
const SESSION = '01997a3e-5f0c-7cc3-9a4e-0d1b6c2f8a78';
const EVENTS = [
  { event_type: 'login_success', user_id: PERSON, ip_address: '192.0.2.7' },
  { event_type: 'login_failure', metadata: { email: 'who@example.com' } },
  { event_type: 'token_theft', user_id: PERSON, metadata: { family_id: SESSION } },
  { event_type: 'token_theft', user_id: PERSON, metadata: { family_id: SESSION, ended_by: 'logout' } },
  { event_type: 'user_unlocked', user_id: PERSON, metadata: { actor: { caller_type: 'user', sub: SESSION } } },
];
test.each([
  ['eventTypes=login_success', [0]],
  ['eventTypes=login_success,login_failure', [0, 1]],
  ['eventTypes=login_success&eventTypes=user_unlocked', [0, 4]],
  ['isTheft=true', [2]],
  ['isTheft=false', [3]],
  [`userId=${PERSON}`, [0, 2, 3, 4]],
  ['userId=nobody', []],
  ['ipAddress=192.0.2.7', [0]],
  ['email=WHO@example.com', [1]],
  [`actorId=${SESSION}`, [4]],
  [`entityId=${PERSON}`, [0, 2, 3, 4]],
  [`sessionId=${SESSION}`, [2, 3]],
  [`userId=${PERSON}&isTheft=true`, [2]],
  ['since=2000-01-01T00:00:00Z', [0, 1, 2, 3, 4]],
  ['until=2000-01-01T00:00:00Z', []],
  ['since=2000-01-01T00:00:00%2B02:00&until=2999-01-01T00:00:00.5Z&eventTypes=login_failure', [1]],
])('Interface 24: the filter %s leaves the events that the list has, in both formats', async (query, expected) => {
  const ids = await storeEvents(gateway, EVENTS);
  const left = expected.map((i) => ids[i]);
  const rows = readCsv((await download(gateway, `${AUDIT}?${query}`, key)).text);
  expect(rows.slice(1, -1).map(([id]) => id)).toEqual(left);
  expect(rows.at(-1)?.[1]).toBe(String(left.length));
  const lines = linesOf((await download(gateway, `${LINES}?${query}`, key)).text);
  expect(lines.map(({ id }) => id).slice(0, -1)).toEqual(left);
});

test('Interface 24: the time of an event decides since and until, to the millisecond, as in the list', async () => {
  await storeEvents(gateway, [{}, {}, {}]);
  await gateway.rows(
    `update audit_events set created_at = date_trunc('second', now()) - extract(microseconds from written_at)::int % 7 * interval '1 ms'`,
  );
  const [{ since }] = (await gateway.rows<{ since: Date }>('select min(created_at) as since from audit_events')) as [
    { since: Date },
  ];
  const until = new Date(since.getTime() + 1);
  const page = await listAuditEvents(gateway.app, { since, until }, { first: 10 });
  const query = `since=${since.toISOString()}&until=${until.toISOString()}`;
  const found = readCsv((await download(gateway, `${AUDIT}?${query}`, key)).text).slice(1, -1);
  expect(found.map(([id]) => id).toSorted()).toEqual(page.rows.map(({ row }) => row.id).toSorted());
  expect(found).toHaveLength(page.rows.length);
});

test('Interface 24: a filter that leaves few of many events finds each, once, and a filter of all too', async () => {
  await storeMany(gateway, 25_500, 1);
  await gateway.rows(`update audit_events set ip_address = '192.0.2.9'
    where id in (select id from audit_events order by written_at, id offset 9_998 limit 4)`);
  await gateway.rows(`update audit_events set ip_address = '192.0.2.9'
    where id in (select id from audit_events order by written_at desc, id desc limit 1)`);
  const few = readCsv((await download(gateway, `${AUDIT}?ipAddress=192.0.2.9`, key)).text);
  const stored = await gateway.rows(
    `select id from audit_events where ip_address = '192.0.2.9' order by written_at, id`,
  );
  expect(few.slice(1, -1).map(([id]) => id)).toEqual(stored.map(({ id }) => id));
  const all = readCsv((await download(gateway, `${AUDIT}?eventTypes=login_failure`, key)).text);
  expect([new Set(all.map(([id]) => id)).size, all.at(-1)?.[1]]).toEqual([25_502, '25500']);
});

describe('users', () => {
  const COLUMNS = [
    ...['id', 'email', 'role', 'is_active', 'has_password', 'is_locked', 'failed_login_attempts', 'locked_until'],
    ...['last_login_at', 'created_at'],
  ];
  const emailsOf = (text: string) =>
    readCsv(text)
      .slice(1, -1)
      .map(([, email]) => String(email));

  test('Interface 24: the users as CSV, in the order of their creation, with the count', async () => {
    const { user } = await newcomer(gateway, 'analyst');
    gateway.clock.advance(1);
    const later = await gateway.user();
    await gateway.rows(`update users set locked_until = $2, failed_login_attempts = 5 where id = $1`, [
      later.id,
      new Date(gateway.clock.now().getTime() + 60_000),
    ]);
    await gateway.rows('update users set password_hash = null, is_active = false where id = $1', [later.id]);
    const { headers, text } = await download(gateway, USERS, key);
    const rows = readCsv(text);
    const now = gateway.clock.now().toISOString();
    const [{ count }] = (await gateway.rows<{ count: string }>('select count(*)::text from users')) as [
      { count: string },
    ];
    expect([rows[0], rows.at(-1)]).toEqual([COLUMNS, ['count', count, ...Array(8).fill('')]]);
    const at = (moved = 0) => new Date(gateway.clock.now().getTime() + moved).toISOString();
    expect(rows.at(-3)).toEqual([
      ...[user.id, user.email, 'analyst', 'true', 'true', 'false', '0', '', at(-1_000), at(-1_000)],
    ]);
    expect(rows.at(-2)).toEqual([
      ...[later.id, later.email, 'viewer', 'false', 'false', 'true', '5', at(60_000), '', at()],
    ]);
    expect(headers).toMatchObject({
      'export-until': now,
      'content-disposition': `attachment; filename="users-${now.slice(0, 19).replaceAll(':', '-')}Z.csv"`,
    });
  });

  test('Interface 24: each filter leaves the users that the list has', async () => {
    const [plain, admin, locked, off, without] = await Promise.all(Array.from({ length: 5 }, () => gateway.user()));
    const ids = [plain, admin, locked, off, without].map((user) => String(user?.id));
    await gateway.rows(`update users set role = 'admin' where id = $1`, [admin?.id]);
    await gateway.rows(`update users set locked_until = $2 where id = $1`, [
      locked?.id,
      new Date(gateway.clock.now().getTime() + 1),
    ]);
    await gateway.rows('update users set is_active = false where id = $1', [off?.id]);
    await gateway.rows('update users set password_hash = null where id = $1', [without?.id]);
    const list = `ids=${ids.join(',')}`;
    for (const [query, expected] of [
      [list, [plain, admin, locked, off, without]],
      [`ids=${ids[0]}&ids=${ids[1]}`, [plain, admin]],
      ['ids=', []],
      ['ids=nobody', []],
      [`${list}&role=admin`, [admin]],
      [`${list}&isLocked=true`, [locked]],
      [`${list}&isLocked=false`, [plain, admin, off, without]],
      [`${list}&isActive=false`, [off]],
      [`${list}&isActive=true`, [plain, admin, locked, without]],
      [`${list}&hasPassword=false`, [without]],
      [`${list}&hasPassword=true`, [plain, admin, locked, off]],
      [`${list}&search=${String(plain?.email).toUpperCase()}`, [plain]],
      [`${list}&search=%25`, []],
    ] as const) {
      const found = emailsOf((await download(gateway, `${USERS}?${query}`, key)).text);
      expect([query, found.toSorted()]).toEqual([query, expected.map((user) => user?.email).toSorted()]);
    }
  });

  test('Interface 24: each user who existed at the start is there once, whatever is changed meanwhile, and none who came later', async () => {
    await gateway.rows(
      `insert into users (email, role, created_at)
      select 'many' || n || '-' || repeat('x', 200) || '@example.com', 'viewer', $1::timestamptz - n * interval '1 second'
      from generate_series(1, 25000) as n`,
      [gateway.clock.now()],
    );
    const before = (await gateway.rows<{ id: string }>('select id from users')).map(({ id }) => id);
    gateway.clock.advance(1);
    const { rest } = await begin(gateway, USERS, key);
    const late = await gateway.user();
    await gateway.rows(
      `update users set last_login_at = now(), email = 'z' || email, role = 'analyst' where email like 'many%'`,
    );
    const { text, isComplete } = await rest();
    const ids = text
      .split('\r\n')
      .slice(1, -2)
      .map((line) => line.slice(1, 37));
    expect(isComplete).toBe(true);
    expect(ids).not.toContain(late.id);
    expect(ids.toSorted()).toEqual(before.toSorted());
    expect(text).toContain('"analyst"');
    await gateway.rows(`delete from users where email like 'zmany%'`);
  });
});

test.each([
  [AUDIT, 'eventType=login_failure', 'The query may have eventTypes, '],
  [AUDIT, 'search=x', 'The query may have eventTypes, '],
  [USERS, 'userId=x', 'The query may have ids, '],
  [USERS, '__proto__=x', 'The query may have ids, '],
  [USERS, 'constructor=x', 'The query may have ids, '],
  [USERS, '=x', 'The query may have ids, '],
  [AUDIT, 'eventTypes=secret', 'eventTypes must be event types'],
  [AUDIT, 'eventTypes=', 'eventTypes must be event types'],
  [AUDIT, 'eventTypes=login_failure,', 'eventTypes must be event types'],
  [AUDIT, 'isTheft=1', 'isTheft must be true or false'],
  [AUDIT, 'isTheft=TRUE', 'isTheft must be true or false'],
  [AUDIT, 'isTheft=true&isTheft=true', 'isTheft must be there once'],
  [AUDIT, 'since=secret', 'since must be a time such as 2026-01-31T09:00:00Z'],
  [AUDIT, 'since=2026-01-31', 'since must be a time such as 2026-01-31T09:00:00Z'],
  [AUDIT, 'since=2026-02-30T00:00:00Z', 'since must be a time such as 2026-01-31T09:00:00Z'],
  [AUDIT, 'since=2026-01-31T09:00:00+02:00', 'since must be a time such as 2026-01-31T09:00:00Z'],
  [AUDIT, 'until=0000-01-01T00:00:00Z', 'until must be in the year 1 or later'],
  [AUDIT, 'until=', 'until must be a time such as 2026-01-31T09:00:00Z'],
  [AUDIT, 'email=a%00b', 'email must be text without NUL'],
  [AUDIT, 'after=secret', 'after is not a cursor of this listing'],
  [AUDIT, 'after=WyJhIl0', 'after is not a cursor of this listing'],
  [AUDIT, 'userId=a&userId=b', 'userId must be there once'],
  [USERS, 'role=root', 'role must be a role'],
  [USERS, 'search=a%00', 'search must be text without NUL'],
  [USERS, 'ids=a%00', 'ids must be text without NUL'],
  [USERS, `ids=${Array(101).fill('x').join(',')}`, 'ids has at most 100 ids'],
])('Interface 24: %s?%s is 400', async (file, query, detail) => {
  const { status, headers, json } = await download(gateway, `${file}?${query}`, key);
  expect([status, json]).toEqual([400, { detail: expect.stringContaining(detail), reason: 'malformed_request' }]);
  expect(JSON.stringify(json)).not.toContain('secret');
  expect(headers['content-disposition']).toBeUndefined();
});

describe('who may', () => {
  const files = [AUDIT, LINES, USERS];

  test('Interface 24: nobody, and a credential that is not valid, are 401 as on other routes', async () => {
    for (const file of files) {
      for (const [headers, reason] of [
        [{}, 'missing_credentials'],
        [{ authorization: 'Bearer x' }, 'invalid_token'],
        [{ 'x-internal-key': 'x' }, 'invalid_key'],
        [{ ...key, authorization: 'Bearer x' }, 'multiple_credentials'],
      ] as const) {
        const { status, json, headers: fields } = await download(gateway, file, headers);
        expect([status, json.reason]).toEqual([401, reason]);
        expect(fields['www-authenticate']).toContain('realm="auth-gateway"');
      }
    }
  });

  test('Interface 24: each kind of caller needs the scope', async () => {
    const byKey = async (scopes: string[]) => {
      const { keyId, secret } = await newApiKey(gateway, scopes);
      return (file: string) => {
        const nowSeconds = Math.floor(gateway.clock.now().getTime() / 1000);
        const authority = gateway.config.publicAuthority;
        const target = `/export/${file}`;
        return Object.fromEntries(
          signByHand({ keyId, secret, authority, nowSeconds, method: 'GET', target, body: '' }).headers,
        );
      };
    };
    const viewer = await newcomer(gateway, 'viewer');
    const analyst = await newcomer(gateway, 'analyst');
    const demoted = await newcomer(gateway, 'admin');
    await setUserRole(gateway.app, COMMAND_LINE, demoted.user.id, 'viewer');
    const promoted = await newcomer(gateway, 'viewer');
    await setUserRole(gateway.app, COMMAND_LINE, promoted.user.id, 'admin');
    const rows: Array<[(file: string) => Record<string, string | string[]>, number[]]> = [
      [() => viewer.as(''), [403, 403, 403]],
      [() => analyst.as(''), [200, 200, 200]],
      [() => demoted.as(''), [403, 403, 403]],
      [() => promoted.as(''), [403, 403, 403]], // until a refresh
      [await byKey(['audit:read']), [200, 200, 403]],
      [await byKey(['users:read']), [403, 403, 200]],
      [await byKey(['users:write', 'audit:write']), [403, 403, 403]],
    ];
    for (const [headersOf, expected] of rows) {
      const answers = [];
      for (const file of files) answers.push(await download(gateway, file, headersOf(file)));
      expect(answers.map(({ status }) => status)).toEqual(expected);
      for (const { status, json } of answers) {
        if (status === 403) expect(json).toEqual({ detail: 'A scope is missing', reason: 'scope_missing' });
      }
    }
  });

  test('Interface 14: exports are counted by route alone, without the query', async () => {
    await download(gateway, `${AUDIT}?userId=x`, (await newCronKey(gateway)).as(''));
    const { text } = await gateway.send('GET', '/metrics');
    expect(text).toContain('http_route="/export/audit.csv"');
    expect(text).not.toMatch(/caller_checks_total\{[^}]*scope_missing/);
    expect(captured.text()).not.toContain('userId');
  });

  test('Interface 24: a session that has ended, and a deactivated user, are 401 although the token is valid', async () => {
    const out = await newcomer(gateway, 'admin');
    await logout(gateway, out.refreshToken);
    const off = await newcomer(gateway, 'admin');
    await setUserActive(gateway.app, COMMAND_LINE, off.user.id, false);
    for (const { as } of [out, off]) {
      const { status, json, headers } = await download(gateway, AUDIT, as(''));
      expect([status, json.reason]).toEqual([401, 'session_ended']);
      expect(headers['www-authenticate']).toBe('Bearer realm="auth-gateway"');
    }
  });

  test('Interface 20: a role of SECOND_FACTOR_ROLES exports only after a second factor', async () => {
    const strict = await startGateway({ env: { SECOND_FACTOR_ROLES: 'analyst' } });
    const bare = await newcomer(strict, 'analyst');
    const { status, json } = await download(strict, AUDIT, bare.as(''));
    expect([status, json.reason]).toEqual([403, 'second_factor_required']);
    const proved = await renewed(strict, await withTotp(strict, { role: 'analyst' }));
    expect((await download(strict, AUDIT, proved.as(''))).status).toBe(200);
    await strict.close();
  });

  test('Interface 24: HEAD has the fields alone, other methods are 405, pages of CORS_ORIGINS may read it', async () => {
    const head = await gateway.send('HEAD', '/export/audit.csv', { headers: key });
    expect([head.status, head.text, head.headers['export-until']]).toEqual([200, '', expect.any(String)]);
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const { status, headers } = await gateway.send(method, '/export/users.csv', { headers: key });
      expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
    }
    expect((await download(gateway, 'keys.csv', key)).status).toBe(404);
    const origin = 'https://app.example';
    const { headers } = await download(gateway, AUDIT, { ...key, origin });
    expect(headers['access-control-allow-origin']).toBe(origin);
    expect(headers['access-control-expose-headers']).toContain('Export-Until');
    const preflight = {
      origin,
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    };
    const allowed = await gateway.send('OPTIONS', '/export/audit.csv', { headers: preflight });
    expect([allowed.status, allowed.headers['access-control-allow-methods']]).toEqual([204, 'GET,POST,DELETE']);
  });
});

describe('a download that lasts', () => {
  const admin = (): Promise<SignedIn> => newcomer(gateway, 'admin');
  beforeEach(() => storeMany(gateway, FAT.count, FAT.length));

  test.each<[string, string, (by: SignedIn) => Promise<unknown>]>([
    ['its user logs out', 'session_ended', ({ refreshToken }) => logout(gateway, refreshToken)],
    [
      'its user is deactivated',
      'session_ended',
      ({ user }) => setUserActive(gateway.app, COMMAND_LINE, user.id, false),
    ],
    ['its user is deleted', 'session_ended', ({ user }) => gateway.rows('delete from users where id = $1', [user.id])],
    [
      'its user gets another role',
      'scope_missing',
      ({ user }) => setUserRole(gateway.app, COMMAND_LINE, user.id, 'viewer'),
    ],
  ])('Interface 24: is cut without its last line if %s', async (_what, outcome, end) => {
    await admin(); // the last administrator stays
    const caller = await admin();
    const { rest, answer } = await begin(gateway, AUDIT, caller.as(''));
    expect(answer.statusCode).toBe(200);
    captured.clear();
    await end(caller);
    const { text, isComplete } = await rest();
    expect([isComplete, text.includes('"count"')]).toEqual([false, false]);
    await until('it is logged', () => outcomes().length > 0);
    expect(outcomes()).toEqual([outcome]);
  });

  test('Interface 24: is cut if its key is revoked', async () => {
    const { keyId, secret } = await newApiKey(gateway, ['audit:read']);
    const nowSeconds = Math.floor(gateway.clock.now().getTime() / 1000);
    const signing = { keyId, secret, authority: gateway.config.publicAuthority, nowSeconds };
    const { headers } = signByHand({ ...signing, method: 'GET', target: '/export/audit.jsonl', body: '' });
    const { rest } = await begin(gateway, LINES, Object.fromEntries(headers));
    await revokeApiKey(gateway.app, COMMAND_LINE, keyId);
    const { text, isComplete } = await rest();
    expect([isComplete, text.includes('"count"')]).toEqual([false, false]);
  });

  test('Interface 24: outlives its access token, as long as the session lives', async () => {
    const caller = await admin();
    const { rest } = await begin(gateway, AUDIT, caller.as(''));
    gateway.clock.advance(3_600);
    const { text, isComplete } = await rest();
    expect([isComplete, text.endsWith(`"count","${FAT.count}"${',""'.repeat(7)}\r\n`)]).toEqual([true, true]);
  });

  test('Interface 24: is cut if the database goes, and the log says why', async () => {
    const { rest } = await begin(gateway, AUDIT, key);
    captured.clear();
    const { text, isComplete } = await whileAway(gateway.database, rest);
    expect([isComplete, text.includes('"count"')]).toEqual([false, false]);
    await until('it is logged', () => outcomes().length > 0);
    expect(outcomes()).toEqual(['unavailable']);
    await until('the database is back', async () => (await gateway.send('GET', '/health/live')).status === 200);
  });

  test('Interface 24: one of a caller and four of an instance run at once; others are 429', async () => {
    const callers = await Promise.all(Array.from({ length: 5 }, admin));
    const [first, second, third, fourth, fifth] = callers.map(({ as }) => as('')) as [
      typeof key,
      typeof key,
      typeof key,
      typeof key,
      typeof key,
    ];
    const refused = async (headers: typeof key) => {
      const { status, json, headers: fields } = await download(gateway, USERS, headers);
      expect([status, json.reason, fields['retry-after']]).toEqual([429, 'too_many_streams', '5']);
    };
    const one = await begin(gateway, AUDIT, first);
    await refused(first);
    const others = [
      await begin(gateway, AUDIT, second),
      await begin(gateway, AUDIT, third),
      await begin(gateway, AUDIT, fourth),
    ];
    await refused(fifth);
    one.answer.destroy(); // the client goes away
    await until('its place is free', async () => (await download(gateway, USERS, fifth)).status === 200);
    for (const { rest } of others) expect((await rest()).isComplete).toBe(true);
    expect((await download(gateway, USERS, second)).status).toBe(200);
  });
});
