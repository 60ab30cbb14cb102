/** Vite's development server, with the configuration of examples/react. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../until.js';
import { packagesFolder } from './packages.js';

/**
 * @param port in place of the configured one
 * @param gatewayUrl where it forwards to
 * @param paths what it forwards, in place of what is configured
 */
export async function startVite(port: number, gatewayUrl: string, paths?: string[]): Promise<AsyncDisposable> {
  const example = await readFile('examples/react/vite.config.ts', 'utf8');
  const folder = await mkdtemp(join(tmpdir(), 'vite-'));
  await mkdir(join(folder, 'node_modules'));
  const installed = join(await packagesFolder(), 'node_modules/vite');
  await symlink(installed, join(folder, 'node_modules/vite'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>Page</title>');
  const ours = example.replace('5173', String(port)).replaceAll('http://127.0.0.1:3000', gatewayUrl);
  const config = paths === undefined ? ours : ours.replace(/paths = \[.*\]/, `paths = ${JSON.stringify(paths)}`);
  await writeFile(join(folder, 'vite.config.js'), config);
  const vite = spawn(process.execPath, [join(installed, 'bin/vite.js')], { cwd: folder, stdio: 'ignore' });
  const ended = once(vite, 'exit');
  const stop = async (): Promise<void> => {
    vite.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, maxRetries: 10 });
  };
  const answers = () =>
    fetch(`http://localhost:${port}`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until('Vite answers', answers);
  return { [Symbol.asyncDispose]: stop };
}
