/** Rows of every table as nobody would choose them, for what must come out as it went in. */
import * as fc from 'fast-check';
import type pg from 'pg';

/** PostgreSQL keeps no NUL, and UTF-8 has no halves of pairs. */
const anyText = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom('\\.', '\\N', '\n\\.\n', '\t', '\r\n', '"', "'", '{"a"}', '\\', '🦄 é', '\u2028', ''),
  )
  .map((text) => text.replaceAll('\0', ''));
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const uuid = fc.uuid();
const instant = fc
  .tuple(fc.integer({ min: -2_000_000_000, max: 4_000_000_000 }), fc.integer({ min: 0, max: 999_999 }))
  .map(
    ([seconds, micros]) => `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${`${micros}`.padStart(6, '0')}Z`,
  );
const anyInstant = fc.oneof(instant, fc.constantFrom('infinity', '-infinity', '0044-03-15 12:00:00+00 BC'));
/** As text: numbers of any length stay as they are. */
const json = fc.oneof(
  fc.json().map((text) => text.replaceAll(/\\u0000/g, '')),
  fc.constantFrom('12345678901234567890.123456789012345678901234567890', '{"b": 1e-400}', '["\\\\", "\\n", "\\u2028"]'),
);
const scopes = fc.array(anyText, { maxLength: 3 });
const small = fc.integer({ min: 0, max: 2_147_483_647 });
const bytes = fc.uint8Array({ maxLength: 40 }).map((values) => Buffer.from(values));

/** Values in the order of the columns, by table. */
const TABLES: Record<string, Record<string, fc.Arbitrary<unknown>>> = {
  users: {
    id: uuid,
    email: fc.uuid().map((id) => `${id}@example.com`),
    password_hash: anyText,
    password_version: small,
    role: fc.constantFrom('viewer', 'analyst', 'admin'),
    is_active: fc.boolean(),
    failed_login_attempts: small,
    locked_until: orNull(anyInstant),
    last_login_at: orNull(instant),
    created_at: instant,
    has_factors: fc.boolean(),
  },
  refresh_tokens: {
    jti: uuid,
    user_id: uuid,
    family_id: uuid,
    revoked: fc.boolean(),
    revoked_reason: orNull(anyText),
    revoked_at: orNull(instant),
    user_agent: anyText,
    ip_address: anyText,
    expires_at: instant,
    created_at: fc.oneof(instant, fc.constant('2026-01-01T00:00:00.000001Z')), // a first record begins a session
    session_started_at: fc.constant('2026-01-01T00:00:00.000001Z'),
    amr: orNull(fc.array(anyText, { maxLength: 3 })),
    proved_at: orNull(anyInstant),
    predecessor_jti: orNull(uuid),
    retry_key_sha256: orNull(bytes),
    retry_ended: orNull(fc.boolean()),
    retries: orNull(small),
    retried_at: orNull(instant),
    retried_ip_address: orNull(anyText),
    retried_user_agent: orNull(anyText),
  },
  sessions: { family_id: uuid, user_id: uuid, started_at: instant },
  audit_events: {
    id: uuid,
    event_type: anyText,
    entity_type: anyText,
    user_id: orNull(uuid),
    ip_address: anyText,
    user_agent: orNull(anyText),
    metadata: json,
    created_at: anyInstant,
    written_at: instant,
  },
  api_keys: {
    key_id: uuid,
    service_name: anyText,
    scopes,
    rate_limit: fc.integer({ min: 1, max: 1_000_000 }),
    sealed_secret: fc.constant('eyJhbGciOiJkaXIifQ....'),
    previous_sealed_secret: fc.constant(null),
    previous_ends_at: orNull(instant),
    created_at: instant,
    revoked_at: orNull(instant),
    last_used_at: orNull(instant),
  },
  cron_keys: {
    key_id: uuid,
    service_name: anyText,
    scopes,
    secret_sha256: anyText,
    created_at: instant,
    revoked_at: orNull(instant),
    last_used_at: orNull(instant),
  },
  password_links: {
    user_id: uuid,
    token_sha256: bytes,
    password_version: small,
    purpose: fc.constantFrom('invitation', 'reset'),
    expires_at: instant,
    sealed_token: orNull(fc.constant('eyJhbGciOiJkaXIifQ....')),
  },
  requested_links: {
    user_id: uuid,
    event_id: uuid,
    token_sha256: bytes,
    password_version: small,
    issued_at: instant,
    expires_at: instant,
    sealed_token: orNull(fc.constant('eyJhbGciOiJkaXIifQ....')),
    mailed_at: fc.array(instant, { maxLength: 3 }),
    has_failed: fc.boolean(),
  },
  email_changes: {
    user_id: uuid,
    token_sha256: bytes,
    email: anyText,
    password_version: small,
    expires_at: anyInstant,
    sealed_token: orNull(fc.constant('eyJhbGciOiJkaXIifQ....')),
  },
  email_undos: {
    id: uuid,
    user_id: uuid,
    token_sha256: bytes,
    email: anyText,
    expires_at: anyInstant,
    sealed_token: orNull(fc.constant('eyJhbGciOiJkaXIifQ....')),
  },
  factors: {
    id: uuid,
    user_id: uuid,
    kind: fc.constantFrom('totp', 'passkey'),
    name: anyText.map((text) => `a${text}`),
    created_at: instant,
    last_used_at: orNull(instant),
    sealed_secret: fc.constant('eyJhbGciOiJkaXIifQ....'),
    last_step: orNull(small),
    credential_id: bytes,
    user_handle: bytes,
    public_key: bytes,
    sign_count: fc.bigInt({ min: 0n, max: 4_294_967_295n }),
    transports: scopes,
    is_synced: fc.boolean(),
  },
  recovery_codes: { user_id: uuid, code_sha256: bytes },
  webhooks: {
    id: uuid,
    url: anyText,
    event_types: orNull(scopes),
    include_emails: fc.boolean(),
    sealed_secret: fc.constant('eyJhbGciOiJkaXIifQ....'),
    previous_sealed_secret: orNull(fc.constant('eyJhbGciOiJkaXIifQ....')),
    previous_ends_at: orNull(instant),
    created_at: instant,
  },
  outbox_cursors: {
    id: uuid,
    kind: fc.constantFrom('webhook', 'mail'),
    front_at: anyInstant,
    front_id: uuid,
    settled_at: anyInstant,
    settled_id: uuid,
    claimed_by: orNull(uuid),
    claimed_until: orNull(instant),
    failures: small,
    retry_at: orNull(instant),
    paused_at: orNull(instant),
    paused_by: orNull(fc.constantFrom('operator', 'receiver')),
    last_attempt_at: orNull(instant),
    last_outcome: orNull(anyText),
    last_status: orNull(small),
    attempt_count: fc.bigInt({ min: 0n, max: 9_223_372_036_854_775_807n }),
  },
  outbox_events: { cursor_id: uuid, event_id: uuid, written_at: instant, due_at: orNull(instant), attempts: small },
  signature_nonces: { key_id: uuid, nonce: anyText, expires_at: instant },
  rate_limits: {
    key: fc.uuid(),
    points: small,
    expire: orNull(fc.bigInt({ min: 0n, max: 9_223_372_036_854_775_807n })),
  },
};

export type Rows = Record<string, unknown[][]>;

/** Up to 20 rows of each table. */
export const anyRows: fc.Arbitrary<Rows> = fc.record(
  Object.fromEntries(
    Object.entries(TABLES).map(([table, columns]) => [
      table,
      fc.array(fc.tuple(...Object.values(columns)), { maxLength: 20 }),
    ]),
  ),
);

/** Without triggers: sessions and their records need not agree. */
export async function insert(client: pg.Client, rows: Rows): Promise<void> {
  await client.query('alter table refresh_tokens disable trigger user');
  for (const [table, ofTable] of Object.entries(rows)) {
    const columns = Object.keys(TABLES[table] ?? {});
    const places = columns.map((_, i) => `$${i + 1}`).join(', ');
    for (const row of ofTable) {
      await client.query(`insert into ${table} (${columns.join(', ')}) values (${places}) on conflict do nothing`, row);
    }
  }
  await client.query('alter table refresh_tokens enable trigger user');
}
