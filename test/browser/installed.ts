/** The examples, as their readers install and start them. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../support/until.js';

const run = promisify(execFile);
export const ROOT = join(import.meta.dirname, '../..');

/** The variables that examples/README.md names for a folder */
export async function variablesFor(folder: string): Promise<Record<string, string>> {
  const readme = await readFile(join(ROOT, 'examples/README.md'), 'utf8');
  const row =
    readme
      .split('\n')
      .find((line) => line.includes(`(${folder})`))
      ?.split('|')[3] ?? '';
  return Object.fromEntries(Array.from(row.matchAll(/([A-Z_]+)=(\S+)/g), ([, name = '', value = '']) => [name, value]));
}

/** A copy of the example, with other origins, whose client is installed from the gateway and all else taken from here. */
export async function install(
  cleanUp: AsyncDisposableStack,
  example: string,
  gatewayUrl: string,
  packages: string[],
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'example-'));
  cleanUp.defer(() => rm(folder, { recursive: true, maxRetries: 10 }));
  const isOurs = (path: string) => !/node_modules|dist|package(-lock)?\.json$/.test(path.slice(ROOT.length));
  await cp(join(ROOT, 'examples', example), folder, { recursive: true, filter: isOurs });
  const { dependencies } = JSON.parse(await readFile(join(ROOT, 'examples', example, 'package.json'), 'utf8'));
  const client = dependencies['@auth-gateway/client'];
  const ofExample = { type: 'module', dependencies: { '@auth-gateway/client': client } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(ofExample));
  const served = client.replace('http://localhost:3000', gatewayUrl); // which npm takes in the place of the other
  // No registry answers: npm asks one for React, the optional peer, and goes on without.
  const registry = ['--registry=http://localhost:9', '--fetch-retries=0'];
  await run('npm', ['install', '--no-audit', ...registry, served], { cwd: folder });
  for (const name of packages) await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  return folder;
}

export async function replaceIn(file: string, replacements: Record<string, string>): Promise<string> {
  const text = Object.entries(replacements).reduce(
    (before, [from, to]) => before.replaceAll(from, to),
    await readFile(file, 'utf8'),
  );
  await writeFile(file, text);
  return text;
}

/** Runs a script of Node until the test ends. Resolves once it answers. */
export async function startProgram(
  cleanUp: AsyncDisposableStack,
  cwd: string,
  origin: string,
  ...script: string[]
): Promise<void> {
  const program = spawn(process.execPath, script, { cwd, stdio: 'ignore' });
  const ended = once(program, 'exit');
  cleanUp.defer(async () => {
    program.kill('SIGKILL');
    await ended;
  });
  const answers = () =>
    fetch(origin).then(
      () => true,
      () => false,
    );
  await until(`${script.join(' ')} answers`, answers);
}
