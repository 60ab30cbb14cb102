/** MikroORM on the connections of administration. It is loaded only for changes and migrations, not at the start. */
import 'reflect-metadata';
import { ReflectMetadataProvider } from '@mikro-orm/decorators/legacy';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM, type SqlEntityManager } from '@mikro-orm/postgresql';
import type pg from 'pg';
import { migrations } from '../../migrations/index.js';
import { ApiKey } from './entities/api-key.js';
import { AuditEvent } from './entities/audit-event.js';
import { CronKey } from './entities/cron-key.js';
import { KnownDevice } from './entities/known-device.js';
import { OutboxCursor } from './entities/outbox-cursor.js';
import { OutboxEvent } from './entities/outbox-event.js';
import { PasswordLink } from './entities/password-link.js';
import { RefreshToken } from './entities/refresh-token.js';
import { RequestedLink } from './entities/requested-link.js';
import { Session } from './entities/session.js';
import { SignatureNonce } from './entities/signature-nonce.js';
import { User } from './entities/user.js';
import { Webhook } from './entities/webhook.js';
import { kyselyOn, kyselyOnPool } from './kysely.js';
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
  SignatureNonce,
  OutboxCursor,
  OutboxEvent,
  Webhook,
};
export type Entities = typeof entities;

/** @param pool connections of that database */
export async function openOrm(clientUrl: string, pool: pg.Pool): Promise<MikroORM> {
  const files = await Promise.all(migrations.map(({ load }) => load()));
  const migrationsList = files.flatMap((file) => Object.entries(file).map(([name, made]) => ({ name, class: made })));
  return MikroORM.init({
    entities: Object.values(entities),
    metadataProvider: ReflectMetadataProvider,
    extensions: [Migrator],
    clientUrl,
    driverOptions: kyselyOnPool(pool),
    ensureDatabase: false,
    logger: () => undefined, // its messages quote rows
    migrations: { migrationsList, snapshot: false, disableForeignKeys: false },
    schemaGenerator: { skipTables: ['rate_limits', 'mikro_orm_migrations'] },
  });
}

/** An entity manager that sends its queries through `ask`. */
export function managerOn(orm: MikroORM, ask: Ask): SqlEntityManager {
  const em = orm.em.fork();
  em.setTransactionContext(kyselyOn(ask));
  return em;
}
