/** What login, refresh and logout are given; built once in `app.ts`. */

import type { AuditRepeats } from '../audit/repeats.js';
import type { Config } from '../config.js';
import type { Tokens } from '../credentials/jwt.js';
import type { Passwords } from '../credentials/passwords.js';
import type { Database } from '../db/database.js';
import type { Clock } from '../platform/clock.js';

export interface AuthDependencies {
  clock: Clock;
  config: Pick<Config, 'login'>;
  db: Database;
  passwords: Passwords;
  repeats: AuditRepeats;
  tokens: Tokens;
}
