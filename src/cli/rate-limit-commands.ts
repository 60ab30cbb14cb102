/** Interface 9: `rate-limit …`: how often addresses have logged in, and how that is forgotten. */
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLimited } from '../admin/login-addresses.js';
import { isNetwork, loginGroups, loginLimitOf } from '../rate-limits/address-group.js';
import { REMEMBERED_MS } from '../rate-limits/over-limit.js';
import { type Command, command } from './command.js';
import { type Kind, refuse } from './kinds.js';
import { flag, optional } from './parameters.js';
import { say } from './terminal.js';

/** What is counted of it; of a /48, as the list shows it, that alone. */
const address: Kind<readonly string[]> = {
  placeholder: 'ADDRESS',
  parse: (text, name) => {
    const bare = text.replace(/\/(48|64)$/, '');
    const isKnown = text === 'unknown' || isIP(bare) === 6 || isIP(text) === 4;
    if (!isKnown) refuse(`${name} is an IP address, as rate-limit list shows it`);
    const groups = loginGroups(bare);
    return isNetwork(text) ? groups.filter(isNetwork) : groups;
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
        limit: loginLimitOf(window.key, config.login.rateLimit), // of this environment
        is_limited: isLimited(window, config),
        ends_at: window.endsAt.toISOString(),
      })),
  }),
  'rate-limit clear': command({
    does: 'forgets how often an address has asked to log in, so that it may again; locks of accounts stay',
    example: 'rate-limit clear --ip 192.0.2.7',
    on: 'database and limits',
    takes: {
      ip: optional(address, 'of this address, or of the /64 and the /48 of an IPv6 address'),
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
