/** Interface 16: the known devices of users. */
import type { Database } from '../db/database.js';
import { type RowOf, statement } from '../db/statement.js';
import { AdminRefusal } from '../listing/refusal.js';
import { isUuid } from '../platform/ids.js';
import type { Deps } from '../services.js';
import { administer, type Needs, type Operator, requireScope } from './administer.js';

const COLUMNS = `id, user_id as "userId", failed_login_attempts as "failedLoginAttempts", locked_until as "lockedUntil",
  user_agent as "userAgent", created_at as "createdAt", last_used_at as "lastUsedAt"`;
const DEVICE = {
  id: 'uuid',
  userId: 'uuid',
  failedLoginAttempts: 'integer',
  lockedUntil: 'timestamptz?',
  userAgent: 'text',
  createdAt: 'timestamptz',
  lastUsedAt: 'timestamptz',
} as const;

const listDevicesSql = statement('list_devices', { user_ids: 'text[]' }, DEVICE)`
  select ${COLUMNS} from known_devices where user_id = any(:user_ids::uuid[]) order by last_used_at desc, id desc`;

/** A browser from which a user has logged in, with its own count of failed logins. */
export type Device = RowOf<typeof listDevicesSql>;

/** The devices of each user, most recently used first, in one statement. A user has at most 20. */
export async function listDevices(db: Database, userIds: readonly string[]): Promise<Map<string, Device[]>> {
  return Map.groupBy(await db.admin.run(listDevicesSql, { user_ids: [...userIds] }), ({ userId }) => userId);
}

const findDeviceSql = statement('find_device', { id: 'uuid' }, DEVICE)`
  select ${COLUMNS} from known_devices where id = :id`;
const forgetDeviceSql = statement('forget_device', { id: 'uuid' }, { id: 'uuid' })`
  delete from known_devices where id = :id returning id`;

/**
 * Forgets a device: its next login is that of a stranger. Its sessions stay.
 * @param userId the requesting user; undefined for a key
 * @returns its ID
 * @throws {AdminRefusal} `scope_missing`, or `device_unknown`
 */
export function forgetDevice(
  deps: Deps<'clock' | 'db'>,
  operator: Operator,
  userId: string | undefined,
  id: string,
): Promise<string> {
  return administer(deps, operator, forgetDevice.needs, async ({ db, scopes, audit }) => {
    const [device] = isUuid(id) ? await db.run(findDeviceSql, { id }) : [];
    if (device === undefined || device.userId !== userId) requireScope(scopes, forgetDevice.needs.scope);
    const [forgotten] = device === undefined ? [] : await db.run(forgetDeviceSql, { id });
    if (device === undefined || forgotten === undefined) {
      throw new AdminRefusal('device_unknown', 'There is no such device');
    }
    await audit({ eventType: 'device_forgotten', userId: device.userId, metadata: { device_id: device.id } });
    return device.id;
  });
}
forgetDevice.needs = { scope: 'sessions:write', exceptOwn: true } satisfies Needs;
