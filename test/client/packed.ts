/** The client as the gateway serves it, which is what npm would pack, installed in an empty project outside the checkout. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const PACKAGE = resolve('dist/client-package/client.tgz');

/** For a program on a busy machine: milliseconds */
const PATIENCE_MS = 120_000;

export interface Project extends Disposable {
  folder: string;
  /** What the package holds */
  files: string[];
  save(name: string, text: string): void;
  /** @throws {Error} with what the program has printed, if it fails */
  run(program: string, ...args: string[]): string;
  /** Takes a package of the checkout along. */
  link(name: string): void;
}

export function installClient(): Project {
  const parent = mkdtempSync(join(tmpdir(), 'gateway-client-'));
  const paths = execFileSync('tar', ['-tzf', PACKAGE], { encoding: 'utf8' }).trimEnd().split('\n');
  const folder = join(parent, 'project');
  mkdirSync(folder);

  function run(program: string, ...args: string[]): string {
    try {
      return execFileSync(program, args, { cwd: folder, encoding: 'utf8', stdio: 'pipe', timeout: PATIENCE_MS });
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      throw new Error(`${program} ${args.join(' ')}\n${stdout}${stderr}`);
    }
  }
  const project: Project = {
    folder,
    files: paths.map((path) => path.replace(/^package\//, '')),
    save: (name, text) => writeFileSync(join(folder, name), text),
    run,
    link: (name) => {
      const place = join(folder, 'node_modules', name);
      mkdirSync(dirname(place), { recursive: true });
      symlinkSync(resolve('node_modules', name), place);
    },
    [Symbol.dispose]: () => rmSync(parent, { recursive: true, force: true }),
  };
  project.save('package.json', JSON.stringify({ name: 'project', private: true, type: 'module' }));
  run('npm', 'install', '--offline', '--no-audit', '--no-fund', PACKAGE);
  return project;
}
