/** Bare rotations in a closed loop. */
import pg from 'pg';
import { bareRotation } from '../bare-rotation.js';
import { type Counted, inClosedLoop, type Loop } from '../closed-loop.js';
import { doTasks } from './task.js';

export interface StatementTask extends Loop {
  /** Live records, one a session */
  jtis: string[];
}

/** With the records that are live at the end */
export type StatementResult = Counted & Pick<StatementTask, 'jtis'>;

/** As the gateway has it for its routes */
const POOL_SIZE = 16;

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: POOL_SIZE });

doTasks<StatementTask, StatementResult>(async ({ jtis, ...loop }, onEdge) => {
  const rotateNext = bareRotation((query) => pool.query(query), jtis);
  return { ...(await inClosedLoop(loop, rotateNext, onEdge)), jtis };
});
