/** The packages of peers, which are not among ours and whose types are not there. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** @param file in the folder of the peer's modules, which the environment names */
export function peerModule<Module>(file: string): Promise<Module> {
  return import(pathToFileURL(join(process.env['PEER_MODULES'] ?? '', file)).href) as Promise<Module>;
}
