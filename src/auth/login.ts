/** Login. Steps are numbered as in the specification. (Spec 4.1) */
import { writeAudit } from '../audit/write.js';
import {
  type DeviceEntry,
  hashOfSecret,
  issueEntry,
  newDeviceSecret,
  withEntry,
} from '../credentials/device-entries.js';
import type { Slot } from '../credentials/passwords/password-queue.js';
import type { RequestOrigin } from '../domain/request-origin.js';
import { uuidInTimeOrder } from '../platform/ids.js';
import { refused } from '../platform/refused.js';
import type { Deps } from '../services.js';
import { countFailure, findActiveUser, isLocked, type LoginUser, refuseLocked } from './account.js';
import { beginHalfLogin } from './factors/ceremonies.js';
import { countDevice, findUserOnDevice } from './known-devices.js';
import type { Outcome } from './outcomes.js';
import { startSession } from './sessions.js';

export interface Credentials {
  /** Normalised: stripped and lowercased (Spec 2.1) */
  email: string;
  password: string;
}

/**
 * @param slot in the password queue, taken before the first query
 * @param entries Interface 16: of the cookie `device`; undefined if KNOWN_DEVICES is off
 * @returns undefined if the client has disconnected before its turn: no password was checked
 * @throws {Overloaded} if too many passwords are waiting, {ClockSkewed} if this clock is wrong. Nothing is written then
 */
export async function login(
  deps: Deps<'clock' | 'config' | 'db' | 'keyring' | 'metrics' | 'passwords' | 'placeholderHashes' | 'tokens'>,
  { email, password }: Credentials,
  origin: RequestOrigin,
  slot: Slot,
  entries?: readonly DeviceEntry[],
): Promise<Outcome | undefined> {
  const { clock, db, keyring, passwords, placeholderHashes, tokens } = deps;
  const findUser = (at: Date): Promise<LoginUser | undefined> =>
    entries === undefined ? findActiveUser(db, email) : findUserOnDevice(deps, email, entries, at);

  // 1. The active user with this e-mail.
  const user = await findUser(clock.now());

  // 2. Locked: refused before any password check.
  const readAt = clock.now();
  if (user !== undefined && entries !== undefined) countDevice(deps, user, readAt);
  if (user !== undefined && isLocked(user, readAt)) return refuseLocked(deps, user, origin, readAt);

  // 3. The password, or the same work on a placeholder. The user may change meanwhile, so the next statements check again.
  const placeholderHash = placeholderHashes.hashFor(email);
  const verdict = await passwords.verify(user?.password_hash ?? placeholderHash, password, slot);
  if (verdict === undefined) return undefined;
  const { matches, renewedHash } = verdict;

  // From here on the outcome is written even if the client has disconnected, so that hanging up hides no guess.
  clock.requireSynced();
  const now = clock.now();
  return conclude(user);

  /** Steps 4 to 6, as a login from this device, or from an unknown one. */
  async function conclude(found: LoginUser | undefined): Promise<Outcome> {
    const failure = {
      eventType: 'login_failure',
      userId: found?.id ?? null,
      ...origin,
      metadata: { reason: 'invalid_credentials', email },
    } as const;

    if (found !== undefined && matches && found.has_factors) {
      // Interface 20: a second step, which starts the session.
      const checked = { ...found, renewedHash, deviceId: found.device?.id };
      const half = await beginHalfLogin(db, checked, now);
      if (half !== undefined) return { ...refused('second_factor_required'), ...half };
    } else if (found !== undefined && matches) {
      // 5. and 6. Reset the failures; new jti, new family, record, audit.
      const familyId = uuidInTimeOrder(now);
      const expiresAt = tokens.refreshTokenExpiry(now);
      const entry = entries && issueEntry(keyring, found, found.device?.secret ?? newDeviceSecret(), now);
      const newDevice = entry && { id: uuidInTimeOrder(now), secretSha256: hashOfSecret(entry.secret) };
      const session = { user: found, jti: uuidInTimeOrder(now), familyId, origin, renewedHash, expiresAt, newDevice };
      const role = await startSession(db, session, now);
      if (role !== undefined) {
        const said = { sub: found.id, role, sid: familyId, startedAt: now, amr: null, provedAt: null };
        const pair = tokens.issuePair(said, session, now);
        return { kind: 'granted', deviceCookie: entry && withEntry(entries, entry), ...pair };
      }
    } else if (await countFailure(deps, failure, now, found?.device)) {
      // 4. Counted, locked at the maximum, audited.
      return refused('invalid_credentials');
    }

    // The user changed while the password was checked: locked by other logins (429, even for the right password),
    // or deactivated, deleted or given a new password (401).
    const changed = await findUser(now);
    if (changed !== undefined && isLocked(changed, now)) return refuseLocked(deps, changed, origin, now);
    // Interface 16: the device was forgotten, so the login is that of a stranger.
    const isForgotten = found?.device !== undefined && changed !== undefined && changed.device === undefined;
    if (isForgotten) return conclude({ ...found, device: undefined });
    // Interface 20: the first factor has been added, or the last one removed.
    const isSame = matches && changed?.password_version === found?.password_version;
    if (changed !== undefined && isSame && changed.has_factors !== found?.has_factors) return conclude(changed);
    await writeAudit(db, [failure], now);
    return refused('invalid_credentials');
  }
}
