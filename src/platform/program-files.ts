/** Where the programs are: beside this file, and in the bundle beside its parts. */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

/**
 * What Node has compiled is kept beside the program, where nobody may write who may not write the program. Elsewhere, as
 * in a common temporary folder, code could be planted. Where it cannot be written nothing is kept.
 */
export function keepCompiled(): void {
  enableCompileCache(join(import.meta.dirname, '../compiled'));
}
