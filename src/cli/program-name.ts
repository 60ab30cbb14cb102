/** The name to type in front of a command, which depends on how this program was started. Messages contain it. (Interface 9) */
import type { Environment } from '../config/environment.js';
import { INSTALLED } from '../platform/explained.js';

/** npm sets the first two; `bin/auth-gateway` sets the third if it is not on the PATH. */
export function programName(env: Environment): string {
  const isOwnScript = env['npm_package_name'] === INSTALLED && env['npm_lifecycle_event'] !== undefined;
  if (isOwnScript) return 'npm run --silent cli --';
  return env['AUTH_GATEWAY_CALLED_AS'] ?? INSTALLED;
}
