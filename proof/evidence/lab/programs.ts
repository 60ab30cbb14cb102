/** Programs that experiments need as well as Node: their paths, and their packages in Debian. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where the name of the package is not that of the program. */
const PACKAGES: Record<string, string> = { etcd: 'etcd-server', ip: 'iproute2', pg_controldata: 'postgresql' };

const POSTGRES = '/usr/lib/postgresql';
const POLICY = '/usr/sbin/policy-rc.d';
const CLUSTERS = '/etc/postgresql-common/createcluster.conf';

/** @returns the path of a program, undefined if it is not installed. Debian keeps those of PostgreSQL apart */
export function findProgram(name: string): string | undefined {
  const versions = existsSync(POSTGRES) ? readdirSync(POSTGRES).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...(process.env['PATH'] ?? '').split(':'),
    '/usr/local/sbin',
    '/usr/sbin',
    '/sbin',
    ...versions.map((version) => join(POSTGRES, version, 'bin')),
  ];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** @param need a program, or `root` */
export function isThere(need: string): boolean {
  return need === 'root' ? process.getuid?.() === 0 : findProgram(need) !== undefined;
}

/**
 * Installs what is missing, as root. No service is started and no cluster of PostgreSQL is made: experiments run these
 * programs themselves, and end them.
 * @throws if apt-get fails
 */
export function installPrograms(programs: readonly string[]): void {
  const missing = programs.filter((name) => !isThere(name)).map((name) => PACKAGES[name] ?? name);
  if (missing.length === 0) return;
  const madePolicy = makeFile(POLICY, '#!/bin/sh\nexit 101\n', 0o755); // nothing is started: Debian Policy 9.3.3
  makeFile(CLUSTERS, 'create_main_cluster = false\n', 0o644); // stays, as the configuration of the package
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const aptGet = (...words: string[]): unknown =>
    execFileSync('apt-get', ['-qq', '-y', ...words], { env, stdio: ['ignore', 2, 2] });
  try {
    aptGet('update');
    aptGet('-o', 'Dpkg::Options::=--force-confold', 'install', '--no-install-recommends', ...new Set(missing));
  } finally {
    if (madePolicy) rmSync(POLICY);
  }
}

/** @returns false if there is such a file already, which then stays as it is */
function makeFile(path: string, text: string, mode: number): boolean {
  if (existsSync(path)) return false;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode });
  return true;
}
