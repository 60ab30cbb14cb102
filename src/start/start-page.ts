/** The address of the page at `/`, which shows what to try. (Interface 2, development) */
import type { Config } from '../config/config.js';
import { localOrigin } from '../config/local-origin.js';
import { isLoopback } from '../config/values.js';

/**
 * On another port than ours PUBLIC_URL is answered by another program, which may have a page of its own, such as Vite. A
 * gateway that listens for other machines may be reached by that port alone, as in a container.
 * @returns undefined in production
 */
export function startPageOf({ host, isDevelopment, port, publicUrl }: Config): string | undefined {
  if (!isDevelopment) return undefined;
  const isBehindAnother = isLoopback(host) && Number(new URL(publicUrl).port || 80) !== port;
  return `${isBehindAnother ? localOrigin({ host, port }) : publicUrl}/`;
}
