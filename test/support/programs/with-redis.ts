/** For tests that need a redis-server on the PATH; REQUIRE_REDIS=1 makes its absence a failure. */
import { hasRedis } from './redis.js';

export function withRedis(name: string, work: () => void): void {
  (hasRedis || process.env['REQUIRE_REDIS'] === '1' ? describe : describe.skip)(name, work);
}
