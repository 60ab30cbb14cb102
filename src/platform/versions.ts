/** Versions of the gateway and its packages. */
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { packagePath } from './package-path.js';

export const GATEWAY_VERSION = versionOf('..');

export const UNKNOWN_REVISION = 'unknown';
/** The commit of the build, followed by `-dirty` if a source differed from it: see `scripts/build.js`. */
export const REVISION = revisionOfBuild();

function revisionOfBuild(): string {
  try {
    return readFileSync(packagePath('dist/program/revision'), 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return UNKNOWN_REVISION;
    throw error;
  }
}

/** @param specifier the name of a package, or a path inside it */
export function versionOf(specifier: string): string {
  const file = findPackageJSON(specifier, import.meta.url);
  if (file === undefined) throw new Error(`there is no package.json of ${specifier}`);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
