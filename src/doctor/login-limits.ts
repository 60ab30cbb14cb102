/** Interface 9 and Spec 8, `doctor`: the limits of logins, as the running gateway has them if it can be asked. */
import { judgeOf, type LoginLimit, readLoginLimit } from '../admin/login-limit.js';
import type { Config } from '../config/config.js';
import type { LoginPolicy } from '../rate-limits/login-policy.js';
import { type Finding, ok, warning } from './finding.js';
import type { Surroundings } from './surroundings.js';

/** Limits from here on are for trying things out. */
const LOOSE = { rateLimit: 1_000, maxFailures: 100 };

export async function checkLoginLimits({ config, isGateway }: Surroundings): Promise<Finding[]> {
  const limit = isGateway ? undefined : await readLoginLimit(config);
  const seen = describe(config, limit);
  const { rateLimit } = limit ?? config.login;
  const loose = [
    ...(rateLimit >= LOOSE.rateLimit ? ['LOGIN_RATE_LIMIT'] : []),
    ...(config.login.maxFailures >= LOOSE.maxFailures ? ['LOGIN_MAX_FAILURES'] : []),
  ];
  const found: Finding[] = [];
  if (limit !== undefined && !isSame(limit, config.login)) {
    const own = `here LOGIN_RATE_LIMIT is ${config.login.rateLimit}, and LOGIN_RATE_WINDOW_SECONDS ${config.login.rateWindowSeconds}`;
    const remedy = 'run doctor with the variables of that gateway, since other findings depend on them too';
    found.push(warning('login_limits', `${seen}; ${own}`, remedy));
  }
  if (loose.length > 0 && !config.isDevelopment) {
    found.push(warning('login_limits', `${seen}: passwords can be guessed`, `unset ${loose.join(' and ')}`));
  }
  return found.length > 0 ? found : [ok('login_limits', seen)];
}

function isSame(one: LoginPolicy, other: LoginPolicy): boolean {
  return one.rateLimit === other.rateLimit && one.rateWindowSeconds === other.rateWindowSeconds;
}

/** @param limit undefined in the gateway itself */
function describe({ knownDevices, login }: Config, limit: LoginLimit | undefined): string {
  const { rateLimit, rateWindowSeconds } = limit ?? login;
  const ofAddress = `an address, such as that of a whole office, may log in ${rateLimit} times in ${rateWindowSeconds} s`;
  const whom = knownDevices
    ? 'for strangers alone (KNOWN_DEVICES=on)'
    : 'for its owner too, so anybody can lock it (KNOWN_DEVICES=on is recommended)';
  const ofAccount = `${login.maxFailures} wrong passwords lock an account for ${login.lockoutSeconds} s, ${whom}`;
  if (limit === undefined) return `${ofAddress} (LOGIN_RATE_LIMIT), and ${ofAccount}`;
  return `by ${judgeOf(limit)}, ${ofAddress}; by this shell's LOGIN_MAX_FAILURES, ${ofAccount}`;
}
