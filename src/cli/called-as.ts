/** Interface 9: what somebody types before the words of a command, by how this program was started: messages say it. */
import type { Environment } from '../config/environment.js';

/** The name by which it is installed (`bin` of package.json). */
export const INSTALLED = 'auth-gateway';

/** Set by npm, and by the `bin` where it is not on the PATH */
export function calledAs(env: Environment): string {
  const isOwnScript = env['npm_package_name'] === INSTALLED && env['npm_lifecycle_event'] !== undefined;
  if (isOwnScript) return 'npm run --silent cli --';
  return env['AUTH_GATEWAY_CALLED_AS'] ?? INSTALLED;
}
