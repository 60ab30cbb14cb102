/** Raw argon2: the hash of a user, verified again and again, as many at once as the gateway has cores. */
import argon2 from 'argon2';
import { inClosedLoop, type Loop } from '../closed-loop.js';
import { doTasks } from './task.js';

export interface Argon2Task extends Loop {
  hash: string;
  password: string;
}

doTasks<Argon2Task>(({ hash, password, ...loop }, onEdge) =>
  inClosedLoop(
    loop,
    async () => {
      if (!(await argon2.verify(hash, password))) throw new Error('the password was refused');
      return true;
    },
    onEdge,
  ),
);
