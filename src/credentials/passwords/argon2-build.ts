/** Which build of argon2 is in use: the prebuilt one of the package, or one that was built for this processor. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export type Argon2Build = 'prebuilt' | 'native';

/** As the package looks for it: what was built beside it comes first. */
export function argon2Build(): Argon2Build {
  const folder = dirname(createRequire(import.meta.url).resolve('argon2/package.json'));
  return existsSync(join(folder, 'build/Release/argon2.node')) ? 'native' : 'prebuilt';
}
