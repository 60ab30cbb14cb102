/** The packages whose code is in a bundle of `dist`: the SBOM and the licences have them as well. */
import { writeFile } from 'node:fs/promises';

/** Written by each build, read when it is packed. Folders of packages, one a line. */
export const BUNDLED = 'dist/bundled.txt';
const folders = new Set();

/** @param metafile what esbuild says of one build */
export function note({ outputs }) {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  for (const [path, { bytesInOutput }] of inputs) {
    const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
    if (bytesInOutput > 0 && folder !== undefined) folders.add(folder);
  }
}

/** @returns the file that it has written */
export async function writeBundled() {
  await writeFile(
    BUNDLED,
    [...folders]
      .sort()
      .map((folder) => `${folder}\n`)
      .join(''),
  );
  return BUNDLED;
}
