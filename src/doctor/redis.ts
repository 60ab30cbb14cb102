/** Interface 2 and 9, `doctor`: Redis or Valkey, where REDIS_URL is set. */
import { once } from 'node:events';
import type { Redis } from 'ioredis';
import type { RedisPlace } from '../config/redis-url.js';
import { isLoopback } from '../config/values.js';
import { type RedisClient, type RedisState, readRedisState, redisErrorWord } from '../limits/redis.js';
import { createLogger } from '../platform/logger.js';
import { codeOf } from './error-code.js';
import { type Finding, fault, ok, warning } from './finding.js';
import type { Surroundings } from './surroundings.js';

export async function checkRedis({ config: { redis: place }, signal }: Surroundings): Promise<Finding[]> {
  if (place === undefined) return [];
  const { connectRedis, mayEvict } = await import('../limits/redis-connection.js');
  const redis = connectRedis(place, createLogger('silent'));
  try {
    const error = await failureOf(redis, signal);
    if (error !== undefined)
      return [cannotCount(redisErrorWord(error) ?? codeOf(error), String(error), place), tls(place)];
    const state = await readRedisState(redis);
    if (state !== 'ok') return [takesNoWrites(state), tls(place)];
    const servers = 'nodes' in redis ? redis.nodes('master') : [redis];
    const facts = await Promise.all(servers.map(memoryOf));
    return [
      ok(
        'redis',
        `${place.kind}, ${servers.length === 1 ? '1 server takes' : `${servers.length} servers take`} writes`,
      ),
      eviction(facts.some(mayEvict)),
      tls(place),
    ];
  } finally {
    redis.disconnect();
  }
}

/** What keeps it from being ready; undefined where it is. */
async function failureOf(redis: RedisClient, signal: AbortSignal): Promise<unknown> {
  if (redis.status === 'ready') return undefined;
  return once(redis, 'ready', { signal }).then(
    () => undefined,
    (error: unknown) => error, // the first that it tells, or that nothing has come in time
  );
}

/** It may be forbidden to ask. */
function memoryOf(server: Redis): Promise<string> {
  return server.info('memory').catch(() => '');
}

function cannotCount(code: string, text: string, { tls }: RedisPlace): Finding {
  const seen = `REDIS_URL cannot be used (${code}): whatever has to be counted is answered 503`;
  if (/^(WRONGPASS|NOAUTH|NOPERM)/.test(code)) return fault('redis', seen, 'set user and password of REDIS_URL right');
  if (/All sentinels are unreachable/.test(text)) {
    return fault('redis', seen, 'set the sentinels and the name of the master in REDIS_URL right, or start them');
  }
  const plain = tls ? ', or use redis:// where it speaks no TLS' : '';
  const remedy = `start Redis, or set REDIS_URL right${plain}; look whether a firewall lets this machine through`;
  return fault('redis', seen, remedy);
}

type WriteFault = Exclude<RedisState, 'ok'>;

const WRITE_CURES: Record<WriteFault, string> = {
  unreachable: 'look at the log of Redis, and whether a firewall lets this machine through',
  forbidden: 'allow the user of REDIS_URL to write (ACL SETUSER NAME ~* +@all), and look at the log of Redis',
  read_only:
    'name the master in REDIS_URL, not a replica; where its disk is full make room, or set stop-writes-on-bgsave-error no',
  full: 'raise maxmemory of Redis',
};

function takesNoWrites(state: WriteFault): Finding {
  return fault(
    'redis',
    `Redis takes no writes: ${state}; whatever has to be counted is answered 503`,
    WRITE_CURES[state],
  );
}

function eviction(mayEvict: boolean): Finding {
  if (!mayEvict) return ok('redis_eviction', 'Redis drops no counters when it is full');
  const seen = 'Redis drops counters of the rate limits when it is full, and tells nobody';
  return warning('redis_eviction', seen, 'redis-cli config set maxmemory-policy noeviction (and in redis.conf)');
}

function tls({ hosts, tls }: RedisPlace): Finding {
  const remote = hosts.map(({ host }) => host).filter((host) => !isLoopback(host));
  if (remote.length === 0) return ok('redis_tls', 'Redis is on this machine');
  if (tls) return ok('redis_tls', `Redis is at ${remote.join()}, by TLS`);
  const seen = `Redis is at ${remote.join()}, without TLS: its password and the addresses of clients can be read`;
  return warning('redis_tls', seen, 'write rediss:// in REDIS_URL, and give Redis a certificate (tls-port)');
}
