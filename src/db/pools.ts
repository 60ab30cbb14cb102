/** The use of the connections for the routes and for administration, taken together. (Interface 14) */
import type pg from 'pg';
import type { Database } from './database.js';

export interface PoolFigures {
  idle: number;
  used: number;
  waiters: number;
}

export function poolFigures({ adminPool, pool }: Database): PoolFigures {
  const pools = [pool, adminPool];
  const sum = (figure: (of: pg.Pool) => number): number => pools.reduce((total, of) => total + figure(of), 0);
  return {
    idle: sum(({ idleCount }) => idleCount),
    used: sum(({ idleCount, totalCount }) => totalCount - idleCount),
    waiters: sum(({ waitingCount }) => waitingCount),
  };
}
