/** Interface 9, `doctor`: what is looked at, opened once for all checks. Nothing of it is changed. */
import pLimit from 'p-limit';
import type { Config } from '../config/config.js';
import { openDatabase } from '../db/database.js';
import { unprepared } from '../db/run.js';
import type { Db } from '../db/statement.js';
import type { CleanUp } from '../platform/clean-up.js';
import type { Clock } from '../platform/clock.js';
import type { Machine } from './machine.js';

export interface Surroundings {
  clock: Clock;
  config: Config;
  machine: Machine;
  /** Opened when it is first asked for. @throws {NotThere} */
  database(): Promise<OpenedDatabase>;
  /** Ends what nobody waits for any more. */
  signal: AbortSignal;
}

export interface OpenedDatabase {
  /** One connection for every check, in turn: beside a gateway there may be no more. */
  db: Db;
  /** The same, as the driver has it */
  client: DriverClient;
}

/** What the driver's client has, and its published types leave out. */
interface DriverClient {
  /** That of the server's process, as it was told when the connection began */
  processID: number;
  connection: { stream: { encrypted?: boolean; authorized?: boolean; remoteAddress?: string } };
}

/** Thrown where the database cannot be opened. The check of that name tells why, the others have nothing to look at. */
export class NotThere extends Error {
  override readonly name = 'NotThere';
}

/**
 * @param locate gives its URL; it may start or join the embedded server
 * @param signal after which it is not opened any more
 */
export function databaseOf(
  config: Config,
  locate: () => Promise<string>,
  signal: AbortSignal,
  cleanUp: CleanUp,
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
      throw new NotThere('the database cannot be opened', { cause });
    });
    return opened;
  };
}
