/** The commands `rate-limit …`, for the login counts of addresses. (Interface 9) */
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { COMMAND_LINE } from '../admin/administer.js';
import { clearLoginAddress, toLoginAddress } from '../admin/login-addresses.js';
import { judgeOf, readLoginLimit } from '../admin/login-limit.js';
import { REMEMBERED_MS } from '../rate-limits/over-limit.js';
import { type Command, command } from './command.js';
import { type ParameterType, rejectUsage } from './parameter-types.js';
import { flag, optional } from './parameters.js';
import { printMessage } from './terminal.js';

const address: ParameterType<string> = {
  placeholder: 'ADDRESS',
  parse: (text, name) => {
    const bare = text.replace(/\/(48|64)$/, '');
    const isKnown = text === 'unknown' || isIP(bare) === 6 || isIP(text) === 4;
    if (!isKnown) rejectUsage(`${name} must be an IP address as printed by rate-limit list`);
    return text;
  },
};

export const rateLimitCommands: Record<string, Command> = {
  'rate-limit list': command({
    summary:
      'list the addresses with counted logins, and whether the LOGIN_RATE_LIMIT of the running gateway limits them',
    prints: '`{ip_address, attempts, limit, is_limited, ends_at}`',
    on: 'database and limits',
    run: async ({ config, terminal, windows }) => {
      const limit = await readLoginLimit(config);
      printMessage(terminal, `limits: by ${judgeOf(limit)}`);
      return (await windows.list()).map((window) => {
        const { ipAddress, attempts, limit: most, isLimited, endsAt } = toLoginAddress(window, limit);
        return { ip_address: ipAddress, attempts, limit: most, is_limited: isLimited, ends_at: endsAt.toISOString() };
      });
    },
  }),
  'rate-limit clear': command({
    summary: 'clear the login count of an address, so that it can log in again; account locks stay',
    example: 'rate-limit clear --ip 192.0.2.7',
    prints: '`{cleared}`',
    on: 'database and limits',
    takes: {
      ip: optional(address, 'clear this address; for IPv6 its /64 and its /48'),
      all: flag('clear all addresses'),
    },
    run: async (context, { ip, all }) => {
      if ((ip !== undefined) === all) rejectUsage('give either --ip ADDRESS or --all');
      const cleared = await clearLoginAddress(context, COMMAND_LINE, ip);
      if (cleared === 0) printMessage(context.terminal, 'no counts to clear');
      else await sleep(REMEMBERED_MS); // until no instance remembers the addresses as limited
      return { cleared };
    },
  }),
};
