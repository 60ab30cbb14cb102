/** One more real PostgreSQL, for tests of several hosts: its settings are its own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { ownDataDir } from '../../../src/db/embedded/owner.js';
import { startEmbeddedPostgres } from '../../../src/db/embedded/server.js';

export interface AnotherPostgres {
  /** Of a database that the test makes, as the owner of all that the gateway makes */
  url(database: string): string;
  asSuperuser(statement: string): Promise<void>;
  stop(): Promise<void>;
}

/** @param settings of its server, such as `listen_addresses` */
export async function startAnotherPostgres(settings: Record<string, string> = {}): Promise<AnotherPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-test-'));
  const owned = await ownDataDir(join(folder, 'data'), 'gateway');
  if ('heldBy' in owned) throw new Error('a new folder is in use');
  const server = await startEmbeddedPostgres(owned, { durable: false, settings });
  const urlOf = (database: string, user?: string): string => {
    const url = new URL(server.url);
    url.pathname = `/${database}`;
    if (user !== undefined) url.username = user;
    return url.href;
  };
  return {
    url: (database) => urlOf(database),
    asSuperuser: async (statement) => {
      const client = new pg.Client({
        connectionString: urlOf('postgres', 'postgres'),
        options: '-c default_transaction_read_only=off', // to take back what a test has set
      });
      await client.connect();
      await client.query(statement).finally(() => client.end());
    },
    stop: async () => {
      await server.stop();
      owned.release();
      await rm(folder, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}
