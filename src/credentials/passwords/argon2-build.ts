/** Which build of argon2 is loaded: the package's prebuilt one, or one that was compiled for this processor. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export type Argon2Build = 'prebuilt' | 'native';

/** The package prefers a compiled build to its prebuilt one. */
export function argon2Build(): Argon2Build {
  const folder = dirname(createRequire(import.meta.url).resolve('argon2/package.json'));
  return existsSync(join(folder, 'build/Release/argon2.node')) ? 'native' : 'prebuilt';
}
