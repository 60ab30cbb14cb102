/** Faults of PostgreSQL, and of the network in front of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { TcpProxy } from '../../lab/tcp-proxy.js';
import { ALL_RIGHT, type Fault, NO_DATABASE, NO_WRITES, type Stand } from './fault.js';

export interface PostgresStand extends Stand {
  /** Between the gateway and the server */
  proxy: TcpProxy;
}

const DISCONNECT = `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'gateway'`;

export const POSTGRES_FAULTS: readonly Fault<PostgresStand>[] = [
  {
    name: 'PostgreSQL is stopped',
    losesAnswers: true,
    begin: async ({ db }) => {
      await db.program.stop('SIGINT');
      return () => db.start();
    },
    expected: NO_DATABASE,
  },
  {
    name: 'PostgreSQL is frozen',
    losesAnswers: true,
    small: true,
    begin: async ({ db: { program } }) => {
      program.freeze();
      return () => program.thaw();
    },
    expected: NO_DATABASE,
  },
  {
    name: 'PostgreSQL is killed and started again, over and over',
    losesAnswers: true,
    begin: async ({ db }) => {
      let isOver = false;
      const loop = (async () => {
        while (!isOver) {
          await db.program.kill();
          await db.start();
          await sleep(500);
        }
      })();
      return async () => {
        isOver = true;
        await loop;
      };
    },
    expected: {},
  },
  network('bytes to PostgreSQL are swallowed', 'hold', NO_DATABASE),
  network('PostgreSQL refuses connections', 'refuse', NO_DATABASE),
  network('connections to PostgreSQL are reset', 'reset', NO_DATABASE),
  network('PostgreSQL is two seconds away', 'slow', {}),
  {
    name: 'every connection that is open to PostgreSQL is dead',
    losesAnswers: true,
    small: true,
    begin: async ({ proxy }) => {
      proxy.holdPresent();
      return () => undefined;
    },
    expected: {},
  },
  {
    name: 'the database is read-only',
    small: true,
    begin: async ({ db }) => {
      await db.query('alter role gateway set default_transaction_read_only = on');
      await db.query(DISCONNECT);
      return async () => {
        await db.query('alter role gateway reset default_transaction_read_only');
        await db.query(DISCONNECT);
      };
    },
    expected: NO_WRITES,
  },
  {
    name: 'the server is a standby',
    begin: async ({ db }) => {
      await db.program.stop('SIGINT');
      await db.becomeStandby();
      return async () => void (await db.query('select pg_promote()'));
    },
    expected: NO_WRITES,
  },
  {
    name: 'the role may have no more connections',
    begin: async ({ db }) => {
      await db.query('alter role gateway connection limit 0');
      await db.query(DISCONNECT);
      return () => db.query('alter role gateway connection limit -1');
    },
    expected: NO_DATABASE,
  },
  {
    name: 'others have every connection of the server',
    begin: async ({ db }) => {
      const others: pg.Client[] = [];
      const refused = new Set<unknown>();
      await db.query(DISCONNECT);
      while (refused.size === 0) {
        await db.connect('gateway').then(
          (client) => others.push(client),
          (error) => refused.add(error),
        );
      }
      return () => Promise.all(others.map((client) => client.end()));
    },
    expected: {},
  },
  locked('users', { login: '503', listing: '503', 'cron key': 'right', signature: 'right' }),
  locked(
    'refresh_tokens',
    { login: '503', refresh: '503', logout: '503', listing: 'right', 'cron key': 'right' },
    true,
  ),
  locked('rate_limits', { login: '503', refresh: 'right', logout: 'right', 'cron key': 'right' }),
  locked('audit_events', { login: '503', logout: '503', change: '503', refresh: 'right', listing: 'right' }),
  {
    name: 'a row of users is locked',
    begin: ({ db }) => holding(db, `select from users where email = 'user0@example.com' for update`),
    expected: { ...ALL_RIGHT, login: '503' },
  },
  {
    name: 'an administrator has left a transaction open',
    begin: ({ db }) => holding(db, 'select count(*) from users, refresh_tokens, audit_events limit 1'),
    expected: ALL_RIGHT,
  },
];

function network(name: string, mode: Parameters<TcpProxy['set']>[0], expected: Fault['expected'], small?: true) {
  const fault: Fault<PostgresStand> = {
    name,
    losesAnswers: true,
    ...(small && { small }),
    begin: async ({ proxy }) => {
      await proxy.set(mode);
      return () => proxy.set('pass');
    },
    expected,
  };
  return fault;
}

function locked(table: string, expected: Fault['expected'], small?: true): Fault<PostgresStand> {
  return {
    name: `${table} is locked`,
    ...(small && { small }),
    begin: ({ db }) => holding(db, `lock table ${table} in access exclusive mode`),
    expected,
  };
}

/** Runs a statement in a transaction that stays open. */
async function holding({ connect }: Stand['db'], statement: string): Promise<() => Promise<void>> {
  const client = await connect();
  await client.query(`begin; ${statement}`);
  return () => client.end();
}
