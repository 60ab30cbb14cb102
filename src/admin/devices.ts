/** Known devices of users. (Interface 16) */
import type { KnownDevice } from '../db/entities/known-device.js';
import { columnsOf, type Reads, sql } from '../db/sql.js';
import { AdminRefusal } from '../listing/refusal.js';
import { isUuid } from '../platform/ids.js';
import type { Deps } from '../services.js';
import { administer, FOR_UPDATE, type Needs, type Operator, requireScope } from './administer.js';

/** A browser from which a user has logged in, with its own count of failed logins. */
export type Device = Omit<KnownDevice, 'secretSha256'>;

const COLUMNS = columnsOf([
  'id',
  'userId',
  'failedLoginAttempts',
  'lockedUntil',
  'userAgent',
  'createdAt',
  'lastUsedAt',
] satisfies Array<keyof Device>);

/** The devices of each user, most recently used first, in one statement. A user has at most 20. */
export async function listDevices(db: Reads, userIds: readonly string[]): Promise<Map<string, Device[]>> {
  const devices = await db.read(sql<Device>`
    select ${COLUMNS} from known_devices where user_id = any(${userIds}::uuid[]) order by last_used_at desc, id desc`);
  return Map.groupBy(devices, ({ userId }) => userId);
}

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
  return administer(deps, operator, forgetDevice.needs, async ({ em, entities, scopes, audit }) => {
    const device = isUuid(id) ? await em.findOne(entities.KnownDevice, id, { lockMode: FOR_UPDATE }) : null;
    if (device === null || device.userId !== userId) requireScope(scopes, forgetDevice.needs.scope);
    if (device === null) throw new AdminRefusal('device_unknown', 'There is no such device');
    const { id: device_id, userId: owner } = device;
    await em.remove(device).flush();
    await audit({ eventType: 'device_forgotten', userId: owner, metadata: { device_id } });
    return device_id;
  });
}
forgetDevice.needs = { scope: 'sessions:write', exceptOwn: true } satisfies Needs;
