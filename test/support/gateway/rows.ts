/** What stands in the tables, under the column names of Spec 2.5, 2.6 and Interface 8. */
import type { TestGateway } from './gateway.js';

export interface UserRow {
  id: string;
  email: string;
  password_hash: string;
  password_version: number;
  password_chosen_by_user: boolean;
  role: string;
  is_active: boolean;
  failed_login_attempts: number;
  locked_until: Date | null;
  last_login_at: Date | null;
}

export interface RecordRow {
  jti: string;
  user_id: string;
  family_id: string;
  revoked: boolean;
  revoked_reason: string | null;
  user_agent: string;
  ip_address: string;
  expires_at: Date;
}

export interface AuditRow {
  event_type: string;
  entity_type: string;
  user_id: string | null;
  ip_address: string;
  user_agent: string | null;
  metadata: Record<string, unknown>;
  created_at: Date;
}

type Tables = Pick<TestGateway, 'rows'>;

export async function userRow({ rows }: Tables, id: string): Promise<UserRow> {
  const [row] = await rows<UserRow>('select * from users where id = $1', [id]);
  if (row === undefined) throw new Error('no such user');
  return row;
}

/** The refresh-token records of a user, oldest first. */
export function recordsOf({ rows }: Tables, userId: string): Promise<RecordRow[]> {
  return rows('select * from refresh_tokens where user_id = $1 order by created_at, jti', [userId]);
}

export async function recordOf({ rows }: Tables, jti: unknown): Promise<RecordRow> {
  const [row] = await rows<RecordRow>('select * from refresh_tokens where jti = $1', [jti]);
  if (row === undefined) throw new Error('no such record');
  return row;
}

export function liveRecords({ rows }: Tables): Promise<RecordRow[]> {
  return rows('select * from refresh_tokens where not revoked');
}

/** What `work` answers, and the audit rows that it has written. */
export async function auditDuring<T>({ rows }: Tables, work: () => Promise<T>): Promise<[T, AuditRow[]]> {
  const before = await rows<{ id: string }>('select id from audit_events');
  const result = await work();
  const written = await rows<AuditRow>(
    `select event_type, entity_type, user_id, ip_address, user_agent, metadata, created_at
     from audit_events where id <> all($1) order by created_at, id`,
    [before.map(({ id }) => id)],
  );
  return [result, written];
}

/** Everything that a request could change, to be compared before and after. */
export async function wholeState({ rows }: Tables): Promise<unknown> {
  return {
    users: await rows('select * from users order by id'),
    records: await rows('select * from refresh_tokens order by jti'),
    devices: await rows('select * from known_devices order by id'),
    events: await rows('select * from audit_events order by id'),
  };
}
