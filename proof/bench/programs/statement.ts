/** The bare rotation: the gateway's own statement, named, on a pool of the driver's, and nothing around it. */
import pg from 'pg';
import { rotate } from '../../../src/auth/sessions.js';
import { prepared } from '../../../src/db/run.js';
import { uuidInTimeOrder } from '../../../src/platform/ids.js';
import { inClosedLoop, type Loop } from '../closed-loop.js';
import { doTasks } from './task.js';

export interface StatementTask extends Loop {
  /** Live records, one a session */
  jtis: string[];
}

/** As the gateway has it for its routes */
const POOL_SIZE = 16;
const LIFETIME_MS = 86_400_000;
const ORIGIN = { ipAddress: '127.0.0.1', userAgent: '' };

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: POOL_SIZE });
const db = prepared((query) => pool.query(query));

doTasks<StatementTask>(({ jtis, ...loop }, onEdge) => {
  const rotateNext = async (): Promise<boolean> => {
    const used = jtis.shift() ?? '';
    const now = new Date();
    const jti = uuidInTimeOrder(now);
    const successor = { jti, expiresAt: new Date(now.getTime() + LIFETIME_MS), origin: ORIGIN };
    if ((await rotate(db, used, successor, null, now)) === undefined) throw new Error('a live record was not rotated');
    jtis.push(jti);
    return true;
  };
  return inClosedLoop(loop, rotateNext, onEdge);
});
