/** The command `user reset-factors`. (Interface 9 and 20) */
import { COMMAND_LINE } from '../admin/administer.js';
import { resetFactors } from '../admin/factors.js';
import { userIdOf } from '../admin/users.js';
import { type Command, command } from './command.js';
import { USER } from './user-parameter.js';

export const userResetFactors: Command = command({
  summary: 'remove the second factors and recovery codes of a user who has lost them, and end all their sessions',
  example: 'user reset-factors ada@example.com',
  prints: '`{id, email, role, factors, sessions_ended}`: how many there were',
  on: 'database',
  takes: { user: USER },
  run: async (context, { user: name }) => {
    const id = await userIdOf(context, name);
    const { user, removedFactorCount, revokedSessionCount } = await resetFactors(context, COMMAND_LINE, id);
    const { email, role } = user;
    return { id, email, role, factors: removedFactorCount, sessions_ended: revokedSessionCount };
  },
});
