/** Versions of the gateway and its packages. */
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

export const GATEWAY_VERSION = versionOf('..');

/** @param specifier the name of a package, or a path inside it */
export function versionOf(specifier: string): string {
  const file = findPackageJSON(specifier, import.meta.url);
  if (file === undefined) throw new Error(`there is no package.json of ${specifier}`);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
