/** Devices that a user has logged in from. Each has its own count of failed logins, and its own lock. (Interface 16) */
import { DEVICE_SECONDS, type DeviceEntry, hashOfSecret, isValidEntry } from '../credentials/device-entries.js';
import { type Db, statement } from '../db/statement.js';
import { type Expiring, expiring } from '../db/sweeper.js';
import type { Deps } from '../services.js';
import { isLocked, type LoginUser } from './account.js';

/** Of `loginDevices`: `spared` is a known device whose account strangers have locked, `locked` one with a lock of its own. */
export const DEVICE_OUTCOMES = ['known', 'spared', 'locked', 'new'] as const;

/** Counts a login of this user by its device. */
export function countDevice({ metrics }: Deps<'metrics'>, user: LoginUser, now: Date): void {
  metrics.loginDevices.inc({ outcome: outcomeOf(user, now) });
}

function outcomeOf(user: LoginUser, now: Date): (typeof DEVICE_OUTCOMES)[number] {
  if (user.device === undefined) return 'new';
  if (isLocked(user, now)) return 'locked';
  return isLocked({ locked_until: user.device.accountLockedUntil }, now) ? 'spared' : 'known';
}

const userOnDeviceSql = statement(
  'active_user_on_device',
  { email: 'text', secrets: 'jsonb' },
  {
    id: 'uuid',
    password_hash: 'text?',
    password_version: 'integer',
    locked_until: 'timestamptz?',
    has_factors: 'boolean',
    device_id: 'uuid?',
    device_locked_until: 'timestamptz?',
  },
)`
  select users.id, password_hash, password_version, users.locked_until, has_factors, coalesce(device.id, null) as device_id,
    device.locked_until as device_locked_until
  from users left join known_devices as device
    on device.user_id = users.id and secret_sha256 = decode(:secrets ->> users.id::text, 'hex')
  where email = :email and is_active`;

/**
 * Spec 4.1 step 1: the active user with this normalised e-mail, on the device that sent a valid entry, if one did.
 * @param entries of the cookie
 */
export async function findUserOnDevice(
  { db, keyring }: Deps<'db' | 'keyring'>,
  email: string,
  entries: readonly DeviceEntry[],
  now: Date,
): Promise<LoginUser | undefined> {
  const secrets = Object.fromEntries(
    entries.map(({ userId, secret }) => [userId, hashOfSecret(secret).toString('hex')]),
  );
  const [found] = await db.run(userOnDeviceSql, { email, secrets });
  const entry = entries.find(({ userId }) => userId === found?.id);
  const isValid = isValidEntry(keyring, entry, found, now);
  if (found === undefined) return undefined;
  const { device_id: id, device_locked_until, ...user } = found;
  if (!isValid || entry === undefined || id === null) return user;
  return {
    ...user,
    locked_until: device_locked_until,
    device: { id, secret: entry.secret, accountLockedUntil: user.locked_until },
  };
}

const endDevicesSql = statement('end_devices', { user_id: 'uuid' }, {})`
  delete from known_devices where user_id = :user_id`;

/** After a new password, deactivation or deletion; in the transaction that locks the user, after the sessions. */
export async function endDevices(db: Db, userId: string): Promise<void> {
  await db.run(endDevicesSql, { user_id: userId });
}

const unlockDevicesSql = statement('unlock_devices', { user_id: 'uuid' }, { id: 'uuid' })`
  update known_devices set failed_login_attempts = 0, locked_until = null
  where user_id = :user_id and failed_login_attempts > 0 returning id`;

/** @returns the number of devices that had failed logins */
export async function unlockDevices(db: Db, userId: string): Promise<number> {
  return (await db.run(unlockDevicesSql, { user_id: userId })).length;
}

/** Devices are forgotten when their entries have expired. */
export const expiredDevices: Expiring = expiring('known_devices', 'id', 'last_used_at < :before', DEVICE_SECONDS);
