/** The services of the gateway, each built once in `start/compose.ts`. A function is given those that it names. */
import type { AuditRepeats } from './audit/repeats.js';
import type { Config } from './config/config.js';
import type { Keyring } from './credentials/keyring/keyring.js';
import type { Passwords } from './credentials/passwords/passwords.js';
import type { PlaceholderHashes } from './credentials/passwords/placeholder-hashes.js';
import type { PlaceholderKey } from './credentials/placeholder-key.js';
import type { SecretCache } from './credentials/sealed-secret.js';
import type { KnownNonces } from './credentials/signatures/known-nonces.js';
import type { Tokens } from './credentials/tokens/jwt.js';
import type { Database } from './db/database.js';
import type { FullDisk } from './db/full-disk.js';
import type { RateLimiter } from './limits/rate-limiter.js';
import type { RedisClient } from './limits/redis.js';
import type { Logger } from './platform/logger.js';
import type { Metrics } from './platform/metrics.js';
import type { MinuteCounter } from './platform/minute-counter.js';
import type { Sampling } from './platform/sampling.js';
import type { WatchedClock } from './platform/watched-clock.js';

export interface Services {
  clock: WatchedClock;
  config: Config;
  db: Database;
  /** What requests have met of a full disk lately */
  fullDisk: FullDisk;
  /** Of API keys, opened */
  secretCache: SecretCache;
  /** Requests per minute of each API key, in Redis. Undefined: the statement that takes a request counts it. */
  keyLimiter: RateLimiter | undefined;
  keyring: Keyring;
  /** Of signed requests */
  knownNonces: KnownNonces;
  log: Logger;
  metrics: Metrics;
  passwords: Passwords;
  /** What unknown keys are checked against, so that they cost what known ones do */
  placeholderKey: PlaceholderKey;
  /** What the passwords of unknown e-mails are checked against */
  placeholderHashes: PlaceholderHashes;
  /** Undefined: rate limits live in PostgreSQL. */
  redis: RedisClient | undefined;
  /** Of each session */
  refreshCounter: MinuteCounter;
  repeats: AuditRepeats;
  /** Of log lines that come again and again */
  sampling: Sampling;
  /** Changes while the process runs */
  state: {
    isStopping: boolean;
    /** True once a proxy that is not trusted was warned about */
    isProxyReported: boolean;
  };
  tokens: Tokens;
}

export type Deps<Names extends keyof Services> = Pick<Services, Names>;
