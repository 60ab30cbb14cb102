/** What the resolution of callers is given; built once in `app.ts`. */
import type { Config } from '../config.js';
import type { Tokens } from '../credentials/jwt.js';
import type { Keyring } from '../credentials/keyring.js';
import type { PlaceholderKey } from '../credentials/placeholder-key.js';
import type { Database } from '../db/database.js';
import type { RateLimiter } from '../limits/rate-limiter.js';
import type { Clock } from '../platform/clock.js';

export interface CallerDependencies {
  clock: Clock;
  config: Pick<Config, 'publicAuthority'>;
  db: Database;
  /** Requests per minute of each API key */
  keyLimiter: RateLimiter;
  keyring: Keyring;
  tokens: Tokens;
  /** What unknown keys are checked against, so that they cost what known ones do. */
  placeholder: PlaceholderKey;
}
