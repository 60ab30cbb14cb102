/** Where the package of the gateway is, whether this runs from `src` or `dist`. */
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

/** @returns a path in the gateway's package */
export function packagePath(...path: string[]): string {
  return join(dirname(findPackageJSON('..', import.meta.url) ?? '.'), ...path);
}
