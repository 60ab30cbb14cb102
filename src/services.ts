/** The services of the gateway, each built once in `start/compose.ts`. A function names those that it needs: `Deps<…>`. */
import type { LiveLog } from './audit/live.js';
import type { AuditRepeats } from './audit/repeats.js';
import type { Config } from './config/config.js';
import type { Keyring } from './credentials/keyring/keyring.js';
import type { PasswordRules } from './credentials/passwords/password-rules.js';
import type { Passwords } from './credentials/passwords/passwords.js';
import type { PlaceholderHashes } from './credentials/passwords/placeholder-hashes.js';
import type { PlaceholderKey } from './credentials/placeholder-key.js';
import type { SecretCache } from './credentials/sealed-secret.js';
import type { KnownNonces } from './credentials/signatures/known-nonces.js';
import type { Tokens } from './credentials/tokens/jwt.js';
import type { Database } from './db/database.js';
import type { FullDisk } from './db/full-disk.js';
import type { Metrics } from './metrics.js';
import type { Logger } from './platform/logger.js';
import type { MinuteCounter } from './platform/minute-counter.js';
import type { Sampling } from './platform/sampling.js';
import type { Tracing } from './platform/tracing.js';
import type { WatchedClock } from './platform/watched-clock.js';
import type { RateLimiter } from './rate-limits/rate-limiter.js';
import type { RedisClient } from './rate-limits/redis.js';
import type { Windows } from './rate-limits/windows.js';

export interface Services {
  clock: WatchedClock;
  config: Config;
  db: Database;
  fullDisk: FullDisk;
  /** Opened secrets of API keys */
  secretCache: SecretCache;
  /** Requests per minute of each API key, in Redis. Undefined: the statement that admits a request also counts it. */
  keyLimiter: RateLimiter | undefined;
  keyring: Keyring;
  knownNonces: KnownNonces;
  /** Interface 24: reads only while somebody follows it */
  liveLog: LiveLog;
  log: Logger;
  metrics: Metrics;
  passwords: Passwords;
  /** Compares each password that is set */
  passwordRules: PasswordRules;
  /** Unknown keys are checked against it, so that they take as long as known ones */
  placeholderKey: PlaceholderKey;
  /** Passwords of unknown e-mails are checked against them */
  placeholderHashes: PlaceholderHashes;
  /** Undefined: rate limits live in PostgreSQL. */
  redis: RedisClient | undefined;
  /** Refreshes per minute of each session */
  refreshCounter: MinuteCounter;
  repeats: AuditRepeats;
  /** Thins out repeated log lines */
  sampling: Sampling;
  /** Changes while the process runs */
  state: {
    isStopping: boolean;
    /** True once the log has warned of an untrusted proxy */
    isProxyReported: boolean;
  };
  tokens: Tokens;
  tracing: Tracing;
  /** Of the login limit */
  windows: Windows;
}

export type Deps<Names extends keyof Services> = Pick<Services, Names>;
