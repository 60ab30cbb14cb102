/** The bare rotation: the gateway's own statement for one call, named, on a pool of the driver's, and nothing around it. */
import { rotate } from '../../src/auth/sessions.js';
import { type Ask, prepared } from '../../src/db/run.js';
import { uuidInTimeOrder } from '../../src/platform/ids.js';
import { USER_AGENT } from './requests.js';

const LIFETIME_MS = 86_400_000;
const ORIGIN = { ipAddress: '127.0.0.1', userAgent: USER_AGENT };

/**
 * @param ask without batches, which only the gateway's own pools have
 * @param jtis live records, one a session; each is replaced by its successor
 * @returns a function that rotates the next one
 */
export function bareRotation(ask: Ask, jtis: string[]): () => Promise<true> {
  const db = prepared(ask);
  return async () => {
    const used = jtis.shift() ?? '';
    const now = new Date();
    const jti = uuidInTimeOrder(now);
    const successor = { jti, expiresAt: new Date(now.getTime() + LIFETIME_MS), origin: ORIGIN };
    if ((await rotate(db, used, successor, null, now)) === undefined) throw new Error('a live record was not rotated');
    jtis.push(jti);
    return true;
  };
}
