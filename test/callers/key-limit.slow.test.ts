/** The limit of a key is the same in Redis as in PostgreSQL. (Interface 6) */
import { withRedis } from '../support/programs/with-redis.js';
import { keyLimitWith } from './key-limit-with.js';

withRedis('with Redis', () => keyLimitWith('Redis'));
