/** Faults of PgBouncer, and of the server behind it. */
import type { PgBouncer } from '../../lab/pgbouncer.js';
import type { TcpProxy } from '../../lab/tcp-proxy.js';
import { type Fault, NO_DATABASE, type Stand } from './fault.js';

export interface PgBouncerStand extends Stand {
  pgbouncer: PgBouncer;
  /** Between PgBouncer and the server */
  proxy: TcpProxy;
}

export const PGBOUNCER_FAULTS: readonly Fault<PgBouncerStand>[] = [
  {
    name: 'PgBouncer is stopped',
    small: true,
    losesAnswers: true,
    begin: async ({ pgbouncer: { program } }) => {
      await program.kill();
      return () => program.start();
    },
    expected: NO_DATABASE,
  },
  {
    name: 'PgBouncer is frozen',
    losesAnswers: true,
    begin: async ({ pgbouncer: { program } }) => {
      program.freeze();
      return () => program.thaw();
    },
    expected: NO_DATABASE,
  },
  behind('the server behind PgBouncer refuses connections', 'refuse'),
  behind('bytes behind PgBouncer are swallowed', 'hold'),
];

function behind(name: string, mode: Parameters<TcpProxy['set']>[0]): Fault<PgBouncerStand> {
  const begin: Fault<PgBouncerStand>['begin'] = async ({ proxy }) => {
    await proxy.set(mode);
    return () => proxy.set('pass');
  };
  return { name, losesAnswers: true, begin, expected: NO_DATABASE };
}
