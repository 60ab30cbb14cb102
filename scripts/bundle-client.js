/** Makes what the gateway serves of its client: one module for pages, and the package as `npm pack` would make it. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { note } from './bundled.js';
import { tar } from './tar.js';

const PACKAGE = 'client';
const FOLDER = 'dist/client-package';
/** Part of every package, whatever its `files` say. */
const ALWAYS = ['LICENSE', 'README.md', 'package.json'];

/** @returns the files that it has written */
export async function bundleClient() {
  const manifest = JSON.parse(await readFile(`${PACKAGE}/package.json`, 'utf8'));
  const made = [
    ['client.js.gz', gzipSync(await bundleModule(manifest), { level: 9 })],
    ['client.tgz', await pack(manifest)],
  ];
  await mkdir(FOLDER, { recursive: true });
  for (const [name, content] of made) await writeFile(`${FOLDER}/${name}`, content);
  return made.map(([name]) => `${FOLDER}/${name}`);
}

async function bundleModule({ name, version, license }) {
  const { outputFiles, metafile } = await build({
    entryPoints: [`${PACKAGE}/src/browser.ts`],
    bundle: true,
    format: 'esm',
    minify: true,
    target: 'es2022',
    banner: { js: `/* ${name} ${version}, ${license} */` },
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  note(metafile);
  return outputFiles[0].contents;
}

/**
 * Stored, not deflated: what zlib makes differs by its version and by processor, and the lock files of those who install
 * the package have its hash.
 */
async function pack({ files }) {
  const paths = [...ALWAYS, ...(await Promise.all(files.map(filesBelow))).flat()].sort();
  const read = async (path) => ({ path: `package/${path}`, content: await readFile(join(PACKAGE, path)) });
  return gzipSync(tar(await Promise.all(paths.map(read))), { level: 0 });
}

async function filesBelow(folder) {
  const entries = await readdir(join(PACKAGE, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(PACKAGE, join(parentPath, name)));
}
