/** A client whose `url` needs a page, on a server that has none. (Interface 13) */
import type { AuthClient, AuthState } from './types.js';

const STATE: AuthState = { status: 'loading' };

/** Nothing is known of anybody, and whatever needs the gateway is rejected with a TypeError. */
export function createClientWithoutPage(): AuthClient {
  const on = () => () => undefined;
  const reject = async (): Promise<never> => {
    throw new TypeError('A server needs the `url` of the gateway');
  };
  return {
    state: () => STATE,
    ...{ on, subscribe: on },
    ...{ login: reject, secondFactor: reject, cancelSecondFactor: on, confirm: reject },
    ...{ logout: reject, me: reject, changePassword: reject, forgotPassword: reject },
    ...{ fetch: reject, getAccessToken: reject },
  };
}
