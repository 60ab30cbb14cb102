/** What pages ask `/graphql` about who is logged in. (Interface 20, 21 and 24) */
import type { KnownDevice } from '../devices.js';
import type { ListedFactor } from '../factor-table.js';
import type { Operation } from '../graphql.js';

export interface OwnFactors {
  factors: ListedFactor[];
  recoveryCodesLeft: number;
}

/** Typed by hand, as anybody's page would do it. */
export type Own<Data> = Operation<{ me: Data | null }, Record<string, never>>;

export const FACTORS: Own<OwnFactors> =
  'query OwnFactors { me { factors { id kind name createdAt lastUsedAt } recoveryCodesLeft } }';
export const DEVICES: Own<{ devices: KnownDevice[] }> =
  'query OwnDevices { me { devices { id userAgent createdAt lastUsedAt failedLoginAttempts lockedUntil } } }';
export const PENDING: Own<{ pendingEmail: string | null }> = 'query PendingEmail { me { pendingEmail } }';
