/** Bare rotations in a closed loop. */
import pg from 'pg';
import { bareRotation } from '../bare-rotation.js';
import { inClosedLoop, type Loop } from '../closed-loop.js';
import { doTasks } from './task.js';

export interface StatementTask extends Loop {
  /** Live records, one a session */
  jtis: string[];
}

/** As the gateway has it for its routes */
const POOL_SIZE = 16;

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: POOL_SIZE });

doTasks<StatementTask>(({ jtis, ...loop }, onEdge) =>
  inClosedLoop(
    loop,
    bareRotation((query) => pool.query(query), jtis),
    onEdge,
  ),
);
