/** What helps a refused caller to sign again, outside of GraphQL. (Interface 6 and 18) */
import type { RefusedCaller } from '../callers/caller.js';
import type { Deps } from '../services.js';

/** Members of the body of a 401 */
export function signingHints({ reason, signatureBase }: RefusedCaller, { clock }: Deps<'clock'>): object {
  return {
    ...(reason === 'signature_expired' && { server_time: clock.now().toISOString() }),
    ...(signatureBase !== undefined && { signature_base: signatureBase }),
  };
}
