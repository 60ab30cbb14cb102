/** Faults of Redis, and of the network in front of it: limits cannot be asked, everything else goes on. */
import type { RedisServer } from '../../../../test/support/programs/redis.js';
import type { TcpProxy } from '../../lab/tcp-proxy.js';
import { ALL_RIGHT, type Fault, type Stand } from './fault.js';

export interface RedisStand extends Stand {
  redis: RedisServer;
  /** Between the gateway and Redis */
  proxy: TcpProxy;
}

const NO_LIMITER: Fault['expected'] = {
  ...ALL_RIGHT,
  login: '503',
  'spent login': 'either', // 429 from memory, but for one a second
  signature: '503',
  ready: '503',
};

export const REDIS_FAULTS: readonly Fault<RedisStand>[] = [
  {
    name: 'Redis is stopped',
    small: true,
    losesCounts: true,
    begin: async ({ redis }) => {
      await redis.stop();
      return () => redis.start();
    },
    expected: NO_LIMITER,
  },
  {
    name: 'Redis is frozen',
    begin: async ({ redis }) => {
      redis.freeze();
      return redis.thaw;
    },
    expected: NO_LIMITER,
  },
  network('bytes to Redis are swallowed', 'hold', NO_LIMITER),
  network('connections to Redis are reset', 'reset', NO_LIMITER),
  network('Redis is two seconds away', 'slow', {
    ...ALL_RIGHT,
    ...either('login', 'spent login', 'signature', 'ready'),
  }),
  {
    name: 'the connection that is open to Redis is dead',
    begin: async ({ proxy }) => {
      proxy.holdPresent();
      return () => undefined;
    },
    expected: { ...ALL_RIGHT, ...either('login', 'spent login', 'signature', 'ready') },
  },
  configured('Redis is a replica', 'replicaof 127.0.0.1 1', 'replicaof no one'),
  configured('Redis is out of memory', 'config set maxmemory 1', 'config set maxmemory 0'),
  {
    name: 'Redis was started again, empty',
    losesCounts: true,
    begin: async ({ redis }) => {
      await redis.stop();
      await redis.start();
      return () => undefined;
    },
    expected: { ...ALL_RIGHT, ...either('login', 'signature', 'ready'), 'spent login': 'any' },
  },
];

function network(name: string, mode: Parameters<TcpProxy['set']>[0], expected: Fault['expected']): Fault<RedisStand> {
  const begin: Fault<RedisStand>['begin'] = async ({ proxy }) => {
    await proxy.set(mode);
    return () => proxy.set('pass');
  };
  return { name, begin, expected };
}

function configured(name: string, breaks: string, repairs: string): Fault<RedisStand> {
  const begin: Fault<RedisStand>['begin'] = async ({ redis }) => {
    await redis.command(breaks);
    return async () => void (await redis.command(repairs));
  };
  return { name, begin, expected: NO_LIMITER };
}

function either(...names: (keyof Fault['expected'])[]): Fault['expected'] {
  return Object.fromEntries(names.map((name) => [name, 'either']));
}
