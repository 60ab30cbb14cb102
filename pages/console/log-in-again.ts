/** The password again, for a change after a login that is hours old. */

import { Problem } from '../kit/problem.js';
import { auth, currentSession } from './auth.js';
import { ask } from './graphql.js';
import { OwnName, RevokeSession } from './operations.js';

/**
 * Logs the same user in once more and ends the session of before, so that none is left behind.
 * @throws {Problem} or the error of the client
 */
export async function logInAgain(password: string): Promise<void> {
  const before = await currentSession();
  const { me } = await ask(OwnName, {});
  if (me === null) throw new Problem('You are not logged in any more.', false);
  await auth.login({ email: me.email, password });
  if (before !== undefined) await ask(RevokeSession, { id: before });
}
