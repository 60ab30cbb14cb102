/** What the gateway is compared with runs on a Node with the same settings. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setUpAs } from './runner.js';

test('threads, arenas, sizes of the heap and NODE_ENV are those of the gateway; nothing else is', async () => {
  const NODE_OPTIONS = '--max-old-space-size=1024 --max-semi-space-size=32 --trace-exit --max-http-header-size=20000';
  const env = { UV_THREADPOOL_SIZE: '6', MALLOC_ARENA_MAX: '1', NODE_ENV: 'production', NODE_OPTIONS, PORT: '1' };
  const gateway = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { env });
  await once(gateway, 'spawn');
  expect(setUpAs(gateway.pid ?? 0)).toEqual({
    UV_THREADPOOL_SIZE: '6',
    MALLOC_ARENA_MAX: '1',
    NODE_ENV: 'production',
    NODE_OPTIONS: '--max-old-space-size=1024 --max-semi-space-size=32 --max-http-header-size=20000',
  });
  gateway.kill();
  await once(gateway, 'exit');
});

test('a gateway without options gives none', async () => {
  const gateway = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { env: {} });
  await once(gateway, 'spawn');
  expect(setUpAs(gateway.pid ?? 0)).toEqual({ NODE_OPTIONS: '' });
  gateway.kill();
  await once(gateway, 'exit');
});
