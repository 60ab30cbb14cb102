/** Known devices in words: the columns of their tables (Interface 16). */
import { Device, deviceText } from './device.js';
import type { Column } from './table.js';
import { Time } from './time.js';

export interface KnownDevice {
  id: string;
  userAgent: string;
  createdAt: string;
  lastUsedAt: string;
  failedLoginAttempts: number;
  lockedUntil: string | null;
}

function isLocked({ lockedUntil }: KnownDevice): boolean {
  return lockedUntil !== null && new Date(lockedUntil) > new Date();
}

export const DEVICE_COLUMNS: Array<Column<KnownDevice>> = [
  { name: 'Device', cell: ({ userAgent }) => <Device userAgent={userAgent} /> },
  { name: 'Known since', width: 'time', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: 'Last login', width: 'time', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
  {
    name: 'Failed logins',
    cell: (device) => (
      <>
        {device.failedLoginAttempts}
        {device.lockedUntil !== null && isLocked(device) && (
          <div class="bad">
            Locked until <Time at={device.lockedUntil} />
          </div>
        )}
      </>
    ),
  },
];

/** `Firefox 143 on Linux` */
export function nameOfDevice({ userAgent }: KnownDevice): string {
  return deviceText(userAgent) ?? 'an unknown device';
}
