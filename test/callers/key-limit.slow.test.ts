/** Interface 6: what holds of the limit of a key in PostgreSQL holds in Redis. */
import { withRedis } from '../support/programs/with-redis.js';
import { keyLimitWith } from './key-limit-with.js';

withRedis('with Redis', () => keyLimitWith('Redis'));
