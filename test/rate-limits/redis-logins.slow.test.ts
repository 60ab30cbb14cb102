/** Interface 5: what holds of the login limit in PostgreSQL holds in Redis. */
import { withRedis } from '../support/programs/with-redis.js';
import { networksWith } from './login-networks-with.js';
import { overLimitWith } from './over-limit-with.js';

withRedis('beyond the limit, with Redis', () => overLimitWith('Redis'));
withRedis('a /48, with Redis', () => networksWith('Redis'));
