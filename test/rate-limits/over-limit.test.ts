/** Logins beyond the limit are refused from memory; `redis-logins.slow.test.ts` asks the same of Redis. (Interface 5) */
import { rememberOverLimit } from '../../src/rate-limits/over-limit.js';
import { handClock } from '../support/gateway/clock.js';
import { startGateway } from '../support/gateway/gateway.js';
import { login } from '../support/gateway/routes.js';
import { overLimitWith } from './over-limit-with.js';

describe('with PostgreSQL', () => overLimitWith('PostgreSQL'));

test('Spec 8: a window that ends within the second is forgotten at its end', async () => {
  const gateway = await startGateway({ env: { LOGIN_RATE_LIMIT: '1' } });
  try {
    const attempt = async (): Promise<number> => (await login(gateway, 'nobody@example.com')).status;
    expect(await attempt()).toBe(401);
    // The limiter reads the system's clock: the end of the window is moved instead.
    await gateway.rows('update rate_limits set expire = expire - 899600');
    expect([await attempt(), await attempt()]).toEqual([429, 429]);
    await gateway.rows('update rate_limits set expire = expire - 900000');
    gateway.clock.advance(0.4);
    expect(await attempt()).toBe(401);
  } finally {
    await gateway.close();
  }
});

test('Interface 5: of more than 10,000 addresses over the limit the latest are remembered', () => {
  const clock = handClock();
  const overLimit = rememberOverLimit(clock);
  const said = { isOver: true, msLeft: 900_000, askedAt: clock.now() };
  for (let i = 0; i <= 10_000; i += 1) overLimit.learn(`address ${i}`, said);
  expect(overLimit.msLeft(['address 0'])).toBeUndefined();
  expect([overLimit.msLeft(['address 1']), overLimit.msLeft(['address 10000'])]).toEqual([900_000, 900_000]);
});
