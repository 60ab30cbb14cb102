/** Interface 2: the connection to Redis or Valkey: dead ones are replaced, and a master is followed where it goes. */
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { RedisPlace } from '../config/redis-url.js';
import { describeError, type Logger } from '../platform/logger.js';
import { type RedisClient, redisErrorWord } from './redis.js';

/** How long a connection may take to stand, TLS included: milliseconds. */
const CONNECT_TIMEOUT_MS = 3_000;
/** After this a command fails, and its request is answered 503: milliseconds. */
const COMMAND_TIMEOUT_MS = 2_000;
/** A connection on which an answer is due, and nothing has come for so long, is replaced; an idle one stays. */
const SOCKET_TIMEOUT_MS = 3_000;
/** When an idle connection is first asked by TCP whether the other end is there: milliseconds. */
const KEEP_ALIVE_MS = 10_000;
/** How often a connection is given up because its server is a replica: milliseconds. */
const READ_ONLY_EVERY_MS = 1_000;
/** How often errors of connections are told in the log: milliseconds. */
const TOLD_EVERY_MS = 60_000;

/** Commands fail at once while it is away, so that an answer is 503 and not a long wait. */
export function connectRedis(place: RedisPlace, log: Logger): RedisClient {
  const redis = open(place);
  tellErrors(redis, log);
  tellEviction(redis, log);
  return redis;
}

function open(place: RedisPlace): RedisClient {
  const { hosts, tls, credentials } = place;
  const options = {
    ...credentials,
    ...(tls && { tls: {} }),
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    keepAlive: KEEP_ALIVE_MS,
    maxRetriesPerRequest: 0,
    reconnectOnError: oncePer(READ_ONLY_EVERY_MS, (error: Error) => redisErrorWord(error) === 'READONLY'),
  } satisfies RedisOptions;
  if (place.kind === 'cluster') {
    return new Cluster(hosts, {
      redisOptions: options,
      // Commands for a node that is not connected yet wait within their time limit; none is given while nothing is ready.
      enableOfflineQueue: true,
      retryDelayOnClusterDown: 0, // which it is for longer than a request can wait
      clusterRetryStrategy: retryDelayMs,
      slotsRefreshTimeout: COMMAND_TIMEOUT_MS,
      dnsLookup: (host, done) => done(null, host), // a name stays one, since certificates are for names
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

/** What `isSo` says, but true at most once in so many milliseconds. */
function oncePer<T>(ms: number, isSo: (value: T) => boolean): (value: T) => boolean {
  let lastMs = Number.NEGATIVE_INFINITY;
  return (value) => {
    if (performance.now() - lastMs < ms || !isSo(value)) return false;
    lastMs = performance.now();
    return true;
  };
}

/** How the client begins what it says of sentinels that are away, or know no master of that name. */
const NO_MASTER = /^Error: All sentinels are unreachable/;

/** Each try fails by itself, so one of them speaks for those of a minute. */
function tellErrors(redis: RedisClient, log: Logger): void {
  const isTold = oncePer(TOLD_EVERY_MS, () => true);
  const tell = (error: unknown): void => {
    if (!isTold(undefined)) return;
    const code = redisErrorWord(error);
    const what = NO_MASTER.test(String(error))
      ? 'no sentinel tells the master of REDIS_URL'
      : 'redis connection failed';
    log.warn({ error: { ...describeError(error), ...(code && { code }) } }, what);
  };
  redis.on('error', tell);
  redis.on('node error', tell);
}

/** Says at the start that counters may be lost, which makes limits softer. */
function tellEviction(redis: RedisClient, log: Logger): void {
  redis.once('ready', async () => {
    const servers = redis instanceof Cluster ? redis.nodes('master') : [redis];
    const facts = await Promise.all(servers.map((server) => server.info('memory').catch(() => ''))); // may be forbidden
    if (facts.some(mayEvict))
      log.warn('redis drops rate limits when it is full: set its maxmemory-policy to noeviction');
  });
}

/** @param facts what INFO says of the memory */
export function mayEvict(facts: string): boolean {
  return /^maxmemory:[1-9]/m.test(facts) && /^maxmemory_policy:(?!noeviction)/m.test(facts);
}
