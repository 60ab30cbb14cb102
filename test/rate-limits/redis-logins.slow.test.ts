/** The login limit is the same in Redis as in PostgreSQL. (Interface 5) */
import { withRedis } from '../support/programs/with-redis.js';
import { loginAddressesWith } from './login-addresses-with.js';
import { networksWith } from './login-networks-with.js';
import { overLimitWith } from './over-limit-with.js';

withRedis('beyond the limit, with Redis', () => overLimitWith('Redis'));
withRedis('a /48, with Redis', () => networksWith('Redis'));
withRedis('addresses with counted logins, with Redis', () => loginAddressesWith('Redis'));
