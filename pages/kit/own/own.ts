/** What pages ask about who is logged in. (Interface 20 and 21) */
import { useAsked } from '../answer.js';
import type { KnownDevice } from '../devices.js';
import type { ListedFactor } from '../factor-table.js';
import { ask, type Operation } from '../graphql.js';
import type { Answer } from '../rows.js';

interface Me {
  id: string;
  email: string;
}

interface OwnFactors {
  factors: ListedFactor[];
  recoveryCodesLeft: number;
}

/** Typed by hand, as anybody's page would do it. */
type Own<Data> = Operation<{ me: Data | null }, Record<string, never>>;

const ME: Own<Me> = 'query Me { me { id email } }';
const FACTORS: Own<OwnFactors> =
  'query OwnFactors { me { factors { id kind name createdAt lastUsedAt } recoveryCodesLeft } }';
const DEVICES: Own<{ devices: KnownDevice[] }> =
  'query OwnDevices { me { devices { id userAgent createdAt lastUsedAt failedLoginAttempts lockedUntil } } }';

/** Null in the moment in which the user is deleted. */
function useOwn<Data>(operation: Own<Data>): Answer<Data | null> {
  return useAsked(operation, async (signal) => (await ask(operation, {}, signal)).me);
}

export const useMe = (): Answer<Me | null> => useOwn(ME);
export const useOwnFactors = (): Answer<OwnFactors | null> => useOwn(FACTORS);
export const useOwnDevices = (): Answer<{ devices: KnownDevice[] } | null> => useOwn(DEVICES);

export const ForgetDevice: Operation<unknown, { id: string }> =
  'mutation ForgetDevice($id: ID!) { forgetDevice(input: { id: $id }) { forgottenId } }';
