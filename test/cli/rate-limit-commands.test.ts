/** The commands `rate-limit …`; `rate-limit-commands.slow.test.ts` asks the same of Redis. (Interface 9) */
import { attempt, cli, gateway, json, listsAndClears, start, stop } from './limited.js';

afterEach(stop);

test('Interface 9: in PostgreSQL addresses are listed, most attempts first, and forgotten one by one or all at once', async () => {
  await start();
  await listsAndClears();
  const rows = await gateway.rows<{ key: string; points: number }>('select key, points from rate_limits');
  expect(rows).toEqual([{ key: expect.stringMatching(/^api_key:/), points: 2 }]);
});

test('Interface 9: windows that are over are neither listed nor counted', async () => {
  await start();
  await attempt('192.0.2.1');
  await attempt('192.0.2.2');
  await gateway.rows(`update rate_limits set expire = 1 where key = 'login:192.0.2.1'`);
  expect(await json('rate-limit', 'list')).toMatchObject([{ ip_address: '192.0.2.2' }]);
  expect(await json('rate-limit', 'clear', '--all')).toEqual({ cleared: 1 });
});

test.each([[''], ['--ip 192.0.2.1 --all'], ['--ip nonsense'], ['--ip 192.0.2.0/24'], ['--ip 192.0.2.1/48'], ['--ip']])(
  'Interface 9: rate-limit clear %s exits with 2, and clears nothing',
  async (words) => {
    await start();
    await attempt('192.0.2.1');
    const { code, stdout, stderr } = await cli('rate-limit', 'clear', ...words.split(' ').filter(Boolean));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('usage: auth-gateway rate-limit clear ');
    expect(await json('rate-limit', 'list')).toHaveLength(1);
  },
);
