/** Interface 9: `rate-limit …`: how often addresses have logged in, and how that is forgotten. */
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLimited } from '../admin/login-addresses.js';
import { addressGroup } from '../limits/address-group.js';
import { REMEMBERED_MS } from '../limits/over-limit.js';
import { type Command, command } from './command.js';
import { type Kind, refuse } from './kinds.js';
import { flag, optional } from './parameters.js';
import { say } from './terminal.js';

/** As the list shows it: of an IPv6 address its /64 counts. */
const address: Kind<string> = {
  placeholder: 'ADDRESS',
  parse: (text, name) => {
    const bare = text.replace(/\/64$/, '');
    if (isIP(bare) === 0 && text !== 'unknown') refuse(`${name} is an IP address, as rate-limit list shows it`);
    return addressGroup(bare);
  },
};

export const rateLimitCommands: Record<string, Command> = {
  'rate-limit list': command({
    does: 'lists the addresses whose logins are counted now, and which are refused, by LOGIN_RATE_LIMIT as it is set here',
    on: 'database and limits',
    run: async ({ config, windows }) =>
      (await windows.list()).map((window) => ({
        ip_address: window.key,
        attempts: window.count,
        limit: config.login.rateLimit, // of this environment
        is_limited: isLimited(window, config),
        ends_at: window.endsAt.toISOString(),
      })),
  }),
  'rate-limit clear': command({
    does: 'forgets how often an address has asked to log in, so that it may again; locks of accounts stay',
    example: 'rate-limit clear --ip 192.0.2.7',
    on: 'database and limits',
    takes: {
      ip: optional(address, 'of this address, or of the /64 of an IPv6 address'),
      all: flag('of every address'),
    },
    run: async ({ terminal, windows }, { ip, all }) => {
      if ((ip !== undefined) === all) refuse('name one address by --ip, or say --all');
      const cleared = await windows.clear(ip);
      if (cleared === 0) say(terminal, 'nothing was counted');
      else await sleep(REMEMBERED_MS); // now no instance refuses by what it remembers of them
      return { cleared };
    },
  }),
};
