/** The common passwords that are long enough to be set. They are data, in a file next to this one. (Interface 15) */
import { readFile } from 'node:fs/promises';
import { packagePath } from '../../platform/package-path.js';

const FILE = packagePath('src/credentials/passwords/common-passwords.txt');

/** @returns passwords in the normal form of `normal-form.ts`, sorted */
export async function readCommonPasswords(): Promise<string[]> {
  const text = await readFile(FILE, 'utf8');
  const [, list = ''] = text.trimEnd().split('\n\n', 2); // after its sources and licences
  return list.split('\n');
}
