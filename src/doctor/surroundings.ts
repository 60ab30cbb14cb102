/** Interface 9, `doctor`: what the checks examine, opened once for all of them. None of it is changed. */
import pLimit from 'p-limit';
import type { Config } from '../config/config.js';
import { openDatabase } from '../db/database.js';
import { unprepared } from '../db/run.js';
import type { Db } from '../db/statement.js';
import type { Clock } from '../platform/clock.js';
import type { Machine } from './machine.js';

export interface Surroundings {
  clock: Clock;
  config: Config;
  machine: Machine;
  /** True in the gateway itself. A command has the configuration of its shell, and a running gateway may have another. */
  isGateway: boolean;
  /** Opens it at the first call. @throws {DatabaseUnavailable} */
  database(): Promise<OpenedDatabase>;
  /** Aborted when nobody waits any more. */
  signal: AbortSignal;
}

export interface OpenedDatabase {
  /** One connection, which the checks use in turn, because a running gateway may leave no more. */
  db: Db;
  /** The driver's client of that connection */
  client: DriverClient;
}

/** What the published types of the driver leave out. */
interface DriverClient {
  /** Process id of the server, as sent when the connection began */
  processID: number;
  connection: { stream: { encrypted?: boolean; authorized?: boolean; remoteAddress?: string } };
}

/** The database cannot be opened. The check `database` reports why; the others report nothing. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/**
 * @param locate finds its URL; it may start or join the embedded server
 * @param signal after which it is no longer opened
 */
export function databaseOf(
  config: Config,
  locate: () => Promise<string>,
  signal: AbortSignal,
  cleanUp: AsyncDisposableStack,
): Surroundings['database'] {
  let opened: Promise<OpenedDatabase> | undefined;
  const open = async (): Promise<OpenedDatabase> => {
    const { pool, close } = await openDatabase(await locate(), { pooler: config.databasePooler });
    if (signal.aborted) await close();
    signal.throwIfAborted();
    cleanUp.defer(close);
    const client = await pool.connect();
    cleanUp.defer(() => client.release(true));
    const inTurn = pLimit(1);
    const db = unprepared((query) => inTurn(() => client.query(query)));
    return { db, client: client as unknown as DriverClient };
  };
  return () => {
    opened ??= open().catch((cause: unknown) => {
      throw new DatabaseUnavailable('the database cannot be opened', { cause });
    });
    return opened;
  };
}
