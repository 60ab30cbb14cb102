/**
 * `user export` prints everything about a person, without secrets; `user erase` replaces only what names them.
 * (Interface 15)
 */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { issuePasswordLink } from '../../src/admin/password-links.js';
import { createUser, deleteUser, setUserEmail, setUserRole } from '../../src/admin/user-changes.js';
import { messagesOf, type Ran, runHere } from '../support/gateway/cli.js';
import { askForEmail, changeEmail, startWithAccount } from '../support/gateway/email-changes.js';
import { claimsOf, PASSWORD, type TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, bearer, newcomer } from '../support/gateway/graphql.js';
import { login, logout, refresh, WRONG } from '../support/gateway/routes.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startWithAccount({ env: { TRUST_PROXY: '127.0.0.1', KNOWN_DEVICES: 'on' } });
});
afterAll(() => gateway.close());

function cli(...args: string[]): Promise<Ran> {
  return runHere(args, () => ({ ...gateway.config, databaseUrl: gateway.database.url }));
}

// biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape it needs
async function json(...args: string[]): Promise<any> {
  const ran = await cli(...args, '--json');
  expect([ran.code, messagesOf(ran)]).toEqual([0, '']);
  return JSON.parse(ran.stdout);
}

const ROLE = 'mutation ($input: SetUserRoleInput!) { setUserRole(input: $input) { user { id } } }';
const from =
  (as: As, headers: Record<string, string>): As =>
  (body) => ({ ...as(body), ...headers });

/** As argon2id makes it. */
const HASH = '$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g';

let people = 0;

/**
 * A person with everything that can be stored about one. No other row has their address and user agent, as `x-forwarded-for`
 * and `user-agent` of `theirs`, so that a reader of whole tables finds what is theirs.
 */
async function livedHere() {
  people += 1;
  const theirs = { 'x-forwarded-for': `198.51.100.${people}`, 'user-agent': `Ada/${people}` };
  const [before, between, after] = ['com', 'net', 'org'].map((top) => `ada${people}@example.${top}`) as [
    string,
    string,
    string,
  ];
  const wanted = `ada${people}@example.info`;
  const { app } = gateway;
  await login(gateway, before, WRONG, theirs); // there is no such user yet
  const { id } = await createUser(app, COMMAND_LINE, { email: before, password: PASSWORD, role: 'viewer' });
  await login(gateway, before, WRONG, theirs);
  const first = await login(gateway, before, PASSWORD, theirs);
  await setUserEmail(app, COMMAND_LINE, id, between);
  await login(gateway, before, PASSWORD, theirs); // with the former e-mail
  await setUserRole(app, COMMAND_LINE, id, 'admin');
  const second = await login(gateway, between, PASSWORD, theirs);
  const access: string = second.json.access_token;
  const own = { user: { id }, accessToken: access };
  const emailTokens = [await changeEmail(gateway, own, after, theirs), await askForEmail(gateway, own, wanted, theirs)];
  const colleague = await gateway.user();
  const input = { id: colleague.id, role: 'analyst' };
  expect((await ask(gateway, from(bearer(access), theirs), ROLE, { input })).errors).toEqual([]);
  await logout(gateway, tokenOf(first), theirs);
  const rotated = await refresh(gateway, tokenOf(second), theirs);
  const { link } = await issuePasswordLink(app, COMMAND_LINE, id, 'reset');
  await gateway.rows(
    `insert into requested_links
       (user_id, event_id, token_sha256, password_version, issued_at, expires_at, sealed_token, mailed_at)
     values ($1, $1, sha256($2), 0, now(), now() + interval '1 day', 'sealed', '{}')`,
    [id, id],
  );
  await gateway.rows(
    `update refresh_tokens set retries = 1, retried_at = now(), retried_ip_address = $2, retried_user_agent = $3,
       retry_key_sha256 = sha256('key')
     where user_id = $1 and revoked_reason = 'rotated'`,
    [id, theirs['x-forwarded-for'], theirs['user-agent']],
  );
  await gateway.rows(
    `with marked as (update users set has_factors = true where id = $1),
       code as (insert into recovery_codes values ($1, sha256($1::text::bytea || 'code'))),
       half as (
         insert into ceremonies (token_sha256, purpose, user_id, expires_at)
         values (sha256($1::text::bytea || 'half'), 'half_login', $1, now() + interval '5 minutes')
       )
     insert into factors
       (id, user_id, kind, name, created_at, sealed_secret, credential_id, user_handle, public_key, sign_count, transports,
         is_synced)
     values
       (gen_random_uuid(), $1, 'totp', 'Ada''s totp', now(), 'sealed by nobody', null, null, null, null, null, null),
       (gen_random_uuid(), $1, 'passkey', 'Ada''s passkey', now() + interval '1 s', null, sha256($1::text::bytea || 'credential'),
         sha256($1::text::bytea || 'handle'), sha256($1::text::bytea || 'key'), 0, '{}', true)`,
    [id],
  );
  const emails = [before, between, after];
  return {
    id,
    before,
    after,
    emails,
    wanted,
    emailTokens,
    theirs,
    access,
    refreshToken: tokenOf(rotated),
    link,
    colleague,
  };
}

function tokenOf(answer: { cookies: string[] }): string {
  return /^refresh_token=([^;]+)/.exec(answer.cookies[0] ?? '')?.[1] ?? '';
}

/** Somebody else, with events about and by them, and a former e-mail. */
async function neighbour(): Promise<string> {
  const { user, as } = await newcomer(gateway, 'admin');
  const { id } = await gateway.user();
  await ask(gateway, as, ROLE, { input: { id, role: 'analyst' } });
  await login(gateway, user.email, WRONG);
  await setUserEmail(gateway.app, COMMAND_LINE, user.id, `moved-${user.email}`);
  return user.id;
}

type Rows = Array<Record<string, unknown>>;

/** Each row of each table, as PostgreSQL writes it; without the counts of addresses, which end within a quarter of an hour. */
async function everything(): Promise<Record<string, Rows>> {
  const tables = await gateway.rows<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public'
       and table_name <> 'rate_limits' order by name`,
  );
  const read = async ({ name }: { name: string }): Promise<[string, Rows]> => {
    const rows = await gateway.rows<{ row: Record<string, unknown> }>(
      `select to_jsonb(${name}) as row from ${name} order by to_jsonb(${name})::text collate "C"`,
    );
    return [name, rows.map(({ row }) => row)];
  };
  return Object.fromEntries(await Promise.all(tables.map(read)));
}

const byId = (rows: Rows | undefined, key = 'id') =>
  new Map((rows ?? []).map((row) => [String(row[key]), row] as const));

test('Interface 15: user export prints the account, link, sessions and events of a person, and no secret', async () => {
  await neighbour();
  const person = await livedHere();
  const { id, after, emails, wanted, theirs } = person;
  await gateway.rows('update users set password_hash = $2 where id = $1', [id, HASH]);
  const printed = await json('user', 'export', after);
  expect(printed).toEqual({
    exported_at: expect.stringMatching(/^\d{4}-/),
    id,
    user: {
      id,
      email: after,
      role: 'admin',
      is_active: true,
      has_password: true,
      password_hash_kind: 'argon2id',
      password_chosen_by_user: false,
      password_version: 0,
      failed_login_attempts: 0,
      locked_until: null,
      last_login_at: expect.any(String),
      created_at: expect.any(String),
    },
    emails,
    password_link: { purpose: 'reset', expires_at: expect.any(String) },
    requested_link: { expires_at: expect.any(String) },
    email_change: { email: wanted, expires_at: expect.any(String) },
    email_undos: [{ email: emails[1], expires_at: expect.any(String) }],
    known_devices: [1, 2].map(() => expect.objectContaining({ user_agent: theirs['user-agent'] })),
    factors: ['totp', 'passkey'].map((kind) => ({
      id: expect.any(String),
      kind,
      name: `Ada's ${kind}`,
      created_at: expect.any(String),
      last_used_at: null,
    })),
    recovery_codes: 1,
    sessions: [expect.any(Object), expect.any(Object)],
    events: expect.any(Array),
    events_as_operator: [expect.objectContaining({ event_type: 'user_role_changed', user_id: person.colleague.id })],
    failed_logins: [
      expect.objectContaining({ event_type: 'login_failure', user_id: null }),
      expect.objectContaining({ event_type: 'login_failure', user_id: null }),
    ],
  });
  const records = printed.sessions.flatMap((session: { refresh_tokens: object[] }) => session.refresh_tokens);
  expect(records).toHaveLength(3);
  for (const record of records) {
    expect(record).toMatchObject({ ip_address: theirs['x-forwarded-for'], user_agent: theirs['user-agent'] });
  }
  const stored = await gateway.rows('select id from audit_events where user_id = $1 order by created_at, id', [id]);
  expect(printed.events.map((event: { id: string }) => event.id)).toEqual(stored.map((row) => row['id']));
  expect(stored).toHaveLength(11);
  const { stdout } = await cli('user', 'export', id.toUpperCase());
  expect({ ...JSON.parse(stdout), exported_at: '' }).toEqual({ ...printed, exported_at: '' });
  for (const secret of await secretsOf(person)) expect(stdout).not.toContain(secret);
});

/** What a person and the tables have that must not be read: passwords, tokens, and their hashes in each usual form. */
async function secretsOf({
  id,
  access,
  refreshToken,
  link,
  emailTokens,
}: Awaited<ReturnType<typeof livedHere>>): Promise<string[]> {
  const binary = await gateway.rows<{ bytes: Buffer }>(
    `select token_sha256 as bytes from password_links where user_id = $1
     union select token_sha256 from requested_links where user_id = $1
     union select token_sha256 from email_changes where user_id = $1
     union select token_sha256 from email_undos where user_id = $1
     union select secret_sha256 from known_devices where user_id = $1
     union select code_sha256 from recovery_codes where user_id = $1
     union select token_sha256 from ceremonies where user_id = $1
     union select unnest(array[credential_id, user_handle, public_key]) from factors where user_id = $1 and kind = 'passkey'
     union select retry_key_sha256 from refresh_tokens where user_id = $1 and retry_key_sha256 is not null`,
    [id],
  );
  expect(binary).toHaveLength(12);
  const forms = (['hex', 'base64', 'base64url'] as const).flatMap((form) =>
    binary.map((row) => row.bytes.toString(form)),
  );
  return [
    PASSWORD,
    'sealed by nobody',
    access,
    refreshToken,
    link.split('#token=')[1] ?? '',
    ...emailTokens,
    ...HASH.split('$').slice(-2),
    ...forms,
  ];
}

test('Interface 15: user export reads every page of the events', async () => {
  const { id, email } = await gateway.user();
  await gateway.rows(
    `insert into audit_events (event_type, user_id, ip_address, metadata, created_at)
     select 'login_failure', case when n % 2 = 0 then $1::uuid end, '192.0.2.7', jsonb_build_object('email', $2::text),
       timestamptz '2026-01-01' + make_interval(secs => n / 10)
     from generate_series(1, 5002) as n`,
    [id, email],
  );
  const { events, failed_logins: failed } = await json('user', 'export', id);
  const idsOf = (rows: Array<{ id: string }>) => new Set(rows.map((row) => row.id)).size;
  expect([events.length, idsOf(events), failed.length, idsOf(failed)]).toEqual([2502, 2502, 2501, 2501]); // and user_created
});

test('Interface 15: user erase deletes the user, and replaces only their e-mails, addresses and user agents', async () => {
  await neighbour();
  const { id, after, emails, wanted, theirs, refreshToken, access } = await livedHere();
  const tables = await everything();
  const { erased_id, pseudonym, events } = await json('user', 'erase', after, '--yes');
  expect([erased_id, pseudonym]).toEqual([id, expect.stringMatching(/^erased-[0-9A-Za-z]{20}$/)]);
  const left = await everything();

  const personal = [...emails, wanted, theirs['x-forwarded-for'], theirs['user-agent']];
  expect(personal.filter((text) => JSON.stringify(left).includes(`"${text}"`))).toEqual([]);
  const erased = (row: object) =>
    JSON.parse(personal.reduce((text, one) => text.replaceAll(`"${one}"`, `"${pseudonym}"`), JSON.stringify(row)));
  const { users, audit_events, refresh_tokens, ...others } = tables;
  const links = ['password_links', 'requested_links', 'email_changes', 'email_undos'];
  const ofPerson = [...links, 'known_devices', 'factors', 'recovery_codes', 'ceremonies'];
  for (const name of ofPerson) {
    expect(left[name]).toEqual(others[name]?.filter((row) => row['user_id'] !== id));
    delete others[name];
  }
  expect(left).toMatchObject(others);
  expect(left['users']).toEqual(users?.filter((row) => row['id'] !== id));
  const ended = { revoked: true, revoked_reason: 'user_deleted', revoked_at: expect.any(String) };
  const jti = String(claimsOf(refreshToken)['jti']);
  expect(byId(left['refresh_tokens'], 'jti')).toEqual(
    byId(
      refresh_tokens?.map((row) => ({ ...erased(row), ...(row['jti'] === jti && ended) })),
      'jti',
    ),
  );

  const known = byId(audit_events);
  const now = left['audit_events'] ?? [];
  expect(byId(now.filter((row) => known.has(String(row['id']))))).toEqual(byId(audit_events?.map(erased)));
  const actor = { caller_type: 'cli' };
  expect(now.filter((row) => !known.has(String(row['id']))).map((row) => [row['event_type'], row['metadata']])).toEqual(
    expect.arrayContaining([
      ['user_deleted', { actor, email: pseudonym, role: 'admin', sessions_ended: 1 }],
      ['user_erased', { actor, pseudonym, events }],
    ]),
  );
  expect(now).toHaveLength(known.size + 2);
  const changed = audit_events?.filter((row) => JSON.stringify(row) !== JSON.stringify(erased(row)));
  expect(events).toBe((changed?.length ?? 0) + 1); // and user_deleted

  expect((await refresh(gateway, refreshToken)).status).toBe(401);
  expect((await ask(gateway, bearer(access), '{ me { id } }')).data?.me ?? null).toBeNull();
});

test('Interface 15: a deleted user is exported and erased by ID, and again with the same pseudonym', async () => {
  const { id, emails, wanted, theirs, refreshToken } = await livedHere();
  await deleteUser(gateway.app, COMMAND_LINE, id);
  await gateway.rows(
    // which an older version does not delete
    `with wanted as (
       insert into email_changes (user_id, token_sha256, email, password_version, expires_at) values ($1, '', $2, 0, now())
     )
     insert into email_undos (id, user_id, token_sha256, email, expires_at) values ($1, $1, '', $3, now())`,
    [id, wanted, emails[1]],
  );
  const printed = await json('user', 'export', id);
  expect([printed.user, printed.password_link, printed.emails]).toEqual([null, null, emails]);
  const { pseudonym } = await json('user', 'erase', id.toUpperCase(), '--yes');
  const erased = await everything();
  const left = [...emails, wanted, theirs['user-agent']].filter((text) => JSON.stringify(erased).includes(`"${text}"`));
  expect(left).toEqual([]);
  expect(await json('user', 'erase', id, '--yes')).toEqual({ erased_id: id, pseudonym, events: 0 });
  expect(await everything()).toEqual(erased);
  await refresh(gateway, refreshToken, theirs); // a theft, from the address of the thief
  expect(await json('user', 'erase', id, '--yes')).toEqual({ erased_id: id, pseudonym, events: 1 });
  expect(JSON.stringify(await everything()).includes(`"${theirs['user-agent']}"`)).toBe(false);
});

test('Interface 15: what belongs to the new owner of a former e-mail is neither exported nor erased', async () => {
  const { id, email } = await gateway.user();
  await setUserEmail(gateway.app, COMMAND_LINE, id, `former-${email}`);
  const next = await createUser(gateway.app, COMMAND_LINE, { email, password: PASSWORD, role: 'viewer' });
  await gateway.rows('update users set is_active = false where id = $1', [next.id]);
  await login(gateway, email); // refused, as of an unknown user
  await gateway.rows('update users set is_active = true where id = $1', [next.id]);
  const named = () =>
    gateway.rows(
      `select * from audit_events where metadata ->> 'email' = $1 and user_id is distinct from $2 order by id`,
      [email, id],
    );
  const before = await named();
  expect(before.map((row) => row['event_type']).sort()).toEqual(['login_failure', 'user_created']);
  const { emails, failed_logins } = await json('user', 'export', id);
  expect([emails, failed_logins]).toEqual([[`former-${email}`], []]);
  await json('user', 'erase', id, '--yes');
  expect(await named()).toEqual(before);
  expect((await login(gateway, email)).status).toBe(200);
});

test('Interface 15: the last administrator and an unknown person are refused, and nothing is changed', async () => {
  const { id } = await gateway.user({ role: 'admin' });
  await gateway.rows(`update users set role = 'viewer' where id <> $1`, [id]);
  const before = await everything();
  const refusals = [
    [['user', 'erase', id, '--yes'], /last active administrator/],
    [['user', 'erase', '018f3a3e-1111-7000-8000-000000000000', '--yes'], /no such user/],
    [['user', 'erase', 'nobody@example.com', '--yes'], /no such user/],
    [['user', 'export', '018f3a3e-1111-7000-8000-000000000000'], /no such user/],
    [['user', 'export', 'nobody@example.com'], /no such user/],
  ] as const;
  for (const [args, message] of refusals) {
    const ran = await cli(...args);
    expect([ran.code, ran.stdout, messagesOf(ran)]).toEqual([1, '', expect.stringMatching(message)]);
  }
  expect(await everything()).toEqual(before);
});
