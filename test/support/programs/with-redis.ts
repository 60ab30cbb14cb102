/** For tests that need a redis-server on the PATH; REQUIRE_REDIS=1 makes its absence a failure. */
import { hasRedis } from './redis.js';

export const withRedis = hasRedis || process.env['REQUIRE_REDIS'] === '1' ? describe : describe.skip;
