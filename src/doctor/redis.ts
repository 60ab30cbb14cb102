/** `doctor`: Redis or Valkey, if REDIS_URL is set. (Interface 2 and 9) */
import { once } from 'node:events';
import type { Redis } from 'ioredis';
import type { RedisTarget } from '../config/redis-url.js';
import { isLoopback } from '../config/values.js';
import { SILENT } from '../platform/logger.js';
import {
  type RedisClient,
  type RedisState,
  readRedisState,
  redisErrorLabel,
  redisRemedy,
  serversOf,
} from '../rate-limits/redis.js';
import { type Finding, fault, ok, warning } from './finding.js';
import type { Surroundings } from './surroundings.js';

export async function checkRedis({ config: { redis: place }, signal }: Surroundings): Promise<Finding[]> {
  if (place === undefined) return [];
  const { connectRedis, mayEvict } = await import('../rate-limits/redis-connection.js');
  const redis = connectRedis(place, SILENT);
  try {
    const error = await failureOf(redis, signal);
    if (error !== undefined) return [cannotCount(redisErrorLabel(error), place), tls(place)];
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

/** Why it is not ready; undefined if it is. */
async function failureOf(redis: RedisClient, signal: AbortSignal): Promise<unknown> {
  if (redis.status === 'ready') return undefined;
  return once(redis, 'ready', { signal }).then(
    () => undefined,
    (error: unknown) => error, // the first error, or the end of the time
  );
}

/** The user may not be allowed to ask. */
function memoryOf(server: Redis): Promise<string> {
  return server.info('memory').catch(() => '');
}

function cannotCount(code: string, place: RedisTarget): Finding {
  const seen = `Redis at ${serversOf(place)} cannot be used (${code}): requests that must be counted are answered 503`;
  return fault('redis', seen, redisRemedy(code, place));
}

type WriteFault = Exclude<RedisState, 'ok'>;

const WRITE_REMEDIES: Record<WriteFault, string> = {
  unreachable: 'read the log of Redis, and check that no firewall is in the way',
  forbidden: 'allow the user of REDIS_URL to write (ACL SETUSER NAME ~* +@all), and read the log of Redis',
  read_only:
    'name the master in REDIS_URL, not a replica; if its disk is full, free space, or set stop-writes-on-bgsave-error no',
  full: 'raise maxmemory of Redis',
};

function takesNoWrites(state: WriteFault): Finding {
  return fault(
    'redis',
    `Redis takes no writes: ${state}; requests that must be counted are answered 503`,
    WRITE_REMEDIES[state],
  );
}

function eviction(mayEvict: boolean): Finding {
  if (!mayEvict) return ok('redis_eviction', 'Redis keeps its counters when it is full');
  const seen = 'Redis silently drops counters of the rate limits when it is full';
  return warning(
    'redis_eviction',
    seen,
    'run: redis-cli config set maxmemory-policy noeviction (and set it in redis.conf)',
  );
}

function tls({ hosts, tls }: RedisTarget): Finding {
  const remote = hosts.map(({ host }) => host).filter((host) => !isLoopback(host));
  if (remote.length === 0) return ok('redis_tls', 'Redis is on this machine');
  if (tls) return ok('redis_tls', `Redis is at ${remote.join()}, by TLS`);
  const seen = `Redis is at ${remote.join()}, without TLS: its password and the addresses of clients can be read on the network`;
  return warning('redis_tls', seen, 'use rediss:// in REDIS_URL, and give Redis a certificate (tls-port)');
}
