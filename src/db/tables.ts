/** The tables as the typed query builder sees them, derived from the entities: every column stands once. */
import { ApiKey } from './entities/api-key.js';
import { AuditEvent } from './entities/audit-event.js';
import { CronKey } from './entities/cron-key.js';
import { RefreshToken } from './entities/refresh-token.js';
import { SignatureNonce } from './entities/signature-nonce.js';
import { User } from './entities/user.js';

type SnakeCase<S extends string> = S extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? '' : '_'}${Lowercase<Head>}${SnakeCase<Tail>}`
  : S;

/** A row of an entity's table, under the names of its columns. */
export type Row<E> = { [K in keyof E as K extends string ? SnakeCase<K> : never]: E[K] };

export interface Tables {
  users: Row<User>;
  refresh_tokens: Row<RefreshToken>;
  audit_events: Row<AuditEvent>;
  api_keys: Row<ApiKey>;
  cron_keys: Row<CronKey>;
  signature_nonces: Row<SignatureNonce>;
  rate_limits: { key: string; points: number; expire: string | null };
}

export const entities = [User, RefreshToken, AuditEvent, ApiKey, CronKey, SignatureNonce];
