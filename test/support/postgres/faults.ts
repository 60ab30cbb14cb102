/** Faults of a database: each lasts as long as some work and is undone after it, even if the work fails. */
import type { TestGateway } from '../gateway/gateway.js';
import { asSuperuser, type TestDatabase } from './postgres.js';

/** Two pieces of SQL: what breaks, and what repairs. */
type Fault = [breaks: string, repairs: string];

/** The table takes no row, or none for which the condition does not hold; the rows that are there stay. */
export function refusesRows(table: string, unless = 'false'): Fault {
  return [
    `alter table ${table} add constraint refused check (${unless}) not valid`,
    `alter table ${table} drop constraint refused`,
  ];
}

export function lacksTable(table: string): Fault {
  return [`alter table ${table} rename to gone`, `alter table gone rename to ${table}`];
}

export function lacksColumn(table: string, column: string): Fault {
  return [
    `alter table ${table} rename column ${column} to gone`,
    `alter table ${table} rename column gone to ${column}`,
  ];
}

export async function withFault<T>(
  { rows }: Pick<TestGateway, 'rows'>,
  [breaks, repairs]: Fault,
  work: () => Promise<T>,
): Promise<T> {
  await rows(breaks);
  try {
    return await work();
  } finally {
    await rows(repairs);
  }
}

/** SQL: ends every connection, and waits until it has ended, or the next query on one might still be sent */
const disconnect = (name: string): string =>
  `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${name}'`;

/** Every connection to the database ends and new ones are refused, as in an outage. */
export async function whileAway<T>({ name }: TestDatabase, work: () => Promise<T>): Promise<T> {
  await asSuperuser(`alter database ${name} with allow_connections false`);
  try {
    await asSuperuser(disconnect(name));
    return await work();
  } finally {
    await asSuperuser(`alter database ${name} with allow_connections true`);
  }
}

/** The database takes no writes, as after a mistake or on a server that has become a standby. */
export async function whileReadOnly<T>({ name }: TestDatabase, work: () => Promise<T>): Promise<T> {
  await asSuperuser(`alter database ${name} set default_transaction_read_only = on`);
  try {
    await asSuperuser(disconnect(name));
    return await work();
  } finally {
    await asSuperuser(`alter database ${name} reset default_transaction_read_only`);
    await asSuperuser(disconnect(name));
  }
}
