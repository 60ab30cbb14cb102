/** MikroORM on the connections of administration. It is loaded for changes and migrations, not at the start. */
import 'reflect-metadata';
import { ReflectMetadataProvider } from '@mikro-orm/decorators/legacy';
import { Migrator } from '@mikro-orm/migrations';
import { DriverException, type Kysely, MikroORM, type SqlEntityManager, ValidationError } from '@mikro-orm/postgresql';
import pg from 'pg';
import { migrations } from '../../migrations/index.js';
import { ApiKey } from './entities/api-key.js';
import { AuditEvent } from './entities/audit-event.js';
import { Ceremony } from './entities/ceremony.js';
import { CronKey } from './entities/cron-key.js';
import { EmailChange } from './entities/email-change.js';
import { EmailUndo } from './entities/email-undo.js';
import { Factor } from './entities/factor.js';
import { GateCode } from './entities/gate-code.js';
import { KnownDevice } from './entities/known-device.js';
import { OutboxCursor } from './entities/outbox-cursor.js';
import { OutboxEvent } from './entities/outbox-event.js';
import { PasswordLink } from './entities/password-link.js';
import { RecoveryCode } from './entities/recovery-code.js';
import { RefreshToken } from './entities/refresh-token.js';
import { RequestedLink } from './entities/requested-link.js';
import { Session } from './entities/session.js';
import { SignatureNonce } from './entities/signature-nonce.js';
import { User } from './entities/user.js';
import { Webhook } from './entities/webhook.js';
import { WebhookAttempt } from './entities/webhook-attempt.js';
import { kyselyOn, kyselyOnPool } from './kysely.js';
import { isOutage } from './outage.js';
import type { Ask } from './run.js';

/** For code that must not import them, so that they are not loaded at the start. */
export const entities = {
  User,
  RefreshToken,
  Session,
  AuditEvent,
  ApiKey,
  CronKey,
  KnownDevice,
  PasswordLink,
  RequestedLink,
  EmailChange,
  EmailUndo,
  Factor,
  RecoveryCode,
  Ceremony,
  GateCode,
  SignatureNonce,
  OutboxCursor,
  OutboxEvent,
  Webhook,
  WebhookAttempt,
};
export type Entities = typeof entities;

/** Tables with secrets, under the names of their properties. */
interface SecretTables {
  users: Partial<User>;
  api_keys: Partial<ApiKey>;
  cron_keys: Partial<CronKey>;
  webhooks: Partial<Webhook>;
  password_links: Partial<PasswordLink>;
  requested_links: Partial<RequestedLink>;
  email_changes: Partial<EmailChange>;
  email_undos: Partial<EmailUndo>;
  factors: Partial<Factor>;
}

/**
 * The Kysely of the entity manager, which writes secrets: it sends values as parameters. The entity manager puts them into the
 * text of its statements, which servers log.
 */
export type Secrets = Kysely<SecretTables>;

/** @param pool connections of that database */
export async function openOrm(clientUrl: string, pool: pg.Pool): Promise<MikroORM> {
  return MikroORM.init(await ormOptions(clientUrl, pool));
}

/** Of the gateway and of `mikro-orm.config.js`. */
export async function ormOptions(clientUrl: string, pool: pg.Pool) {
  const files = await Promise.all(migrations.map(({ load }) => load()));
  const migrationsList = files.flatMap((file) => Object.entries(file).map(([name, made]) => ({ name, class: made })));
  return {
    entities: Object.values(entities),
    metadataProvider: ReflectMetadataProvider,
    extensions: [Migrator],
    clientUrl,
    driverOptions: kyselyOnPool(pool),
    ensureDatabase: false,
    logger: () => undefined, // its messages quote rows
    migrations: { migrationsList, snapshot: false, disableForeignKeys: false },
    schemaGenerator: { skipTables: ['rate_limits', 'mikro_orm_migrations'] },
  };
}

/** The ways to read and change rows in one transaction. */
export interface Manager {
  em: SqlEntityManager;
  entities: Entities;
  secrets: Secrets;
}

/** An entity manager that sends its queries through `ask`. */
export function managerOn(orm: MikroORM, ask: Ask): Manager {
  const em = orm.em.fork();
  em.setTransactionContext(kyselyOn(ask));
  return { em, entities, secrets: em.getKysely<SecretTables>({ columnNamingStrategy: 'property' }) };
}

/**
 * The error of a change, reduced to its name, code and place: its message and other fields quote the row that failed, with its
 * hash or sealed secret. An outage stays as it is, because it is about no row.
 */
export function withoutRow(error: unknown): unknown {
  const quotes = [DriverException, ValidationError, pg.DatabaseError].some((kind) => error instanceof kind);
  if (!quotes || isOutage(error)) return error;
  const { name, stack = '', code } = error as Error & { code?: string };
  const places = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return Object.assign(new Error('a change of rows failed'), { name, code, stack: [name, ...places].join('\n') });
}
