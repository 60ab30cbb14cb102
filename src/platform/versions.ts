/** Versions of what runs here, as the packages themselves have them. */
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

export const GATEWAY_VERSION = versionOf('..');

/** @param specifier a package's name, or a path, which is of the package that has it */
export function versionOf(specifier: string): string {
  const file = findPackageJSON(specifier, import.meta.url);
  if (file === undefined) throw new Error(`there is no package.json of ${specifier}`);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
