/** The commands `user devices` and `user forget-device`. (Interface 9 and 16) */
import { COMMAND_LINE } from '../admin/administer.js';
import { forgetDevice, listDevices } from '../admin/devices.js';
import { userIdOf } from '../admin/users.js';
import { type Command, command } from './command.js';
import { text } from './parameter-types.js';
import { word } from './parameters.js';
import { USER } from './user-parameter.js';

export const userDevices: Command = command({
  summary: 'list the known devices of a user, most recently used first',
  example: 'user devices ada@example.com',
  prints: '`{id, last_used_at, created_at, failed_login_attempts, locked_until, user_agent}`',
  on: 'database',
  takes: { user: USER },
  run: async (context, { user }) => {
    const id = await userIdOf(context, user);
    const devices = (await listDevices(context.db.admin, [id])).get(id) ?? [];
    return devices.map((device) => ({
      id: device.id,
      last_used_at: device.lastUsedAt.toISOString(),
      created_at: device.createdAt.toISOString(),
      failed_login_attempts: device.failedLoginAttempts,
      locked_until: device.lockedUntil?.toISOString() ?? null,
      user_agent: device.userAgent,
    }));
  },
});

export const userForgetDevice: Command = command({
  summary: 'forget a known device, such as a stolen one; its sessions stay',
  prints: '`{forgotten_id}`',
  on: 'database',
  takes: { id: word(text('ID'), 'the device ID, as printed by user devices', 'name one device by its ID') },
  run: async (context, { id }) => ({ forgotten_id: await forgetDevice(context, COMMAND_LINE, undefined, id) }),
});
