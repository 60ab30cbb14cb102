/** Connects to Redis or Valkey, replaces dead connections, and follows a master after a failover. (Interface 2) */
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { RedisTarget } from '../config/redis-url.js';
import { describeError, type Logger } from '../platform/logger.js';
import { type RedisClient, redisErrorLabel, redisErrorWord, redisRemedy, serversOf } from './redis.js';

/** Includes TLS. */
const CONNECT_TIMEOUT_MS = 3_000;
/** A later answer fails the command, and its request is answered 503. */
const COMMAND_TIMEOUT_MS = 2_000;
/** A connection with an answer due is replaced after this silence; an idle one stays. */
const SOCKET_TIMEOUT_MS = 3_000;
/** Idle time until the first TCP keep-alive probe. */
const KEEP_ALIVE_MS = 10_000;
/** At most one reconnect per interval because the server is a replica. */
const READ_ONLY_INTERVAL_MS = 1_000;
const LOG_INTERVAL_MS = 60_000;

/** Commands fail at once while Redis is away, so that an answer is 503 without a long wait. */
export function connectRedis(place: RedisTarget, log: Logger): RedisClient {
  const redis = open(place);
  logErrors(redis, place, log);
  warnOfEviction(redis, log);
  return redis;
}

function open(place: RedisTarget): RedisClient {
  const { hosts, tls, credentials } = place;
  const options = {
    ...credentials,
    ...(tls && { tls: {} }),
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    keepAlive: KEEP_ALIVE_MS,
    maxRetriesPerRequest: 0,
    reconnectOnError: oncePer(READ_ONLY_INTERVAL_MS, (error: Error) => redisErrorWord(error) === 'READONLY'),
  } satisfies RedisOptions;
  if (place.kind === 'cluster') {
    return new Cluster(hosts, {
      redisOptions: options,
      // Commands for a node that is still connecting wait, within their time limit.
      enableOfflineQueue: true,
      retryDelayOnClusterDown: 0, // an election takes longer than a request can wait
      clusterRetryStrategy: retryDelayMs,
      slotsRefreshTimeout: COMMAND_TIMEOUT_MS,
      dnsLookup: (host, done) => done(null, host), // keeps names, which certificates need
    });
  }
  const one = { ...options, db: place.db, enableOfflineQueue: false, retryStrategy: retryDelayMs };
  if (place.kind === 'single') return new Redis({ ...one, ...hosts[0] });
  const { masterName: name, ofSentinels } = place;
  return new Redis({
    ...one,
    name,
    sentinels: hosts,
    ...(ofSentinels.username !== undefined && { sentinelUsername: ofSentinels.username }),
    ...(ofSentinels.password !== undefined && { sentinelPassword: ofSentinels.password }),
    ...(tls && { sentinelTLS: {}, enableTLSForSentinelMode: true }),
    sentinelCommandTimeout: COMMAND_TIMEOUT_MS,
    sentinelRetryStrategy: retryDelayMs,
  });
}

/** The first try is made at once. @returns milliseconds */
function retryDelayMs(attempt: number): number {
  return Math.min((attempt - 1) * 200, 2_000);
}

/** Like `predicate`, but true at most once in `ms` milliseconds. */
function oncePer<T>(ms: number, predicate: (value: T) => boolean): (value: T) => boolean {
  let lastMs = Number.NEGATIVE_INFINITY;
  return (value) => {
    if (performance.now() - lastMs < ms || !predicate(value)) return false;
    lastMs = performance.now();
    return true;
  };
}

/** ioredis says this of sentinels that are away, and of those that do not know the master. */
const NO_MASTER = /^Error: All sentinels are unreachable/;

/** Every attempt to connect fails on its own, so only one a minute is logged. */
function logErrors(redis: RedisClient, place: RedisTarget, log: Logger): void {
  const isDue = oncePer(LOG_INTERVAL_MS, () => true);
  const logError = (error: unknown): void => {
    if (!isDue(undefined)) return;
    const code = redisErrorLabel(error);
    const what = NO_MASTER.test(String(error))
      ? 'no sentinel knows the master of REDIS_URL'
      : 'redis connection failed';
    const { name } = describeError(error);
    log.warn({ servers: serversOf(place), error: { name, code }, remedy: redisRemedy(code, place) }, what);
  };
  redis.on('error', logError);
  redis.on('node error', logError);
}

/** If Redis may evict counters, limits become softer. */
function warnOfEviction(redis: RedisClient, log: Logger): void {
  redis.once('ready', async () => {
    const servers = redis instanceof Cluster ? redis.nodes('master') : [redis];
    const facts = await Promise.all(servers.map((server) => server.info('memory').catch(() => ''))); // INFO may be forbidden
    if (facts.some(mayEvict))
      log.warn('redis may evict rate limits when it is full: set its maxmemory-policy to noeviction');
  });
}

/** @param facts answer of `INFO memory` */
export function mayEvict(facts: string): boolean {
  return /^maxmemory:[1-9]/m.test(facts) && /^maxmemory_policy:(?!noeviction)/m.test(facts);
}
